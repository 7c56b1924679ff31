#include "simulate/instruments.hpp"

#include <cmath>

#include "simulate/lists.hpp"

namespace steelyard::inline STEELYARD_ABI {

Instruments::Instruments(const SimulateOptions& options, Index joints)
    : rate_(options.rate),
      jitter_(options.jitter),
      stamp_noise_(options.stamp_noise),
      repeat_(options.repeat),
      unsigned_(options.unsigned_effort),
      seed_(options.seed) {
  const auto list = [joints](const VectorXd& values, const char* name) {
    return per_joint(values, joints, 0, Bound::not_negative, name);
  };
  position_deviation_ = list(options.position_noise, "position noise");
  quantum_ = list(options.quantum, "encoder step");
  effort_deviation_ = list(options.effort_noise, "effort noise");
  relative_ = list(options.relative_effort_noise, "relative effort noise");
  scale_ =
      options.effort_scale.size() == 0 ? VectorXd::Ones(joints) : list(options.effort_scale, "effort scale");
}

// Two independent noises: their variances add.
void Instruments::set_effort_rms(const VectorXd& rms) {
  for (Index j = 0; j < rms.size(); ++j)
    effort_deviation_[j] = std::hypot(effort_deviation_[j], relative_[j] * rms[j]);
}

VectorXd Instruments::instants(Index first, Index count) const {
  VectorXd time(count);
  for (Index s = 0; s < count; ++s) time[s] = static_cast<double>(first + s) / rate_;
  if (jitter_ > 0) {
    VectorXd off(count);
    fill_uniform(key("jitter"), first, count, off.data());
    time += jitter_ * off;
  }
  return time;
}

VectorXd Instruments::stamp_errors(Index first, Index count) const {
  VectorXd off = VectorXd::Zero(count);
  if (stamp_noise_ > 0) fill_uniform(key("stamp noise"), first, count, off.data());
  return stamp_noise_ * off;
}

void Instruments::measure_positions(Index first, MatrixXd& q) const {
  VectorXd noise(q.rows());
  for (Index j = 0; j < q.cols(); ++j) {
    if (position_deviation_[j] > 0) {
      fill_normal(key("position noise", j), first, q.rows(), noise.data());
      q.col(j) += position_deviation_[j] * noise;
    }
    const double step = quantum_[j];
    if (step > 0) {
      for (Index s = 0; s < q.rows(); ++s) q(s, j) = step * std::nearbyint(q(s, j) / step);
    }
  }
}

void Instruments::measure_efforts(Index first, MatrixXd& effort) const {
  VectorXd noise(effort.rows());
  for (Index j = 0; j < effort.cols(); ++j) {
    if (effort_deviation_[j] > 0) {
      fill_normal(key("effort noise", j), first, effort.rows(), noise.data());
      effort.col(j) += effort_deviation_[j] * noise;
    }
    if (scale_[j] != 1) effort.col(j) *= scale_[j];
  }
  if (unsigned_) effort = effort.cwiseAbs().eval();
}

Index Instruments::source(Index sample) const {
  if (repeat_ == 0) return sample;
  while (sample > 0 && is_drawn(key("simulate: repeated sample"), sample, repeat_)) --sample;
  return sample;
}

}  // namespace steelyard
