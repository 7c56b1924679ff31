#include "steelyard/regressor/base.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "regressor/base/fit.hpp"
#include "regressor/base/geometry.hpp"
#include "regressor/base/print.hpp"
#include "regressor/base/stack.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

using base::Column;
using base::RandomRows;

constexpr double kZeroColumn = 1e-10;   // of the natural scale
constexpr double kLeastGap = 1e3;
constexpr double kNoise = 1e-15;        // rounding level of a factor with columns of unit norm
constexpr double kZeroEntry = 1e-10;    // of an entry of K between columns of unit norm
constexpr std::uint64_t kOwnSeries = 0;  // random samples of the robot itself; geometries take the others

struct Pivots {
  int rank = 0;
  int other_rank = 0;
  double gap = 0;
  double threshold = 0;  // between kept and dropped pivots
};

// Pivots of a column-pivoted QR of columns of unit norm; the rank is where the largest gap is. Rounding noise stands
// behind the last pivot, so that independent columns have their gap there.
Pivots find_rank(const MatrixXd& R) {
  Pivots result;
  if (R.cols() == 0) return result;
  const VectorXd diagonal = Eigen::ColPivHouseholderQR<MatrixXd>(R).matrixQR().diagonal().cwiseAbs();
  std::vector<double> pivots(diagonal.data(), diagonal.data() + diagonal.size());
  pivots.push_back(kNoise);
  double best = 0, second = 0;
  for (std::size_t k = 1; k < pivots.size(); ++k) {
    const double gap = pivots[k - 1] / std::max(pivots[k], 0.01 * kNoise);
    if (gap > best) {
      second = best;
      result.other_rank = result.rank;
      best = gap;
      result.rank = static_cast<int>(k);
      result.threshold = std::sqrt(pivots[k - 1] * std::max(pivots[k], kNoise));
    } else if (gap > second) {
      second = gap;
      result.other_rank = static_cast<int>(k);
    }
  }
  result.gap = best;
  return result;
}

// Goes through the columns of R in order of priority and keeps those independent of the ones kept before
// (Gram-Schmidt, twice, so that the remainder of a dependent column is rounding noise and nothing else).
std::vector<int> choose_leads(const MatrixXd& R, const std::vector<int>& order, double threshold) {
  MatrixXd basis(R.rows(), 0);
  std::vector<int> leads;
  for (int k : order) {
    VectorXd rest = R.col(k);
    for (int pass = 0; pass < 2; ++pass) rest -= basis * (basis.transpose() * rest);
    const double norm = rest.norm();
    if (norm <= threshold) continue;
    leads.push_back(k);
    basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
    basis.rightCols<1>() = rest / norm;
  }
  return leads;
}

std::vector<int> by_priority(const std::vector<Column>& columns, const std::vector<int>& seen) {
  std::vector<int> order = seen;
  std::sort(order.begin(), order.end(), [&](int a, int b) { return columns[a].priority < columns[b].priority; });
  return order;
}

// K for given leads: R_L B = R_D column by column, in columns of unit norm; entries at rounding level become zero.
MatrixXd regrouping(const MatrixXd& R, const std::vector<int>& leads, const std::vector<int>& seen) {
  const Index rank = static_cast<Index>(leads.size());
  VectorXd norms = R.colwise().norm();
  MatrixXd lead_columns(R.rows(), rank);
  for (Index l = 0; l < rank; ++l) lead_columns.col(l) = R.col(leads[l]) / norms[leads[l]];
  const Eigen::HouseholderQR<MatrixXd> qr(lead_columns);
  const std::set<int> is_lead(leads.begin(), leads.end());
  MatrixXd K = MatrixXd::Zero(rank, R.cols());
  for (int k : seen) {
    if (is_lead.contains(k) || norms[k] == 0) continue;
    const VectorXd b = qr.solve(R.col(k) / norms[k]);
    for (Index l = 0; l < rank; ++l)
      if (std::abs(b[l]) > kZeroEntry) K(l, k) = b[l] * norms[k] / norms[leads[l]];
  }
  for (Index l = 0; l < rank; ++l) K(l, leads[l]) = 1;
  return K;
}

std::vector<int> seen_columns(const RandomRows& rows) {
  std::vector<int> seen;
  for (Index k = 0; k < rows.magnitude.size(); ++k)
    if (rows.magnitude[k] > kZeroColumn) seen.push_back(static_cast<int>(k));
  return seen;
}

MatrixXd unit_columns(const MatrixXd& R, const std::vector<int>& seen) {
  MatrixXd result(R.rows(), static_cast<Index>(seen.size()));
  for (std::size_t k = 0; k < seen.size(); ++k) result.col(static_cast<Index>(k)) = R.col(seen[k]).normalized();
  return result;
}

// Joints whose geometry can appear in a coefficient between two columns: those on the way from the one to the other.
std::set<int> joints_between(const Robot& robot, int a, int b) {
  const auto path = [&](int link) {
    std::set<int> joints;
    if (link >= robot.size()) {
      joints.insert(robot.size());
      link = robot.tool_link < 0 ? robot.size() - 1 : robot.tool_link;
    }
    for (int j = link; j >= 0; j = robot.joints[j].parent) joints.insert(j);
    return joints;
  };
  const std::set<int> pa = path(a), pb = path(b);
  std::set<int> between;
  std::set_symmetric_difference(pa.begin(), pa.end(), pb.begin(), pb.end(), std::inserter(between, between.end()));
  int common = -1;  // the last joint both have: its own frame may be off its axis (standard DH)
  for (int j : pa)
    if (pb.contains(j)) common = std::max(common, j);
  if (common >= 0) between.insert(common);
  return between;
}

using PolynomialTable = std::map<std::pair<int, int>, base::Polynomial>;  // (lead row, column)

// Formulas of all entries of K, from K at many other geometries.
class FormulaSearch {
 public:
  FormulaSearch(const Robot& robot, const base::Geometry& geometry, const std::vector<Column>& columns)
      : robot_(robot), geometry_(geometry), columns_(columns) {}

  PolynomialTable run(const BaseOptions& options, const std::vector<int>& leads, const std::vector<int>& seen) {
    std::size_t symbols = geometry_.symbols.size();
    const std::size_t count = std::clamp<std::size_t>(3 * symbols, 16, 56) + base::kHeldOut;
    std::vector<MatrixXd> K;
    for (std::size_t g = 0; g < count; ++g) {
      values_.push_back(base::random_values(geometry_, options.seed, g));
      const Robot other = base::with_values(geometry_.snapped_robot, values_.back());
      const RandomRows rows = base::factor_of_random_rows(other, options, columns_, kOwnSeries + 1 + g);
      K.push_back(regrouping(rows.R, leads, seen));
    }
    PolynomialTable table;
    for (Index l = 0; l < K[0].rows(); ++l)
      for (int k : seen) {
        VectorXd coefficient(static_cast<Index>(count));
        for (std::size_t g = 0; g < count; ++g) coefficient[static_cast<Index>(g)] = K[g](l, k);
        if (coefficient.isZero(0)) continue;
        const auto formula = base::fit_polynomial(dictionary(columns_[leads[l]], columns_[k]), coefficient);
        if (formula) table[{static_cast<int>(l), k}] = *formula;
      }
    return table;
  }

 private:
  const base::Dictionary& dictionary(const Column& lead, const Column& column) {
    const int degree = lead.degree - column.degree;
    const std::set<int> joints = joints_between(robot_, lead.link, column.link);
    auto [place, is_new] = dictionaries_.try_emplace({degree, joints});
    if (is_new) {
      std::vector<base::Symbol> symbols;
      for (const base::Symbol& symbol : geometry_.symbols)
        if (joints.contains(symbol.joint)) symbols.push_back(symbol);
      place->second = base::make_dictionary(symbols, degree, values_);
    }
    return place->second;
  }

  const Robot& robot_;
  const base::Geometry& geometry_;
  const std::vector<Column>& columns_;
  std::vector<base::SymbolValues> values_;
  std::map<std::pair<int, std::set<int>>, base::Dictionary> dictionaries_;
};

BaseParameter describe(const BaseParameters& result, const std::vector<Column>& columns, int l,
                       const PolynomialTable& formulas, bool has_formulas) {
  BaseParameter parameter;
  parameter.lead = result.columns[result.lead[l]];
  parameter.exact = has_formulas;
  std::vector<base::PrintTerm> terms;
  const auto add = [&](int k) {
    base::PrintTerm term{columns[k], result.K(l, k), {}};
    if (const auto found = formulas.find({l, k}); found != formulas.end()) term.polynomial = found->second;
    if (k == result.lead[l]) term.polynomial = base::Polynomial{{{{1, 1}, {}}}};
    parameter.exact = parameter.exact && term.polynomial.has_value();
    parameter.terms.push_back({columns[k].name, term.coefficient, term.polynomial ? term.polynomial->to_text() : ""});
    terms.push_back(std::move(term));
  };
  add(result.lead[l]);
  for (int k = 0; k < static_cast<int>(columns.size()); ++k)
    if (k != result.lead[l] && result.K(l, k) != 0) add(k);
  parameter.expression = base::print_sum(terms, base::Style::text);
  parameter.latex = base::print_sum(terms, base::Style::latex);
  return parameter;
}

void check_zero_names(const BaseOptions& options, const Robot& robot) {
  BaseOptions all = options;
  all.zero.clear();
  std::vector<std::string> names;
  for (const Column& column : base::columns_of(robot, all)) names.push_back(column.name);
  for (const std::string& name : options.zero)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError({"parameter '" + name + "' is not a column of this robot", {}, "", did_you_mean(name, names)});
}

// Formulas give the numbers without rounding, where the robot is the one the formulas speak of.
void sharpen(BaseParameters& result, const PolynomialTable& formulas, const base::Geometry& geometry) {
  if (!geometry.snapped.empty()) return;
  const base::SymbolValues values = geometry.values();
  for (const auto& [place, formula] : formulas) result.K(place.first, place.second) = formula.evaluate(values);
}

}  // namespace

const char* to_string(RowSet rows) {
  switch (rows) {
    case RowSet::torque: return "torque";
    case RowSet::gravity: return "gravity";
    case RowSet::inertia: return "inertia";
    case RowSet::gravity_inertia: return "gravity+inertia";
  }
  return "";
}

BaseParameters base_parameters(const Robot& robot, const BaseOptions& options) {
  check_zero_names(options, robot);
  const std::vector<Column> columns = base::columns_of(robot, options);
  const RandomRows rows = base::factor_of_random_rows(robot, options, columns, kOwnSeries);
  const std::vector<int> seen = seen_columns(rows);
  const Pivots pivots = find_rank(unit_columns(rows.R, seen));

  BaseParameters result;
  for (const Column& column : columns) result.columns.push_back(column.name);
  for (int k = 0; k < static_cast<int>(columns.size()); ++k)
    if (!std::binary_search(seen.begin(), seen.end(), k)) result.unseen.push_back(columns[k].name);
  result.rank = pivots.rank;
  result.other_rank = pivots.other_rank;
  result.gap = pivots.gap;
  const base::Geometry geometry = base::read_geometry(robot);
  result.snapped = geometry.snapped;

  MatrixXd unit = rows.R;
  for (int k : seen) unit.col(k).normalize();
  result.lead = choose_leads(unit, by_priority(columns, seen), pivots.threshold);
  if (static_cast<int>(result.lead.size()) != result.rank) result.other_rank = static_cast<int>(result.lead.size());
  result.ambiguous = pivots.gap < kLeastGap || static_cast<int>(result.lead.size()) != result.rank;
  if (result.ambiguous) {
    result.lead.clear();
    return result;
  }
  result.inertial_rank = static_cast<int>(std::count_if(
      result.lead.begin(), result.lead.end(), [&](int k) { return columns[k].inertial && columns[k].link < robot.size(); }));
  result.K = regrouping(rows.R, result.lead, seen);
  PolynomialTable formulas;
  if (options.expressions) {
    formulas = FormulaSearch(robot, geometry, columns).run(options, result.lead, seen);
    sharpen(result, formulas, geometry);
  }
  for (int l = 0; l < result.rank; ++l)
    result.base.push_back(describe(result, columns, l, formulas, options.expressions));
  return result;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
