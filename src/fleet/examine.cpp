#include "fleet/examine.hpp"

#include <algorithm>
#include <cmath>

#include "fleet/chance.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/estimate/bootstrap.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// The merged folds of some robots, robots as blocks of the standard deviation.
Pool pool_robots(const FleetInput& input, const Robots& members) {
  std::vector<Fold> folds;
  for (const std::size_t r : members)
    for (Fold fold : input.robots[r].folds) {
      fold.set_block(static_cast<Index>(r));
      folds.push_back(std::move(fold));
    }
  EstimateOptions options;
  options.weighting = Weighting::by_row;
  options.conditions = false;
  const Estimate fit = estimate(folds, options);
  MatrixXd influences;
  if (members.size() > 2) influences = block_influences(block_moments(folds, fit));
  const auto p = static_cast<Index>(input.columns.size());
  Pool pool{VectorXd::Zero(p), VectorXd::Constant(p, kInfinity)};
  for (Index i = 0; i < p; ++i) {
    const Index k = fit.find(input.columns[static_cast<std::size_t>(i)]);
    if (k < 0) continue;
    pool.values[i] = fit.values[k];
    pool.sigma[i] = influences.rows() > k ? influences.row(k).norm() : fit.sigma[k];
  }
  return pool;
}

// Initial scatter: that of the robots' own estimates.
VectorXd first_scatter(const std::vector<OwnFit>& fits, const Robots& members, const VectorXd& fleet) {
  VectorXd start(fleet.size());
  for (Index i = 0; i < fleet.size(); ++i) {
    std::vector<double> values;
    for (const std::size_t r : members) values.push_back(fits[r].values[i]);
    start[i] = std::max({robust_spread(values).width, 1e-4 * std::abs(fleet[i]), 1e-9});
  }
  return start;
}

// The smallest chance over all causes, times their number.
double robot_chance(const std::vector<Suspect>& suspects, const std::vector<Reduced>& robots, std::size_t r,
                    const Robots& healthy, Index parameters) {
  double smallest = leave_one_out_chance(robots, r, healthy, robots[r].nearest, static_cast<int>(parameters));
  for (const Suspect& suspect : suspects)
    smallest = std::min(
        smallest,
        leave_one_out_chance(robots, r, healthy, try_suspect(suspect, robots[r]).effect, suspect.numbers));
  return smallest * static_cast<double>(suspects.size() + 1);
}

template <typename Work>
void for_each(const Robots& robots, int threads, Work work) {
  parallel_for(static_cast<Index>(robots.size()), threads,
               [&](Index at) { work(robots[static_cast<std::size_t>(at)]); });
}

}  // namespace

Round Examiner::examine(const Robots& healthy) {
  Round round;
  round.healthy = healthy;
  round.pool = pool_robots(input_, healthy);
  products_.resize(input_.robots.size());
  parallel_for(static_cast<Index>(members_.size()), threads_, [&](Index at) {
    const std::size_t r = members_[static_cast<std::size_t>(at)];
    products_[r] = robot_products(input_, input_.robots[r], fits_[r], round.pool.values);
  });
  start_ = first_scatter(fits_, healthy, round.pool.values);
  round.scatter = scatter_of(healthy);
  round.suspects = suspects(input_, round.pool.values);
  round.robots = reduced(members_, round.scatter.inverse);
  round.chances.assign(input_.robots.size(), 1);
  for_each(healthy, threads_, [&](std::size_t r) {
    round.chances[r] = robot_chance(round.suspects, round.robots, r, healthy, parameters());
  });
  for (const std::size_t r : members_) {
    if (std::binary_search(healthy.begin(), healthy.end(), r)) continue;
    // T is as much of this robot as of the others, or it would fit them better than it fits this one.
    Robots with = healthy;
    with.insert(std::upper_bound(with.begin(), with.end(), r), r);
    round.chances[r] = robot_chance(round.suspects, reduced(with, inverse_with(round.scatter, products_[r])),
                                    r, healthy, parameters());
  }
  return round;
}

Scatter Examiner::scatter_of(const Robots& robots) const {
  std::vector<const MatrixXd*> chosen;
  for (const std::size_t r : robots) chosen.push_back(&products_[r]);
  return estimate_scatter(chosen, start_, threads_);
}

std::vector<Reduced> Examiner::reduced(const Robots& robots, const MatrixXd& T_inverse) const {
  std::vector<Reduced> out(input_.robots.size());
  for_each(robots, threads_, [&](std::size_t r) { out[r] = reduce(products_[r], parameters(), T_inverse); });
  return out;
}

}  // namespace steelyard
