#include "identify/earlier_model.hpp"
#include "identify/reverse.hpp"

namespace steelyard::inline STEELYARD_ABI {

ReferenceComparison compare_with_reference(const ReferenceSpec& spec, const ReverseState& reverse,
                                           const Robot& robot) {
  const Result model = read_base_values(spec.path);
  const std::vector<const BaseValue*> values = match_base_values(model, reverse.fit.base, spec.place);
  ReferenceComparison comparison;
  comparison.reference.label = spec.label;
  VectorXd theirs(reverse.fit.values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] == nullptr) continue;
    theirs[static_cast<Index>(comparison.reference.values.size())] = values[k]->value;
    comparison.reference.values.push_back({values[k]->name, values[k]->value, values[k]->sigma});
  }
  if (comparison.reference.values.empty())
    throw InputError({"none of the robot's base parameters is in " + spec.path_as_written, spec.place,
                      "`base` of the same robot", "`steelyard model ROBOT` lists their names"});
  if (comparison.reference.values.size() == values.size())
    comparison.errors = table_errors(robot, reverse.fit.leads(), theirs, reverse.tables.training);
  return comparison;
}

}  // namespace steelyard
