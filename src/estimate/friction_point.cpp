#include "estimate/friction_point.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using namespace friction_limits;

constexpr double kStepLike = 300;  // φ2 · fastest velocity from which an unknown sigmoid need not be followed
constexpr double kLongestStep = 1;     // of ln φ2, ln vs, and of φ2 φ3
constexpr double kLongestLoss = 0.25;  // of μ

// With an offset the data determine where a sigmoid turns, −φ3; without one its mean, that of φ2 φ3. The
// determined quantity is the coordinate, otherwise steep sigmoids creep along a curved valley.
void move_sigmoid(const FrictionJoint& joint, double by_slope, double by_shift, FrictionModel& model) {
  by_shift = std::clamp(by_shift, -kLongestStep / model.slope, kLongestStep / model.slope);
  const double product = model.slope * (model.shift + by_shift + model.shift * by_slope);
  const double scaled = model.slope * joint.fastest * std::exp(by_slope);
  model.slope = std::clamp(scaled, 0.5 * kFlattest, kSteepest) / joint.fastest;
  const double shift = model.offset ? model.shift + by_shift : product / model.slope;
  model.shift = std::clamp(shift, -0.5 * joint.fastest, 0.5 * joint.fastest);
}

void move_load(const FrictionJoint& joint, const VectorXd& by, FrictionModel& model) {
  const auto move = [](double mu, double change, double largest) {
    return std::clamp(mu + std::clamp(change, -kLongestLoss, kLongestLoss), 0.0, largest);
  };
  if (by.size() == 0) return;
  if (model.load != LoadFriction::stribeck) {
    model.driving = move(model.driving, by[0], kLargestLoss);
    model.driven = model.load == LoadFriction::load ? model.driving : move(model.driven, by[1], kLargestLoss);
    return;
  }
  model.load_mean = move(model.load_mean, by[0], kLargestLoss);
  model.load_peak = move(model.load_peak, by[1], kLargestLoss - model.load_mean);
  const double scaled =
      model.load_peak_velocity / joint.fastest * std::exp(std::clamp(by[2], -kLongestStep, kLongestStep));
  model.load_peak_velocity = joint.fastest * std::clamp(scaled, 1 / kSteepest, kWidestLoadPeak);
}

}  // namespace

VectorXd friction_step(const Projection& at, double damping) {
  const Index n = at.R22.cols();
  if (n == 0) return VectorXd(0);
  MatrixXd A = MatrixXd::Zero(2 * n, n);
  VectorXd b = VectorXd::Zero(2 * n);
  A.topRows(n) = at.R22;
  b.head(n) = at.r2;
  for (Index k = 0; k < n; ++k) A(n + k, k) = std::sqrt(damping) * at.R22.col(k).norm();
  return PivotedQr(A).solve(b);
}

double predicted_gain(const Projection& at, const VectorXd& t) {
  return at.r2.squaredNorm() - (at.R22 * t - at.r2).squaredNorm();
}

std::vector<FrictionModel> moved(const std::vector<FrictionJoint>& joints, const FrictionPoint& from,
                                 const VectorXd& t) {
  std::vector<FrictionModel> models = from.models;
  Index k = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Index size = models[j].shape_size(), loads = models[j].load_size();
    const double height = from.projection.heights[static_cast<Index>(j)];
    const auto by = [&](Index i) { return height != 0 ? t[k + i] / height : 0; };
    if (size == 2) {
      move_sigmoid(joints[j], std::clamp(by(0), -kLongestStep, kLongestStep), by(1), models[j]);
    } else if (size == 1) {
      const double scaled =
          models[j].velocity / joints[j].fastest * std::exp(std::clamp(by(0), -kLongestStep, kLongestStep));
      models[j].velocity = joints[j].fastest * std::clamp(scaled, 1 / kSteepest, kWidestBump);
    }
    move_load(joints[j], t.segment(k + size, loads), models[j]);
    k += size + loads;
  }
  return models;
}

ShapeDeviations shape_deviations(const FrictionPoint& point) {
  const Projection& at = point.projection;
  const VectorXd none = VectorXd::Zero(static_cast<Index>(point.models.size()));
  ShapeDeviations out{none, none, none, none, none};
  if (at.R22.cols() == 0) return out;
  const Eigen::MatrixXd inverse = ShortestSolution(at.R22).pseudo_inverse();
  const double sigma = std::sqrt(at.cost / at.degrees);
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  // A column that vanishes carries no information, and its pseudo-inverse is zero.
  const auto seen = [&](Index k) { return at.R22.col(k).norm() > 0; };
  Index k = 0;
  for (std::size_t j = 0; j < point.models.size(); ++j) {
    const Index i = static_cast<Index>(j), size = point.models[j].shape_size(),
                loads = point.models[j].load_size();
    const double height = std::abs(at.heights[i]);
    if (size > 0) out.shape[i] = seen(k) && height > 0 ? sigma * inverse.row(k).norm() / height : kUnknown;
    k += size;
    const auto alone = [&](Index own) { return seen(own) ? sigma * inverse.row(own).norm() : kUnknown; };
    if (loads == 1) out.mu[i] = alone(k);
    if (loads == 3) out.mu[i] = alone(k), out.peak[i] = alone(k + 1), out.peak_velocity[i] = alone(k + 2);
    if (loads == 2) {
      const bool both = seen(k) && seen(k + 1);
      out.mu[i] = both ? sigma / 2 * (inverse.row(k) + inverse.row(k + 1)).norm() : kUnknown;
      out.half_difference[i] = both ? sigma / 2 * (inverse.row(k) - inverse.row(k + 1)).norm() : kUnknown;
    }
    k += loads;
  }
  return out;
}

bool runs_away(const std::vector<FrictionJoint>& joints, const FrictionPoint& at) {
  const ShapeDeviations deviations = shape_deviations(at);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const FrictionModel& model = at.models[j];
    if (model.load != LoadFriction::none &&
        model.driving + model.driven + model.load_mean + model.load_peak <= 0)
      return true;
    if (model.form != FrictionForm::sigmoid) continue;
    const double turns = model.slope * joints[j].fastest;
    if (turns > kStepLike && deviations.shape[static_cast<Index>(j)] > kUnknownShape) return true;
  }
  return false;
}

}  // namespace steelyard
