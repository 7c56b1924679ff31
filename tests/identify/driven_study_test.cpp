// Simulated runs whose efforts are commanded: joints stick and slip by their band at rest, at any step size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard {
namespace driven_study_test {

using testing::HasSubstr;

const std::string kExample = std::string(STEELYARD_SOURCE_DIR) + "/examples/worm-gear/study.yaml";
constexpr double kWeight = 4 * 9.81 * 0.3;  // m g l

Study driven_at(double rate, bool noise) {
  Study study = read_study(kExample);
  study.runs[0].simulation->options.rate = rate;
  if (!noise) study.runs[0].simulation->options.effort_noise = VectorXd();
  return study;
}

SampleBlock samples_of(const Study& study) {
  const std::unique_ptr<SampleSource> source = open_study_run(study.runs[0], study_robot(study));
  SampleBlock all;
  source->read(1000000, all);
  return all;
}

TEST(DrivenStudy, SticksAndSlipsByItsBandAtEveryStep) {
  std::vector<int> turns;
  std::vector<double> ends;
  for (const double rate : {100.0, 500.0, 2500.0}) {
    SCOPED_TRACE(rate);
    const Study study = driven_at(rate, false);
    const Friction& friction = study.runs[0].simulation->drives[0].friction;
    const SampleBlock block = samples_of(study);
    EXPECT_EQ(block.channels().size(), 2U);  // nothing that was not commanded
    const double* q = block.row(block.find(channel::kPosition), 0);
    const double* tau = block.row(block.find(channel::kTorque), 0);
    int stuck = 0, outside = 0, last = 0;
    turns.push_back(0);
    for (Index s = 2; s < block.size(); ++s) {
      const double moved = q[s] - q[s - 1];
      const int sign = (moved > 0) - (moved < 0);
      if (sign != 0 && sign != last) ++turns.back(), last = sign;
      if (sign != 0 || q[s - 1] != q[s - 2]) continue;
      ++stuck;
      const RestBand band = rest_band(friction, kWeight * std::sin(q[s]));
      // The effort of the sample between two that stand still held the joint.
      outside += tau[s - 1] < band.low - 1e-9 || tau[s - 1] > band.high + 1e-9;
    }
    EXPECT_GT(stuck, static_cast<int>(0.1 * static_cast<double>(block.size())));
    EXPECT_EQ(outside, 0);
    ends.push_back(q[block.size() - 1]);
  }
  // No chatter: as often up and down, and about as far, at every step.
  EXPECT_EQ(turns[0], turns[1]);
  EXPECT_EQ(turns[1], turns[2]);
  EXPECT_LT(turns[2], 60);
  EXPECT_LT(std::abs(ends[1] - ends[2]), std::abs(ends[0] - ends[2]) + 1e-12);
}

TEST(DrivenStudy, ItsGearIsFoundAgain) {
  const Result result = run_study(driven_at(500, true)).result;
  const FrictionValues& friction = *result.drives.at(0).friction;
  EXPECT_EQ(friction.load, "load");
  for (const auto& [name, truth] : {std::pair{"mu", 0.25}, {"fc", 1.0}, {"fv", 1.0}})
    EXPECT_NEAR(friction.parameters.at(name), truth, 0.05 * truth) << name;
}

TEST(DrivenStudy, WhatItCannotHaveIsRefusedByName) {
  const auto text = [](const std::string& keys) {
    return "robot: " + std::string(STEELYARD_SOURCE_DIR) +
           "/examples/worm-gear/pendulum.yml\nruns:\n  - simulate:\n      " + keys +
           "\n      motion: {fourier: {omega: 1, a: [[1]], b: [[0]], q0: [0]}}\n";
  };
  for (const auto& [keys, what] :
       {std::pair{"command: effort\n      delay: 0.01", "delay"},
        {"command: effort\n      relative_effort_noise: 0.1", "relative_effort_noise"},
        {"start: [0.1]", "start"}})
    try {
      read_study_text(text(keys), "study.yaml");
      ADD_FAILURE() << what;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(what));
    }
}

}  // namespace driven_study_test
}  // namespace steelyard
