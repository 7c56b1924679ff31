#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "robot/draft.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using Children = std::vector<std::vector<int>>;

// Index of the joint that moves a link; −1 for the base.
std::unordered_map<std::string, int> links_of(const Draft& draft) {
  std::unordered_map<std::string, int> owner{{draft.base_link, -1}};
  std::unordered_map<std::string, int> joints;
  for (int i = 0; i < static_cast<int>(draft.joints.size()); ++i) {
    const DraftJoint& entry = draft.joints[i];
    if (!joints.emplace(entry.joint.name, i).second) {
      throw InputError({fmt::format("joint name {} is used twice", quoted(entry.joint.name)), entry.place,
                        "unique joint names", "rename one of the two joints"});
    }
    if (!owner.emplace(entry.joint.link, i).second) {
      throw InputError(
          {fmt::format("link {} is moved by two joints or is the base", quoted(entry.joint.link)),
           entry.place, "one joint per link", "rename the link or remove one of the joints"});
    }
  }
  return owner;
}

std::vector<int> parents_of(const Draft& draft, const std::unordered_map<std::string, int>& owner) {
  std::vector<int> parents;
  for (const DraftJoint& entry : draft.joints) {
    const auto found = owner.find(entry.parent);
    if (found == owner.end()) {
      std::vector<std::string> names;
      for (const auto& [name, index] : owner) names.push_back(name);
      if (draft.parents_may_be_joints) {
        for (const DraftJoint& candidate : draft.joints) names.push_back(candidate.joint.name);
      }
      std::sort(names.begin(), names.end());
      Complaint complaint = unknown("parent", entry.parent, names, entry.parent_place);
      if (complaint.remedy.empty()) complaint.remedy = "use a link of this file or the base";
      throw InputError(std::move(complaint));
    }
    parents.push_back(found->second);
  }
  return parents;
}

// Child lists by joint; the last one holds the joints on the base. In file order.
Children children_of(const std::vector<int>& parents) {
  Children children(parents.size() + 1);
  for (int i = 0; i < static_cast<int>(parents.size()); ++i) {
    children[parents[i] < 0 ? parents.size() : parents[i]].push_back(i);
  }
  return children;
}

std::vector<int> depth_first_order(const Children& children) {
  std::vector<int> order;
  std::vector<int> waiting(children.back().rbegin(), children.back().rend());
  while (!waiting.empty()) {
    const int joint = waiting.back();
    waiting.pop_back();
    order.push_back(joint);
    waiting.insert(waiting.end(), children[joint].rbegin(), children[joint].rend());
  }
  return order;
}

std::vector<int> file_order(const Children& children) {
  std::vector<int> order;
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int joint : children.back()) ready.push(joint);
  while (!ready.empty()) {
    const int joint = ready.top();
    ready.pop();
    order.push_back(joint);
    for (int child : children[joint]) ready.push(child);
  }
  return order;
}

// Joints that the base does not reach hang on a cycle.
void check_reached(const Draft& draft, const std::vector<int>& order) {
  if (order.size() == draft.joints.size()) return;
  std::vector<bool> reached(draft.joints.size(), false);
  for (int joint : order) reached[joint] = true;
  std::string names;
  const DraftJoint* first = nullptr;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i]) continue;
    if (first == nullptr) first = &draft.joints[i];
    names += (names.empty() ? "" : ", ") + quoted(draft.joints[i].joint.name);
  }
  throw InputError({fmt::format("parents form a cycle that never reaches the base '{}': joints {}",
                                draft.base_link, names),
                    first->parent_place, "a tree", "correct the parent of one of these joints"});
}

void number_steps(Steps& steps, const std::string& joint, int number, bool fixed) {
  for (Step& step : steps) step.name = fixed ? joint + "." + step.name : step.name + std::to_string(number);
}

Steps joined(Steps steps, const Steps& more) {
  steps.insert(steps.end(), more.begin(), more.end());
  return steps;
}

// Inertia of a fixed link, carried to the moving link it is fixed to.
void carry_inertia(Assembly& assembly, const DraftJoint& entry, const LinkHome& home, bool absent_is_zero) {
  if (!entry.joint.inertia || home.index < 0) return;
  std::optional<Inertia>& owner = assembly.robot.joints[home.index].inertia;
  if (!owner && !absent_is_zero) {
    assembly.warnings.push_back(
        {fmt::format("inertia of the fixed link '{}' is left out, since link '{}' has none", entry.joint.link,
                     assembly.robot.joints[home.index].link),
         entry.place, "", "give the moving link an inertia"});
    return;
  }
  owner = owner.value_or(Inertia::zero()) + entry.joint.inertia->expressed_in(to_pose(home.steps));
}

// Follows mimic chains to a joint that moves on its own.
void add_mimics(const Draft& draft, const std::vector<int>& draft_index, Assembly& assembly) {
  std::unordered_map<std::string, const DraftJoint*> by_name;
  for (const DraftJoint& entry : draft.joints) by_name[entry.joint.name] = &entry;
  for (int i = 0; i < assembly.robot.size(); ++i) {
    const DraftJoint& follower = draft.joints[draft_index[i]];
    if (!follower.mimic) continue;
    Mimic mimic{i, -1, 1, 0};
    const DraftJoint* entry = &follower;
    for (std::size_t hops = 0; entry->mimic; ++hops) {
      const DraftMimic& link = *entry->mimic;
      mimic.offset += mimic.ratio * link.offset;
      mimic.ratio *= link.ratio;
      const auto found = by_name.find(link.master);
      const bool usable = found != by_name.end() && !found->second->is_fixed;
      if (!usable || hops > draft.joints.size()) {
        throw InputError({fmt::format("mimic names {}, which {}", quoted(link.master),
                                      usable ? "mimics itself in a cycle" : "is not a moving joint"),
                          link.place, "a moving joint", "name the joint that drives this one"});
      }
      entry = found->second;
    }
    mimic.master = assembly.robot.index_of(entry->joint.name);
    assembly.robot.mimics.push_back(mimic);
  }
}

}  // namespace

const LinkHome* Assembly::home_of(const std::string& joint_or_link) const {
  for (const LinkHome& home : homes) {
    if (home.link == joint_or_link) return &home;
  }
  for (const LinkHome& home : homes) {
    if (home.index >= 0 && robot.joints[home.index].name == joint_or_link) return &home;
  }
  return nullptr;
}

Assembly assemble(const Draft& draft) {
  if (draft.joints.size() > kMaxJoints) {
    throw InputError({fmt::format("robot has {} joints", draft.joints.size()), draft.joints[kMaxJoints].place,
                      fmt::format("at most {}, fixed ones included", kMaxJoints),
                      "leave out what does not move"});
  }
  const auto owner = links_of(draft);
  const std::vector<int> parents = parents_of(draft, owner);
  const Children children = children_of(parents);
  const std::vector<int> order = draft.depth_first ? depth_first_order(children) : file_order(children);
  check_reached(draft, order);

  Assembly assembly;
  assembly.robot.base_link = draft.base_link;
  assembly.homes.push_back({draft.base_link, -1, {}});
  std::vector<int> home_of_draft(draft.joints.size());
  std::vector<int> draft_index;
  for (int i : order) {
    const DraftJoint& entry = draft.joints[i];
    const LinkHome parent = assembly.homes[parents[i] < 0 ? 0 : home_of_draft[parents[i]]];
    Joint joint = entry.joint;
    if (draft.number_steps) {
      const int number = assembly.robot.size() + 1;
      number_steps(joint.before, joint.name, number, entry.is_fixed);
      number_steps(joint.after, joint.name, number, entry.is_fixed);
    }
    home_of_draft[i] = static_cast<int>(assembly.homes.size());
    if (entry.is_fixed) {
      const Steps steps = joined(joined(parent.steps, joint.before), joint.after);
      assembly.homes.push_back({joint.link, parent.index, steps});
      carry_inertia(assembly, entry, assembly.homes.back(), draft.absent_is_zero);
      continue;
    }
    joint.parent = parent.index;
    joint.before = joined(parent.steps, joint.before);
    assembly.homes.push_back({joint.link, assembly.robot.size(), {}});
    assembly.robot.joints.push_back(std::move(joint));
    assembly.places.push_back(entry.place);
    draft_index.push_back(i);
  }
  add_mimics(draft, draft_index, assembly);
  return assembly;
}

void finish(const Assembly& assembly, const std::string& file) {
  try {
    validate(assembly.robot);
  } catch (const InputError& error) {
    Complaint complaint = error.complaint();
    const int joint = assembly.robot.index_of(complaint.place.joint);
    const auto part = assembly.parts.find(complaint.place.joint);
    if (joint >= 0) {
      complaint.place = assembly.places[joint];
    } else if (part != assembly.parts.end()) {
      complaint.place = part->second;
    }
    complaint.place.file = file;
    throw InputError(std::move(complaint));
  }
}

void warn_if_impossible(const Inertia& inertia, const Place& place, std::vector<Complaint>& warnings) {
  if (const auto law = inertia.violated_law()) {
    warnings.push_back({"impossible inertia, " + *law, place, "a body with non-negative density",
                        "correct the inertia of this link"});
  }
}

}  // namespace steelyard
