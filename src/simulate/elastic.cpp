#include "steelyard/simulate/elastic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "simulate/elastic_stepper.hpp"
#include "simulate/lists.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kFastest = 0.5;  // step times ω of the fastest mode, to begin with
constexpr Index kMaxElasticSubsteps = 256;

void require_plain(const Robot& robot) {
  if (robot.mimics.empty() && robot.pairs.empty()) return;
  throw InputError({fmt::format("robot '{}' has mimic joints or a coupled wrist", robot.name),
                    {},
                    "one motor and one spring per joint",
                    "simulate it with rigid joints"});
}

void require_simple_friction(const Friction& friction, const std::string& joint) {
  if (friction.coulomb_positive == 0 && friction.coulomb_negative == 0 && friction.sigmoid_height == 0 &&
      friction.stribeck == 0 && !friction.has_load() && !friction.has_ripple())
    return;
  throw InputError(
      {"the motor of an elastic joint has asymmetric, sigmoid, Stribeck or load friction, or ripple",
       {{}, 0, 0, joint},
       "viscous, coulomb and offset",
       ""});
}

ElasticPlant make_elastic_plant(const Robot& robot, const ElasticRobot& elastic,
                                const ElasticMotionOptions& options) {
  require_plain(robot);
  validate(elastic.parameters, robot);
  const Index n = robot.size();
  if (elastic.stiffness.size() == 0)
    throw InputError(
        {"an elastic robot without stiffness", {}, "one number for all joints, or one per joint", ""});
  ElasticPlant plant;
  plant.tree = compile(robot);
  plant.standard = elastic.parameters.standard;
  plant.links = DynamicsPlan(plant.tree, plant.standard);
  plant.K = per_joint(elastic.stiffness, n, 0, Bound::positive, "stiffness");
  plant.D = per_joint(elastic.damping, n, 0, Bound::not_negative, "damping of the springs");
  for (VectorXd* list : {&plant.B, &plant.viscous, &plant.coulomb, &plant.offset}) list->setZero(n);
  for (Index j = 0; j < n; ++j) {
    const std::string& name = robot.joints[static_cast<std::size_t>(j)].name;
    const Drive drive =
        elastic.parameters.drives.empty() ? Drive{} : elastic.parameters.drives[static_cast<std::size_t>(j)];
    require_simple_friction(drive.friction, name);
    check_number(drive.rotor_inertia, Bound::positive, fmt::format("motor inertia of joint '{}'", name));
    check_number(drive.friction.viscous, Bound::not_negative,
                 fmt::format("viscous friction of joint '{}'", name));
    check_number(drive.friction.coulomb, Bound::not_negative,
                 fmt::format("Coulomb friction of joint '{}'", name));
    plant.B[j] = drive.rotor_inertia;
    plant.viscous[j] = drive.friction.viscous;
    plant.coulomb[j] = drive.friction.coulomb;
    plant.offset[j] = drive.friction.offset;
  }
  plant.coulomb_velocity = options.coulomb_velocity;
  return plant;
}

void set_elastic_gains(ElasticPlant& plant, const ElasticMotionOptions& options, const VectorXd& q) {
  const double omega = 2 * std::numbers::pi * options.bandwidth;
  const VectorXd inertia = plant.links.mass_matrix(q).diagonal() + plant.B;
  plant.kp = omega * omega * inertia;
  plant.kd = 2 * options.control_damping * omega * inertia;
}

// ω of the fastest spring mode.
double fastest_mode(const ElasticPlant& plant, const VectorXd& q) {
  const Index n = plant.joints();
  Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(2 * n, 2 * n), mass = stiffness;
  for (Index j = 0; j < n; ++j) {
    stiffness(j, j) = plant.K[j];
    stiffness(n + j, n + j) = plant.K[j] + plant.kp[j];
    stiffness(j, n + j) = stiffness(n + j, j) = -plant.K[j];
    mass(n + j, n + j) = plant.B[j];
  }
  mass.topLeftCorner(n, n) = plant.links.mass_matrix(q);
  const Eigen::VectorXd squares = generalized_eigenvalues(stiffness, mass);
  const double largest = squares.size() > 0 ? squares.maxCoeff() : -1;
  if (!std::isfinite(largest) || largest <= 0)
    throw InputError(
        {"the mass matrix of the simulated robot is not positive definite where the motion begins",
         {},
         "",
         "use physically possible links"});
  return std::sqrt(largest);
}

class ElasticLoop {
 public:
  ElasticLoop(const ElasticPlant& plant, const Trajectory& reference, const ElasticMotionOptions& options)
      : plant_(plant), reference_(reference), options_(options) {}

  ElasticTarget target(double time) const {
    const JointState wanted = reference_.at(time);
    const VectorXd rigid = plant_.links.inverse(wanted.q, wanted.qd, wanted.qdd);
    ElasticTarget out{VectorXd::Zero(rigid.size()), wanted.q, wanted.qd};
    if (!options_.feed_forward) return out;
    out.effort = rigid + plant_.B.cwiseProduct(wanted.qdd) + plant_.friction(wanted.qd);
    out.theta += rigid.cwiseQuotient(plant_.K);
    return out;
  }

  ElasticState start() const {
    const JointState wanted = reference_.at(0);
    const VectorXd rigid = plant_.links.inverse(wanted.q, wanted.qd, wanted.qdd);
    return {wanted.q, wanted.qd, wanted.q + rigid.cwiseQuotient(plant_.K), wanted.qd};
  }

  // False when a step does not converge or the state runs away.
  bool run(const ElasticState& start, Index samples, Index substeps, ElasticMotion& out) const;

 private:
  void note(const ElasticState& state, Index sample, ElasticMotion& out) const;

  const ElasticPlant& plant_;
  const Trajectory& reference_;
  const ElasticMotionOptions& options_;
};

void ElasticLoop::note(const ElasticState& state, Index s, ElasticMotion& out) const {
  const ElasticTarget wanted = target(out.time[s]);
  const VectorXd spring = plant_.spring(state);
  const VectorXd effort = plant_.control(wanted, state.theta, state.thetad);
  out.q.row(s) = state.q.transpose();
  out.qd.row(s) = state.qd.transpose();
  out.qdd.row(s) = plant_.links.forward(state.q, state.qd, spring).transpose();
  out.theta.row(s) = state.theta.transpose();
  out.thetad.row(s) = state.thetad.transpose();
  out.thetadd.row(s) = (effort - plant_.friction(state.thetad) - spring).cwiseQuotient(plant_.B).transpose();
  out.effort.row(s) = effort.transpose();
  out.elastic_torque.row(s) = spring.transpose();
  out.reference.row(s) = reference_.at(out.time[s]).q.transpose();
}

bool ElasticLoop::run(const ElasticState& start, Index samples, Index substeps, ElasticMotion& out) const {
  const Index n = plant_.joints();
  const double h = 1 / (options_.rate * static_cast<double>(substeps));
  out.substeps = substeps;
  out.time.resize(samples);
  for (MatrixXd* part : {&out.q, &out.qd, &out.qdd, &out.theta, &out.thetad, &out.thetadd, &out.effort,
                         &out.elastic_torque, &out.reference})
    part->resize(samples, n);
  ElasticStepper stepper(plant_, start);
  const Energies first = plant_.energy(start);
  double worst = 0, largest = 0;
  for (Index s = 0; s < samples; ++s) {
    out.time[s] = static_cast<double>(s) / options_.rate;
    note(stepper.state(), s, out);
    const Energies now = plant_.energy(stepper.state());
    const double gained = now.kinetic - first.kinetic + now.potential - first.potential;
    worst = std::max(worst, std::abs(gained - stepper.work() + stepper.dissipated()));
    largest = std::max(largest, now.kinetic);
    for (Index k = 0; k < substeps && s + 1 < samples; ++k) {
      const double time = out.time[s] + static_cast<double>(k) * h;
      if (!stepper.step(h, target(time + ElasticStepper::stage(0) * h),
                        target(time + ElasticStepper::stage(1) * h)))
        return false;
    }
    if (!stepper.state().q.allFinite() || !stepper.state().theta.allFinite()) return false;
  }
  out.energy_error = largest > 0 ? worst / largest : 0;
  return true;
}

}  // namespace

void ElasticMotionOptions::validate() const {
  check_number(rate, Bound::positive, "rate of the samples");
  check_number(bandwidth, Bound::not_negative, "bandwidth of the control");
  check_number(control_damping, Bound::positive, "damping of the control");
  check_number(coulomb_velocity, Bound::positive, "velocity over which Coulomb friction is smooth");
  check_number(energy_tolerance, Bound::positive, "energy tolerance");
  if (samples < 0) throw InputError({fmt::format("{} samples", samples), {}, "zero or positive", ""});
  if (substeps < 0)
    throw InputError({fmt::format("{} substeps", substeps), {}, "zero (automatic) or positive", ""});
}

VectorXd ElasticMotion::deflection() const {
  MatrixXd bend = theta - q;
  bend.rowwise() -= bend.colwise().mean().eval();
  return (bend.colwise().squaredNorm() / static_cast<double>(std::max<Index>(1, bend.rows())))
      .cwiseSqrt()
      .transpose();
}

ElasticMotion elastic_motion(const Robot& robot, const ElasticRobot& elastic, const Trajectory& reference,
                             const ElasticMotionOptions& options) {
  options.validate();
  ElasticPlant plant = make_elastic_plant(robot, elastic, options);
  if (reference.joints() != plant.joints())
    throw InputError(
        {fmt::format("a motion of {} joints for a robot with {}", reference.joints(), plant.joints()),
         {},
         "one coordinate per joint",
         ""});
  set_elastic_gains(plant, options, reference.at(0).q);
  const ElasticLoop loop(plant, reference, options);
  const ElasticState start = options.start ? *options.start : loop.start();
  for (const VectorXd* part : {&start.q, &start.qd, &start.theta, &start.thetad})
    if (part->size() != plant.joints())
      throw InputError(
          {"the state at the start has another number of joints", {}, "one value per joint", ""});
  const Index samples =
      options.samples > 0
          ? options.samples
          : static_cast<Index>(std::floor(reference.duration() * options.rate * (1 + 1e-12))) + 1;
  const double wanted = fastest_mode(plant, start.q) / (kFastest * options.rate);
  Index substeps = options.substeps > 0
                       ? options.substeps
                       : static_cast<Index>(std::ceil(std::clamp(wanted, 1.0, double{kMaxElasticSubsteps})));
  const Index max_substeps = options.substeps > 0 ? options.substeps : kMaxElasticSubsteps;
  ElasticMotion out;
  for (; substeps <= max_substeps; substeps *= 2)
    if (loop.run(start, samples, substeps, out) && out.energy_error <= options.energy_tolerance) return out;
  throw InputError(
      {fmt::format("the energy of the simulated robot is not conserved, or steps do not converge, with "
                   "{} substeps: defect {:.2g}",
                   out.substeps, out.energy_error),
       {},
       fmt::format("{:.2g} of the largest kinetic and spring energy", options.energy_tolerance),
       "use more substeps, softer springs, a lower bandwidth or a wider coulomb_velocity"});
}

}  // namespace steelyard
