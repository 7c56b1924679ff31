// The robot file's parameters as rows beside the data.
#pragma once

#include <string>
#include <vector>

#include "steelyard/fold/fold.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::vector<std::string> lead_names(const BaseParameters& base);

// λ N (π_k − π_k⁰) for every lead column k, with N the largest norm of a column of the same kind, so that
// what the data do not identify is held as firmly as the rest. Empty without a prior in the study.
std::vector<Fold> prior_folds(const Study& study, const Robot& robot, const BaseParameters& base,
                              const std::vector<Fold>& folds);

}  // namespace steelyard
