// Which column is which joint's. Logs may also have columns of mimic joints, which follow others: those are
// recognised and not used.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "init/guess_log.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::vector<std::string> names_of(const Robot& robot, const std::vector<int>& joints) {
  std::vector<std::string> names;
  for (const int j : joints) names.push_back(robot.joints[static_cast<std::size_t>(j)].name);
  return names;
}

bool is_complete(const std::vector<int>& columns) {
  return std::find(columns.begin(), columns.end(), -1) == columns.end();
}

bool are_numbers(const std::vector<std::string>& labels) {
  return std::all_of(labels.begin(), labels.end(), [](const std::string& label) {
    return label.find_first_not_of("0123456789") == std::string::npos;
  });
}

// From columns of all joints to those of the joints with coordinates of their own.
JointColumns without_mimics(const LabelMatch& all, const std::vector<int>& own) {
  JointColumns out;
  out.by_name = all.by_name, out.by_order = all.by_order;
  for (std::size_t j = 0; j < all.column.size(); ++j) {
    if (std::find(own.begin(), own.end(), static_cast<int>(j)) != own.end())
      out.column.push_back(all.column[j]);
    else if (all.column[j] >= 0)
      out.mimics.push_back(all.column[j]);
  }
  return out;
}

double correlation_of(const Signal& a, const Signal& b) {
  double mean_a = 0, mean_b = 0, aa = 0, ab = 0, bb = 0;
  const auto count = static_cast<double>(a.size());
  for (std::size_t k = 0; k < a.size(); ++k) mean_a += a[k] / count, mean_b += b[k] / count;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double x = a[k] - mean_a, y = b[k] - mean_b;
    aa += x * x, ab += x * y, bb += y * y;
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

bool mimics_follow(const BlockGuess& blocks, const std::vector<Signal>& columns, const Robot& robot) {
  constexpr double kSame = 0.999;
  const auto position = [&](int joint) -> const Signal& {
    return columns[static_cast<std::size_t>(blocks.position[static_cast<std::size_t>(joint)])];
  };
  return std::all_of(robot.mimics.begin(), robot.mimics.end(), [&](const Mimic& mimic) {
    const double sign = mimic.ratio < 0 ? -1 : 1;
    return sign * correlation_of(position(mimic.joint), position(mimic.master)) > kSame;
  });
}

}  // namespace

JointColumns match_joints(const std::vector<std::string>& labels, const Robot& robot) {
  const std::vector<int> own = coordinates(robot).joints;
  const LabelMatch mine = match_labels(labels, names_of(robot, own));
  JointColumns plain{mine.column, {}, mine.by_name, mine.by_order};
  if (robot.mimics.empty() || mine.by_name) return plain;
  std::vector<int> every;
  for (int j = 0; j < robot.size(); ++j) every.push_back(j);
  const LabelMatch all = match_labels(labels, names_of(robot, every));
  JointColumns out = without_mimics(all, own);
  if (all.by_name && (is_complete(out.column) || !are_numbers(labels))) return out;
  if (!all.by_order && labels.size() == every.size()) return out;
  // Numbers of the joints without mimics, or of the first joints with them.
  plain.by_order |= labels.size() > static_cast<std::size_t>(robot.dof()) || all.by_name;
  return plain;
}

std::optional<BlockGuess> guess_joint_blocks(const std::vector<Signal>& columns, const Robot& robot) {
  if (robot.mimics.empty()) return guess_blocks(columns, robot.dof());
  std::optional<BlockGuess> all = guess_blocks(columns, robot.size());
  if (!all || !mimics_follow(*all, columns, robot)) return guess_blocks(columns, robot.dof());
  const std::vector<int> own = coordinates(robot).joints;
  for (std::vector<int>* block : {&all->position, &all->velocity, &all->torque}) {
    if (block->empty()) continue;
    std::vector<int> kept;
    for (const int j : own) kept.push_back((*block)[static_cast<std::size_t>(j)]);
    *block = std::move(kept);
  }
  return all;
}

void tell_mimics(const Robot& robot, const std::vector<std::string>& columns, LogFindings& found) {
  if (columns.empty()) return;
  std::vector<std::string> followers;
  for (const Mimic& mimic : robot.mimics)
    followers.push_back(fmt::format("{} follows {}", robot.joints[static_cast<std::size_t>(mimic.joint)].name,
                                    robot.joints[static_cast<std::size_t>(mimic.master)].name));
  found.guess.guesses.push_back(
      {"mimic joints", fmt::format("{} not used", fmt::join(columns, ", ")),
       fmt::format("{}; the effort of a joint is that of its own drive", fmt::join(followers, ", "))});
}

}  // namespace steelyard
