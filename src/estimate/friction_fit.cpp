#include "steelyard/estimate/friction_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "estimate/friction_projection.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kFlattest = 0.5;    // φ2 · fastest velocity below which a sigmoid is a line
constexpr double kSteepest = 2000;   // and from which it is a step
constexpr double kStepLike = 300;    // from which one that is not known need not be followed
constexpr double kUnknownShape = 1;  // standard deviation of ln φ2 or ln vs
constexpr double kClearHeight =
    4;  // standard deviations of the height from zero; the best of many shapes is easily at 2
constexpr double kLongestStep = 1;      // of ln φ2, ln vs, and of φ2 φ3
constexpr double kWeightChange = 0.01;  // from which weights are set again
constexpr int kMaxWeightings = 4;
constexpr int kMaxRefused = 6;        // steps in a row
constexpr double kNearlyThere = 0.1;  // of σ²: near enough to see which shapes the data do not show
constexpr double kWidestBump = 0.5;   // vs over the fastest velocity: Stribeck friction is one of slow joints

// Models and what a pass with them gave.
struct Point {
  std::vector<FrictionModel> models;
  std::vector<Fold> folds;
  Projection projection;
};

VectorXd step(const Projection& at, double damping) {
  const Index n = at.R22.cols();
  if (n == 0) return VectorXd(0);
  MatrixXd A = MatrixXd::Zero(2 * n, n);
  VectorXd b = VectorXd::Zero(2 * n);
  A.topRows(n) = at.R22;
  b.head(n) = at.r2;
  for (Index k = 0; k < n; ++k) A(n + k, k) = std::sqrt(damping) * at.R22.col(k).norm();
  return PivotedQr(A).solve(b);
}

// By how much a step lowers the cost of the linearised problem.
double predicted_gain(const Projection& at, const VectorXd& t) {
  return at.r2.squaredNorm() - (at.R22 * t - at.r2).squaredNorm();
}

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

// Steps t are in units of height · θ.
std::vector<FrictionModel> moved(const std::vector<FrictionJoint>& joints, const Point& from,
                                 const VectorXd& t) {
  std::vector<FrictionModel> models = from.models;
  Index k = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Index size = models[j].shape_size();
    if (size == 0) continue;
    const double height = from.projection.heights[static_cast<Index>(j)];
    const auto by = [&](Index i) { return height != 0 ? t[k + i] / height : 0; };
    const double first = std::clamp(by(0), -kLongestStep, kLongestStep);
    if (size == 2) {
      move_sigmoid(joints[j], first, by(1), models[j]);
    } else {
      const double scaled = models[j].velocity / joints[j].fastest * std::exp(first);
      models[j].velocity = joints[j].fastest * std::clamp(scaled, 1 / kSteepest, kWidestBump);
    }
    k += size;
  }
  return models;
}

// Standard deviation of the first shape parameter (a logarithm) of each joint.
VectorXd shape_deviations(const Point& point) {
  const Projection& at = point.projection;
  VectorXd out = VectorXd::Zero(static_cast<Index>(point.models.size()));
  if (at.R22.cols() == 0) return out;
  const Eigen::MatrixXd inverse = ShortestSolution(at.R22).pseudo_inverse();
  const double sigma = std::sqrt(at.cost / at.degrees);
  Index k = 0;
  for (std::size_t j = 0; j < point.models.size(); ++j) {
    const Index size = point.models[j].shape_size();
    if (size == 0) continue;
    const double height = std::abs(at.heights[static_cast<Index>(j)]);
    // A column that vanishes carries no information, and its pseudo-inverse is zero.
    const bool seen = at.R22.col(k).norm() > 0 && height > 0;
    out[static_cast<Index>(j)] =
        seen ? sigma * inverse.row(k).norm() / height : std::numeric_limits<double>::infinity();
    k += size;
  }
  return out;
}

// A sigmoid on its way to a step: steeper than the dictionary's, and its slope is not known.
bool runs_away(const std::vector<FrictionJoint>& joints, const Point& at) {
  const VectorXd shape = shape_deviations(at);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (at.models[j].form != FrictionForm::sigmoid) continue;
    const double turns = at.models[j].slope * joints[j].fastest;
    if (turns > kStepLike && shape[static_cast<Index>(j)] > kUnknownShape) return true;
  }
  return false;
}

class Fitter {
 public:
  Fitter(const std::vector<FrictionJoint>& joints, const FrictionPass& pass,
         const FrictionFitOptions& options, FrictionFit& out)
      : joints_(joints), pass_(pass), options_(options), out_(out) {}

  Point evaluate(std::vector<FrictionModel> models) {
    Point point{std::move(models), {}, {}};
    point.folds = pass_(friction_columns(joints_, point.models, true));
    ++out_.iterations;
    if (weights_.empty()) set_weights(point);
    renew(point);
    return point;
  }

  // Damped steps until none would gain more than `enough` of σ², or passes run out. Weights stay.
  void descend(Point& at, double enough) {
    double damping = 1e-4;
    int refused = 0;
    while (true) {
      const Projection& here = at.projection;
      const VectorXd t = step(here, damping);
      const double gain = predicted_gain(here, t);
      out_.next_gain = here.cost > 0 ? gain / here.cost * here.degrees : 0;
      out_.converged = out_.next_gain <= enough;
      if (out_.converged || out_.iterations >= options_.max_iterations) return;
      Point trial = evaluate(moved(joints_, at, t));
      const double found = here.cost - trial.projection.cost;
      if (found > 0) {
        refused = 0;
        damping = std::max(1e-9, damping * (found > 0.5 * gain ? 0.1 : 1));
        at = std::move(trial);
        if (enough > options_.tolerance && runs_away(joints_, at)) return;
        continue;
      }
      damping *= 10;
      // Rounding, or a step at its bounds: no direction achieves its predicted decrease.
      out_.converged = ++refused > kMaxRefused;
      if (out_.converged) return;
    }
  }

  // True when the weights have changed by more than a little; the point is then seen with the new ones.
  bool reweight(Point& point) {
    const RowWeights before = weights_;
    set_weights(point);
    double change = 0;
    for (const auto& [row, weight] : weights_)
      change = std::max(change, std::abs(weight / before.at(row) - 1));
    if (change <= kWeightChange) {
      weights_ = before;
      return false;
    }
    renew(point);
    return true;
  }

  void drop_weights() { weights_.clear(); }

 private:
  void set_weights(const Point& point) {
    std::vector<const Layout*> layouts;
    for (const Fold& fold : point.folds) layouts.push_back(&fold.layout());
    weights_ = row_weights(point.folds, used_columns(union_layout(layouts), joints_, point.models),
                           options_.estimate);
  }

  void renew(Point& point) const {
    Index rows = 0;
    for (const Fold& fold : point.folds) rows += fold.rows();
    point.projection = project(weighted_factor(point.folds, weights_), rows, joints_, point.models,
                               options_.estimate.rank_tolerance);
  }

  const std::vector<FrictionJoint>& joints_;
  const FrictionPass& pass_;
  const FrictionFitOptions& options_;
  FrictionFit& out_;
  RowWeights weights_;
};

// The linear form with what a degenerate one leaves.
FrictionModel simpler(FrictionStatus status, const FrictionModel& model) {
  FrictionModel out = friction_model(FrictionForm::linear);
  out.viscous = model.viscous || status == FrictionStatus::viscous;
  out.coulomb = status != FrictionStatus::viscous;
  return out;
}

// A shape that the data do not identify: what remains of it, and the numbers.
std::optional<std::pair<FrictionStatus, std::string>> degeneracy(const FrictionJoint& joint,
                                                                 const FrictionModel& model, double height,
                                                                 double height_sigma, double shape_sigma) {
  const bool is_sigmoid = model.form == FrictionForm::sigmoid;
  const double turns = model.slope * joint.fastest;
  if (is_sigmoid && turns <= kFlattest)
    return {{FrictionStatus::viscous,
             fmt::format("φ2 times the highest velocity is {:.2g}: indistinguishable from a straight line",
                         turns)}};
  if (!(height > kClearHeight * height_sigma))
    return {{FrictionStatus::linear,
             fmt::format("its height is {:.3g} with a standard deviation of {:.2g}", height, height_sigma)}};
  if (!is_sigmoid && model.velocity >= 0.99 * kWidestBump * joint.fastest)
    return {{FrictionStatus::linear,
             fmt::format("vs = {:.3g} is half the highest velocity: no Stribeck peak near zero",
                         model.velocity)}};
  if (shape_sigma <= kUnknownShape && (!is_sigmoid || turns < 0.99 * kSteepest)) return std::nullopt;
  return {{is_sigmoid ? FrictionStatus::coulomb : FrictionStatus::linear,
           fmt::format("{} = {:.3g} is known only to a factor of {:.3g}: indistinguishable from a step",
                       is_sigmoid ? "φ2" : "vs", is_sigmoid ? model.slope : model.velocity,
                       std::exp(std::min(shape_sigma, 50.0)))}};
}

// Makes joints linear when their data do not identify the shape; true when there is one.
bool simplify(const std::vector<FrictionJoint>& joints, const Point& at, std::vector<FrictionModel>& models,
              std::vector<FittedFriction>& fitted) {
  const VectorXd shape = shape_deviations(at);
  const double sigma = std::sqrt(at.projection.cost / at.projection.degrees);
  bool any = false;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (models[j].shape_size() == 0) continue;
    const auto i = static_cast<Index>(j);
    const auto found = degeneracy(joints[j], models[j], at.projection.heights[i],
                                  sigma * at.projection.height_roots[i], shape[i]);
    if (!found) continue;
    fitted[j].status = found->first;
    fitted[j].evidence = found->second;
    models[j] = simpler(found->first, models[j]);
    any = true;
  }
  return any;
}

}  // namespace

const char* to_string(FrictionStatus status) {
  constexpr const char* kWords[] = {"determined", "viscous", "coulomb", "linear"};
  return kWords[static_cast<std::size_t>(status)];
}

void FrictionFitOptions::validate() const {
  if (max_iterations < 1)
    throw InputError({fmt::format("{} iterations", max_iterations), {}, "at least 1", ""});
  if (!(tolerance > 0)) throw InputError({fmt::format("tolerance {}", tolerance), {}, "positive", ""});
  estimate.validate();
}

FrictionFit fit_friction(const std::vector<FrictionJoint>& joints, std::vector<FrictionModel> models,
                         const FrictionPass& pass, const FrictionFitOptions& options) {
  options.validate();
  require(joints.size() == models.size(), "one friction model per joint");
  FrictionFit out;
  out.joints.resize(joints.size());
  Fitter fitter(joints, pass, options, out);
  Point at = fitter.evaluate(std::move(models));
  double enough = kNearlyThere;
  for (int weightings = 0; weightings < kMaxWeightings;) {
    fitter.descend(at, enough);
    std::vector<FrictionModel> models_left = at.models;
    if (simplify(joints, at, models_left, out.joints)) {
      fitter.drop_weights();
      at = fitter.evaluate(std::move(models_left));
      enough = kNearlyThere;
    } else if (enough > options.tolerance) {
      enough = options.tolerance;
    } else {
      if (!fitter.reweight(at)) break;
      ++weightings;
    }
  }
  out.cost = at.projection.cost;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    out.joints[j].model = at.models[j];
    out.joints[j].height = at.projection.heights[static_cast<Index>(j)];
  }
  return out;
}

}  // namespace steelyard
