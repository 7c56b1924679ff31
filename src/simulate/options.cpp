#include <fmt/format.h>

#include "simulate/lists.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/simulate/simulate.hpp"

namespace steelyard::inline STEELYARD_ABI {

void SimulateOptions::validate() const {
  check_number(rate, Bound::positive, "sample rate");
  if (samples < 0 || samples == 1) {
    throw InputError({fmt::format("{} samples are requested", samples), {}, "at least 2, or 0 for all", {}});
  }
  check_number(delay, Bound::not_negative, "delay of the efforts");
  check_number(jitter, Bound::not_negative, "jitter");
  check_number(stamp_noise, Bound::not_negative, "noise of the time stamps");
  if (!((jitter + stamp_noise) * rate < 0.5)) {
    throw InputError(
        {fmt::format("jitter and stamp noise are {} s together at {} Hz", jitter + stamp_noise, rate),
         {},
         fmt::format("less than half a period, {} s", 0.5 / rate),
         "lower them: stamps would not increase"});
  }
  if (!(repeat >= 0 && repeat <= 0.9)) {
    throw InputError({fmt::format("the probability of repeated samples is {}", repeat), {}, "0 … 0.9", {}});
  }
  if (payload && !payload->is_finite()) throw InputError({"the payload has no finite inertia", {}, {}, {}});
}

}  // namespace steelyard
