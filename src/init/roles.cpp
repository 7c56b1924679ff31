#include "init/roles.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kMoves = 0.1;    // of the joint's largest range among the logs
constexpr double kTooLong = 2.0;  // times the other logs together

double largest_range(const std::vector<InitLog>& logs, std::size_t joint, const InitLog* except) {
  double largest = 0;
  for (const InitLog& log : logs)
    if (&log != except) largest = std::max(largest, log.guess.ranges[joint]);
  return largest;
}

// Why the other logs need this one; empty: they do not.
std::string needed_for(const Robot& robot, const std::vector<InitLog>& logs, const InitLog& log) {
  if (log.guess.unsigned_effort) return "a model is validated on efforts with signs";
  const std::vector<LogJoint> joints = log_joints(robot);
  for (std::size_t j = 0; j < log.guess.ranges.size(); ++j)
    if (largest_range(logs, j, &log) < kMoves * largest_range(logs, j, nullptr))
      return fmt::format("{} moves in this log only", joints[j].name);
  double others = 0;
  for (const InitLog& other : logs)
    if (&other != &log) others += other.guess.duration;
  if (log.guess.duration > kTooLong * others && others > 0)
    return fmt::format("it is longer than {:g} times the others together", kTooLong);
  return "";
}

}  // namespace

void assign_roles(const Robot& robot, std::vector<InitLog>& logs) {
  if (logs.size() < 2) return;
  for (std::size_t k = logs.size(); k-- > 0;) {
    const std::string why = needed_for(robot, logs, logs[k]);
    logs[k].validates = why.empty();
    if (logs[k].validates) return;
    logs[k].guess.guesses.push_back({"role", "fit", why});
  }
}

}  // namespace steelyard
