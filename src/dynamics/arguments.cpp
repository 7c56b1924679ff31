#include "dynamics/arguments.hpp"

#include <string>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace dynamics {
namespace {

void require_size(const VectorXd& vector, Index expected, const std::string& name, const std::string& limit) {
  if (vector.size() == expected) return;
  throw InputError(
      {name + " has " + std::to_string(vector.size()) + " entries instead of " + std::to_string(expected),
       {},
       limit,
       "mimic joints are joints of the tree too; Coordinates (robot/robot.hpp) expands reduced vectors"});
}

}  // namespace

void require_per_joint(const Tree& tree, const VectorXd& vector, const char* name) {
  require_size(vector, tree.size(), name, "one entry for each joint of the tree");
}

void require_parameters(const Tree& tree, const VectorXd& parameters) {
  require_size(parameters, Index{kParametersPerLink} * tree.size(), "parameters",
               "ten standard parameters per link");
}

Body body_of(const VectorXd& parameters, int i) {
  const auto p = parameters.segment<kParametersPerLink>(Index{kParametersPerLink} * i);
  return {p[0], p.segment<3>(1), symmetric_matrix(p[4], p[5], p[6], p[7], p[8], p[9])};
}

}  // namespace dynamics
}  // namespace steelyard
