// What encoders and torque sensors of an elastic robot write down.
#include <algorithm>
#include <cmath>

#include "simulate/lists.hpp"
#include "simulate/noise.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/simulate/elastic.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void add_sensor_noise(const char* purpose, std::uint64_t seed, const VectorXd& deviation, MatrixXd& values) {
  VectorXd noise(values.rows());
  for (Index j = 0; j < values.cols(); ++j) {
    if (deviation[j] == 0) continue;
    fill_normal({seed, purpose, j}, 0, values.rows(), noise.data());
    values.col(j) += deviation[j] * noise;
  }
}

void round_to_steps(const VectorXd& quantum, MatrixXd& values) {
  for (Index j = 0; j < values.cols(); ++j)
    if (quantum[j] > 0)
      for (Index s = 0; s < values.rows(); ++s)
        values(s, j) = quantum[j] * std::nearbyint(values(s, j) / quantum[j]);
}

}  // namespace

Run elastic_log(const ElasticMotion& motion, const ElasticMotionOptions& options, const RunLabel& label) {
  const Index samples = motion.q.rows(), joints = motion.q.cols();
  const auto list = [&](const VectorXd& given, const char* name) {
    return per_joint(given, joints, 0, Bound::not_negative, name);
  };
  const VectorXd share = list(options.relative_encoder_noise, "relative noise of the encoders")
                             .cwiseProduct(motion.deflection());
  const VectorXd rms = (motion.effort.colwise().norm() / std::sqrt(static_cast<double>(samples))).transpose();
  const auto both = [](const VectorXd& a, const VectorXd& b) {
    return VectorXd((a.cwiseAbs2() + b.cwiseAbs2()).cwiseSqrt());
  };
  MatrixXd q = motion.q, theta = motion.theta, effort = motion.effort, elastic = motion.elastic_torque;
  add_sensor_noise("link encoder", options.seed,
                   both(list(options.link_noise, "noise of the link encoders"), share), q);
  add_sensor_noise("motor encoder", options.seed,
                   both(list(options.motor_noise, "noise of the motor encoders"), share), theta);
  add_sensor_noise("effort noise", options.seed,
                   both(list(options.effort_noise, "effort noise"),
                        list(options.relative_effort_noise, "relative effort noise").cwiseProduct(rms)),
                   effort);
  add_sensor_noise("elastic torque", options.seed,
                   list(options.elastic_torque_noise, "noise of the torque sensors"), elastic);
  const VectorXd quantum = list(options.quantum, "encoder step");
  round_to_steps(quantum, q);
  round_to_steps(quantum, theta);
  Run run;
  run.label = label;
  run.samples = SampleBlock({std::string(channel::kPosition), std::string(channel::kTorque),
                             std::string(channel::kTheta), std::string(channel::kElasticTorque)},
                            joints, samples);
  std::copy_n(motion.time.data(), samples, run.samples.time());
  const MatrixXd* const channels[] = {&q, &effort, &theta, &elastic};
  for (Index c = 0; c < 4; ++c)
    for (Index j = 0; j < joints; ++j)
      std::copy_n(channels[c]->col(j).data(), samples, run.samples.row(c, j));
  return run;
}

}  // namespace steelyard
