// The doctor's findings about a study's logs and set-up, without fitting it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/result/fix.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct StudyCheck {
  std::string robot;
  std::vector<std::string> runs;
  std::size_t examined = 0;       // of them, now
  std::size_t examined_then = 0;  // of them, when they were folded
  std::vector<Finding> findings;  // most severe first; those that the study waives are marked
  std::vector<StudyFix> fixes;
  std::vector<Complaint> warnings;  // about the robot file

  // No error that is not waived.
  bool is_trustworthy() const;
};

// What `steelyard run` would refuse is a finding here. Throws InputError for logs that cannot be read.
StudyCheck check_study(const Study& study, const StudyOptions& options = {});

// The study's text with the fixes, its comments kept. Throws InputError for text that cannot be edited.
std::string fixed_study(const std::string& text, const std::string& path, const std::vector<StudyFix>& fixes);

// Findings from when the runs were folded, with their names; runs that were not examined have a finding of
// their own.
std::vector<Finding> folded_findings(std::span<const FoldedRun> runs);

// Marks those that the study waives, most severe first.
std::vector<Finding> waived(const Study& study, std::vector<Finding> findings);
bool is_trustworthy(const std::vector<Finding>& findings);

}  // namespace steelyard
