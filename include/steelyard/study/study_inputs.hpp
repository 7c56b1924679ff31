// The files that a study reads: outputs never replace them (result/replaceable.hpp).
#pragma once

#include <filesystem>
#include <vector>

#include "steelyard/study/study.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// The study's own file, the robot, logs and folds, meshes, tables and models, robots that exports start from;
// behind them `others`.
std::vector<std::filesystem::path> study_inputs(const Study& study,
                                                const std::vector<std::string>& others = {});

}  // namespace STEELYARD_ABI
}  // namespace steelyard
