#include "steelyard/simulate/closed_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "simulate/lists.hpp"
#include "simulate/noise.hpp"
#include "simulate/plant.hpp"
#include "simulate/stepper.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kLongestStep = 1e-3;  // [s] that automatic substeps allow
constexpr double kStiffest = 0.5;      // friction slope / inertia · step; Runge-Kutta is stable to 2.7
constexpr Index kMaxSubsteps = 200;
constexpr Index kLoadStates = 50;  // of a motion at which loads are looked at
constexpr double kRunaway = 1e6;   // rad, m or their rates

Index sample_count(const Trajectory& reference, const ClosedLoopOptions& options) {
  if (options.samples > 0) return options.samples;
  return static_cast<Index>(std::floor(reference.duration() * options.rate * (1 + 1e-12))) + 1;
}

// Noise of the encoders for all samples; measure() adds it and rounds.
class Encoders {
 public:
  Encoders(const ClosedLoopOptions& options, Index samples, Index joints)
      : quantum_(per_joint(options.quantum, joints, 0, Bound::not_negative, "encoder step")) {
    const VectorXd deviation =
        per_joint(options.position_noise, joints, 0, Bound::not_negative, "position noise");
    noise_ = MatrixXd::Zero(samples, joints);
    for (Index j = 0; j < joints; ++j) {
      if (deviation[j] == 0) continue;
      fill_normal({options.seed, "position noise", j}, 0, samples, noise_.col(j).data());
      noise_.col(j) *= deviation[j];
    }
  }
  VectorXd measure(const VectorXd& q, Index sample) const {
    VectorXd out = q + noise_.row(sample).transpose();
    for (Index j = 0; j < out.size(); ++j) {
      if (quantum_[j] > 0) out[j] = quantum_[j] * std::nearbyint(out[j] / quantum_[j]);
    }
    return out;
  }

 private:
  VectorXd quantum_;
  MatrixXd noise_;
};

class Controller {
 public:
  Controller(const Plant& model, const ClosedLoopOptions& options, const VectorXd& q) : model_(model) {
    control_ = options.control;
    const double omega = 2 * std::numbers::pi * options.bandwidth;
    kp_ = omega * omega;
    kd_ = 2 * options.damping * omega;
    inertia_ = model.mass_matrix(q).diagonal();
  }

  VectorXd effort(const JointState& wanted, const VectorXd& q, const VectorXd& qd) const {
    const VectorXd back = kp_ * (wanted.q - q) + kd_ * (wanted.qd - qd);
    VectorXd weighed = inertia_.cwiseProduct(back);
    switch (control_) {
      case Control::effort:
        return wanted.q;
      case Control::feedback:
        return weighed;
      case Control::gravity:
        return model_.gravity(q) + weighed;
      case Control::feed_forward:
        return model_.inverse(wanted.q, wanted.qd, wanted.qdd, wanted.qd) + weighed;
      case Control::computed_torque:
        return model_.inverse(q, qd, wanted.qdd + back, wanted.qd);
    }
    throw InternalError("unknown kind of control");
  }

 private:
  const Plant& model_;
  Control control_;
  double kp_ = 0, kd_ = 0;
  VectorXd inertia_;
};

// Largest efforts of the bodies along a motion.
VectorXd largest_loads(const Plant& plant, const ClosedLoopMotion& reference) {
  VectorXd largest = VectorXd::Zero(plant.joints());
  if (!plant.has_loads()) return largest;
  const Index samples = reference.q.rows(), step = std::max<Index>(1, samples / kLoadStates);
  for (Index s = 0; s < samples; s += step) {
    const Plant::Equations equations =
        plant.equations(reference.q.row(s).transpose(), reference.qd.row(s).transpose());
    largest = largest.cwiseMax(equations.load(reference.qdd.row(s).transpose()).cwiseAbs());
  }
  return largest;
}

// Steps a control period needs: short, unless their number is given, and always short against the time in which
// friction stops a free joint: longer ones would make smooth friction drive it.
Index substeps_of(const Plant& plant, const ClosedLoopMotion& reference, const VectorXd& q,
                  const ClosedLoopOptions& options) {
  const double period = 1 / options.rate;
  const MatrixXd M = plant.mass_matrix(q);
  const VectorXd free_inertia = inverse_of(M).diagonal().cwiseInverse();
  const double fastest =
      plant.stiffness(largest_loads(plant, reference)).cwiseQuotient(free_inertia.cwiseAbs()).maxCoeff();
  const double given =
      options.substeps > 0 ? static_cast<double>(options.substeps) : period / kLongestStep * (1 - 1e-9);
  const double wanted = std::max(given, period * fastest / kStiffest);
  return std::clamp(static_cast<Index>(std::ceil(wanted)), Index{1},
                    std::max(options.substeps, kMaxSubsteps));
}

JointState row_of(const ClosedLoopMotion& reference, Index sample) {
  return {reference.q.row(sample).transpose(), reference.qd.row(sample).transpose(),
          reference.qdd.row(sample).transpose()};
}

// Time and reference; the reference's derivatives stand in qd and qdd until the true ones replace them.
ClosedLoopMotion lay_out(const Trajectory& reference, Index samples, double rate) {
  ClosedLoopMotion out;
  const Index joints = reference.joints();
  out.time.resize(samples);
  for (Index s = 0; s < samples; ++s) out.time[s] = static_cast<double>(s) / rate;
  for (MatrixXd* part : {&out.q, &out.qd, &out.qdd, &out.effort, &out.measured})
    part->resize(samples, joints);
  reference.evaluate(out.time.data(), samples, out.q.data(), out.qd.data(), out.qdd.data(), samples);
  out.reference = out.q;
  return out;
}

// Loads of commanded efforts are looked at where they begin.
ClosedLoopMotion at_rest(const VectorXd& q) {
  ClosedLoopMotion out;
  out.q = q.transpose();
  out.qd = out.qdd = MatrixXd::Zero(1, q.size());
  return out;
}

void check_bounded(const Stepper& stepper, double time) {
  if (stepper.q().allFinite() && stepper.qd().cwiseAbs().maxCoeff() < kRunaway) return;
  throw InputError({fmt::format("the simulated robot becomes unstable at {:.4g} s", time),
                    {},
                    "",
                    "use more substeps, a lower bandwidth or a better model in the controller"});
}

}  // namespace

void ClosedLoopOptions::validate() const {
  check_number(rate, Bound::positive, "rate of the control");
  check_number(bandwidth, Bound::not_negative, "bandwidth of the control");
  check_number(damping, Bound::positive, "damping of the control");
  const auto refuse = [](std::string what, const char* limit, const char* remedy) {
    throw InputError({std::move(what), {}, limit, remedy});
  };
  if (samples < 0) refuse(fmt::format("{} samples of a closed loop", samples), "zero or positive", "");
  if (substeps < 0) refuse(fmt::format("{} substeps", substeps), "zero (automatic) or positive", "");
  if (velocity == VelocityChannel::none)
    refuse("a controller without velocity", "exact, or from positions", "");
  if (control != Control::effort && 2 * std::numbers::pi * bandwidth > rate / 2)
    refuse(fmt::format("a bandwidth of {} Hz at a control rate of {} Hz", bandwidth, rate),
           "2π bandwidth at most half the rate", "lower the bandwidth, or raise the control rate");
}

ClosedLoopMotion closed_loop(const Robot& robot, const TrueParameters& parameters,
                             const Trajectory& reference, const ClosedLoopOptions& options) {
  options.validate();
  const Plant plant(robot, parameters);
  const Plant model(robot, options.model ? *options.model : parameters);
  if (reference.joints() != plant.joints())
    throw InputError(
        {fmt::format("a motion of {} joints for a robot with {}", reference.joints(), plant.joints()),
         {},
         "one coordinate per independent joint",
         ""});
  const Index samples = sample_count(reference, options);
  ClosedLoopMotion out = lay_out(reference, samples, options.rate);
  const bool by_effort = options.control == Control::effort;
  const VectorXd zero = VectorXd::Zero(plant.joints());
  const JointState first = options.start ? *options.start
                           : by_effort   ? JointState{zero, zero, zero}
                                         : row_of(out, 0);
  if (first.q.size() != plant.joints() || first.qd.size() != plant.joints())
    throw InputError({"the state at the start has another number of joints", {}, "one value per joint", ""});
  const double period = 1 / options.rate;
  const Controller controller(model, options, first.q);
  const Encoders encoders(options, samples, plant.joints());
  out.substeps = substeps_of(plant, by_effort ? at_rest(first.q) : out, first.q, options);
  const double h = period / static_cast<double>(out.substeps);
  Stepper stepper(plant, first.q, first.qd);
  VectorXd before;
  for (Index s = 0; s < samples; ++s) {
    const JointState wanted = row_of(out, s);
    const VectorXd seen = encoders.measure(stepper.q(), s);
    const bool exact = options.velocity == VelocityChannel::exact || s == 0;
    const VectorXd velocity = exact ? stepper.qd() : VectorXd((seen - before) * options.rate);
    const VectorXd effort = controller.effort(wanted, seen, velocity);
    stepper.set_effort(effort, out.time[s]);
    out.q.row(s) = stepper.q().transpose();
    out.qd.row(s) = stepper.qd().transpose();
    out.qdd.row(s) = stepper.acceleration().transpose();
    out.effort.row(s) = effort.transpose();
    out.measured.row(s) = seen.transpose();
    before = seen;
    for (Index k = 0; k < out.substeps && s + 1 < samples; ++k) {
      if (k > 0) stepper.set_effort(effort, out.time[s]);
      stepper.step(h, out.time[s]);
    }
    check_bounded(stepper, out.time[s]);
  }
  if (by_effort)
    out.reference.resize(0, 0);
  else
    out.worst_error = (out.reference - out.q).cwiseAbs().colwise().maxCoeff().transpose();
  return out;
}

Run closed_loop_log(const ClosedLoopMotion& motion, const ClosedLoopOptions& options, const RunLabel& label) {
  const Index samples = motion.q.rows(), joints = motion.q.cols();
  Run run;
  run.label = label;
  std::vector<std::string> channels = {std::string(channel::kPosition), std::string(channel::kTorque)};
  if (motion.reference.size() > 0) channels.emplace_back("reference_position");
  run.samples = SampleBlock(channels, joints, samples);
  std::copy_n(motion.time.data(), samples, run.samples.time());
  const VectorXd deviation = per_joint(options.effort_noise, joints, 0, Bound::not_negative, "effort noise");
  VectorXd noise(samples);
  for (Index j = 0; j < joints; ++j) {
    noise.setZero();
    if (deviation[j] > 0) fill_normal({options.seed, "effort noise", j}, 0, samples, noise.data());
    const VectorXd effort = motion.effort.col(j) + deviation[j] * noise;
    std::copy_n(motion.measured.col(j).data(), samples, run.samples.row(0, j));
    std::copy_n(effort.data(), samples, run.samples.row(1, j));
    if (motion.reference.size() > 0)
      std::copy_n(motion.reference.col(j).data(), samples, run.samples.row(2, j));
  }
  return run;
}

}  // namespace steelyard
