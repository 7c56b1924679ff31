#include "fleet/compare_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "fleet/doctor.hpp"
#include "fleet/encoder_zero.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Excluded logs change the fleet, which may then report others; each round excludes at least one log.
constexpr int kMaxVisits = 4;

std::vector<std::string> all_columns_of(const std::vector<Fold>& folds) {
  std::vector<const Layout*> layouts;
  for (const Fold& fold : folds) layouts.push_back(&fold.layout());
  return union_layout(layouts).columns;
}

Estimate fit_log(const LogDigest& digest) {
  EstimateOptions options;
  options.weighting = Weighting::by_row;
  options.conditions = false;
  return estimate(digest.folds, options);
}

FleetLog log_estimate(const FleetStudyLog& log, const LogDigest& digest, const Estimate& fit) {
  const std::vector<std::string> columns = all_columns_of(digest.folds);
  FleetLog out{log.log, log.time, VectorXd::Zero(static_cast<Index>(columns.size())),
               VectorXd::Constant(static_cast<Index>(columns.size()), kInfinity)};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Index k = fit.find(columns[i]);
    if (k < 0) continue;
    out.values[static_cast<Index>(i)] = fit.values[k];
    out.sigma[static_cast<Index>(i)] = fit.sigma[k] * digest.noise_factor;
  }
  return out;
}

FleetInput fleet_input(const FleetShared& shared, const std::string& time_unit) {
  FleetInput input;
  input.base = shared.base;
  input.robot = shared.robot;
  input.time_unit = time_unit;
  const std::vector<LogJoint> joints = log_joints(shared.robot);
  for (const Row& row : shared.plan.rows) {
    const std::string& name = joints[static_cast<std::size_t>(row.i)].name;
    input.row_joints.push_back(name);
    const auto found = std::find_if(shared.robot.joints.begin(), shared.robot.joints.end(),
                                    [&](const Joint& joint) { return joint.name == name; });
    input.row_numbers.push_back(static_cast<int>(found - shared.robot.joints.begin()) + 1);
  }
  return input;
}

// Some logs of one robot together.
FleetRobot merged(const std::vector<GatheredLog>& logs, const std::vector<std::size_t>& chosen) {
  FleetRobot robot;
  robot.name = logs[chosen.front()].log->robot;
  double square = 0, rows = 0;
  const auto joints = static_cast<Index>(logs[chosen.front()].digest.folds.size());
  VectorXd squares = VectorXd::Zero(joints), counts = VectorXd::Zero(joints);  // about the logs' own fits
  for (const std::size_t k : chosen) {
    const LogDigest& digest = logs[k].digest;
    const Estimate fit = fit_log(digest);
    double count = 0;
    for (std::size_t j = 0; j < digest.folds.size(); ++j) {
      count += static_cast<double>(digest.folds[j].rows());
      if (robot.folds.size() <= j) {
        robot.folds.push_back(digest.folds[j]);
      } else {
        robot.folds[j].merge(digest.folds[j]);
      }
      for (const Residual& part : fit.per_row)
        if (part.row == digest.folds[j].layout().row) {
          squares[static_cast<Index>(j)] += part.norm * part.norm;
          counts[static_cast<Index>(j)] += static_cast<double>(part.rows);
        }
    }
    square += count * digest.noise_factor * digest.noise_factor;
    rows += count;
    robot.logs.push_back(log_estimate(*logs[k].log, digest, fit));
  }
  if (chosen.size() > 1) robot.row_residual = squares.cwiseQuotient(counts.cwiseMax(1)).cwiseSqrt();
  if (rows > 0) robot.noise_factor = std::sqrt(square / rows);
  return robot;
}

// Why a log is excluded from the fleet.
struct Reason {
  std::string finding;
  std::string message;
  Cause cause;
};

Reason reason_of(const FleetStudyLog& log, const Finding& finding) {
  Reason reason{finding.code,
                fmt::format("{}{}: {}; {}", finding.code,
                            finding.joint.empty() || finding.joint == log.run.file.label.label
                                ? ""
                                : fmt::format(" ({})", finding.joint),
                            finding.evidence, finding.remedy),
                {}};
  reason.cause.kind = CauseKind::set_up;
  reason.cause.of = log.log;
  reason.cause.p = 0;
  reason.cause.text = "log " + log.log + ": " + reason.message;
  return reason;
}

bool is_physical(CauseKind kind) {
  return kind == CauseKind::mass || kind == CauseKind::friction || kind == CauseKind::offset ||
         kind == CauseKind::gain;
}

class Comparison {
 public:
  Comparison(const FleetShared& shared, const std::string& time_unit, const std::vector<GatheredLog>& logs,
             int threads)
      : shared_(shared), logs_(logs), threads_(threads), input_(fleet_input(shared, time_unit)) {
    options_.level = shared.fleet.fleet.level;
    options_.threads = threads;
    input_.columns = all_columns_of(logs.front().digest.folds);
    for (std::size_t k = 0; k < logs.size(); ++k) {
      if (robots_.empty() || logs[k].log->robot != logs[robots_.back().front()].log->robot)
        robots_.emplace_back();
      robots_.back().push_back(k);
    }
  }

  FleetResult compare() {
    detect_misfits();
    FleetResult result = compare_fleet(with_robots(), options_);
    for (int visit = 0;; ++visit) {
      const bool leaves = visit < kMaxVisits && visit_doctor(result);
      if (!leaves && !dismiss(result)) break;
      result = compare_fleet(with_robots(), options_);
    }
    try_zeros(result);
    return result;
  }

  void summarize(FleetSummary& summary) const {
    for (std::size_t k = 0; k < logs_.size(); ++k) {
      const FleetStudyLog& log = *logs_[k].log;
      const std::string path = log.run.simulation ? "" : log.run.path_as_written;
      if (const auto found = left_.find(k); found != left_.end()) {
        summary.problems.push_back({log.robot, log.log, path, found->second.finding, found->second.message});
        continue;
      }
      const LogDigest& digest = logs_[k].digest;
      summary.logs.push_back(
          {log.robot, log.log, path, digest.sha256, log.time, digest.samples, digest.noise_factor});
    }
    for (const std::vector<std::size_t>& robot : robots_)
      if (kept(robot).empty()) summary.lost.push_back(logs_[robot.front()].log->robot);
    if (common_) {
      const FleetStudyLog& log = *logs_[typical_].log;
      summary.problems.push_back(
          {log.robot, log.log, log.run.simulation ? "" : log.run.path_as_written, common_->code,
           "this affects most logs of the fleet, so it may apply to all of them; the log is used. " +
               reason_of(log, *common_).message});
    }
  }

 private:
  // Every log by itself against all others.
  void detect_misfits() {
    FleetInput single = input_;
    for (std::size_t k = 0; k < logs_.size(); ++k) single.robots.push_back(merged(logs_, {k}));
    const std::vector<std::optional<Cause>> misfits = fleet_misfits(single, options_);
    for (std::size_t k = 0; k < logs_.size(); ++k) {
      if (!misfits[k]) continue;
      left_[k] = {to_string(misfits[k]->kind), misfits[k]->text, *misfits[k]};
      if (robots_.size() < logs_.size())
        left_[k].cause.text = "log " + logs_[k].log->log + ": " + left_[k].cause.text;
    }
  }

  std::vector<std::size_t> kept(const std::vector<std::size_t>& robot) const {
    std::vector<std::size_t> list;
    for (const std::size_t k : robot)
      if (!left_.contains(k)) list.push_back(k);
    return list;
  }

  FleetInput with_robots() const {
    FleetInput input = input_;
    for (const std::vector<std::size_t>& robot : robots_) {
      const std::vector<std::size_t> rest = kept(robot);
      input.robots.push_back(merged(logs_, rest.empty() ? robot : rest));
      input.robots.back().is_compared = !rest.empty();
      for (const std::size_t k : robot)
        if (const auto found = left_.find(k); found != left_.end())
          add_cause(input.robots.back().known, found->second.cause);
    }
    return input;
  }

  // Findings about all logs of a robot are reported once.
  static void add_cause(std::vector<Cause>& list, const Cause& cause) {
    const auto is_same = [&](const Cause& other) { return other.text == cause.text; };
    if (std::none_of(list.begin(), list.end(), is_same)) list.push_back(cause);
  }

  // Excludes robots that differ by more than a robot can, with all their logs. Returns whether there is one.
  bool dismiss(const FleetResult& result) {
    bool leaves = false;
    for (std::size_t r = 0; r < robots_.size(); ++r) {
      const std::vector<std::size_t> rest = kept(robots_[r]);
      // Causes of excluded logs come first, those of the comparison last.
      if (rest.empty() || result.robots[r].causes.empty()) continue;
      const Cause& cause = result.robots[r].causes.back();
      if (is_physical(cause.kind) || cause.kind == CauseKind::other) continue;
      const bool is_known = std::any_of(left_.begin(), left_.end(), [&](const auto& left) {
        return logs_[left.first].log->robot == result.robots[r].name && left.second.cause.text == cause.text;
      });
      if (is_known) continue;
      for (const std::size_t k : rest) left_[k] = {to_string(cause.kind), cause.text, cause};
      leaves = true;
    }
    return leaves;
  }

  // Logs that the doctor should still examine: of reported robots, or of all where none can be reported.
  std::vector<std::size_t> suspicious(const FleetResult& result) {
    std::vector<std::size_t> list;
    bool has_typical = typical_ < logs_.size();
    for (std::size_t r = 0; r < robots_.size(); ++r) {
      const bool is_named = !result.robots[r].causes.empty() || !result.unavailable.empty();
      for (const std::size_t k : robots_[r]) {
        const bool is_typical = !is_named && !has_typical;
        if (is_typical) typical_ = k, has_typical = true;
        if ((is_named || is_typical) && !seen_.contains(k)) list.push_back(k);
      }
    }
    return list;
  }

  // Whether a log is excluded.
  bool visit_doctor(const FleetResult& result) {
    const std::vector<std::size_t> list = suspicious(result);
    std::vector<std::optional<Finding>> findings(list.size());
    parallel_for(static_cast<Index>(list.size()), threads_, [&](Index at) {
      const auto i = static_cast<std::size_t>(at);
      try {
        findings[i] = doctor_of_log(shared_, *logs_[list[i]].log, !left_.contains(list[i]), 1);
      } catch (const InputError&) {  // it was folded anyway
      }
    });
    for (std::size_t i = 0; i < list.size(); ++i) {
      seen_.insert(list[i]);
      if (list[i] == typical_ && findings[i] && !is(*findings[i], "still-joint")) common_ = findings[i];
    }
    bool leaves = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::size_t k = list[i];
      if (k == typical_ || !findings[i] || (common_ && common_->code == findings[i]->code)) continue;
      const bool is_left = left_.contains(k);
      if (!is_left && has(*findings[i], finding_trait::of_robot) && has_physical_cause(result, k)) continue;
      // The unexplained share says more than the mere finding; and a joint may stand still as long as the log
      // fits.
      if (is_left ? is(*findings[i], "unexplained-effort") : is(*findings[i], "still-joint")) continue;
      left_[k] = reason_of(*logs_[k].log, *findings[i]);
      leaves = true;
    }
    return leaves;
  }

  // Zeros of encoders instead of causes, or in addition: of reported robots, from their last logs.
  void try_zeros(FleetResult& result) const {
    std::vector<std::size_t> list;
    for (std::size_t r = 0; r < robots_.size(); ++r)
      if (!kept(robots_[r]).empty() && found_cause(result.robots[r]) < result.robots[r].causes.size())
        list.push_back(r);
    parallel_for(static_cast<Index>(list.size()), threads_, [&](Index at) {
      const std::size_t r = list[static_cast<std::size_t>(at)];
      try_zero(result, kept(robots_[r]).back(), result.robots[r].causes, found_cause(result.robots[r]));
    });
  }

  // The first cause found by the comparison: those of logs come before it.
  static std::size_t found_cause(const FleetRobotResult& robot) {
    const auto found = std::find_if(robot.causes.begin(), robot.causes.end(), [](const Cause& cause) {
      return is_physical(cause.kind) || cause.kind == CauseKind::other;
    });
    return static_cast<std::size_t>(found - robot.causes.begin());
  }

  void try_zero(const FleetResult& result, std::size_t log, std::vector<Cause>& causes,
                std::size_t first) const {
    const auto shifted = [&](std::size_t row, double zero) {
      return folds_with_zero(shared_, *logs_[log].log, input_.row_numbers[row] - 1, zero);
    };
    std::optional<ZeroCause> found;
    try {
      found = zero_cause(input_, result, merged(logs_, {log}), shifted);
    } catch (const InputError&) {  // a column has no value there: not a zero of this robot
      return;
    }
    if (!found || found->better < -kNearlyAsGood) return;
    if (found->better < 0) {
      std::string& instead = causes[first].instead;
      instead = instead.empty() ? found->cause.text : found->cause.text + ", or " + instead;
      return;
    }
    found->cause.p = causes[first].p;
    if (found->better < kNearlyAsGood) found->cause.instead = causes[first].text;
    causes.resize(first);
    causes.push_back(std::move(found->cause));
  }

  bool has_physical_cause(const FleetResult& result, std::size_t log) const {
    for (std::size_t r = 0; r < robots_.size(); ++r)
      if (std::find(robots_[r].begin(), robots_[r].end(), log) != robots_[r].end())
        for (const Cause& cause : result.robots[r].causes)
          if (is_physical(cause.kind)) return true;
    return false;
  }

  const FleetShared& shared_;
  const std::vector<GatheredLog>& logs_;
  int threads_;
  FleetInput input_;  // without robots
  FleetOptions options_;
  std::vector<std::vector<std::size_t>> robots_;  // logs of each
  std::map<std::size_t, Reason> left_;            // excluded logs
  std::set<std::size_t> seen_;                    // by the doctor
  std::size_t typical_ = static_cast<std::size_t>(-1);
  std::optional<Finding> common_;  // of the typical log: it may apply to all
};

}  // namespace

void compare_logs(const FleetShared& shared, const std::string& time_unit,
                  const std::vector<GatheredLog>& logs, int threads, FleetSummary& summary) {
  Comparison comparison(shared, time_unit, logs, threads);
  summary.result = comparison.compare();
  comparison.summarize(summary);
}

}  // namespace steelyard
