// Step of a study: elastic joints of its fit runs.
#pragma once

#include <memory>

#include "steelyard/log/source.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct StudyState;

// Result and findings, when the study asks for them; one pass over every fit run.
void identify_elastic_joints(StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
