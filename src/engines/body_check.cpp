#include "steelyard/engines/body_check.hpp"

#include <fmt/format.h>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

void require_body(const Inertia& inertia, const std::string& link) {
  if (const auto law = inertia.violated_law())
    throw InputError({fmt::format("the inertia of link '{}' is not physically possible: {}", link, *law),
                      {},
                      {},
                      "export feasible parameters: add `feasible:` to the study"});
}

}  // namespace steelyard
