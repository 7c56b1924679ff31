#include "simulate/elastic_stepper.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kGaussRoot = 0.28867513459481287;  // √3/6
constexpr double kGaussA[2][2] = {{0.25, 0.25 - kGaussRoot}, {0.25 + kGaussRoot, 0.25}};
constexpr double kGaussC[2] = {0.5 - kGaussRoot, 0.5 + kGaussRoot};
constexpr double kGaussSquare[2][2] = {{kGaussA[0][0] * kGaussA[0][0] + kGaussA[0][1] * kGaussA[1][0],
                                        kGaussA[0][0] * kGaussA[0][1] + kGaussA[0][1] * kGaussA[1][1]},
                                       {kGaussA[1][0] * kGaussA[0][0] + kGaussA[1][1] * kGaussA[1][0],
                                        kGaussA[1][0] * kGaussA[0][1] + kGaussA[1][1] * kGaussA[1][1]}};
constexpr double kGaussEnd[2] = {0.5 * (kGaussA[0][0] + kGaussA[1][0]),
                                 0.5 * (kGaussA[0][1] + kGaussA[1][1])};

constexpr int kMaxNewton = 40;
constexpr int kFrozenNewton = 4;            // then the slopes of the friction are recomputed every time
constexpr double kNewtonConverged = 1e-14;  // of the positions, which are no better than that

}  // namespace

VectorXd ElasticPlant::friction(const VectorXd& velocity) const {
  return viscous.cwiseProduct(velocity) + offset +
         coulomb.cwiseProduct((velocity / coulomb_velocity).array().tanh().matrix());
}

VectorXd ElasticPlant::friction_slope(const VectorXd& velocity) const {
  const Eigen::ArrayXd t = (velocity / coulomb_velocity).array().tanh();
  return viscous + coulomb.cwiseProduct(((1 - t.square()) / coulomb_velocity).matrix());
}

VectorXd ElasticPlant::control(const ElasticTarget& target, const VectorXd& theta,
                               const VectorXd& thetad) const {
  return target.effort + kp.cwiseProduct(target.theta - theta) + kd.cwiseProduct(target.velocity - thetad);
}

VectorXd ElasticPlant::spring(const ElasticState& state) const {
  return K.cwiseProduct(state.theta - state.q) + D.cwiseProduct(state.thetad - state.qd);
}

Energies ElasticPlant::energy(const ElasticState& state) const {
  Energies energy = energies(tree, standard, state.q, state.qd);
  const VectorXd stretch = state.theta - state.q;
  energy.kinetic += 0.5 * (B.dot(state.thetad.cwiseAbs2()) + K.dot(stretch.cwiseAbs2()));
  return energy;
}

double ElasticStepper::stage(int i) {
  return kGaussC[i];
}

void ElasticStepper::place(double h, Stage& stage, int i) const {
  const double h2 = h * h;
  stage.at.qd = state_.qd + h * (kGaussA[i][0] * stages_[0].qdd + kGaussA[i][1] * stages_[1].qdd);
  stage.at.thetad =
      state_.thetad + h * (kGaussA[i][0] * stages_[0].thetadd + kGaussA[i][1] * stages_[1].thetadd);
  stage.at.q = state_.q + h * kGaussC[i] * state_.qd +
               h2 * (kGaussSquare[i][0] * stages_[0].qdd + kGaussSquare[i][1] * stages_[1].qdd);
  stage.at.theta = state_.theta + h * kGaussC[i] * state_.thetad +
                   h2 * (kGaussSquare[i][0] * stages_[0].thetadd + kGaussSquare[i][1] * stages_[1].thetadd);
}

// Unknowns: accelerations of links, then motors, at the first stage, then at the second.
void ElasticStepper::factorize(double h, const MatrixXd& M) {
  const Index n = plant_.joints();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(4 * n, 4 * n);
  for (int i = 0; i < 2; ++i) {
    const VectorXd slope = plant_.friction_slope(stages_[i].at.thetad);
    for (int k = 0; k < 2; ++k) {
      const double position = h * h * kGaussSquare[i][k], velocity = h * kGaussA[i][k];
      for (Index j = 0; j < n; ++j) {
        const Index link = 2 * n * i + j, motor = link + n, to_link = 2 * n * k + j, to_motor = to_link + n;
        const double coupling = position * plant_.K[j] + velocity * plant_.D[j];
        J(link, to_link) = coupling;
        J(link, to_motor) = J(motor, to_link) = -coupling;
        J(motor, to_motor) = coupling + position * plant_.kp[j] + velocity * (plant_.kd[j] + slope[j]) +
                             (i == k ? plant_.B[j] : 0);
      }
    }
    J.block(2 * n * i, 2 * n * i, n, n) += M;
  }
  factor_.compute(J);
}

// One iteration; the largest correction.
double ElasticStepper::correct(const ElasticTarget* const* targets) {
  const Index n = plant_.joints();
  Eigen::VectorXd residual(4 * n);
  for (int i = 0; i < 2; ++i) {
    const Stage& stage = stages_[i];
    const VectorXd spring = plant_.spring(stage.at);
    residual.segment(2 * n * i, n) = plant_.links.inverse(stage.at.q, stage.at.qd, stage.qdd) - spring;
    residual.segment(2 * n * i + n, n) = plant_.B.cwiseProduct(stage.thetadd) +
                                         plant_.friction(stage.at.thetad) + spring -
                                         plant_.control(*targets[i], stage.at.theta, stage.at.thetad);
  }
  const Eigen::VectorXd change = factor_.solve(residual);
  for (int i = 0; i < 2; ++i) {
    stages_[i].qdd -= change.segment(2 * n * i, n);
    stages_[i].thetadd -= change.segment(2 * n * i + n, n);
  }
  return change.cwiseAbs().maxCoeff();
}

bool ElasticStepper::step(double h, const ElasticTarget& first, const ElasticTarget& second) {
  const Index n = plant_.joints();
  const ElasticTarget* const targets[] = {&first, &second};
  for (Stage& stage : stages_) stage.qdd.setZero(n), stage.thetadd.setZero(n);
  const auto place_all = [&] {
    for (int i = 0; i < 2; ++i) place(h, stages_[i], i);
  };
  place_all();
  const MatrixXd M = plant_.links.mass_matrix(state_.q);
  factorize(h, M);
  const double scale = std::max({1.0, state_.q.cwiseAbs().maxCoeff(), state_.theta.cwiseAbs().maxCoeff()});
  bool converged = false;
  for (int k = 0; k < kMaxNewton && !converged; ++k) {
    if (k >= kFrozenNewton) factorize(h, M);
    const double change = correct(targets);
    place_all();
    if (!std::isfinite(change)) return false;
    converged = h * h * change < kNewtonConverged * scale;
  }
  if (!converged) return false;
  for (int i = 0; i < 2; ++i) {
    const ElasticState& at = stages_[i].at;
    const VectorXd slip = at.thetad - at.qd;
    work_ += 0.5 * h * plant_.control(*targets[i], at.theta, at.thetad).dot(at.thetad);
    dissipated_ += 0.5 * h * (plant_.friction(at.thetad).dot(at.thetad) + plant_.D.dot(slip.cwiseAbs2()));
  }
  state_.q += h * state_.qd + h * h * (kGaussEnd[0] * stages_[0].qdd + kGaussEnd[1] * stages_[1].qdd);
  state_.theta +=
      h * state_.thetad + h * h * (kGaussEnd[0] * stages_[0].thetadd + kGaussEnd[1] * stages_[1].thetadd);
  state_.qd += 0.5 * h * (stages_[0].qdd + stages_[1].qdd);
  state_.thetad += 0.5 * h * (stages_[0].thetadd + stages_[1].thetadd);
  return true;
}

}  // namespace steelyard
