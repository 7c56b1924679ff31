// A robot as a file describes it: joints in file order, fixed ones among them, parents by name.
//
// `assemble` turns it into a Robot: it finds the tree, sorts parents before children, merges fixed joints
// into the link they are fixed to (geometry and inertia), resolves mimic chains and numbers the step names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Far above any robot; keeps hostile files from costing quadratic time and memory.
inline constexpr std::size_t kMaxJoints = 1000;

struct DraftMimic {
  std::string master;
  double ratio = 1;
  double offset = 0;
  Place place;
};

struct DraftJoint {
  Joint joint;  // `parent` is set by assemble
  bool is_fixed = false;
  std::string parent;  // link that carries the joint
  Place place;
  Place parent_place;
  std::optional<DraftMimic> mimic;
};

struct Draft {
  std::vector<DraftJoint> joints;
  std::string base_link;
  // Step names are stems that get the number of the moving joint (`a` becomes `a4`); fixed joints:
  // `<joint>.a`.
  bool number_steps = false;
  // Parents may also name joints: only for the wording of messages, names are resolved by then.
  bool parents_may_be_joints = false;
  // Order of joints: depth first, or that of the file as far as parents allow.
  bool depth_first = false;
  // A link without inertia has none: zero (URDF). Otherwise it is unknown.
  bool absent_is_zero = false;
};

// Where the links of the draft ended up: index of the moving link (−1: base) and pose in its frame.
struct LinkHome {
  std::string link;
  int index = -1;
  Steps steps;
};

struct Assembly {
  Robot robot;
  std::vector<LinkHome> homes;         // every link of the draft and the base
  std::vector<Place> places;           // of the moving joints
  std::map<std::string, Place> parts;  // of what is no joint: base, tool, transmission
  std::vector<Complaint> warnings;

  const LinkHome* home_of(const std::string& joint_or_link) const;
};

Assembly assemble(const Draft& draft);

// `validate`, with the location of the joint in question.
void finish(const Assembly& assembly, const std::string& file);

// Adds the violated law of a link's inertia, before anything is merged into it.
void warn_if_impossible(const Inertia& inertia, const Place& place, std::vector<Complaint>& warnings);

}  // namespace steelyard
