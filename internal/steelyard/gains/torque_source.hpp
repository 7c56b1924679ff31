// Sources whose torques come from currents or are multiplied.
#pragma once

#include <memory>

#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The source with the further channel torque = matrix · current.
std::unique_ptr<SampleSource> with_torques(std::unique_ptr<SampleSource> source, MatrixXd matrix);

// The source with its torques multiplied by factors[j], joint by joint.
std::unique_ptr<SampleSource> with_scaled_torques(std::unique_ptr<SampleSource> source, VectorXd factors);

}  // namespace steelyard
