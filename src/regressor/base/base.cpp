#include "steelyard/regressor/base.hpp"

#include <algorithm>

#include "regressor/base/formulas.hpp"
#include "regressor/base/geometry.hpp"
#include "regressor/base/print.hpp"
#include "regressor/base/structure.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using base::Column;
using base::Formulas;
using base::Structure;

BaseParameter describe(const BaseParameters& result, const std::vector<Column>& columns, int l,
                       const Formulas& formulas, const base::SymbolValues& values) {
  const int lead = result.lead[l];
  BaseParameter parameter;
  parameter.lead = result.columns[lead];
  parameter.exact = formulas.leads.contains(lead);
  std::vector<base::PrintTerm> printed;
  const auto add = [&](int k) {
    base::PrintTerm term{columns[k], result.K(l, k), formulas.find(lead, k)};
    if (k == lead) term.polynomial = base::Polynomial{{{{1, 1}, {}}}};
    parameter.exact = parameter.exact && term.polynomial.has_value();
    const BaseTerm text{columns[k].name, term.coefficient, term.polynomial ? term.polynomial->to_text() : ""};
    (term.coefficient == 0 ? parameter.vanishing : parameter.terms).push_back(text);
    const bool is_zero_here = term.polynomial && term.polynomial->evaluate(values) == 0;
    if (term.coefficient != 0 && !is_zero_here) printed.push_back(std::move(term));
  };
  add(lead);
  for (int k = 0; k < static_cast<int>(columns.size()); ++k)
    if (k != lead &&
        (result.K(l, k) != 0 || formulas.polynomial.contains({lead, k}) || formulas.none.contains({lead, k})))
      add(k);
  parameter.expression = base::print_sum(printed, base::Style::text);
  parameter.latex = base::print_sum(printed, base::Style::latex);
  return parameter;
}

void check_zero_names(const BaseOptions& options, const Robot& robot) {
  BaseOptions all = options;
  all.zero.clear();
  std::vector<std::string> names;
  for (const Column& column : base::columns_of(robot, all)) names.push_back(column.name);
  for (const std::string& name : options.zero)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError(
          {"parameter '" + name + "' is not a column of this robot", {}, "", did_you_mean(name, names)});
}

// Formulas give the numbers without rounding, where the robot is the one the formulas speak of.
void sharpen(BaseParameters& result, const Formulas& formulas, const base::Geometry& geometry) {
  if (!geometry.snapped.empty()) return;
  const base::SymbolValues values = geometry.values();
  for (int l = 0; l < result.rank; ++l)
    for (Index k = 0; k < result.K.cols(); ++k)
      if (const auto formula = formulas.polynomial.find({result.lead[l], static_cast<int>(k)});
          formula != formulas.polynomial.end())
        result.K(l, k) = formula->second.evaluate(values);
}

}  // namespace

const char* to_string(RowSet rows) {
  constexpr const char* kWords[] = {"torque", "gravity", "inertia", "gravity+inertia"};
  return kWords[static_cast<std::size_t>(rows)];
}

BaseParameters base_parameters(const Robot& robot, const BaseOptions& options) {
  check_zero_names(options, robot);
  const std::vector<Column> columns = base::columns_of(robot, options);
  const Structure own = base::derive_structure(robot, options, columns);
  const base::Geometry geometry = base::read_geometry(robot);

  BaseParameters result;
  for (const Column& column : columns) result.columns.push_back(column.name);
  for (int k = 0; k < static_cast<int>(columns.size()); ++k)
    if (!std::binary_search(own.seen.begin(), own.seen.end(), k)) result.unseen.push_back(columns[k].name);
  result.rank = own.pivots.rank;
  result.other_rank = own.pivots.other_rank;
  result.gap = own.pivots.gap;
  result.snapped = geometry.snapped;
  result.ambiguous = own.is_ambiguous();
  if (result.ambiguous) {
    if (static_cast<int>(own.leads.size()) != result.rank)
      result.other_rank = static_cast<int>(own.leads.size());
    return result;
  }
  result.lead = own.leads;
  result.inertial_rank = static_cast<int>(std::count_if(own.leads.begin(), own.leads.end(), [&](int k) {
    return columns[k].inertial && columns[k].link < robot.size();
  }));
  result.K = base::regrouping(own.rows.R, own.leads, own.seen);
  Formulas formulas;
  if (options.expressions) {
    formulas = base::derive_formulas(robot, geometry, options, columns, own);
    sharpen(result, formulas, geometry);
  }
  for (int l = 0; l < result.rank; ++l)
    result.base.push_back(describe(result, columns, l, formulas, geometry.values()));
  return result;
}

}  // namespace steelyard
