#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "simulate/instruments.hpp"
#include "simulate/limits.hpp"
#include "simulate/lists.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/simulate/effort_model.hpp"
#include "steelyard/simulate/simulate.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kSlot = 4096;        // samples that one thread makes at a time
constexpr double kMaxSamples = 1e8;  // more than a day at 1 kHz

// Samples at 0, 1/rate, … up to the end, which must not be missed by rounding.
Index count_samples(double duration, double rate) {
  const double periods = duration * rate;
  if (!(periods < kMaxSamples)) {
    throw InputError({fmt::format("{} s at {} Hz are too many samples", duration, rate),
                      {},
                      fmt::format("at most {}", kMaxSamples),
                      "shorten the motion or lower the rate"});
  }
  const Index whole = static_cast<Index>(std::floor(periods));
  const bool is_missed = static_cast<double>(whole + 1) / rate <= duration * (1 + 1e-12);
  return std::max<Index>(2, whole + (is_missed ? 2 : 1));
}

void check_fit(const Robot& robot, const Trajectory& trajectory, const SimulateOptions& options) {
  if (trajectory.joints() != robot.dof()) {
    throw InputError({fmt::format("the motion has {} joints, the robot '{}' has {}", trajectory.joints(),
                                  robot.name, robot.dof()),
                      {},
                      {},
                      "give the motion one column per independent joint"});
  }
  if (options.motor_side && !robot.transmission.is_given()) {
    throw InputError(
        {fmt::format("motor-side channels are requested, but the robot '{}' has no transmission", robot.name),
         {},
         {},
         "give the robot a transmission, or log the joint side"});
  }
}

std::vector<std::string> channel_names(const SimulateOptions& options) {
  const std::string side(options.motor_side ? channel::kMotor : "");
  std::vector<std::string> names = {side + std::string(channel::kPosition)};
  if (options.velocity != VelocityChannel::none) names.push_back(side + std::string(channel::kVelocity));
  if (options.acceleration) names.push_back(side + std::string(channel::kAcceleration));
  const bool is_current = options.effort == EffortChannel::current;
  names.push_back(is_current ? std::string(channel::kCurrent) : side + std::string(channel::kTorque));
  return names;
}

// x ← matrix (x − zero), in plain sums so that the bytes do not depend on the number of samples.
void to_motor_side(const MatrixXd& matrix, const VectorXd& zero, MatrixXd& x) {
  const MatrixXd before = zero.size() == 0 ? x : MatrixXd(x.rowwise() - zero.transpose());
  x.setZero();
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (matrix(i, j) != 0) x.col(i) += matrix(i, j) * before.col(j);
    }
  }
}

}  // namespace

class Simulator::Impl {
 public:
  Impl(const Robot& robot, const Trajectory& trajectory, const SimulateOptions& options, EffortModel model)
      : options_(options),
        trajectory_(trajectory),
        transmission_(robot.transmission),
        model_(std::move(model)),
        limits_(robot),
        instruments_(options, robot.dof()),
        size_(options.samples > 0 ? options.samples : count_samples(trajectory.duration(), options.rate)),
        joints_(robot.dof()),
        channels_(channel_names(options)) {
    if (instruments_.relative_effort_noise().maxCoeff() > 0) instruments_.set_effort_rms(effort_rms());
  }

  Index size() const { return size_; }
  Index joints() const { return joints_; }
  const std::vector<std::string>& channels() const { return channels_; }
  const SimulateOptions& options() const { return options_; }
  const Instruments& instruments() const { return instruments_; }

  void read(Index first, Index count, SampleBlock& block) const {
    require(first >= 0 && count >= 0 && first + count <= size_, "the requested samples are outside the run");
    if (block.channels() != channels_ || block.joints() != joints_) block = SampleBlock(channels_, joints_);
    block.resize(count);
    if (count == 0) return;
    const Index begin = first / kSlot, end = (first + count + kSlot - 1) / kSlot;
    parallel_for(end - begin, options_.threads, [&](Index i) {
      const Index from = std::max(first, (begin + i) * kSlot);
      const Index to = std::min(first + count, (begin + i + 1) * kSlot);
      read_slot(from, to - from, from - first, block);
    });
  }

 private:
  States states(const VectorXd& time) const {
    States x(time.size(), joints_);
    trajectory_.evaluate(time.data(), time.size(), x.q.data(), x.qd.data(), x.qdd.data(), time.size());
    return x;
  }

  MatrixXd clean_efforts(const VectorXd& time, const States& now) const;
  VectorXd effort_rms() const;
  void read_slot(Index first, Index count, Index at, SampleBlock& block) const;
  void put(const std::vector<const MatrixXd*>& values, Index begin, Index first, Index count, Index at,
           SampleBlock& block) const;

  SimulateOptions options_;
  Trajectory trajectory_;
  Transmission transmission_;
  EffortModel model_;
  LimitCheck limits_;
  Instruments instruments_;
  Index size_;
  Index joints_;
  std::vector<std::string> channels_;
};

MatrixXd Simulator::Impl::clean_efforts(const VectorXd& time, const States& now) const {
  const Index n = time.size();
  MatrixXd effort(n, joints_);
  if (options_.delay > 0) {
    const States before = states((time.array() - options_.delay).matrix());
    model_.evaluate({before.q.data(), before.qd.data(), before.qdd.data(), n, n}, effort.data());
  } else {
    model_.evaluate({now.q.data(), now.qd.data(), now.qdd.data(), n, n}, effort.data());
  }
  return effort;
}

// In slots by index that are added in their order: the same sum on any number of threads.
VectorXd Simulator::Impl::effort_rms() const {
  const Index slots = (size_ + kSlot - 1) / kSlot;
  MatrixXd sums = MatrixXd::Zero(joints_, slots);
  parallel_for(slots, options_.threads, [&](Index slot) {
    const VectorXd time = instruments_.instants(slot * kSlot, std::min(kSlot, size_ - slot * kSlot));
    const MatrixXd effort = clean_efforts(time, states(time));
    for (Index j = 0; j < joints_; ++j) {
      for (Index s = 0; s < effort.rows(); ++s) sums(j, slot) += effort(s, j) * effort(s, j);
    }
  });
  VectorXd total = VectorXd::Zero(joints_);
  for (Index slot = 0; slot < slots; ++slot) total += sums.col(slot);
  return (total / static_cast<double>(size_)).cwiseSqrt();
}

void Simulator::Impl::read_slot(Index first, Index count, Index at, SampleBlock& block) const {
  // Differences need the sample before the first one, repetitions the one that is repeated.
  const bool is_differenced = options_.velocity == VelocityChannel::from_positions;
  const Index begin = instruments_.source(first) - (is_differenced ? 1 : 0);
  const Index rows = first + count - begin;
  const VectorXd time = instruments_.instants(begin, rows);
  States x = states(time);
  if (options_.check_limits) limits_(time, x, first - begin);
  MatrixXd effort = clean_efforts(time, x);
  if (options_.motor_side) {
    to_motor_side(transmission_.matrix, transmission_.zero, x.q);
    to_motor_side(transmission_.matrix, {}, x.qd);
    to_motor_side(transmission_.matrix, {}, x.qdd);
  }
  instruments_.measure_positions(begin, x.q);
  instruments_.measure_efforts(begin, effort);
  if (is_differenced) {
    for (Index s = 1; s < rows; ++s) x.qd.row(s) = (x.q.row(s) - x.q.row(s - 1)) / (time[s] - time[s - 1]);
  }
  std::vector<const MatrixXd*> values = {&x.q};
  if (options_.velocity != VelocityChannel::none) values.push_back(&x.qd);
  if (options_.acceleration) values.push_back(&x.qdd);
  values.push_back(&effort);
  put(values, begin, first, count, at, block);
  Eigen::Map<VectorXd>(block.time() + at, count) = time.tail(count) + instruments_.stamp_errors(first, count);
}

// Rows of `values` begin with sample `begin`; sample `first` goes to place `at` of the block.
void Simulator::Impl::put(const std::vector<const MatrixXd*>& values, Index begin, Index first, Index count,
                          Index at, SampleBlock& block) const {
  std::vector<Index> rows(static_cast<std::size_t>(count));
  for (Index s = 0; s < count; ++s) {
    rows[static_cast<std::size_t>(s)] = instruments_.source(first + s) - begin;
  }
  for (std::size_t c = 0; c < values.size(); ++c) {
    for (Index j = 0; j < joints_; ++j) {
      double* to = block.row(static_cast<Index>(c), j) + at;
      // + 0 turns negative zeros, which text does not carry, into zeros.
      for (const Index row : rows) *to++ = (*values[c])(row, j) + 0.0;
    }
  }
}

Simulator::Simulator(const Robot& robot, const TrueParameters& parameters, const Trajectory& trajectory,
                     const SimulateOptions& options) {
  validate(robot);
  validate(parameters, robot);
  options.validate();
  check_fit(robot, trajectory, options);
  impl_ = std::make_unique<Impl>(robot, trajectory, options, EffortModel(robot, parameters, options));
}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

Index Simulator::size() const {
  return impl_->size();
}
Index Simulator::joints() const {
  return impl_->joints();
}
const std::vector<std::string>& Simulator::channels() const {
  return impl_->channels();
}
const SimulateOptions& Simulator::options() const {
  return impl_->options();
}
const VectorXd& Simulator::effort_deviation() const {
  return impl_->instruments().effort_deviation();
}
void Simulator::read(Index first, Index count, SampleBlock& block) const {
  impl_->read(first, count, block);
}

}  // namespace steelyard
