#include "steelyard/estimate/friction_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "estimate/friction_point.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using namespace friction_limits;

constexpr double kClearHeight =
    4;  // standard deviations of the height from zero; the best of many shapes is easily at 2
constexpr double kWeightChange = 0.01;  // from which weights are set again
constexpr int kMaxWeightings = 4;
constexpr int kMaxRefused = 6;        // steps in a row
constexpr double kNearlyThere = 0.1;  // of σ²: near enough to see which shapes the data do not show
constexpr double kStaleLoad = 1e-3;   // change of the loads, relative, from which their signs are taken again
constexpr int kMaxRenewals = 4;       // of the signs, without another step between them

using Point = FrictionPoint;

bool has_loads(const std::vector<FrictionModel>& models) {
  return std::any_of(models.begin(), models.end(),
                     [](const FrictionModel& model) { return model.load != LoadFriction::none; });
}

class Fitter {
 public:
  Fitter(const std::vector<FrictionJoint>& joints, const FrictionPass& pass,
         const FrictionFitOptions& options, const GearOutput& output, FrictionFit& out)
      : joints_(joints), pass_(pass), options_(options), output_(output), out_(out) {}

  // Begins without loss: what descends from there is better than no load friction. Where loads are not known
  // yet, they are those of a fit without gears.
  Point start(std::vector<FrictionModel> models) {
    if (!has_loads(models)) return evaluate(std::move(models), {});
    for (FrictionModel& model : models) model.driving = model.driven = model.load_mean = model.load_peak = 0;
    if (output_.is_known()) return evaluate(std::move(models), output_.values);
    std::vector<FrictionModel> plain = models;
    for (FrictionModel& model : plain) model.load = LoadFriction::none;
    const Point first = evaluate(std::move(plain), {});
    return evaluate(std::move(models), load_values(first.projection, VectorXd()));
  }

  Point evaluate(std::vector<FrictionModel> models, VectorXd load_values) {
    Point point{std::move(models), std::move(load_values), {}, {}};
    point.folds = pass_({joints_, point.models, {output_.plan, point.load_values}});
    ++out_.iterations;
    if (weights_.empty()) set_weights(point);
    renew(point);
    return point;
  }

  // Damped steps until none would gain more than `enough` of σ², or passes run out. Weights stay.
  void descend(Point& at, double enough) {
    double damping = 1e-4;
    int refused = 0, renewals = 0;
    while (true) {
      const Projection& here = at.projection;
      const VectorXd t = friction_step(here, damping);
      const double gain = predicted_gain(here, t);
      out_.next_gain = here.cost > 0 ? gain / here.cost * here.degrees : 0;
      out_.converged = out_.next_gain <= enough;
      if (out_.iterations >= options_.max_iterations) return;
      if (out_.converged) {
        // The signs of the loads are those of the values before the last step.
        if (enough > options_.tolerance || renewals++ >= kMaxRenewals || !renew_signs(at)) return;
        continue;
      }
      Point trial = evaluate(moved(joints_, at, t), load_values(here, t));
      const double found = here.cost - trial.projection.cost;
      if (found > 0) {
        refused = renewals = 0;
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

  // The loads of the point's own solution.
  VectorXd own_loads(const Point& at) const { return load_values(at.projection, VectorXd()); }

 private:
  // The links' values that the linear problem has after a step of the tangents; empty: at the point itself.
  VectorXd load_values(const Projection& at, const VectorXd& t) const {
    if (output_.plan.columns.empty()) return {};
    const VectorXd x = t.size() > 0 ? VectorXd(at.x - at.by_tangents * t) : at.x;
    return gear_output(output_.plan, at.columns, x).values;
  }

  // How much of the loads is due to other values than those that gave their signs.
  double staleness(const Point& at) const {
    const Projection& here = at.projection;
    VectorXd own = VectorXd::Zero(static_cast<Index>(here.columns.size())), used = own;
    const GearOutput before{output_.plan, at.load_values};
    for (std::size_t k = 0; k < here.columns.size(); ++k) {
      const auto found = std::find(before.plan.columns.begin(), before.plan.columns.end(), here.columns[k]);
      if (found == before.plan.columns.end() || !is_link_column(here.columns[k])) continue;
      own[static_cast<Index>(k)] = here.x[static_cast<Index>(k)];
      used[static_cast<Index>(k)] = before.values[found - before.plan.columns.begin()];
    }
    const double size = (here.R11 * own).norm();
    return size > 0 ? (here.R11 * (own - used)).norm() / size : 0;
  }

  // True when the point with the signs of its own loads is better, or as good; otherwise it stays.
  bool renew_signs(Point& at) {
    if (!has_loads(at.models)) return false;
    const double stale = staleness(at);
    if (stale <= kStaleLoad) return false;
    Point trial = evaluate(at.models, own_loads(at));
    const double slack = options_.tolerance * at.projection.cost / at.projection.degrees;
    if (trial.projection.cost > at.projection.cost + slack) return false;
    at = std::move(trial);
    return true;
  }

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
  const GearOutput& output_;
  FrictionFit& out_;
  RowWeights weights_;
};

// The linear form with what a degenerate one leaves.
FrictionModel simpler(FrictionStatus status, const FrictionModel& model) {
  FrictionModel out = model;
  out.form = FrictionForm::linear;
  out.offset = true;
  out.viscous = model.viscous || status == FrictionStatus::viscous;
  out.coulomb = status != FrictionStatus::viscous;
  out.load_velocity = 0;  // smooth next to a sigmoid only
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

// A gear whose loss the data do not show, or not its direction, or not how it changes with the velocity.
std::optional<std::pair<FrictionStatus, std::string>> load_degeneracy(const FrictionModel& model,
                                                                      const ShapeDeviations& deviations,
                                                                      Index joint) {
  const double sigma = deviations.mu[joint], half_sigma = deviations.half_difference[joint];
  if (model.load == LoadFriction::stribeck) {
    const double peak = deviations.peak[joint], width = deviations.peak_velocity[joint];
    if (model.load_peak > kClearHeight * peak && width <= kUnknownShape) return std::nullopt;
    return {
        {FrictionStatus::load,
         fmt::format(
             "what the gear takes grows by {:.3g} towards rest, with a standard deviation of {:.2g}, below a "
             "velocity of {:.3g} that is known to a factor of {:.3g}",
             model.load_peak, peak, model.load_peak_velocity, std::exp(std::min(width, 50.0)))}};
  }
  const double mean = (model.driving + model.driven) / 2, half = std::abs(model.driving - model.driven) / 2;
  // First the direction: without it the share may be clear.
  if (model.load == LoadFriction::directional && !(half > kClearHeight * half_sigma))
    return {{FrictionStatus::load,
             fmt::format("what the gear takes differs between driving and driven by {:.3g} with a standard "
                         "deviation of {:.2g}",
                         2 * half, 2 * half_sigma)}};
  if (!(mean > kClearHeight * sigma))
    return {
        {FrictionStatus::no_load,
         fmt::format("the gear takes {:.3g} of its load with a standard deviation of {:.2g}", mean, sigma)}};
  return std::nullopt;
}

void drop_load(FrictionStatus status, FrictionModel& model) {
  // 2κ is nearly μ.
  const double mean =
      std::min(kLargestLoss, (model.driving + model.driven) / 2 + 2 * model.load_mean + model.load_peak);
  model.load = status == FrictionStatus::load ? LoadFriction::load : LoadFriction::none;
  model.load_mean = model.load_peak = 0;
  model.driving = model.driven = model.load == LoadFriction::none ? 0 : mean;
}

// The gears of a robot share their loads: one that the data do not show makes the others uncertain, too, and goes
// alone. By how clear its share is, or the difference between its directions.
std::size_t least_clear_gear(const std::vector<FrictionModel>& models, const ShapeDeviations& deviations) {
  std::size_t least = models.size();
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < models.size(); ++j) {
    if (models[j].load == LoadFriction::none) continue;
    const auto i = static_cast<Index>(j);
    double clear = (models[j].driving + models[j].driven) / 2 / deviations.mu[i];
    if (models[j].load == LoadFriction::directional)
      clear =
          std::min(clear, std::abs(models[j].driving - models[j].driven) / 2 / deviations.half_difference[i]);
    if (models[j].load == LoadFriction::stribeck)
      clear = deviations.peak_velocity[i] <= kUnknownShape ? models[j].load_peak / deviations.peak[i] : 0;
    if (least == models.size() || !(clear >= smallest)) least = j, smallest = clear;
  }
  return least;
}

// Makes joints simpler when their data do not identify the shape; true when there is one.
bool simplify(const std::vector<FrictionJoint>& joints, const Point& at, std::vector<FrictionModel>& models,
              std::vector<FittedFriction>& fitted) {
  const ShapeDeviations deviations = shape_deviations(at);
  const double sigma = std::sqrt(at.projection.cost / at.projection.degrees);
  bool any = false;
  const auto note = [&](std::size_t j, const std::pair<FrictionStatus, std::string>& found) {
    fitted[j].status = found.first;
    fitted[j].evidence += (fitted[j].evidence.empty() ? "" : "; ") + found.second;
    any = true;
  };
  const std::size_t gear = least_clear_gear(models, deviations);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto i = static_cast<Index>(j);
    if (j == gear)
      if (const auto found = load_degeneracy(models[j], deviations, i)) {
        note(j, *found);
        drop_load(found->first, models[j]);
      }
    if (models[j].shape_size() == 0) continue;
    const auto found = degeneracy(joints[j], models[j], at.projection.heights[i],
                                  sigma * at.projection.height_roots[i], deviations.shape[i]);
    if (!found) continue;
    note(j, *found);
    models[j] = simpler(found->first, models[j]);
  }
  return any;
}

// The difference between driving and driven is hardly determined while the loads are far from right: it is added
// to a gear that is nearly there. Returns which ones are to have it.
std::vector<bool> without_direction(std::vector<FrictionModel>& models) {
  std::vector<bool> directional;
  for (FrictionModel& model : models) {
    directional.push_back(model.load == LoadFriction::directional);
    if (directional.back()) model.load = LoadFriction::load;
  }
  return directional;
}

bool add_direction(std::vector<bool>& directional, std::vector<FrictionModel>& models) {
  bool any = false;
  for (std::size_t j = 0; j < models.size(); ++j) {
    if (directional[j] && models[j].load == LoadFriction::load) {
      models[j].load = LoadFriction::directional;
      any = true;
    }
    directional[j] = false;
  }
  return any;
}

}  // namespace

const char* to_string(FrictionStatus status) {
  constexpr const char* kWords[] = {"determined", "viscous", "coulomb", "linear", "load", "no_load"};
  return kWords[static_cast<std::size_t>(status)];
}

void FrictionFitOptions::validate() const {
  if (max_iterations < 1)
    throw InputError({fmt::format("{} iterations", max_iterations), {}, "at least 1", ""});
  if (!(tolerance > 0)) throw InputError({fmt::format("tolerance {}", tolerance), {}, "positive", ""});
  estimate.validate();
}

FrictionFit fit_friction(const std::vector<FrictionJoint>& joints, std::vector<FrictionModel> models,
                         const FrictionPass& pass, const FrictionFitOptions& options,
                         const GearOutput& output) {
  options.validate();
  require(joints.size() == models.size(), "one friction model per joint");
  FrictionFit out;
  out.joints.resize(joints.size());
  Fitter fitter(joints, pass, options, output, out);
  std::vector<bool> directional = without_direction(models);
  Point at = fitter.start(std::move(models));
  double enough = kNearlyThere;
  for (int weightings = 0; weightings < kMaxWeightings;) {
    fitter.descend(at, enough);
    std::vector<FrictionModel> models_left = at.models;
    if (simplify(joints, at, models_left, out.joints)) {
      fitter.drop_weights();
      VectorXd loads = fitter.own_loads(at);
      at = fitter.evaluate(std::move(models_left), std::move(loads));
      enough = kNearlyThere;
    } else if (add_direction(directional, models_left)) {
      VectorXd loads = fitter.own_loads(at);
      at = fitter.evaluate(std::move(models_left), std::move(loads));
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
  if (has_loads(at.models)) out.load_values = at.load_values;
  return out;
}

}  // namespace steelyard
