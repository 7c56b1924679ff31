// Parts of a simulated run of a study.
#pragma once

#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

Trajectory simulated_motion(const SimulationSpec& spec);

// Of the robot's file, with the study's values on top. Throws InputError for parameters it does not have.
TrueParameters simulated_parameters(const SimulationSpec& spec, const Robot& robot);

// The log of a robot that commanded efforts drive.
std::unique_ptr<SampleSource> driven_simulation(const SimulationSpec& spec, const Robot& robot,
                                                const TrueParameters& parameters, const Trajectory& efforts);

// The log of a simulated robot with springs.
std::unique_ptr<SampleSource> elastic_simulation(const SimulationSpec& spec, const Robot& robot,
                                                 const TrueParameters& parameters, const Trajectory& motion);

}  // namespace steelyard
