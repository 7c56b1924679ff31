// The signals of one run examined, and its copy for what comes after.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/doctor/doctor.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Findings with the runs they refer to.
class Findings {
 public:
  explicit Findings(Examination& examination) : examination_(examination) {}
  void add(Finding finding, std::vector<std::size_t> runs) {
    examination_.findings.push_back(std::move(finding));
    examination_.subjects.push_back(std::move(runs));
  }
  void add(std::vector<Finding> found, const std::vector<std::size_t>& runs) {
    for (Finding& finding : found) add(std::move(finding), runs);
  }
  void not_examined(const std::string& why, const std::vector<std::size_t>& runs) {
    add(make_finding("set-up-not-examined", "", why), runs);
  }

 private:
  Examination& examination_;
};

// A run's copy, and why its set-up cannot be examined.
struct ExaminedLog {
  std::size_t number = 0;
  std::optional<CoarseRun> copy;
  std::string spoiled;  // empty: nothing
  bool is_fit = false;
};

// `head`: samples that the copy is made of; 0: all.
ExaminedLog examine_signals(const ExaminedRun& run, std::size_t number, const std::vector<LogJoint>& joints,
                            const CoarseOptions& copy, Index head, Examination& examination);

// The runs without the samples that their scans show to be no signals.
std::vector<ExaminedRun> repaired_runs(const std::vector<ExaminedRun>& runs,
                                       const std::vector<SignalScan>& signals);

}  // namespace steelyard
