// What the report draws of a study: its robot and the motions of its runs.
//
// Every run is read once more, from the beginning to the end, and thinned out on the way: memory does not
// grow with its length. Runs without positions of the joints have no motion, and neither have runs that are
// simulated with another robot than the study's (reverse studies).
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/report/scene.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

Scene study_scene(const Study& study);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
