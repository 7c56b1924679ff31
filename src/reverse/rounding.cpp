#include "steelyard/reverse/rounding.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kAllDigits = 14;         // significant ones: nobody rounded
constexpr double kShare = 0.5;         // of numbers that need all digits; nine of ten are expected
constexpr std::size_t kFewValues = 3;  // of a component that hardly changes
constexpr Index kBlock = 256;          // configurations
constexpr double kStep = 1e-6;         // [rad, m] of the differences by q
const double kUniform = 1 / std::sqrt(12.0);

// The shortest text that reads back as the number.
struct Printed {
  int significant = 0;
  int decimals = 0;
};

Printed printed(double value) {
  char text[64];
  const auto end =
      std::to_chars(text, text + sizeof text, std::abs(value), std::chars_format::scientific).ptr;
  const char* exponent = std::find(static_cast<const char*>(text), static_cast<const char*>(end), 'e');
  Printed out;
  out.significant = static_cast<int>(
      std::count_if(static_cast<const char*>(text), exponent, [](char c) { return c >= '0' && c <= '9'; }));
  int power = 0;
  std::from_chars(exponent + (exponent[1] == '+' ? 2 : 1), end, power);
  out.decimals = std::max(0, out.significant - 1 - power);
  return out;
}

struct MostFrequent {
  int digits = 0;
  int count = 0;
};

MostFrequent most_frequent(const std::map<int, int>& counts) {
  MostFrequent out;
  for (const auto& [digits, count] : counts)
    if (count >= out.count) out = {digits, count};
  return out;
}

const Rounding& rounding_of(const ReverseTable& table, RowKind kind) {
  return kind == RowKind::gravity ? table.gravity_rounding : table.inertia_rounding;
}

// Sums over configurations, and what groups of equal entries add.
struct Sums {
  Eigen::MatrixXd A, B;
  double rounding = 0;  // Σ w² step²/12
  std::map<std::pair<std::string, double>, Eigen::VectorXd> groups;
};

struct ComponentRows {
  std::string name;
  double weight = 0;
  bool grouped = false;
  const Rounding* rounding = nullptr;
  Eigen::VectorXd entries;  // NaN where not used
  Eigen::MatrixXd Y;        // configurations × free base values
};

std::vector<ComponentRows> component_rows(const Robot& robot, const ReverseTable& part, const ReverseFit& fit,
                                          const ReverseOptions& options, const FreeBase& free) {
  const std::vector<std::string> leads = fit.leads();
  std::vector<ComponentRows> out;
  for (const RowKind kind : {RowKind::gravity, RowKind::inertia}) {
    if (!uses_kind(fit.rows, kind)) continue;
    const Plan plan = plan_of(robot, kind, leads);
    const Index count = part.size(), stride = tile_stride(count);
    std::vector<double> tile(static_cast<std::size_t>(stride * plan.stored_columns));
    const Eigen::MatrixXd q = part.q;
    evaluate(plan, {q.data(), nullptr, nullptr, count, count}, tile.data(), stride);
    for (const Row& row : plan.rows) {
      ComponentRows& own = out.emplace_back();
      own.name = component_name(row, part.joints());
      own.rounding = &rounding_of(part, kind);
      own.entries = used_entries(part, row, options);
      Eigen::MatrixXd Y = Eigen::MatrixXd::Zero(count, static_cast<Index>(leads.size()));
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        const std::string& name = plan.columns[static_cast<std::size_t>(row.columns[k])];
        const double* stored = tile.data() + (row.offset + static_cast<Index>(k)) * stride;
        Y.col(std::find(leads.begin(), leads.end(), name) - leads.begin()) =
            Eigen::Map<const Eigen::VectorXd>(stored, count);
      }
      own.Y = Y * free.T;
    }
  }
  return out;
}

void add_entries(const ComponentRows& rows, Sums& sums) {
  const double w2 = rows.weight * rows.weight;
  for (Index k = 0; k < rows.entries.size(); ++k) {
    const double entry = rows.entries[k];
    if (!std::isfinite(entry)) continue;
    const auto y = rows.Y.row(k).transpose();
    const double sigma = kUniform * rows.rounding->step(entry);
    sums.A.noalias() += w2 * y * y.transpose();
    sums.rounding += w2 * sigma * sigma;
    if (!rows.grouped) {
      sums.B.noalias() += (w2 * w2 * sigma * sigma) * y * y.transpose();
    } else {
      Eigen::VectorXd& group =
          sums.groups.try_emplace({rows.name, entry}, Eigen::VectorXd::Zero(sums.A.rows())).first->second;
      group += w2 * sigma * y;
    }
  }
}

// Entries of the model at positions that are off by kStep, one column per component.
Eigen::MatrixXd shifted(const Robot& robot, const ReverseTable& part, const ReverseFit& fit, Index joint,
                        double by) {
  MatrixXd q = part.q;
  q.col(joint).array() += by;
  const ReverseTable at = predict_table(robot, fit.leads(), fit.values, q, fit.rows);
  Eigen::MatrixXd out(q.rows(), at.gravity.cols() + at.inertia.cols());
  if (at.gravity.cols() > 0) out.leftCols(at.gravity.cols()) = at.gravity;
  if (at.inertia.cols() > 0) out.rightCols(at.inertia.cols()) = at.inertia;
  return out;
}

void add_positions(const Robot& robot, const ReverseTable& part, const ReverseFit& fit,
                   const std::vector<ComponentRows>& components, Sums& sums) {
  if (part.q_rounding.is_exact()) return;
  for (Index joint = 0; joint < part.joints(); ++joint) {
    const Eigen::MatrixXd slope =
        (shifted(robot, part, fit, joint, kStep) - shifted(robot, part, fit, joint, -kStep)) / (2 * kStep);
    for (Index k = 0; k < part.size(); ++k) {
      const double sigma = kUniform * part.q_rounding.step(part.q(k, joint));
      Eigen::VectorXd moved = Eigen::VectorXd::Zero(sums.A.rows());
      for (std::size_t c = 0; c < components.size(); ++c) {
        if (!std::isfinite(components[c].entries[k])) continue;
        const double w2 = std::pow(components[c].weight, 2), error = sigma * slope(k, static_cast<Index>(c));
        moved += w2 * error * components[c].Y.row(k).transpose();
        sums.rounding += w2 * error * error;
      }
      sums.B.noalias() += moved * moved.transpose();
    }
  }
}

// Whether a component of the whole table hardly changes.
bool hardly_changes(const Eigen::VectorXd& entries) {
  std::set<double> values;
  for (const double entry : entries) {
    if (std::isfinite(entry)) values.insert(entry);
    if (values.size() > kFewValues) return false;
  }
  return true;
}

double weight_of(const TableFolds& folds, const std::string& name) {
  const auto found = std::find(folds.components.begin(), folds.components.end(), name);
  return found == folds.components.end()
             ? 0
             : folds.weights[static_cast<std::size_t>(found - folds.components.begin())];
}

Sums sums_of(const Robot& robot, const ReverseTable& table, const ReverseFit& fit,
             const ReverseOptions& options, const FreeBase& free, const TableFolds& folds) {
  const Index n = free.T.cols();
  Sums sums{Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, n), 0, {}};
  std::map<std::string, bool> grouped;
  for (const RowKind kind : {RowKind::gravity, RowKind::inertia})
    if (uses_kind(fit.rows, kind))
      for (const Row& row : plan_of(robot, kind, fit.leads()).rows)
        grouped[component_name(row, table.joints())] = hardly_changes(used_entries(table, row, options));
  for (Index first = 0; first < table.size(); first += kBlock) {
    const ReverseTable part = part_of(table, first, std::min(kBlock, table.size() - first));
    std::vector<ComponentRows> components = component_rows(robot, part, fit, options, free);
    for (ComponentRows& rows : components) {
      rows.weight = weight_of(folds, rows.name);
      rows.grouped = grouped[rows.name];
      if (rows.weight > 0) add_entries(rows, sums);
    }
    add_positions(robot, part, fit, components, sums);
  }
  for (const auto& [key, group] : sums.groups) sums.B.noalias() += group * group.transpose();
  return sums;
}

}  // namespace

double Rounding::step(double value) const {
  if (is_exact()) return 0;
  const double own = std::abs(value / unit);
  const int power = significant && own > 0 ? static_cast<int>(std::floor(std::log10(own))) + 1 : 0;
  return std::abs(unit) * std::pow(10.0, power - digits);
}

Rounding rounding_of(const Eigen::Ref<const Eigen::MatrixXd>& numbers) {
  std::map<int, int> significant, decimals;
  int all = 0;
  for (const double number : numbers.reshaped()) {
    if (!std::isfinite(number) || number == 0) continue;
    const Printed text = printed(number);
    ++significant[text.significant];
    ++decimals[text.decimals];
    ++all;
  }
  const MostFrequent by_digits = most_frequent(significant), by_decimals = most_frequent(decimals);
  const bool is_significant = by_digits.count > by_decimals.count;
  const MostFrequent& best = is_significant ? by_digits : by_decimals;
  if (all == 0 || best.count < kShare * all || by_digits.digits >= kAllDigits || best.digits == 0) return {};
  return {is_significant, best.digits, 1};
}

void recognize_rounding(ReverseTable& table) {
  if (table.has_gravity()) table.gravity_rounding = rounding_of(table.gravity);
  if (table.has_inertia()) table.inertia_rounding = rounding_of(table.inertia);
}

double rounding_sigma(const ReverseTable& table, const Row& row, const ReverseOptions& options) {
  const VectorXd entries = used_entries(table, row, options);
  double squares = 0;
  Index count = 0;
  for (const double entry : entries) {
    if (!std::isfinite(entry)) continue;
    squares += std::pow(kUniform * rounding_of(table, row.kind).step(entry), 2);
    ++count;
  }
  return count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0;
}

RoundingCovariance rounding_covariance(const Robot& robot, const ReverseTable& table, const ReverseFit& fit,
                                       const ReverseOptions& options, const FreeBase& free,
                                       const TableFolds& folds) {
  const Sums sums = sums_of(robot, table, fit, options, free, folds);
  const std::vector<std::string> leads = fit.leads();
  std::vector<Index> known;  // free base values that are determined
  for (std::size_t k = 0; k < free.kept.size(); ++k) {
    const Index at = fit.estimate.find(leads[static_cast<std::size_t>(free.kept[k])]);
    if (at >= 0 && std::isfinite(fit.estimate.sigma[at])) known.push_back(static_cast<Index>(k));
  }
  RoundingCovariance out;
  out.covariance = MatrixXd::Zero(free.T.cols(), free.T.cols());
  if (known.empty()) return out;
  const Eigen::MatrixXd A = sums.A(known, known), B = sums.B(known, known);
  const Eigen::VectorXd scale = A.diagonal().cwiseSqrt().cwiseInverse();
  const Cholesky factor(Eigen::MatrixXd(scale.asDiagonal() * A * scale.asDiagonal()));
  const Eigen::MatrixXd half = factor.solve(Eigen::MatrixXd(scale.asDiagonal() * B * scale.asDiagonal()));
  const Eigen::MatrixXd covariance = factor.solve(Eigen::MatrixXd(half.transpose()));
  // E of the residual's squares: tr(W Cov W) − tr(A⁻¹ B).
  const double expected = std::max(0.0, sums.rounding - half.trace());
  const double residual = std::pow(fit.estimate.sigma_rows, 2) * fit.estimate.degrees;
  out.unexplained = residual > expected ? 1 - expected / residual : 0;
  out.covariance(known, known) = scale.asDiagonal() * covariance * scale.asDiagonal();
  return out;
}

}  // namespace steelyard
