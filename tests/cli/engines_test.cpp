// The real Panda in physics engines and in files for them, through the program.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "oracle/data_folder.hpp"
#include "program.hpp"

namespace engines_test {

namespace fs = std::filesystem;
using nlohmann::json;
using program::Outcome;
using testing::HasSubstr;

// examples/panda-identify without cross-validation and bootstrap.
constexpr const char* kStudy = R"(
drives: {friction: [viscous, coulomb, offset]}
runs:
  - file: ${STEELYARD_DATA}/franka_panda_gaz2019/panda_excitation_traj1.csv
    label: excitation
    columns: {time: t_s, position: "q{j}_rad", velocity: "dq{j}_radps", torque: "tau{j}_Nm"}
    units: {position: rad, velocity: rad/s, torque: N*m}
prepare: {resample: auto, filter: {order: 4, cutoff: 5}, columns: filtered, decimate: auto}
estimate: {method: wls, intervals: {method: classical}}
feasible: {method: auto, objective: torque}
export: [{mjcf: panda.xml}, {c: panda}]
report: false
)";

class RealPanda : public testing::Test {
 protected:
  void SetUp() override {
    const auto data = steelyard::oracle::data_folder();
    if (!data) STEELYARD_SKIP_WITHOUT_DATA();
    ::setenv("STEELYARD_DATA", data->c_str(), 1);
    folder_ = fs::temp_directory_path() / ("steelyard-panda-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    study_ = (folder_ / "study.yaml").string();
    std::ofstream(study_) << "robot: " << STEELYARD_SOURCE_DIR << "/robots/panda.yaml\n" << kStudy;
    const Outcome made = program::steelyard({"run", study_, "--out", (folder_ / "panda").string(), "--json"});
    ASSERT_EQ(made.code, 0) << made.err;
    made_ = json::parse(made.out);
    result_ = (folder_ / "panda" / "result.json").string();
    out_ = (folder_ / "out").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
  std::string study_, result_, out_;
  json made_;
};

// Mean errors of the measured torque without friction: the row "ODE" of Table V of the Panda paper's
// supplement [N·m].
constexpr double kPublished[] = {0.0474, 0.1782, 0.0986, 0.1493, 0.0795, 0.0397, 0.0386};

TEST_F(RealPanda, AgreesWithItsLogInEveryEngineAtLeastAsWellAsThePublishedBest) {
  const Outcome outcome =
      program::steelyard({"validate", result_, study_, "--engine", "mujoco", "--engine", "dart", "--engine",
                          "bullet", "--engine", "ode", "--out", out_, "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json engines = json::parse(outcome.out).at("engines");
  ASSERT_EQ(engines.size(), 4u);
  for (const json& check : engines) {
    SCOPED_TRACE(check.at("engine"));
    const bool driven = check.at("engine") == "ode";
    EXPECT_EQ(check.contains("drive_step"), driven);
    ASSERT_EQ(check.at("joints").size(), 7u);
    double apart = 0, effort = 0;  // squares over all joints
    for (std::size_t j = 0; j < 7; ++j) {
      const json& joint = check.at("joints")[j];
      EXPECT_LE(std::abs(joint.at("mean").get<double>()), kPublished[j]) << joint;
      // Measured of ODE in steps of 0.1 ms: 1.3 % of the small effort of joint 1, for a reason that is not
      // known; less than 1 % in the other joints.
      EXPECT_LT(joint.at("ours"), driven ? 2e-2 : 1e-6) << joint;
      apart += std::pow(joint.at("ours").get<double>() * joint.at("effort").get<double>(), 2);
      effort += std::pow(joint.at("effort").get<double>(), 2);
    }
    EXPECT_LT(std::sqrt(apart / effort), driven ? 1e-2 : 1e-6);
    const json &right = check.at("followed"), &heavy = check.at("followed_heavier");
    EXPECT_GT(heavy.at("position_mean"), 3 * right.at("position_mean").get<double>());
    EXPECT_GT(heavy.at("turn_mean"), right.at("turn_mean").get<double>());
    // Fig. 7: commanded velocities, the published best is below 5 mm and 1.2 degrees in the mean.
    for (const char* by : {"by_velocity", "by_position"}) {
      const json& moved = check.at(by);
      EXPECT_LT(moved.at("position_mean"), 5e-3) << by;
      for (const json& angle : moved.at("rpy_mean")) EXPECT_LT(angle, 1.2 * 3.14159265 / 180) << by;
    }
    // Of a small rotation roll, pitch and yaw are the parts of its angle.
    double sum = 0;
    const double turn = check.at("by_velocity").at("turn_mean");
    for (const json& angle : check.at("by_velocity").at("rpy_mean")) {
      EXPECT_LE(angle, 1.01 * turn);
      sum += angle.get<double>();
    }
    EXPECT_GE(sum, 0.99 * turn);
  }
}

TEST_F(RealPanda, IsExportedToFilesThatWereReadBack) {
  // By the study itself.
  ASSERT_EQ(made_.at("exports").size(), 2u);
  EXPECT_EQ(made_.at("exports")[0].at("checked_by"), json::array({"mujoco"}));
  for (const char* file : {"panda.xml", "panda.c", "panda.h"})
    EXPECT_TRUE(fs::exists(folder_ / "panda" / file));
  // Dry friction is a constraint in MuJoCo: what it does to the efforts is said.
  EXPECT_THAT(made_.at("exports")[0].at("notes").dump(), HasSubstr("dry friction is a constraint in mujoco"));
  // By the verb.
  Outcome outcome =
      program::steelyard({"export", result_, study_, "--mjcf", "panda.xml", "--sdf", "panda.sdf", "--yaml",
                          "panda.yaml", "--json-file", "panda.json", "--out", out_, "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const json exports = json::parse(outcome.out).at("exports");
  ASSERT_EQ(exports.size(), 4u);
  for (const json& item : exports) {
    EXPECT_LT(item.at("max_error"), 1e-9) << item;
    for (const json& path : item.at("path"))
      EXPECT_TRUE(fs::exists(fs::path(out_) / path.get<std::string>())) << item;
  }
  EXPECT_EQ(exports[0].at("checked_by"), json::array({"steelyard", "dart"}));
  EXPECT_EQ(exports[1].at("checked_by"), json::array({"mujoco"}));
  for (int k = 0; k < 2; ++k) {  // offsets of seven joints have no word in either
    EXPECT_EQ(exports[k].at("not_carried").size(), 7u);
    EXPECT_GT(exports[k].at("not_carried")[0].at("effort"), 0);
  }
}

TEST_F(RealPanda, IsRefusedWithClearWordsAndNothingHalfWritten) {
  ::setenv("STEELYARD_ENGINES", "/nowhere", 1);
  Outcome outcome = program::steelyard({"validate", result_, study_, "--engine", "ode", "--out", out_});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("libode-dev"));
  outcome = program::steelyard({"export", result_, study_, "--mjcf", "panda.xml", "--out", out_});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("libmujoco-dev"));
  ::unsetenv("STEELYARD_ENGINES");
  EXPECT_EQ(program::steelyard({"validate", result_, study_, "--engine", "physx", "--out", out_}).code, 2);
  // A URDF of another robot with as many joints.
  const std::string other =
      (*steelyard::oracle::data_folder() / "kuka_lwr4_flobaroid/kuka_lwr4.urdf").string();
  outcome =
      program::steelyard({"export", result_, study_, "--urdf", "new.urdf", "--from", other, "--out", out_});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("does not move like that of the identified robot"));
  EXPECT_FALSE(fs::exists(out_));
  // A target below a file: that file stays as it is, and nothing stands beside it.
  const auto count = [&] { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); };
  std::ofstream(folder_ / "file") << "mine";
  const auto before = count();
  outcome = program::steelyard(
      {"export", result_, study_, "--sdf", "panda.sdf", "--out", (folder_ / "file" / "deeper").string()});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_EQ(count(), before);
}

}  // namespace engines_test
