// The links of an earlier result, tried on the runs of a study.
#include <fmt/format.h>

#include "identify/feasible.hpp"
#include "identify/state.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/result/link_parameters.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

InputError other_links(const StudyState& state, const std::string& trouble) {
  return InputError({"the model's links are not those of this robot: " + trouble,
                     {state.study.path, 0, 0, ""},
                     fmt::format("the {} links of the robot, with their drive terms", state.robot.size()),
                     "use the robot file and drive terms of the study that made the model"});
}

// The model's value of a column that belongs to no link.
double further_value(const Result& model, const std::string& name, const StudyState& state) {
  if (model.feasible)
    if (const auto found = model.feasible->columns.find(name); found != model.feasible->columns.end())
      return found->second;
  throw other_links(state, fmt::format("the feasible parameters have no column '{}'", name));
}

}  // namespace

void take_links(const Result& model, StudyState& state) {
  if (model.links.empty()) return;
  FeasibleState feasible;
  const Quantities quantities = quantities_of(state.robot, state.base, state.estimated.columns);
  feasible.columns = quantities.columns();
  VectorXd& x = feasible.retrieval.x;
  x.setZero(quantities.size());
  if (static_cast<int>(model.links.size()) != state.robot.size())
    throw other_links(state, fmt::format("there are {}", model.links.size()));
  for (int k = 0; k < state.robot.size(); ++k) {
    const LinkValues& link = model.links[static_cast<std::size_t>(k)];
    if (link.name != quantities.link_name(k))
      throw other_links(state, fmt::format("'{}' instead of '{}'", link.name, quantities.link_name(k)));
  }
  x.head(quantities.standard_count()) = link_parameters(model.links);
  for (Index k = quantities.standard_count(); k < quantities.size(); ++k)
    x[k] = further_value(model, quantities.columns()[static_cast<std::size_t>(k)], state);
  feasible.values = lead_values(state.plan.columns, state.base, quantities, x);
  state.feasible = std::move(feasible);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
