#include "identify/pull.hpp"

#include <algorithm>
#include <cmath>

#include "identify/checks.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/feasible/convex.hpp"
#include "steelyard/feasible/plausible.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kTolerance = 1e-3;             // of the fitted squares
constexpr double kStrengthening = 0.1;          // of the fitted squares, for links one would believe
constexpr double kLoss = 2e-3;                  // of the error on rows left out
constexpr int kWeakest = -18, kStrongest = -1;  // powers of ten
constexpr int kBelow = 5;                       // the weakest pull tried, below the residual's squares
constexpr double kStop = 1.5;                   // squares left out over their least: no stronger pull

double weight_of(int power) {
  return std::pow(10.0, power);
}

// Fits with bodies alone, for one set of rows.
class BodyFits {
 public:
  BodyFits(const Setup& setup, const Quantities& quantities, const Reference& reference, Objective plain,
           const VectorXd& masses)
      : setup_(setup), quantities_(quantities), reference_(reference), plain_(std::move(plain)) {
    PhysicalOptions physical = setup.study().feasible->physical;
    physical.robot_bounds = false;
    constraints_ = physical_constraints(setup.robot, quantities, physical);
    if (masses.size() > 0) constraints_ = without_needles(std::move(constraints_), reference, masses);
  }
  VectorXd fit(double weight) const {
    Objective objective = plain_;
    add_pull(*setup_.study().feasible, setup_.robot, quantities_, reference_, weight, objective);
    ConvexOptions options;
    options.reference = reference_.x;
    const VectorXd x = solve_convex(objective, constraints_, setup_.robot, options).x;
    return x.size() > 0 ? x : reference_.x;
  }
  BodyFits with_rows_of(const Estimate& estimate) const {
    BodyFits out = *this;
    out.plain_ = feasible_objective(*setup_.study().feasible, estimate, setup_.base, quantities_);
    return out;
  }
  double unexplained(double weight) const { return std::sqrt(plain_.squares(fit(weight)) / plain_.effort()); }
  const Objective& plain() const { return plain_; }
  const Quantities& quantities() const { return quantities_; }
  const Reference& reference() const { return reference_; }

 private:
  const Setup& setup_;
  const Quantities& quantities_;
  const Reference& reference_;
  Objective plain_;
  std::vector<Constraint> constraints_;
};

bool is_of_file(const Reference& reference) {
  return std::all_of(reference.links.begin(), reference.links.end(),
                     [](ReferenceKind kind) { return kind == ReferenceKind::file; });
}

// Of the fitted squares that believable links may cost. The links of a file need not be believed more than it.
double tolerated_cost(const Reference& reference) {
  return is_of_file(reference) ? 0.005 : 0.02;
}

VectorXd masses_of(const VectorXd& x, int links) {
  VectorXd masses(links);
  for (int k = 0; k < links; ++k) masses[k] = x[Index{10} * k];
  return masses;
}

// Masses for without_needles() where it costs little; otherwise none.
VectorXd round_masses(const Setup& setup, const Quantities& quantities, const Reference& reference,
                      const Objective& plain, const VectorXd& masses, double weight) {
  const PhysicalOptions& physical = setup.study().feasible->physical;
  if (physical.margin || !physical.bodies) return {};
  // Tables without noise: bodies may be as thin as the vendor's.
  constexpr double kNoise = 1e-8;
  const double free = plain.squares(BodyFits(setup, quantities, reference, plain, {}).fit(weight));
  const double round = plain.squares(BodyFits(setup, quantities, reference, plain, masses).fit(weight));
  const bool cheap = round <= (1 + tolerated_cost(reference)) * free && free > kNoise * plain.effort();
  return cheap ? masses : VectorXd();
}

// The strongest power of ten that costs at most kTolerance, from the weak side.
int tolerated_power(const BodyFits& all, std::vector<PullCandidate>& candidates) {
  double least = all.plain().squares(all.fit(0));
  const double share = std::max(least / all.plain().effort(), 1e-300);
  const int first =
      std::clamp(static_cast<int>(std::floor(std::log10(share))) - kBelow, kWeakest, kStrongest);
  int power = first;
  for (int k = first; k <= kStrongest; ++k) {
    const double squares = all.plain().squares(all.fit(weight_of(k)));
    least = std::min(least, squares);
    if (k > first && squares > (1 + kTolerance) * least) break;
    power = k;
    candidates.assign(1, {weight_of(k), std::sqrt(squares / all.plain().effort()), {}});
  }
  return power;
}

// Squares of residuals or efforts, each row kind divided by its standard deviation.
double weighted_squares(const Residuals& residuals, const Estimate& estimate, double Residual::*part) {
  double sum = 0;
  for (const Residual& row : residuals.per_row)
    for (const Residual& known : estimate.per_row)
      if (known.row == row.row) sum += std::pow(row.*part / (known.sigma > 0 ? known.sigma : 1), 2);
  return sum;
}

double mean_loss_over_error(const VectorXd& squares, const VectorXd& best) {
  const VectorXd difference = squares - best;
  const auto n = static_cast<double>(difference.size());
  const double mean = difference.mean();
  const double error = std::sqrt((difference.array() - mean).square().sum() / (n * (n - 1)));
  return mean <= 0 ? 0 : error > 0 ? mean / error : kInfinity;
}

// Squares of the rows left out, by weight from the weakest on: one entry per group.
std::vector<VectorXd> squares_left_out(const Setup& setup, const HeldOut& held, const Fit& fit,
                                       const BodyFits& all, int weakest,
                                       std::vector<PullCandidate>& candidates) {
  const std::vector<HeldOutPart> parts =
      held_out_parts(held.blocks, held.groups, training_of(setup.study().estimate));
  const auto groups = static_cast<Index>(parts.size());
  EstimateOptions quick = setup.study().estimate;
  quick.conditions = false;
  std::vector<Estimate> training(parts.size());
  std::vector<std::optional<BodyFits>> fits(parts.size());
  parallel_for(groups, setup.threads(), [&](Index g) {
    const auto k = static_cast<std::size_t>(g);
    training[k] = estimate(parts[k].training, quick, fit.priors);
    fits[k].emplace(all.with_rows_of(training[k]));
  });
  std::vector<VectorXd> squares;
  double least = kInfinity;
  for (int power = weakest; power <= kStrongest; ++power) {
    VectorXd own(groups), efforts(groups);
    parallel_for(groups, setup.threads(), [&](Index g) {
      const auto k = static_cast<std::size_t>(g);
      const VectorXd values =
          lead_values(training[k].columns, setup.base, all.quantities(), fits[k]->fit(weight_of(power)));
      const Residuals found = residuals(parts[k].tested, training[k].columns, values);
      own[g] = weighted_squares(found, fit.estimated, &Residual::norm);
      efforts[g] = weighted_squares(found, fit.estimated, &Residual::effort);
    });
    if (power > weakest) candidates.push_back({weight_of(power), all.unexplained(weight_of(power)), {}});
    candidates.back().left_out = std::sqrt(own.sum() / efforts.sum());
    squares.push_back(own);
    least = std::min(least, own.sum());
    if (own.sum() > kStop * least) break;
  }
  return squares;
}

// The strongest that loses nothing; while links are implausible, the strongest within a standard error.
double strongest(const std::vector<VectorXd>& squares, const std::vector<PullCandidate>& candidates,
                 const BodyFits& all) {
  const VectorXd least = *std::min_element(
      squares.begin(), squares.end(), [](const VectorXd& a, const VectorXd& b) { return a.sum() < b.sum(); });
  const double tolerated = is_of_file(all.reference()) ? tolerated_cost(all.reference()) : kStrengthening;
  double weight = candidates.front().weight;
  bool plausible = true;
  for (std::size_t k = 0; k < squares.size(); ++k) {
    if (mean_loss_over_error(squares[k], least) > 1) continue;
    const bool lossless = squares[k].sum() <= (1 + 2 * kLoss) * least.sum();
    const double cost = std::pow(candidates[k].fitted / candidates.front().fitted, 2) - 1;
    if (!lossless && (plausible || cost > tolerated)) continue;
    weight = candidates[k].weight;
    plausible = implausible_links(all.quantities(), all.reference(), all.fit(weight)).empty();
  }
  return weight;
}

}  // namespace

Reference study_reference(const FeasibleSpec& spec, const Robot& robot, const Quantities& quantities,
                          const Objective& plain) {
  ReferenceOptions options;
  options.file = spec.pull.towards == PullTowards::robot;
  for (const ConstraintSpec& constraint : spec.constraints)
    if (constraint.kind == ConstraintKind::total_mass && constraint.lower > 0 &&
        std::isfinite(constraint.upper))
      options.total_mass = 0.5 * (constraint.lower + constraint.upper);
  return reference_bodies(robot, quantities, plain, options);
}

void add_pull(const FeasibleSpec& spec, const Robot& robot, const Quantities& quantities,
              const Reference& reference, double weight, Objective& objective) {
  if (!(weight > 0)) return;
  std::vector<int> links;
  for (const std::string& link : spec.pull.links)
    links.push_back(find_link(robot, link, "pull", spec.pull.place));
  weight *= objective.effort();
  if (spec.pull.kind == PullKind::euclidean)
    pull_euclidean(objective, quantities, reference.x, std::sqrt(weight), links);
  else
    pull_bodies(objective, quantities, reference.x, weight, links);
}

PullChoice choose_pull(const Setup& setup, const std::vector<RunRows>& rows, const Fit& fit,
                       const Quantities& quantities, const Reference& reference, const Objective& plain) {
  const FeasibleSpec& spec = *setup.study().feasible;
  PullChoice choice;
  const VectorXd expected = masses_of(reference.x, quantities.links());
  choice.masses = round_masses(setup, quantities, reference, plain, expected, 0);
  if (spec.pull.weight && *spec.pull.weight > 0) {
    choice.weight = *spec.pull.weight;
    return choice;
  }
  const BodyFits all(setup, quantities, reference, plain, choice.masses);
  const int weakest = tolerated_power(all, choice.candidates);
  choice.weight = weight_of(weakest);
  choice.by = "tolerance";
  if (spec.pull.weight) return choice;
  const HeldOut held = held_out_groups(rows, setup.study().cross.value_or(CrossOptions()));
  if (!has_two_groups(held.groups)) return choice;
  const std::vector<VectorXd> squares = squares_left_out(setup, held, fit, all, weakest, choice.candidates);
  choice.by = "left-out";
  choice.weight = strongest(squares, choice.candidates, all);
  if (choice.masses.size() == 0) return choice;
  const VectorXd fitted = masses_of(all.fit(choice.weight), quantities.links());
  const VectorXd heavier =
      round_masses(setup, quantities, reference, plain, expected.cwiseMax(fitted), choice.weight);
  if (heavier.size() > 0) choice.masses = heavier;
  return choice;
}

}  // namespace steelyard
