// The doctor's findings about a study's logs and set-up, without fitting it.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/study/run_study.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct StudyCheck {
  std::string robot;
  std::vector<std::string> runs;
  std::vector<Finding> findings;    // the gravest first; those that the study waives are marked
  std::vector<Complaint> warnings;  // about the robot file

  // No error that is not waived.
  bool is_trustworthy() const;
};

StudyCheck check_study(const Study& study, const StudyOptions& options = {});

}  // namespace STEELYARD_ABI
}  // namespace steelyard
