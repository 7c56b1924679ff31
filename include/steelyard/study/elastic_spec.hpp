// What a study says of elastic joints: how to identify them, and how to simulate them (docs/elastic.md).
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/elastic/elastic.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// `elastic:` of a study. Extra columns are those of the study.
struct ElasticSpec {
  ElasticOptions options;
};

// `simulate: {elastic: …}` of a run: springs between the study's robot and its motors.
struct ElasticSimulationSpec {
  VectorXd stiffness;  // one for all joints, or one per joint
  VectorXd damping;
  double bandwidth = 5;             // [Hz] of the control
  VectorXd motor_noise;             // of the motor encoders; position_noise is the link encoders'
  VectorXd relative_encoder_noise;  // of both, as share of the RMS deflection
  VectorXd elastic_torque_noise;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
