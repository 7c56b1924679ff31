#include "regressor/base/formulas.hpp"

#include <algorithm>

#include "regressor/base/fit.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {
namespace {

// Joints whose geometry can appear in a coefficient between two columns: those on the way from the one to the
// other.
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
  std::set_symmetric_difference(pa.begin(), pa.end(), pb.begin(), pb.end(),
                                std::inserter(between, between.end()));
  int common = -1;  // the last joint both have: its own frame may be off its axis (standard DH)
  for (int j : pa)
    if (pb.contains(j)) common = std::max(common, j);
  if (common >= 0) between.insert(common);
  return between;
}

// Formulas of all entries of K, from K at many other geometries.
class FormulaSearch {
 public:
  FormulaSearch(const Robot& robot, const Geometry& geometry, const std::vector<Column>& columns)
      : robot_(robot), geometry_(geometry), columns_(columns) {}

  Formulas run(const BaseOptions& options, const std::vector<int>& leads, const std::vector<int>& seen) {
    const bool has_angles = std::any_of(geometry_.symbols.begin(), geometry_.symbols.end(),
                                        [](const Symbol& symbol) { return symbol.is_angle; });
    const std::size_t minimum = has_angles ? 64 : 16;
    const std::size_t count = std::clamp<std::size_t>(3 * geometry_.symbols.size(), minimum, 64) + kHeldOut;
    std::vector<MatrixXd> K;
    for (std::size_t g = 0; g < count; ++g) {
      const SymbolValues values = random_values(geometry_, options.seed, g);
      values_.add(values);
      const Robot other = with_values(geometry_.snapped_robot, values);
      const RandomRows rows = factor_of_random_rows(other, options, columns_, kOwnSeries + 1 + g);
      K.push_back(regrouping(rows.R, leads, seen));
    }
    Formulas result;
    result.leads.insert(leads.begin(), leads.end());
    for (int l = 0; l < static_cast<int>(leads.size()); ++l) {
      std::vector<Known> of_this_lead;  // later links often carry the same coefficient
      for (int k : seen) {
        VectorXd coefficient(static_cast<Index>(count));
        for (std::size_t g = 0; g < count; ++g) coefficient[static_cast<Index>(g)] = K[g](l, k);
        if (coefficient.isZero(0)) continue;
        const auto formula = find(columns_[leads[l]], columns_[k], coefficient, of_this_lead);
        if (formula)
          result.polynomial[{leads[l], k}] = *formula;
        else
          result.none.insert({leads[l], k});
      }
    }
    return result;
  }

 private:
  struct Known {
    Polynomial formula;
    VectorXd values;  // at all geometries
  };

  // Formulas already found for the same lead first, then ever more of the geometry between the two links.
  std::optional<Polynomial> find(const Column& lead, const Column& column, const VectorXd& coefficient,
                                 std::vector<Known>& known) {
    for (const Known& one : known)
      if (is_coefficient(one.values, coefficient)) return one.formula;
    const std::set<int> joints = joints_between(robot_, lead.link, column.link);
    for (std::size_t window :
         {std::size_t{2}, std::size_t{3}, std::size_t{4}, std::size_t{6}, joints.size()}) {
      if (window > joints.size()) continue;
      const std::set<int> nearest(joints.begin(), std::next(joints.begin(), static_cast<long>(window)));
      auto formula = fit_polynomial(dictionary(lead.degree - column.degree, nearest), coefficient);
      if (!formula) continue;
      known.push_back({*formula, values_.evaluate(*formula)});
      return formula;
    }
    return extend(lead.degree - column.degree, joints, coefficient, known);
  }

  // The links further out add to what was found for the nearer ones: a known formula plus a short one.
  std::optional<Polynomial> extend(int degree, const std::set<int>& joints, const VectorXd& coefficient,
                                   std::vector<Known>& known) {
    for (auto one = known.rbegin(); one != known.rend(); ++one) {
      const auto addition = fit_polynomial(dictionary(degree, joints), coefficient - one->values);
      if (!addition) continue;
      Known sum{one->formula + *addition, {}};
      sum.values = values_.evaluate(sum.formula);
      if (!is_coefficient(sum.values, coefficient)) continue;
      known.push_back(sum);
      return sum.formula;
    }
    return std::nullopt;
  }

  const Dictionary& dictionary(int degree, const std::set<int>& joints) {
    auto [place, is_new] = dictionaries_.try_emplace({degree, joints});
    if (is_new) {
      std::vector<Symbol> symbols;
      for (const Symbol& symbol : geometry_.symbols)
        if (joints.contains(symbol.joint)) symbols.push_back(symbol);
      place->second = make_dictionary(symbols, degree, values_);
    }
    return place->second;
  }

  const Robot& robot_;
  const Geometry& geometry_;
  const std::vector<Column>& columns_;
  SymbolSeries values_;
  std::map<std::pair<int, std::set<int>>, Dictionary> dictionaries_;
};

}  // namespace

Formulas derive_formulas(const Robot& robot, const Geometry& geometry, const BaseOptions& options,
                         const std::vector<Column>& columns, const Structure& own) {
  FormulaSearch search(robot, geometry, columns);
  if (geometry.snapped.empty()) return search.run(options, own.leads, own.seen);
  const Structure snapped = derive_structure(geometry.snapped_robot, options, columns);
  return snapped.is_ambiguous() ? Formulas{} : search.run(options, snapped.leads, snapped.seen);
}

}  // namespace base
}  // namespace steelyard
