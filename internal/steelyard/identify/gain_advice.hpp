// Before an experiment with a load: `steelyard gains`.
//
// Robot, motions, filter and noise are those of a study with simulated runs (a motion that `steelyard excite`
// wrote, for one): the first fit run without a load, and the first one with it (the same motion when there is
// none).
// Candidates are the loads of the study's simulated runs and further masses, each a steel cube that stands
// on the tool frame's origin, along z. See gains/advice.hpp for what the numbers mean.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/gains/advice.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct LoadAdvice {
  std::string name;
  double mass = 0;                 // [kg]
  std::vector<GainAdvice> joints;  // the mass alone known
};

struct GainAdviceOutcome {
  AdviceOptions options;
  std::vector<LoadAdvice> loads;
  // Terms of the study that the deviations do not have as unknowns: "sigmoid friction of elbow", "column spring".
  std::vector<std::string> not_counted;
  std::vector<Complaint> warnings;  // about the robot file
};

// Throws InputError for studies without a simulated run, without any load, for masses that are not positive.
GainAdviceOutcome advise_study_gains(const Study& study, const std::vector<double>& masses = {});
std::string to_json(const GainAdviceOutcome& outcome);

// A cube of steel on the origin of the tool frame.
Inertia steel_cube(double mass);

}  // namespace steelyard
