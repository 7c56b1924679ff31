#include "steelyard/reverse/examine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/excite/configurations.hpp"
#include "steelyard/reverse/rows.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kDoubtful = 1e-3;  // unexplained share of the entries from which other readings are tested
constexpr double kUnexplained = 0.1;
constexpr double kBetter = 10;
constexpr Index kTried = 60;  // configurations

// RMS of the components' errors, each by its own scale, at least 1e-4 of the largest of its kind.
double misfit(const std::vector<ComponentError>& errors) {
  double largest[2] = {0, 0}, sum = 0;
  const auto kind = [](const ComponentError& error) { return error.name.front() == 'g' ? 0 : 1; };
  for (const ComponentError& error : errors)
    largest[kind(error)] = std::max(largest[kind(error)], error.scale);
  Index count = 0;
  for (const ComponentError& error : errors) {
    const double scale = std::max(error.scale, 1e-4 * largest[kind(error)]);
    if (error.count == 0 || scale == 0) continue;
    sum += std::min(1.0, error.mean_square / (scale * scale));
    ++count;
  }
  return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0;
}

double misfit(const Robot& robot, const ReverseTable& table, const BaseParameters& base, RowSet rows,
              const ReverseOptions& options) {
  const Robot own = with_rotors(robot, options.rotor_inertia);
  std::vector<std::string> leads;
  for (const BaseParameter& parameter : base.base) leads.push_back(parameter.lead);
  EstimateOptions quick = options.estimate;
  quick.conditions = false;
  const std::vector<Fold> folds = fold_table(own, table, rows, options, leads).folds;
  if (folds.empty()) return 1;
  const Estimate found = estimate(folds, quick);
  return misfit(table_errors(robot, found.columns, found.values, table));
}

// The table with joint order[j] in the place of joint j.
ReverseTable reordered(const ReverseTable& table, const std::vector<Index>& order, bool positions_only) {
  ReverseTable other = table;
  const Index n = table.joints();
  for (Index j = 0; j < n; ++j) {
    const Index from = order[static_cast<std::size_t>(j)];
    other.q.col(j) = table.q.col(from);
    if (positions_only) continue;
    if (table.has_gravity()) other.gravity.col(j) = table.gravity.col(from);
    for (Index i = 0; table.has_inertia() && i <= j; ++i) {
      const Index a = order[static_cast<std::size_t>(j)], b = order[static_cast<std::size_t>(i)];
      other.inertia.col(triangle_index(j, i)) =
          table.inertia.col(triangle_index(std::max(a, b), std::min(a, b)));
    }
  }
  return other;
}

ReverseTable by_columns(const ReverseTable& table) {
  ReverseTable other = table;
  Index next = 0;
  for (Index j = 0; j < table.joints(); ++j)
    for (Index i = j; i < table.joints(); ++i)
      other.inertia.col(triangle_index(i, j)) = table.inertia.col(next++);
  return other;
}

struct Reading {
  FindingCode code = "table-not-explained";
  std::string joint;
  std::string words;
  double error = 1;
};

class Readings {
 public:
  Readings(const Robot& robot, const ReverseTable& table, const ReverseFit& fit,
           const ReverseOptions& options)
      : robot_(robot),
        table_(part_of(table, 0, std::min(table.size(), kTried))),
        fit_(fit),
        options_(options) {
    now_ = misfit(robot_, table_, fit_.base, fit_.rows, options_);
    try_units();
    try_orders();
  }

  double now() const { return now_; }
  const Reading& best() const { return best_; }

 private:
  void offer(FindingCode code, const std::string& joint, const std::string& words,
             const ReverseTable& table) {
    const double error = misfit(robot_, table, fit_.base, fit_.rows, options_);
    if (error < best_.error) best_ = {code, joint, words, error};
  }

  void try_units() {
    ReverseTable other = table_;
    other.q *= std::numbers::pi / 180;
    offer("position-unit", "", "with positions in degrees", other);
    other.q = table_.q * (180 / std::numbers::pi);
    offer("position-unit", "", "with positions in radians instead of degrees", other);
    if (fit_.rows != RowSet::gravity) offer("triangle-order", "", "read by columns", by_columns(table_));
    if (fit_.rows == RowSet::gravity_inertia) {
      other = table_;
      other.gravity *= -1;
      offer("gravity", "", "with the opposite sign of gravity", other);
    }
    if (fit_.rows != RowSet::gravity && !options_.rotor_inertia) {
      ReverseOptions rotors = options_;
      rotors.rotor_inertia = true;
      rotors.expressions = false;
      rotors.estimate.conditions = false;
      const double error = misfit(fit_table(robot_, table_, rotors).training);
      if (error < best_.error) best_ = {"rotor-inertia-in-matrix", "", "with rotor inertias", error};
    }
  }

  void try_orders() {
    const Index n = table_.joints();
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    const auto both = [&](const std::string& joint, const std::string& words) {
      offer("joint-order", joint, words, reordered(table_, order, false));
      offer("position-order", joint, words + " in the positions", reordered(table_, order, true));
    };
    for (Index a = 0; a < n; ++a)
      for (Index b = a + 1; b < n; ++b) {
        std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
        both(joint_name(a), fmt::format("with joints {} and {} swapped", a + 1, b + 1));
        std::swap(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]);
      }
    std::reverse(order.begin(), order.end());
    both("", "with the joints in reverse order");
  }

  std::string joint_name(Index j) const {
    const int joint = coordinates(robot_).joints[static_cast<std::size_t>(j)];
    return robot_.joints[static_cast<std::size_t>(joint)].name;
  }

  const Robot& robot_;
  ReverseTable table_;
  const ReverseFit& fit_;
  const ReverseOptions& options_;
  double now_ = 1;
  Reading best_;
};

// Rows of [Y | entry] over all leads.
Eigen::MatrixXd stacked(const std::vector<Fold>& folds, const std::vector<std::string>& leads) {
  Layout wide;
  wide.row = "all";
  wide.unit = "1";
  wide.columns = leads;
  wide.efforts = {"entry"};
  wide.effort_units = {"1"};
  Fold all(wide);
  for (const Fold& fold : folds) {
    const MatrixXd R = fold.R();
    MatrixXd rows = MatrixXd::Zero(R.rows(), all.size());
    for (std::size_t c = 0; c < fold.layout().columns.size(); ++c)
      rows.col(wide.find(fold.layout().columns[c])) = R.col(static_cast<Index>(c));
    rows.col(all.size() - 1) = R.col(R.cols() - 1);
    all.add(rows);
  }
  return all.R();
}

double residual_norm(const Eigen::MatrixXd& rows) {
  const Index n = rows.cols() - 1;
  const PivotedQr qr(rows.leftCols(n), 1e-12);
  const Eigen::VectorXd b = qr.adjoint_times(rows.col(n));
  return b.tail(b.size() - qr.rank()).norm();
}

// The best factor between decades of both signs, then by golden section.
double best_scale(const std::function<double(double)>& cost) {
  double best = 1, least = cost(1);
  for (const double sign : {1.0, -1.0})
    for (int k = -24; k <= 24; ++k) {
      const double s = sign * std::pow(10.0, k / 8.0);
      if (const double value = cost(s); value < least) least = value, best = s;
    }
  const double ratio = std::pow(10.0, 1 / 8.0), golden = (std::sqrt(5.0) - 1) / 2;
  double low = std::log(std::abs(best) / ratio), high = std::log(std::abs(best) * ratio);
  const auto at = [&](double x) { return cost(std::copysign(std::exp(x), best)); };
  double a = high - golden * (high - low), b = low + golden * (high - low);
  double at_a = at(a), at_b = at(b);
  while (high - low > 1e-9) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a, a = high - golden * (high - low), at_a = at(a);
    } else {
      low = a, a = b, at_a = at_b, b = low + golden * (high - low), at_b = at(b);
    }
  }
  return std::copysign(std::exp((low + high) / 2), best);
}

}  // namespace

std::optional<GravityScale> compare_gravity(const Robot& robot, const ReverseTable& table,
                                            const ReverseOptions& options) {
  if (!table.has_gravity() || !table.has_inertia() || options.rows != RowSet::gravity_inertia) return {};
  const Robot own = with_rotors(robot, options.rotor_inertia);
  BaseOptions base_options;
  base_options.rows = RowSet::gravity_inertia;
  base_options.drives = options.rotor_inertia;
  base_options.zero = options.zero;
  base_options.expressions = false;
  const BaseParameters base = base_parameters(own, base_options);
  std::vector<std::string> leads;
  for (const int lead : base.lead) leads.push_back(base.columns[static_cast<std::size_t>(lead)]);
  const std::vector<Fold> gravity = fold_table(own, table, RowSet::gravity, options, leads).folds;
  const std::vector<Fold> inertia = fold_table(own, table, RowSet::inertia, options, leads).folds;
  if (gravity.empty() || inertia.empty()) return {};
  const auto rows_of = [](const std::vector<Fold>& folds) {
    return std::accumulate(folds.begin(), folds.end(), Index{0},
                           [](Index sum, const Fold& fold) { return sum + fold.rows(); });
  };
  const Index rows = rows_of(gravity) + rows_of(inertia), n = static_cast<Index>(leads.size());
  if (rows <= n + 1) return {};
  const Eigen::MatrixXd G = stacked(gravity, leads), M = stacked(inertia, leads);
  const auto together = [&](double s) {
    Eigen::MatrixXd all(G.rows() + M.rows(), n + 1);
    all << s * G.leftCols(n), G.rightCols(1), M;
    return residual_norm(all);
  };
  const double root = std::sqrt(static_cast<double>(rows - n));
  GravityScale found;
  found.apart = std::hypot(residual_norm(G), residual_norm(M)) / root;
  found.together = together(1) / root;
  found.scale = best_scale(together);
  found.with_scale = together(found.scale) / root;
  return found;
}

std::vector<Finding> examine(const GravityScale& found) {
  // Ten times the residual of fits apart, and more than rounding of the sums.
  if (found.together <= kBetter * found.apart || found.together < 1e-9) return {};
  std::string evidence = fmt::format(
      "fitted separately, gravity and inertia leave {:.3g} unexplained; fitted to the same bodies, {:.3g}",
      found.apart, found.together);
  if (found.with_scale < 1e-3 * found.together || found.with_scale < 2 * found.apart)
    evidence += fmt::format(", and {:.3g} with gravity times {:.6g}", found.with_scale, found.scale);
  return {make_finding("gravity-inertia-differ", "", evidence)};
}

std::vector<Finding> examine(const Robot& robot, const ReverseTable& table, const ReverseFit& fit,
                             const ReverseOptions& options) {
  std::vector<Finding> findings;
  const Index unknowns = static_cast<Index>(fit.base.base.size()) - fit.relations;
  if (fit.estimate.rank < unknowns) {
    ConfigurationOptions needed;
    needed.rows = fit.rows;
    findings.push_back(make_finding(
        "too-few-configurations", table.name,
        fmt::format("{} configurations identify {} of {} base parameters; {} well chosen ones would suffice",
                    table.size(), fit.estimate.rank, unknowns,
                    min_configurations(with_rotors(robot, options.rotor_inertia), fit.base, needed))));
  }
  const double left = fit.relative();
  if (left < kDoubtful) return findings;
  const Readings readings(robot, table, fit, options);
  const Reading& best = readings.best();
  if (best.error * kBetter < readings.now()) {
    findings.push_back(
        make_finding(best.code, best.joint,
                     fmt::format("{:.2g} % of the table {} not explained as it is read, {:.2g} % {}",
                                 100 * left, left > 0.02 ? "are" : "is", 100 * best.error, best.words)));
  } else if (left > kUnexplained) {
    const auto worst = std::max_element(
        fit.training.begin(), fit.training.end(),
        [](const ComponentError& a, const ComponentError& b) { return a.mean_square < b.mean_square; });
    findings.push_back(
        make_finding("table-not-explained", worst->name,
                     fmt::format("{:.2g} % are not explained, {} by up to {:.3g} of {:.3g} (RMS)", 100 * left,
                                 worst->name, worst->largest, worst->scale)));
  }
  return findings;
}

}  // namespace steelyard
