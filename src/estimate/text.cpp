// Checks of options; states and results as text.
#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {

const char* to_string(Weighting weighting) {
  constexpr const char* kWords[] = {"none", "by_row", "by_row_iterated", "by_row_and_block"};
  return kWords[static_cast<std::size_t>(weighting)];
}

const EstimatorMethod& estimator_method(Weighting weighting, bool single_rows, bool instruments) {
  for (const EstimatorMethod& method : kEstimatorMethods) {
    if (instruments != method.instruments || (!instruments && single_rows != method.single_rows)) continue;
    if (instruments || single_rows || method.weighting == weighting) return method;
  }
  throw InternalError("no estimator has this weighting");
}

Weighting parse_fold_method(const std::string& name) {
  std::vector<std::string> names;
  for (const EstimatorMethod& method : kEstimatorMethods) {
    if (method.single_rows || method.instruments) continue;
    if (method.name == name) return method.weighting;
    names.emplace_back(method.name);
  }
  Complaint complaint = unknown("method", name, names);
  complaint.remedy = "huber, iv and feasible are for studies";
  throw InputError(std::move(complaint));
}

const char* to_string(ColumnStatus status) {
  constexpr const char* kWords[] = {"determined", "zero", "dependent", "eliminated"};
  return kWords[static_cast<std::size_t>(status)];
}

const char* to_string(EstimateStatus status) {
  constexpr const char* kWords[] = {"solved", "deficient", "not_converged", "too_few_rows"};
  return kWords[static_cast<std::size_t>(status)];
}

void EstimateOptions::validate() const {
  const auto refuse = [](const char* name, double value, const char* limit) {
    throw InputError({fmt::format("estimate option {} is {}", name, value), {}, limit, ""});
  };
  if (!(rank_tolerance > 0 && rank_tolerance < 1))
    refuse("rank_tolerance", rank_tolerance, "between 0 and 1");
  if (!(huber > 0)) refuse("huber", huber, "a positive number");
  if (max_iterations < 1) refuse("max_iterations", max_iterations, "at least 1");
  if (!(tolerance > 0)) refuse("tolerance", tolerance, "a positive number");
}

Index Estimate::find(const std::string& column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  return found == columns.end() ? -1 : found - columns.begin();
}

std::string Estimate::brief() const {
  std::string text = fmt::format(
      "{}: {} of {} columns determined from {} rows", to_string(status),
      std::count(column_status.begin(), column_status.end(), ColumnStatus::determined), columns.size(), rows);
  for (const Residual& total : totals) {
    text += fmt::format(", residual {:.3g} % ({})", 100 * total.relative, total.unit);
  }
  if (condition > 0)
    text += fmt::format(", condition number {:.3g} ({:.3g} scaled)", condition, condition_scaled);
  return text;
}

}  // namespace steelyard
