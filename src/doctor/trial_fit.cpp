// The weighted, constrained fit of a set-up from its folds, and its score.
#include <algorithm>
#include <cmath>

#include "doctor/constrained.hpp"
#include "doctor/trial_impl.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using doctor::Efforts;
using doctor::RowGram;

constexpr double kRidge = 1e-9;     // of a column's own square: columns that depend on others stay finite
constexpr int kIterations = 3;      // of the weights
constexpr double kSmallest = 1e-4;  // relative residual below which a joint counts as explained
constexpr double kWorst = 1.5;      // relative residual above which it does not matter any more

// One row's normal equations with the efforts of a set-up: H, b and τᵀτ.
struct RowEquations {
  const Eigen::MatrixXd& H;  // of the gram
  Eigen::VectorXd b;
  double effort = 0;
  double logged = 0;  // the joint's own logged effort, likewise
  double rows = 0;

  double residual(const Eigen::VectorXd& x) const {
    return rows == 0 ? 0 : std::max(0.0, effort - 2 * b.dot(x) + x.dot(H * x));
  }
};

std::vector<RowEquations> equations_of(const std::vector<RowGram>& grams, const Efforts& efforts) {
  std::vector<RowEquations> rows;
  for (std::size_t r = 0; r < grams.size(); ++r) {
    const RowGram& gram = grams[r];
    RowEquations& row = rows.emplace_back(RowEquations{gram.columns, {}, 0, 0, gram.rows});
    if (gram.rows == 0) continue;
    row.b = gram.mixed * efforts.mix[r];
    row.effort = efforts.mix[r].dot(gram.efforts * efforts.mix[r]);
    row.logged = gram.efforts(efforts.joints[r], efforts.joints[r]);
  }
  return rows;
}

Eigen::VectorXd pick(const Eigen::VectorXd& x, const std::vector<int>& columns) {
  Eigen::VectorXd part(static_cast<Index>(columns.size()));
  for (std::size_t k = 0; k < columns.size(); ++k) part[static_cast<Index>(k)] = x[columns[k]];
  return part;
}

// Weighted, constrained solution; weights from each joint's own residual.
Eigen::VectorXd solve_rows(const std::vector<RowEquations>& rows,
                           const std::vector<std::vector<int>>& columns, const Eigen::MatrixXd& signs,
                           Index parameters) {
  Eigen::VectorXd x = Eigen::VectorXd::Zero(parameters), variance(static_cast<Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r)
    variance[static_cast<Index>(r)] = std::max(rows[r].effort / std::max(1.0, rows[r].rows), 1e-30);
  const Eigen::VectorXd effort = variance;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(parameters, parameters);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(parameters);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (rows[r].rows == 0) continue;
      const double weight = 1 / variance[static_cast<Index>(r)];
      const std::vector<int>& own = columns[r];
      for (std::size_t i = 0; i < own.size(); ++i) {
        b[own[i]] += weight * rows[r].b[static_cast<Index>(i)];
        for (std::size_t j = 0; j < own.size(); ++j)
          H(own[i], own[j]) += weight * rows[r].H(static_cast<Index>(i), static_cast<Index>(j));
      }
    }
    const Eigen::VectorXd scale = H.diagonal().cwiseMax(1e-30).cwiseSqrt();
    const Eigen::VectorXd inverse = scale.cwiseInverse();
    H = inverse.asDiagonal() * H * inverse.asDiagonal();
    H.diagonal().array() += kRidge;
    x = inverse.cwiseProduct(
        doctor::solve_constrained(H, inverse.cwiseProduct(b), signs * inverse.asDiagonal()));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Index i = static_cast<Index>(r);
      variance[i] = std::max(rows[r].residual(pick(x, columns[r])) / std::max(1.0, rows[r].rows),
                             kSmallest * kSmallest * effort[i]);
    }
  }
  return x;
}

// Σ e² over Σ τ_log² of each row's joint, residuals of different joints being independent; −1: it has no rows. In the unit and
// of the size of what was logged: a set-up that adds a large effort to a small one has not explained the small one.
// Of the rows that moved in the log as it was given; what a set-up leaves without an explanation in the whole of it is wrong.
Eigen::VectorXd left_over(const std::vector<RowEquations>& rows, const std::vector<double>& residuals,
                          const Efforts& efforts, const std::vector<bool>& moved, bool is_whole) {
  const auto n = static_cast<Index>(rows.size());
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(n), out = Eigen::VectorXd::Constant(n, -1);
  for (Index r = 0; r < n; ++r) {
    const RowEquations& row = rows[static_cast<std::size_t>(r)];
    if (row.rows > 0) mean[r] = residuals[static_cast<std::size_t>(r)] / row.rows;
  }
  const Eigen::VectorXd logged = efforts.back * mean;
  for (Index r = 0; r < n; ++r) {
    const RowEquations& row = rows[static_cast<std::size_t>(r)];
    if (row.logged > 0) out[r] = logged[r] * row.rows / row.logged;
    bool is_explained = row.logged > 0;
    for (Index k = 0; k < n; ++k)
      is_explained =
          is_explained && (efforts.back(r, k) == 0 || rows[static_cast<std::size_t>(k)].logged > 0);
    if (!moved[static_cast<std::size_t>(r)])
      out[r] = -1;
    else if (!is_explained)
      out[r] = is_whole ? kWorst * kWorst : -1;
  }
  return out;
}

// Without one section.
std::vector<RowGram> gathered(const Trial::Folded& folded, std::size_t without) {
  std::vector<RowGram> sum(folded.columns.size());
  for (std::size_t b = 0; b < folded.grams.size(); ++b)
    for (std::size_t r = 0; r < sum.size() && b != without; ++r) sum[r].add(folded.grams[b][r]);
  return sum;
}

// The values with friction, offsets and terms as these rows have them.
Eigen::VectorXd with_daily(const Trial::Folded& folded, const std::vector<RowEquations>& rows,
                           const Eigen::VectorXd& weights, Eigen::VectorXd values) {
  const auto m = static_cast<Index>(folded.daily.size());
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(m, m);
  Eigen::VectorXd g = Eigen::VectorXd::Zero(m);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].rows == 0) continue;
    const std::vector<int>& own = folded.columns[r];
    std::vector<Index> place(own.size(), -1);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const auto found = std::find(folded.daily.begin(), folded.daily.end(), own[k]);
      if (found != folded.daily.end()) place[k] = found - folded.daily.begin();
    }
    const double weight = weights[static_cast<Index>(r)];
    const Eigen::VectorXd slope = rows[r].b - rows[r].H * pick(values, own);
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (place[i] < 0) continue;
      g[place[i]] += weight * slope[static_cast<Index>(i)];
      for (std::size_t j = 0; j < own.size(); ++j)
        if (place[j] >= 0)
          H(place[i], place[j]) += weight * rows[r].H(static_cast<Index>(i), static_cast<Index>(j));
    }
  }
  const Eigen::VectorXd inverse = H.diagonal().cwiseMax(1e-30).cwiseSqrt().cwiseInverse();
  H = inverse.asDiagonal() * H * inverse.asDiagonal();
  H.diagonal().array() += kRidge;
  const Eigen::VectorXd change = inverse.cwiseProduct(Cholesky(H).solve(inverse.cwiseProduct(g)));
  for (Index k = 0; k < m; ++k) values[folded.daily[static_cast<std::size_t>(k)]] += change[k];
  return values;
}

double log_ratio(double ratio, double floor) {
  return 0.5 * std::log(std::clamp(ratio, kSmallest * kSmallest, kWorst * kWorst) + floor * floor);
}

// Residuals of values on some rows.
std::vector<double> residuals_of(const std::vector<RowEquations>& rows, const Trial::Folded& folded,
                                 const Eigen::VectorXd& x) {
  std::vector<double> out;
  for (std::size_t r = 0; r < rows.size(); ++r) out.push_back(rows[r].residual(pick(x, folded.columns[r])));
  return out;
}

double score_of(const Eigen::VectorXd& ratios, const Eigen::VectorXd& floors) {
  double score = 0;
  for (Index r = 0; r < ratios.size(); ++r)
    if (ratios[r] >= 0) score += log_ratio(ratios[r], floors[r]);
  return score;
}

// What values of all rows leave, and what those of the other sections leave of each.
template <typename Solve>
TrialFit scored(const Trial::Folded& folded, const Efforts& efforts, const Eigen::VectorXd& floors,
                const std::vector<bool>& moved, const Solve& solve) {
  TrialFit fit;
  const std::vector<RowEquations> all = equations_of(folded.sum, efforts);
  fit.values = solve(all);
  const Eigen::VectorXd fitted = left_over(all, residuals_of(all, folded, fit.values), efforts, moved, true);
  fit.relative_fitted = fitted.cwiseMax(0).cwiseSqrt();
  fit.score = fit.score_fitted = score_of(fitted, floors);
  fit.relative = fit.relative_fitted;
  if (folded.grams.empty()) return fit;
  std::vector<double> residuals(all.size());
  for (std::size_t b = 0; b < folded.grams.size(); ++b) {
    const std::vector<RowGram>& section = folded.grams[b];
    if (std::all_of(section.begin(), section.end(), [](const RowGram& row) { return row.rows == 0; }))
      continue;
    const std::vector<RowGram> others = gathered(folded, b);
    const std::vector<RowEquations> own = equations_of(section, efforts);
    const std::vector<double> part = residuals_of(own, folded, solve(equations_of(others, efforts)));
    for (std::size_t r = 0; r < own.size(); ++r) residuals[r] += part[r];
    fit.by_block.push_back(score_of(left_over(own, part, efforts, moved, false), floors));
  }
  const Eigen::VectorXd held = left_over(all, residuals, efforts, moved, true);
  fit.relative = held.cwiseMax(0).cwiseSqrt();
  fit.score = score_of(held, floors);
  return fit;
}

}  // namespace

// The known part is subtracted.
Efforts Trial::Impl::efforts_of(const SetUp& set_up) const {
  Efforts out;
  const Plan& plan = columns_.rows;
  const auto n = static_cast<Index>(plan.rows.size());
  const Eigen::MatrixXd inverse = inverse_of(Eigen::MatrixXd(set_up.effort));
  out.back.resize(n, n);
  for (Index r = 0; r < n; ++r) {
    const Index joint = plan.rows[static_cast<std::size_t>(r)].i;
    out.joints.push_back(joint);
    Eigen::VectorXd mix = set_up.effort.row(joint).transpose();
    if (has_known_) {
      mix.conservativeResize(mix.size() + 1);
      mix[mix.size() - 1] = -1;
    }
    out.mix.push_back(std::move(mix));
    for (Index k = 0; k < n; ++k) {
      const double share = inverse(joint, plan.rows[static_cast<std::size_t>(k)].i);
      out.back(r, k) = share * share;
    }
  }
  return out;
}

// Rows of joints that move in the log as it was given; what another set-up makes of their efforts must be explained.
std::vector<bool> Trial::Impl::moved() const {
  const std::vector<Row>& rows = columns_.rows.rows;
  std::vector<bool> out(rows.size(), true);
  for (std::size_t r = 0; r < out.size() && given_; ++r)
    out[r] = given_->sum[r].rows > 0 && given_->sum[r].efforts(rows[r].i, rows[r].i) > 0;
  return out;
}

TrialFit Trial::Impl::predict(const Folded& folded, const SetUp& set_up, const VectorXd& values,
                              const VectorXd& floors) const {
  const Efforts efforts = efforts_of(set_up);
  Eigen::VectorXd start = Eigen::VectorXd::Zero(folded.parameters);
  start.head(values.size()) = values;
  const std::vector<RowEquations> all = equations_of(folded.sum, efforts);
  const std::vector<double> residuals = residuals_of(all, folded, start);
  const auto n = static_cast<Index>(all.size());
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(n), relative = Eigen::VectorXd::Zero(n);
  for (Index r = 0; r < n; ++r) {
    const RowEquations& row = all[static_cast<std::size_t>(r)];
    if (row.effort <= 0 || row.logged <= 0) continue;
    const double size = row.effort / row.rows, floor = floors[efforts.joints[static_cast<std::size_t>(r)]];
    weights[r] = 1 / std::max({residuals[static_cast<std::size_t>(r)] / row.rows, floor * floor,
                               kSmallest * kSmallest * size});
    relative[r] = floor / std::sqrt(row.logged / row.rows);
  }
  return scored(folded, efforts, relative, moved(), [&](const std::vector<RowEquations>& rows) {
    return with_daily(folded, rows, weights, start);
  });
}

TrialFit Trial::Impl::fit(const Folded& folded, const SetUp& set_up) const {
  const Efforts efforts = efforts_of(set_up);
  Eigen::VectorXd floors(static_cast<Index>(efforts.joints.size()));
  for (Index r = 0; r < floors.size(); ++r) floors[r] = floors_[efforts.joints[static_cast<std::size_t>(r)]];
  return scored(folded, efforts, floors, moved(), [&](const std::vector<RowEquations>& rows) {
    return solve_rows(rows, folded.columns, folded.signs, folded.parameters);
  });
}

}  // namespace steelyard
