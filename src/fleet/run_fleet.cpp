#include "steelyard/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <set>

#include "fleet/compare_logs.hpp"
#include "fleet/digest.hpp"
#include "fleet/same_logs.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

namespace fs = std::filesystem;

// Automatic cut-offs are chosen on the first log that allows it.
void settle_cutoff(FleetShared& shared, const std::vector<FleetStudyLog>& logs, int threads) {
  if (!shared.study.cutoff.automatic) return;
  StudyOptions options;
  options.threads = threads;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    const Study study = study_of_log(shared, logs[k]);
    StudyClock clock(options);
    try {
      shared.study.prepare = with_cutoff(setup_of_log(shared, {&study, &options, &clock})).prepare;
    } catch (const InputError&) {
      if (k + 1 == logs.size()) throw;
      continue;
    }
    shared.study.cutoff.automatic = false;
    return;
  }
}

FleetShared open_fleet(const FleetStudy& fleet) {
  const StudyOptions none;
  StudyClock clock(none);
  const Setup setup = open_robot({&fleet.study, &none, &clock});
  return {fleet, fleet.study, setup.robot, setup.robot_hash, setup.base, setup.plan};
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

// Digests of a robot's logs.
struct Gathered {
  std::vector<GatheredLog> logs;
  std::vector<FleetProblem> problems;
};

class Gatherer {
 public:
  Gatherer(const FleetShared& shared, const std::vector<FleetStudyLog>& logs, const FleetRunOptions& options)
      : shared_(shared), logs_(logs), options_(options) {}

  Gathered gather(Span span, int threads) {
    Gathered out;
    for (std::size_t k = span.from; k < span.to; ++k) {
      const FleetStudyLog& log = logs_[k];
      try {
        out.logs.push_back({&log, digest_log(shared_, log, options_.state_folder, threads)});
      } catch (const InputError& error) {
        out.problems.push_back({log.robot, log.log, log.run.path_as_written, "", error.what()});
      }
      update_progress();
    }
    return out;
  }

 private:
  void update_progress() {
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
    throw MachineError({"the state folder cannot be created: " + error.message(),
                        {folder, 0, 0, ""},
                        "",
                        "check the disk and the permissions"});
}

// Duplicate logs are excluded: the robot or day they belong to is unknown.
std::vector<GatheredLog> without_copies(std::vector<GatheredLog> logs, std::vector<FleetProblem>& problems) {
  const std::map<std::size_t, std::size_t> same = same_logs(logs);
  std::vector<GatheredLog> rest;
  for (std::size_t k = 0; k < logs.size(); ++k) {
    const auto found = same.find(k);
    if (found == same.end()) {
      rest.push_back(std::move(logs[k]));
      continue;
    }
    const FleetStudyLog &log = *logs[k].log, &other = *logs[found->second].log;
    problems.push_back(
        {log.robot, log.log, log.run.path_as_written, "same-log",
         fmt::format("same-log: its rows are identical to {} {} ({}), and it is unknown whose they "
                     "are; give each log only once",
                     other.robot, other.log, other.run.path_as_written)});
  }
  return rest;
}

// Folds of deleted logs, or of other options. Fold files with other names are kept.
void remove_unused(const std::string& folder, const std::set<std::string>& used) {
  if (folder.empty()) return;
  std::error_code ignored;
  std::vector<fs::path> unused;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (is_state_name(name) && !used.contains(name)) unused.push_back(entry.path());
  }
  for (const fs::path& path : unused) fs::remove(path, ignored);
}

}  // namespace

void forget_fleet_state(const std::string& state_folder) {
  remove_unused(state_folder, {});
}

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
  std::vector<GatheredLog> usable;
  std::set<std::string> files;
  for (std::size_t r = 0; r < gathered.size(); ++r) {
    Gathered& one = gathered[r];
    summary.problems.insert(summary.problems.end(), one.problems.begin(), one.problems.end());
    for (GatheredLog& log : one.logs) {
      if (!log.digest.file.empty()) files.insert(log.digest.file);
      usable.push_back(std::move(log));
    }
  }
  usable = without_copies(std::move(usable), summary.problems);
  for (const Span& span : spans) {
    const std::string& robot = logs.logs[span.from].robot;
    const auto is_its = [&](const GatheredLog& log) { return log.log->robot == robot; };
    if (std::none_of(usable.begin(), usable.end(), is_its)) summary.lost.push_back(robot);
  }
  if (usable.empty())
    throw InputError({fmt::format("none of the {} logs can be used: {}", logs.logs.size(),
                                  summary.problems.empty() ? "" : summary.problems.front().message),
                      {study.study.path, 0, 0, ""},
                      "",
                      "examine the first one with `steelyard check`"});
  compare_logs(shared, logs.time_unit, usable, options.threads, summary);
  std::sort(summary.lost.begin(), summary.lost.end());
  summary.robot_name = shared.robot.name;
  summary.robot_hash = shared.robot_hash;
  summary.time_unit = logs.time_unit;
  summary.level = study.fleet.level;
  summary.provenance = provenance(shared.study, shared.robot_hash);
  remove_unused(options.state_folder, files);
  return summary;
}

}  // namespace steelyard
