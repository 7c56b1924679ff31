// Friction that changes with the temperature of its drive, from the study's keys to the result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/identify/export_result.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard {
namespace temperature_study_test {

using testing::HasSubstr;

const std::string kFolder = STEELYARD_SOURCE_DIR;
constexpr double kPerKelvin[] = {-0.008, -0.004};  // of the viscous terms [N·m·s/rad/K]

// Drives that warm up by 15 K, slower the longer it takes; `warm` of them change their friction with it.
StudyRun warming_run(const std::string& label, std::uint64_t seed, double start, bool warm,
                     bool logged = true) {
  const Robot robot = read_robot(kFolder + "/robots/two_r.yaml").robot;
  TrueParameters truth = true_parameters(robot);
  for (Drive& drive : truth.drives) drive.friction.viscous = 0.6, drive.friction.coulomb = 0.5;
  RandomMotion motion;
  motion.center = VectorXd::Zero(2);
  motion.reach = VectorXd::Constant(1, 1.5);
  motion.duration = motion.period = 40;
  motion.harmonics = 14;
  SimulateOptions options;
  options.rate = 250;
  options.effort_noise = VectorXd::Constant(1, 0.05);
  options.check_limits = false;
  options.seed = seed;
  Run run = simulate(robot, truth, Trajectory(random_multi_sine(motion, seed)), options);
  const Index velocity = run.samples.find(channel::kVelocity), torque = run.samples.find(channel::kTorque);
  const Index temperature = logged ? run.samples.add_channel("temperature") : -1;
  for (Index j = 0; j < 2; ++j)
    for (Index s = 0; s < run.samples.size(); ++s) {
      const double T = start + 15 * (1 - std::exp(-run.samples.time()[s] / 20)) + 2 * static_cast<double>(j);
      if (logged) run.samples.row(temperature, j)[s] = T;
      if (warm) run.samples.row(torque, j)[s] += kPerKelvin[j] * (T - 25) * run.samples.row(velocity, j)[s];
    }
  return run_from_samples(label, std::move(run));
}

Study warming(const std::string& drives, std::vector<StudyRun> runs) {
  Study study =
      read_study_text("robot: " + kFolder + "/robots/two_r.yaml\ndrives: {" + drives +
                          "}\nruns:\n  - {file: none.csv, columns: {time: t, position: q, torque: t}}\n"
                          "prepare: {filter: {order: 4, cutoff: 20}, columns: filtered}\n"
                          "estimate: {method: wls, intervals: {method: classical, bias_check: false}}\n"
                          "validate: {cross: {blocks: 8, by: index}}\nreport: false\n",
                      kFolder + "/tests/study/made_up.yaml");
  study.runs = std::move(runs);
  return study;
}

const BaseValue* value_of(const Result& result, const std::string& name) {
  for (const BaseValue& value : result.base)
    if (value.name == name) return &value;
  return nullptr;
}

TEST(TemperatureStudy, ViscousFrictionPerKelvinComesBackAndPredictsAnotherDay) {
  StudyRun cold = warming_run("cold", 1, 20, true), hot = warming_run("hot", 2, 35, true);
  hot.file.label.role = RunRole::validate;
  for (const char* asked : {"temperature: [viscous, coulomb]", "temperature: auto"}) {
    SCOPED_TRACE(asked);
    const Study study = warming("friction: [viscous, coulomb, offset], " + std::string(asked), {cold, hot});
    const Result result = run_study(study).result;
    for (int j = 0; j < 2; ++j) {
      const BaseValue* found = value_of(result, "warm" + std::to_string(j + 1) + ".viscous");
      ASSERT_NE(found, nullptr);
      EXPECT_LT(std::abs(found->value - kPerKelvin[j]), 4 * *found->sigma);
      EXPECT_LT(*found->sigma, 0.2 * std::abs(kPerKelvin[j]));
      if (std::string(asked) == "temperature: auto") {
        EXPECT_EQ(value_of(result, "warm" + std::to_string(j + 1) + ".coulomb"), nullptr);
      }
    }
    EXPECT_LT(result.validation[1].residual.prepared, 1.5 * result.validation[0].residual.prepared);
    const Result again = result_from_json(to_json(result), "text");
    EXPECT_NEAR(validate_study(study, again).result.validation[1].residual.prepared,
                result.validation[1].residual.prepared, 1e-3 * result.validation[1].residual.prepared);
    const Result without = run_study(warming("friction: [viscous, coulomb, offset]", {cold, hot})).result;
    EXPECT_GT(without.validation[1].residual.prepared, 1.5 * result.validation[1].residual.prepared);
  }
}

TEST(TemperatureStudy, ATermThatIsNotThereIsNotChosen) {
  const Result result = run_study(warming("friction: [viscous, coulomb, offset], temperature: auto",
                                          {warming_run("one", 3, 20, false)}))
                            .result;
  for (const BaseValue& value : result.base) EXPECT_FALSE(value.name.starts_with("warm")) << value.name;
}

TEST(TemperatureStudy, RunsWithoutATemperatureAreRefusedByName) {
  for (const char* asked : {"temperature: [viscous]", "temperature: auto"}) try {
      run_study(warming("friction: [viscous, coulomb], " + std::string(asked),
                        {warming_run("bare", 1, 20, true, false)}));
      ADD_FAILURE() << "accepted";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("run 'bare' has no temperature"));
    }
}

TEST(TemperatureStudy, ExportsStateWhatTheyLose) {
  const Study study =
      warming("friction: [viscous, coulomb], temperature: [viscous]", {warming_run("one", 1, 20, true)});
  const Result result = run_study(study).result;
  const Robot robot = study_robot(study);
  const ExportOutcome out = export_result(robot, result, {ExportFormat::c, "model", ""}, study.drive_spec);
  ASSERT_EQ(out.summary.not_carried.size(), 2U);
  EXPECT_THAT(out.summary.not_carried[0].what, HasSubstr("warm1.viscous"));
  EXPECT_GT(out.summary.not_carried[0].effort, 0);
}

}  // namespace temperature_study_test
}  // namespace steelyard
