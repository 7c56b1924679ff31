// What the verbs that run a study share: progress, result.json, report.html and run.json, the summary.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "options.hpp"
#include "progress.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/report/report.hpp"
#include "steelyard/result/output_folder.hpp"

namespace cli {

// Threads and progress by the command line; `progress` must live as long as the options.
steelyard::StudyOptions study_options(const CommonOptions& common, Progress& progress);

// Severity, code, subject, evidence and remedy of every finding.
std::string findings_text(const std::vector<steelyard::Finding>& findings);

// The same for machines.
nlohmann::ordered_json findings_json(const std::vector<steelyard::Finding>& findings);

// Values of the study that would undo findings, as lines that can be typed.
std::string fixes_text(const std::vector<steelyard::StudyFix>& fixes);

// The joints that will be worst, as a line: "  worst joints: elbow 41.20 %, wrist 20.10 % of their own effort".
std::string worst_text(const steelyard::MotionForecast& forecast);

// The command that does the same again: "steelyard run study.yaml --seed 3".
std::string command_text(const std::string& verb, const std::string& path, const CommonOptions& common);

struct OutcomeOptions {
  std::string command;  // to reproduce the report
  bool report = true;
  std::string text = "";        // the summary for people; empty: that of a study
  steelyard::Scene scene = {};  // robot and motions for the report
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

// Fills and commits the output folder (made before the work, so that a disk that refuses is known early),
// prints the summary or the JSON; the exit code that the verdict gives.
int write_outcome(const steelyard::StudyOutcome& outcome, const OutcomeOptions& options,
                  const CommonOptions& common, steelyard::OutputFolder& folder);

}  // namespace cli
