#include "feasible/scaling.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace {

double minor_of(const Eigen::VectorXd& x) {  // xᵀJx
  const double norm = x.tail(x.size() - 1).norm();
  return (x[0] - norm) * (x[0] + norm);
}

Eigen::VectorXd jordan(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  Eigen::VectorXd out = a[0] * b + b[0] * a;
  out[0] = a.dot(b);
  return out;
}

// Largest α that keeps λ + α d in the cone.
double cone_step(const Eigen::VectorXd& lambda, const Eigen::VectorXd& d) {
  const Index n = d.size() - 1;
  const double a = d[0] * d[0] - d.tail(n).squaredNorm();
  const double b = lambda[0] * d[0] - lambda.tail(n).dot(d.tail(n));
  const double c = minor_of(lambda);
  const double disc = b * b - a * c;
  double step = kFarthest;
  if (disc >= 0) {
    const double root = std::sqrt(disc);
    const double sum = b < 0 ? -b + root : -b - root;  // no cancellation
    for (const double at : {a != 0 ? sum / a : -1.0, sum != 0 ? c / sum : -1.0})
      if (at > 0) step = std::min(step, at);
  }
  if (d[0] < 0) step = std::min(step, -lambda[0] / d[0]);
  return step;
}

}  // namespace

bool ScaledBall::rescale() {
  const double ss = minor_of(s), zz = minor_of(z);
  if (!(s[0] > 0) || !(z[0] > 0) || !(ss > 0) || !(zz > 0)) return false;
  const Eigen::VectorXd sn = s / std::sqrt(ss);
  Eigen::VectorXd zn = z / std::sqrt(zz);
  const double gamma = std::sqrt((1 + sn.dot(zn)) / 2);
  zn.tail(zn.size() - 1) *= -1;
  v_ = (sn + zn) / (2 * gamma);
  v_[0] += 1;
  v_ /= std::sqrt(2 * v_[0]);
  beta_ = std::pow(ss / zz, 0.25);
  lambda_ = times_inverse(s);
  return true;
}

Eigen::VectorXd ScaledBall::q() const {
  Eigen::VectorXd out = -v_;
  out[0] = v_[0];
  return out;
}

Eigen::VectorXd ScaledBall::times_inverse(const Eigen::VectorXd& x) const {
  const Eigen::VectorXd at = q();
  Eigen::VectorXd out = x;
  out[0] = -x[0];
  return (2 * at.dot(x) * at + out) / beta_;
}

Eigen::VectorXd ScaledBall::divided(double target, bool corrected) const {
  Eigen::VectorXd d = -jordan(lambda_, lambda_);
  d[0] += target;
  if (corrected) d -= corrector_;
  const Index n = d.size() - 1;
  Eigen::VectorXd out(d.size());
  out[0] = (lambda_[0] * d[0] - lambda_.tail(n).dot(d.tail(n))) / minor_of(lambda_);
  out.tail(n) = (d.tail(n) - out[0] * lambda_.tail(n)) / lambda_[0];
  return out;
}

Eigen::VectorXd ScaledBall::pull(double target, bool corrected) const {
  return times_inverse(divided(target, corrected));
}

Eigen::VectorXd ScaledBall::finish(const Eigen::VectorXd& ds, double target, bool corrected) {
  ds_ = times_inverse(ds);
  dz_ = divided(target, corrected) - ds_;
  return times_inverse(dz_);
}

StepLengths ScaledBall::longest_step() const {
  return {cone_step(lambda_, ds_), cone_step(lambda_, dz_)};
}

void ScaledBall::remember_predictor() {
  corrector_ = jordan(ds_, dz_);
}

}  // namespace steelyard
