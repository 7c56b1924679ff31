// What would undo the doctor's findings, as values of the study.
#pragma once

#include <string>
#include <vector>

#include "steelyard/doctor/doctor.hpp"
#include "steelyard/identify/check.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Another reading of a run's columns: signs, units, scales, offsets and order as the set-up says. Empty where no such reading
// is the set-up: couplings, motor columns, runs that are no logs.
std::vector<StudyEdit> reading_edits(const Study& study, const StudyRun& run, const Robot& robot,
                                     const Hypothesis& found);

// `logs`: the runs that were examined, in the order of the examination.
std::vector<StudyFix> study_fixes(const Study& study, const Robot& robot, const Examination& examination,
                                  const std::vector<std::size_t>& logs);

}  // namespace steelyard
