#include "steelyard/reverse/payload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kNothing = 1e-9;

// Rows of base parameters that both fits know.
struct KnownChange {
  std::vector<Index> rows;
  Eigen::MatrixXd K;      // by the ten parameters
  Eigen::VectorXd delta;  // with − without
  Eigen::VectorXd sigma;
};

KnownChange known_change(const Robot& robot, const ReverseFit& without, const ReverseFit& with, int link) {
  const std::vector<std::string> names = standard_parameter_names(robot);
  KnownChange known;
  for (Index k = 0; k < without.values.size(); ++k)
    if (std::isfinite(without.sigma[k]) && std::isfinite(with.sigma[k])) known.rows.push_back(k);
  const auto count = static_cast<Index>(known.rows.size());
  known.K.setZero(count, 10);
  known.delta.resize(count);
  known.sigma.resize(count);
  for (Index r = 0; r < count; ++r) {
    const Index k = known.rows[static_cast<std::size_t>(r)];
    known.delta[r] = with.values[k] - without.values[k];
    known.sigma[r] = std::hypot(with.sigma[k], without.sigma[k]);
    for (Index c = 0; c < 10; ++c) {
      const std::string& name = names[static_cast<std::size_t>(10 * link + c)];
      const auto found = std::find(without.base.columns.begin(), without.base.columns.end(), name);
      if (found != without.base.columns.end())
        known.K(r, c) = without.base.K(k, found - without.base.columns.begin());
    }
  }
  // Exact tables have nearly zero standard deviations: those far below the others are raised to them.
  const double floor = count > 0 ? 1e-6 * known.sigma.maxCoeff() : 0;
  known.sigma = known.sigma.cwiseMax(std::max(floor, 1e-300));
  return known;
}

void find_seen(const Eigen::MatrixXd& K, PayloadChange& change) {
  const Svd svd = jacobi_svd(K, Eigen::ComputeFullV);
  const auto& values = svd.values;
  Index rank = 0;
  while (rank < values.size() && values[rank] > kNothing * std::max(1.0, values[0])) ++rank;
  const Eigen::MatrixXd null = svd.V.rightCols(10 - rank);
  for (Index c = 0; c < 10; ++c) change.seen[static_cast<std::size_t>(c)] = null.row(c).norm() < kNothing;
}

}  // namespace

PayloadChange payload_change(const Robot& robot, const ReverseFit& without, const ReverseFit& with,
                             int link) {
  if (without.leads() != with.leads())
    throw InputError({"the two tables have different base parameters",
                      {},
                      fmt::format("the same {} rows and known zeros in both", to_string(without.rows)),
                      "give gravity and inertia in both, or in neither"});
  if (link < 0) link = robot.tool_link >= 0 ? robot.tool_link : robot.size() - 1;
  PayloadChange change;
  change.link = robot.joints[static_cast<std::size_t>(link)].link;
  change.sigma.setConstant(kInfinity);
  const KnownChange known = known_change(robot, without, with, link);
  find_seen(known.K, change);
  const Eigen::MatrixXd weighted = known.sigma.cwiseInverse().asDiagonal() * known.K;
  const ShortestSolution solver(weighted);
  const Eigen::MatrixXd inverse = solver.pseudo_inverse();
  const Eigen::VectorXd whitened = known.delta.cwiseQuotient(known.sigma);
  const Eigen::VectorXd p = inverse * whitened;
  for (Index c = 0; c < 10; ++c) {
    if (!change.seen[static_cast<std::size_t>(c)]) continue;
    change.parameters[c] = p[c];
    change.sigma[c] = inverse.row(c).norm();
  }
  const auto freedom = static_cast<double>(whitened.size() - solver.rank());
  if (freedom > 0) change.unexplained = (whitened - weighted * p).norm() / std::sqrt(freedom);
  const std::vector<std::string> leads = without.leads();
  for (Index r = 0; r < known.K.rows(); ++r) {
    if (std::abs(known.K(r, 0)) < kNothing || known.K.row(r).tail(9).cwiseAbs().maxCoeff() > kNothing)
      continue;
    const double coefficient = known.K(r, 0);
    change.masses.push_back({leads[static_cast<std::size_t>(known.rows[static_cast<std::size_t>(r)])],
                             coefficient, known.delta[r] / coefficient,
                             known.sigma[r] / std::abs(coefficient)});
  }
  return change;
}

}  // namespace steelyard
