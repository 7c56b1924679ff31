// `feasible:` of a study as written: constraints by names, to be turned into those of the feasible stage once
// the robot and its columns are known (docs/study.md).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/feasible/constraints.hpp"
#include "steelyard/feasible/objective.hpp"
#include "steelyard/feasible/retrieve.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

enum class ConstraintKind {
  bound,        // of one quantity
  combination,  // of linear quantities
  expression,
  total_mass,
  body,      // pseudo-inertia with a margin
  triangle,  // inequality of the principal moments alone
  inertia_floor,
  com_box,
  com_ellipsoid,
  com_mesh,
};
const char* to_string(ConstraintKind kind);  // the key in a study

struct ConstraintSpec {
  ConstraintKind kind = ConstraintKind::bound;
  std::string name;
  Place place;
  std::string text;                                   // quantity or expression
  std::vector<std::pair<std::string, double>> terms;  // combination
  double lower = -kInfinity;
  double upper = kInfinity;
  std::string link;   // number from 1, name, or "all"
  double amount = 0;  // margin of a body, floor of the inertia
  bool about_com = true;
  Vector3 first = Vector3::Zero();   // lower corner, centre, xyz of a mesh
  Vector3 second = Vector3::Zero();  // upper corner, half axes, rpy of a mesh
  std::string path;                  // of a mesh
  std::string path_as_written;
  double scale = 1;
};

enum class PullKind { euclidean, divergence };

struct PullSpec {
  double weight = 0;  // of the data's squares; 0: none
  PullKind kind = PullKind::divergence;
  std::vector<std::string> links;  // empty: all
  Place place;
};

struct FeasibleSpec {
  FeasibleMethod method = FeasibleMethod::automatic;
  bool fits_torque = true;  // φ2; false: φ1 of the base parameters
  CoefficientOptions coefficients;
  PhysicalOptions physical;
  std::vector<ConstraintSpec> constraints;
  PullSpec pull;
  std::optional<double> interval_level;  // provable intervals at this level
  bool joint_forces = false;             // … of what the joints carry, too
  int random_starts = 8;
  Place place;
};

// Constraints of the study behind those of physics and of the robot's file. Meshes are read here.
std::vector<Constraint> make_constraints(const FeasibleSpec& spec, const Robot& robot,
                                         const Quantities& quantities);

// Index of a link given by number or name. Throws InputError with the nearest name.
int find_link(const Robot& robot, const std::string& link, const std::string& constraint, const Place& place);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
