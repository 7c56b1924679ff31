#include "steelyard/study/fleet_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <set>

#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "study/extra_columns.hpp"
#include "study/fleet_state.hpp"
#include "study/options_json.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

namespace fs = std::filesystem;

// Cut-offs that are left open are chosen on the first log that allows it.
void settle_cutoff(FleetShared& shared, const std::vector<FleetStudyLog>& logs, int threads) {
  if (!shared.study.cutoff.automatic) return;
  StudyOptions options;
  options.threads = threads;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    const Study study = study_of_log(shared, logs[k]);
    StudyState state = state_of_log(shared, study, options);
    try {
      choose_cutoff(state);
    } catch (const InputError&) {
      if (k + 1 == logs.size()) throw;
      continue;
    }
    shared.study.prepare = state.prepare;
    shared.study.cutoff.automatic = false;
    return;
  }
}

FleetShared open_fleet(const FleetStudy& fleet) {
  const StudyOptions none;
  StudyState state(fleet.study, none);
  open_robot(state);
  return {fleet, fleet.study, state.robot, state.robot_hash, state.base, state.plan};
}

// Logs of one robot, from … to.
struct Span {
  std::size_t from = 0, to = 0;
};

std::vector<Span> by_robot(const std::vector<FleetStudyLog>& logs) {
  std::vector<Span> spans;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    if (spans.empty() || logs[k].robot != logs[spans.back().from].robot) spans.push_back({k, k});
    spans.back().to = k + 1;
  }
  return spans;
}

std::vector<std::string> all_columns_of(const std::vector<Fold>& folds) {
  std::vector<const Layout*> layouts;
  for (const Fold& fold : folds) layouts.push_back(&fold.layout());
  return union_layout(layouts).columns;
}

FleetLog log_estimate(const FleetStudyLog& log, const LogDigest& digest) {
  EstimateOptions options;
  options.weighting = Weighting::by_row;
  options.conditions = false;
  const Estimate fit = estimate(digest.folds, options);
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

// What a robot's logs gave.
struct Gathered {
  FleetRobot robot;
  std::vector<FleetLogSummary> logs;
  std::vector<FleetProblem> problems;
  std::vector<std::string> files;
};

class Gatherer {
 public:
  Gatherer(const FleetShared& shared, const std::vector<FleetStudyLog>& logs, const FleetRunOptions& options)
      : shared_(shared), logs_(logs), options_(options) {}

  Gathered gather(Span span, int threads) {
    Gathered out;
    out.robot.name = logs_[span.from].robot;
    double square = 0, rows = 0;
    for (std::size_t k = span.from; k < span.to; ++k) {
      const FleetStudyLog& log = logs_[k];
      try {
        LogDigest digest = digest_log(shared_, log, options_.state_folder, threads);
        out.robot.logs.push_back(log_estimate(log, digest));
        double count = 0;
        for (const Fold& fold : digest.folds) count += static_cast<double>(fold.rows());
        square += count * digest.noise_factor * digest.noise_factor;
        rows += count;
        out.logs.push_back({log.robot, log.log, log.run.path_as_written, digest.sha256, log.time,
                            digest.samples, digest.noise_factor});
        if (log.run.simulation) out.logs.back().path.clear();
        if (!digest.file.empty()) out.files.push_back(digest.file);
        for (std::size_t j = 0; j < digest.folds.size(); ++j) {
          if (out.robot.folds.size() <= j) {
            out.robot.folds.push_back(std::move(digest.folds[j]));
          } else {
            out.robot.folds[j].merge(digest.folds[j]);
          }
        }
      } catch (const InputError& error) {
        out.problems.push_back({log.robot, log.log, log.run.path_as_written, error.what()});
      }
      tell();
    }
    if (rows > 0) out.robot.noise_factor = std::sqrt(square / rows);
    return out;
  }

 private:
  void tell() {
    if (!options_.progress) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    options_.progress(++done_, static_cast<Index>(logs_.size()));
  }

  const FleetShared& shared_;
  const std::vector<FleetStudyLog>& logs_;
  const FleetRunOptions& options_;
  std::mutex mutex_;
  Index done_ = 0;
};

void make_state_folder(const std::string& folder) {
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw MachineError({"the state folder cannot be made: " + error.message(),
                        {folder, 0, 0, ""},
                        "",
                        "check disk and permission"});
}

// Folds of logs that are no more, or of other options.
void remove_unused(const std::string& folder, const std::set<std::string>& used) {
  if (folder.empty()) return;
  std::error_code ignored;
  std::vector<fs::path> unused;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".fold" && !used.contains(entry.path().filename().string()))
      unused.push_back(entry.path());
  for (const fs::path& path : unused) fs::remove(path, ignored);
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

}  // namespace

FleetSummary run_fleet(const FleetStudy& study, const FleetRunOptions& options) {
  FleetShared shared = open_fleet(study);
  const FleetLogs logs = fleet_logs(study, shared.robot);
  settle_cutoff(shared, logs.logs, options.threads);
  make_state_folder(options.state_folder);
  const std::vector<Span> spans = by_robot(logs.logs);
  std::vector<Gathered> gathered(spans.size());
  Gatherer gatherer(shared, logs.logs, options);
  const int inner = std::max(1, options.threads / static_cast<int>(spans.size()));
  parallel_for(static_cast<Index>(spans.size()), options.threads, [&](Index r) {
    const auto k = static_cast<std::size_t>(r);
    gathered[k] = gatherer.gather(spans[k], inner);
  });

  FleetSummary summary;
  FleetInput input = fleet_input(shared, logs.time_unit);
  std::set<std::string> files;
  for (Gathered& one : gathered) {
    summary.logs.insert(summary.logs.end(), one.logs.begin(), one.logs.end());
    summary.problems.insert(summary.problems.end(), one.problems.begin(), one.problems.end());
    files.insert(one.files.begin(), one.files.end());
    if (one.robot.folds.empty()) {
      summary.lost.push_back(one.robot.name);
    } else {
      input.robots.push_back(std::move(one.robot));
    }
  }
  if (input.robots.empty())
    throw InputError({fmt::format("none of {} logs can be used: {}", logs.logs.size(),
                                  summary.problems.empty() ? "" : summary.problems.front().message),
                      {study.study.path, 0, 0, ""},
                      "",
                      "look at the first one with `steelyard check`"});
  input.columns = all_columns_of(input.robots.front().folds);
  FleetOptions compare;
  compare.level = study.fleet.level;
  compare.threads = options.threads;
  summary.result = compare_fleet(input, compare);
  summary.robot_name = shared.robot.name;
  summary.robot_hash = shared.robot_hash;
  summary.time_unit = logs.time_unit;
  summary.level = study.fleet.level;
  summary.provenance = provenance(shared.study, shared.robot_hash);
  remove_unused(options.state_folder, files);
  return summary;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
