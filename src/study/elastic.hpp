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

// The log of a simulated robot with springs.
std::unique_ptr<SampleSource> elastic_simulation(const SimulationSpec& spec, const Robot& robot,
                                                 const TrueParameters& parameters, const Trajectory& motion);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
