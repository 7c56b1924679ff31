// What a study says of runs that log |effort| only: the section `signs` (docs/signs.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/signs/recover.hpp"
#include "steelyard/signs/segments.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// A stretch of a run whose sign is known.
struct KnownSign {
  std::string run;
  std::string joint;
  Range range;
  int sign = 1;
  Place place;
};

// Which samples are fitted (signs/complete.hpp): those of decided segments; all of their joints' samples
// where held-out |effort| says that this helps; the same and joints without one decided segment, where that
// helps, too; these always.
enum class CompleteSigns { none, decided, automatic, guess };

// Drive gains that are found with the signs (signs/unknown_gains.hpp).
struct SignGainsSpec {
  VectorXd a_priori;  // per joint, of what the log has; empty: one
  std::string fixed;  // joint whose a-priori gain is right; empty: that with most effort
  Place place;
};

struct SignsSpec {
  SegmentOptions segments;  // cuts at reversals follow the friction model unless given
  bool reversals_given = false;
  std::vector<std::string> with_sign;  // joints that are logged with their sign
  std::vector<KnownSign> known;
  SignOptions search;
  CompleteSigns complete = CompleteSigns::automatic;
  std::optional<SignGainsSpec> gains;
  int reweigh = 2;  // further searches with the weights of the residuals
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
