// init on logs as people have them: the study that it writes runs and finds the robot that made the log, or is refused
// by the name of what must be filled in.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "in_folder.hpp"
#include "log_table.hpp"
#include "program.hpp"

namespace init_logs_test {

using namespace log_table;
using nlohmann::json;
using program::Outcome;
using program::steelyard;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kBody = "com: [0.1, 0.02, 0.05], inertia: {xx: 0.02, yy: 0.05, zz: 0.06}";

// A carriage that goes up and down, with an arm that swings in a vertical plane.
std::string gantry() {
  return std::string("name: gantry\nconvention: frames\njoints:\n") +
         "  - {name: lift, kind: prismatic, axis: [0, 0, 1], limits: {position: [-2, 2]}, link: {mass: 12, " +
         kBody +
         "}}\n  - {name: turn, axis: [0, 1, 0], xyz: [0.1, 0, 0], limits: {position: [-3, 3]}, link: {mass: "
         "5, " +
         kBody + "}}\n";
}

// Two arms in a vertical plane; with a coupler between them that turns against the first, as palletisers have.
std::string arm(bool with_coupler) {
  return std::string("name: arm\nconvention: frames\njoints:\n") +
         "  - {name: shoulder, axis: [0, 1, 0], limits: {position: [-3, 3]}, link: {mass: 8, " + kBody +
         "}}\n" +
         (with_coupler
              ? "  - {name: coupler, axis: [0, 1, 0], xyz: [0.4, 0, 0], mimic: {joint: shoulder, ratio: -1}, "
                "link: {mass: 1, " +
                    std::string(kBody) + "}}\n"
              : "") +
         "  - {name: elbow, axis: [0, 1, 0], xyz: [0.3, 0, 0], limits: {position: [-3, 3]}, link: {mass: "
         "3, " +
         kBody + "}}\n";
}

constexpr const char* kVelocity = ", velocity: \"dq{j}_radps\"";

class InitLogs : public program::InFolder {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string text(const std::string& name) const {
    std::ifstream file(path(name));
    std::ostringstream all;
    all << file.rdbuf();
    return all.str();
  }
  void write(const std::string& name, const std::string& content) { std::ofstream(path(name)) << content; }

  // What the robot does and logs; `more`: keys of the simulation.
  void simulate(const std::string& robot, const std::string& more = "", const std::string& drives = "") {
    write("robot.yaml", robot);
    const std::string drives_line =
        "robot: robot.yaml\ndrives: {friction: [viscous, coulomb, offset]" + drives + "}\n";
    write(
        "simulation.yaml",
        drives_line +
            "runs:\n  - label: log\n    simulate:\n      rate: 200\n      effort_noise: 0.02\n"
            "      friction: {viscous: 0.5, coulomb: 0.4, offset: 0.2}\n" +
            more +
            "      motion: {multi_sine: {harmonics: 4, period: 10, duration: 20, center: [0.2, -0.3], reach: "
            "[0.6, 0.9], seed: 3}}\n");
    const Outcome outcome =
        steelyard({"simulate", path("simulation.yaml"), "--out", path("logs"), "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    log_ = read_table(folder_ / "logs/log.csv");
    truth_ = drives_line +
             "prepare: {filter: {order: 4, cutoff: auto}, columns: filtered, decimate: auto}\n"
             "estimate: {method: irls}\nvalidate: {cross: {blocks: 10, by: phase}}\n"
             "runs:\n  - {file: logs/log.csv, columns: {time: t_s, position: [" +
             log_.names[1] + ", " + log_.names[2] + "], torque: [" + log_.names[5] + ", " + log_.names[6] +
             "]";
  }

  // Names of what is asked.
  std::vector<std::string> init(std::vector<std::string> logs) {
    std::vector<std::string> command = {"init", path("robot.yaml")};
    command.insert(command.end(), logs.begin(), logs.end());
    command.insert(command.end(), {"--out", path("study.yaml"), "--replace", "--json"});
    const Outcome outcome = steelyard(command);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<std::string> names;
    if (outcome.code != 0) return names;
    const json written = json::parse(outcome.out);
    for (const auto& question : written["edit"]) names.push_back(question["name"]);
    return names;
  }

  // `check` and `run` name the key that is open.
  void expect_open(const std::string& key) {
    for (const char* verb : {"check", "run"}) {
      std::vector<std::string> command = {verb, path("study.yaml")};
      if (std::string(verb) == "run") command.insert(command.end(), {"--out", path("none")});
      const Outcome outcome = steelyard(command);
      EXPECT_EQ(outcome.code, 2) << outcome.out;
      EXPECT_THAT(outcome.err, HasSubstr("not filled in: " + key)) << text("study.yaml");
    }
  }
  void fill_in(const std::string& open, const std::string& value) {
    std::string all = text("study.yaml");
    ASSERT_NE(all.find(open), std::string::npos) << all;
    write("study.yaml", all.replace(all.find(open), open.size(), value));
  }

  json run(const std::string& study) {
    const Outcome outcome = steelyard({"run", path(study), "--out", path("out of " + study), "--json"});
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 3) << outcome.err << text(study);
    return outcome.out.empty() ? json() : json::parse(outcome.out);
  }

  // As a study written by hand for the simulator's log. The same samples through the same estimator: what differs is
  // the rounding of units.
  void expect_same_model(double tolerance = 1e-6, const std::string& velocity = "") {
    write("truth.yaml", truth_ + velocity + "}}\n");
    const json truth = run("truth.yaml"), found = run("study.yaml");
    ASSERT_EQ(truth["base"].size(), found["base"].size()) << text("study.yaml");
    for (std::size_t k = 0; k < truth["base"].size(); ++k) {
      const json &a = truth["base"][k], &b = found["base"][k];
      EXPECT_EQ(a["name"], b["name"]);
      const double value = a["value"];
      EXPECT_NEAR(b["value"].get<double>(), value, tolerance * (0.1 + std::abs(value))) << a["name"];
    }
  }

  Table log_;
  std::string truth_;  // a study of it, open at its columns
};

TEST_F(InitLogs, ColumnsOfMimicJointsAreNobodyElses) {
  simulate(arm(true));
  const Column follower = times(log_["q1_rad"], -1), none = times(log_["t_s"], 0);
  const std::vector<Column> columns = {log_["t_s"],     log_["q1_rad"], follower,       log_["q2_rad"],
                                       log_["tau1_Nm"], none,           log_["tau2_Nm"]};
  for (const char* header : {"t_s,q1,q2,q3,tau1,tau2,tau3",
                             "t_s,pos_shoulder,pos_coupler,pos_elbow,tau_shoulder,tau_coupler,tau_elbow"}) {
    EXPECT_THAT(init({write_table(folder_ / "log.csv", header, columns)}), IsEmpty());
    EXPECT_THAT(text("study.yaml"), HasSubstr("mimic joints: "));
    expect_same_model();
  }
  // Numbers of the joints that have motors.
  init({write_table(folder_ / "own.csv", "t_s,q1,q2,tau1,tau2",
                    {log_["t_s"], log_["q1_rad"], log_["q2_rad"], log_["tau1_Nm"], log_["tau2_Nm"]})});
  expect_same_model();
  // Without names: the column that follows another is known by its numbers.
  EXPECT_THAT(init({write_table(folder_ / "bare.csv", "", columns)}), ElementsAre("columns"));
  expect_same_model();
}

TEST_F(InitLogs, UnitsThatAJointCannotHaveKeepTheirPrefix) {
  simulate(gantry());
  const Column force = times(log_["tau1_N"], 1000), torque = times(log_["tau2_Nm"], 1000);
  for (const char* header : {"t_s,q1_m,q2_rad,tau1_mNm,tau2_mNm", "t_s,q1_m,q2_rad,tau1_mN,tau2_mNm"}) {
    EXPECT_THAT(init({write_table(folder_ / "log.csv", header,
                                  {log_["t_s"], log_["q1_m"], log_["q2_rad"], force, torque})}),
                IsEmpty());
    EXPECT_THAT(text("study.yaml"), HasSubstr("torque: [mN, mNm]"));
    expect_same_model();
  }
  EXPECT_THAT(init({write_table(
                  folder_ / "log.csv", "t_s,q1_m,q2_rad,tau1 [kg],tau2 [Nm]",
                  {log_["t_s"], log_["q1_m"], log_["q2_rad"], times(force, 1e-3), times(torque, 1e-3)})}),
              ElementsAre("units"));
  expect_open("runs.units.torque");
  fill_in("[EDIT, Nm]", "[N, Nm]");
  expect_same_model();
}

TEST_F(InitLogs, OfCurrentsRunsOnceTheGainsAreFilledIn) {
  simulate(arm(false), "      rotor_inertia: 0.3\n", ", rotor_inertia: true");
  EXPECT_THAT(init({write_table(folder_ / "log.csv", "t_s,q1_rad,q2_rad,current_1,current_2",
                                {log_["t_s"], log_["q1_rad"], log_["q2_rad"],
                                 times(log_["tau1_Nm"], 1 / 40.0), times(log_["tau2_Nm"], -1 / 25.0)})}),
              ElementsAre("gains"));
  EXPECT_THAT(text("study.yaml"), HasSubstr("cutoff: auto"));
  EXPECT_THAT(text("study.yaml"), HasSubstr("rotor_inertia: true"));
  expect_open("gains.known");
  fill_in("[EDIT, EDIT]", "[40, -25]");
  expect_same_model();
}

TEST_F(InitLogs, OfMotorTorquesHasRotorsOnceTheGearsAreFilledIn) {
  simulate(arm(false), "      rotor_inertia: 0.3\n", ", rotor_inertia: true");
  EXPECT_THAT(init({write_table(folder_ / "log.csv", "t_s,q1_rad,q2_rad,tau_mot1_Nm,tau_mot2_Nm",
                                {log_["t_s"], log_["q1_rad"], log_["q2_rad"], times(log_["tau1_Nm"], 0.01),
                                 times(log_["tau2_Nm"], 0.02)})}),
              ElementsAre("scale"));
  EXPECT_THAT(text("study.yaml"), HasSubstr("rotor_inertia: true"));
  expect_open("runs.scale.torque");
  fill_in("[EDIT, EDIT]", "[100, 50]");
  expect_same_model();
}

TEST_F(InitLogs, OfAbsoluteEffortsIsUnsigned) {
  simulate(arm(false));
  std::vector<Column> columns = {log_["t_s"], log_["q1_rad"], log_["q2_rad"], absolute(log_["tau1_Nm"]),
                                 absolute(log_["tau2_Nm"])};
  EXPECT_THAT(init({write_table(folder_ / "log.csv", "t_s,q1_rad,q2_rad,tau1_Nm,tau2_Nm", columns)}),
              IsEmpty());
  EXPECT_THAT(text("study.yaml"), HasSubstr("unsigned: true"));
  run("study.yaml");
  // The model predicts the log with signs: filters on |effort| cost a per cent.
  write("truth.yaml", truth_ + "}}\n");
  const Outcome checked =
      steelyard({"validate", path("out of study.yaml") + "/result.json", path("truth.yaml"), "--json"});
  ASSERT_NE(checked.out, "") << checked.err;
  const json result = json::parse(checked.out);
  EXPECT_LT(result["validation"][0]["residual"]["prepared"].get<double>(), 0.01);
  // |current|: its gains are identified with the signs.
  EXPECT_THAT(init({write_table(folder_ / "log.csv", "t_s,q1_rad,q2_rad,current_1,current_2",
                                {columns[0], columns[1], columns[2], times(columns[3], 1 / 40.0),
                                 times(columns[4], 1 / 25.0)})}),
              ElementsAre("gains"));
  expect_open("signs.gains.a_priori");
  fill_in("[EDIT, EDIT]", "[40, 25]");
  run("study.yaml");
  // Never near zero: signed or not, only the user knows.
  columns[3] = plus(log_["tau1_Nm"], 500), columns[4] = plus(log_["tau2_Nm"], 500);
  EXPECT_THAT(init({write_table(folder_ / "log.csv", "t_s,q1_rad,q2_rad,tau1_Nm,tau2_Nm", columns)}),
              ElementsAre("unsigned"));
  expect_open("runs.unsigned");
  fill_in("unsigned: EDIT", "unsigned: false");
  run("study.yaml");
  // With signs nothing is said.
  EXPECT_THAT(init({path("logs/log.csv")}), IsEmpty());
  EXPECT_THAT(text("study.yaml"), Not(HasSubstr("unsigned")));
}

TEST_F(InitLogs, AHeaderOfNumbersIsAHeader) {
  simulate(arm(false));
  std::vector<Column> columns = {log_["t_s"],       log_["q1_rad"],  log_["q2_rad"], log_["dq1_radps"],
                                 log_["dq2_radps"], log_["tau1_Nm"], log_["tau2_Nm"]};
  EXPECT_THAT(init({write_table(folder_ / "log.csv", "0,1,2,3,4,5,6", columns)}), ElementsAre("columns"));
  EXPECT_THAT(text("study.yaml"), HasSubstr("time: \"0\""));
  expect_same_model(1e-6, kVelocity);
  // With the index of the table: numbers of the samples are no stamps.
  Column index;
  for (std::size_t k = 0; k < columns[0].size(); ++k) index.push_back(static_cast<double>(k));
  columns.insert(columns.begin(), index);
  EXPECT_THAT(init({write_table(folder_ / "log.csv", ",0,1,2,3,4,5,6", columns)}), ElementsAre("columns"));
  expect_same_model(1e-6, kVelocity);
  columns.erase(columns.begin() + 1);
  EXPECT_THAT(init({write_table(folder_ / "log.csv", ",0,1,2,3,4,5", columns)}), ElementsAre("columns"));
  EXPECT_THAT(text("study.yaml"), HasSubstr("rate: 200"));  // by the velocities
  expect_same_model(1e-6, kVelocity);
}

TEST_F(InitLogs, ARateThatNothingRevealsIsOpen) {
  simulate(arm(false));
  const double degree = 180 / M_PI;
  EXPECT_THAT(init({write_table(folder_ / "log.csv", "q1_rad,q2_rad,tau1_Nm,tau2_Nm",
                                {log_["q1_rad"], log_["q2_rad"], log_["tau1_Nm"], log_["tau2_Nm"]})}),
              ElementsAre("rate"));
  EXPECT_THAT(text("study.yaml"), Not(HasSubstr("rate: 1000")));
  expect_open("runs.rate");
  fill_in("rate: EDIT", "rate: 200");
  expect_same_model();
  // Velocities in another unit than the positions do not give the rate of one that no logger has.
  EXPECT_THAT(init({write_table(folder_ / "log.csv", "q1,q2,dq1,dq2,tau1,tau2",
                                {times(log_["q1_rad"], degree), times(log_["q2_rad"], degree),
                                 log_["dq1_radps"], log_["dq2_radps"], log_["tau1_Nm"], log_["tau2_Nm"]})}),
              IsEmpty());
  EXPECT_THAT(text("study.yaml"), HasSubstr("rate: 200"));
  expect_same_model(1e-6, kVelocity);
}

TEST_F(InitLogs, TheLogThatValidatesIsOneThatTheFitCanSpare) {
  simulate(arm(false));
  const auto log = [&](const char* name, double elbow) {
    return write_table(
        folder_ / name, "t_s,q1_rad,q2_rad,tau1_Nm,tau2_Nm",
        {log_["t_s"], log_["q1_rad"], times(log_["q2_rad"], elbow), log_["tau1_Nm"], log_["tau2_Nm"]});
  };
  const std::string both = log("both.csv", 1), again = log("again.csv", 1), one = log("one.csv", 0);
  const auto role_of = [&](const std::string& label) {
    const std::string all = text("study.yaml");
    const std::size_t at = all.find("label: " + label + "\n");
    return all.substr(at, 40 + label.size()).find("role: validate") == std::string::npos ? "fit" : "validate";
  };
  init({one, both});  // the elbow moves in the last log only
  EXPECT_STREQ(role_of("both"), "fit");
  EXPECT_STREQ(role_of("one"), "validate");
  EXPECT_THAT(text("study.yaml"), HasSubstr("elbow moves in this log only"));
  init({one, both, again});
  EXPECT_STREQ(role_of("again"), "validate");
  run("study.yaml");
  const Outcome twice =
      steelyard({"init", path("robot.yaml"), both, both, "--out", path("study.yaml"), "--replace"});
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.err, HasSubstr("given twice"));
  const std::string currents =
      write_table(folder_ / "currents.csv", "t_s,q1_rad,q2_rad,current_1,current_2",
                  {log_["t_s"], log_["q1_rad"], log_["q2_rad"], log_["tau1_Nm"], log_["tau2_Nm"]});
  const Outcome mixed =
      steelyard({"init", path("robot.yaml"), both, currents, "--out", path("study.yaml"), "--replace"});
  EXPECT_EQ(mixed.code, 2);
  EXPECT_THAT(mixed.err, HasSubstr("currents.csv"));
}

}  // namespace init_logs_test
