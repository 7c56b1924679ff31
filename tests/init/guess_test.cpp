// What init makes of names and numbers, apart from any file; then of small files written here.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "init/guess_names.hpp"
#include "init/guess_numbers.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/init/init_study.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kSource = STEELYARD_SOURCE_DIR;

struct NameCase {
  const char* text;
  ColumnQuantity quantity;
  const char* label;
  const char* unit;
};

TEST(ColumnName, TellsQuantityJointAndUnit) {
  for (const NameCase& wanted : std::vector<NameCase>{
           {"t_s", ColumnQuantity::time, "", "s"},
           {"timestamp [ms]", ColumnQuantity::time, "", "ms"},
           {"q1_rad", ColumnQuantity::position, "1", "rad"},
           {"q2_m", ColumnQuantity::position, "2", "m"},
           {"dq7_radps", ColumnQuantity::velocity, "7", "rad/s"},
           {"ddq3_radps2", ColumnQuantity::acceleration, "3", "rad/s^2"},
           {"tau_sensor4_Nm", ColumnQuantity::torque, "4", "N*m"},
           {"cur5_A", ColumnQuantity::current, "5", "A"},
           {"i1_A", ColumnQuantity::current, "1", "A"},
           {"position[elbow_joint]", ColumnQuantity::position, "elbow", ""},
           {"effort[wrist_1_joint]", ColumnQuantity::torque, "wrist1", ""},
           {"actual_q_0", ColumnQuantity::position, "0", ""},
           {"actual_current_3", ColumnQuantity::current, "3", ""},
           {"current_position_3", ColumnQuantity::position, "3", ""},
           {"Joint 2 Velocity (deg/s)", ColumnQuantity::velocity, "2", "deg/s"},
           {"jointPos4", ColumnQuantity::position, "4", ""},
           {"q[3]", ColumnQuantity::position, "3", ""},
           {"effort_arm1_raw", ColumnQuantity::torque, "arm1", ""},
           {"temp1_C", ColumnQuantity::temperature, "1", "degC"},
           {"position_error_2", ColumnQuantity::none, "", ""},
           {"gripper", ColumnQuantity::none, "", ""},
       }) {
    const ParsedColumn name = read_column_name(wanted.text);
    EXPECT_EQ(name.quantity, wanted.quantity) << wanted.text;
    EXPECT_EQ(name.label, wanted.label) << wanted.text;
    EXPECT_EQ(name.unit, wanted.unit) << wanted.text;
  }
}

TEST(ColumnName, TellsWhoseValueItIs) {
  EXPECT_TRUE(read_column_name("qm1_rad").motor);
  EXPECT_TRUE(read_column_name("tau_mot1_Nm").motor);
  EXPECT_TRUE(read_column_name("q_ref1_deg").wanted);
  EXPECT_TRUE(read_column_name("tau_model6_Nm").wanted);
  EXPECT_TRUE(read_column_name("q_se1_deg").second);
  EXPECT_TRUE(read_column_name("effort_torso_raw").raw);
  const ParsedColumn both = read_column_name("dq_torso_radps_or_mps");
  EXPECT_EQ(both.unit, "rad/s");
  EXPECT_EQ(both.move_unit, "m/s");
  EXPECT_EQ(both.label, "torso");
}

TEST(Labels, FindJointsByNameByNumberAndByTheBeginningOfTheName) {
  const std::vector<std::string> arm = {"head_joint", "torso_lift_joint", "arm_1_joint", "arm_2_joint"};
  EXPECT_THAT(match_labels({"torso", "arm1", "arm2"}, arm).column, ElementsAre(-1, 0, 1, 2));
  EXPECT_TRUE(match_labels({"torso", "arm1", "arm2"}, arm).by_name);
  EXPECT_THAT(match_labels({"2", "0", "1"}, {"a", "b", "c"}).column, ElementsAre(1, 2, 0));
  EXPECT_THAT(match_labels({"r1", "r2"}, {"a", "b"}).column, ElementsAre(0, 1));
  EXPECT_FALSE(match_labels({"r1", "r2"}, {"a", "b"}).by_order);
  EXPECT_TRUE(match_labels({"left", "right"}, {"a", "b"}).by_order);
}

// q = sin 3t, 1000 samples at 100 Hz.
struct Sine {
  Signal time, q, v, tau;
  explicit Sine(double phase, double scale = 1) {
    for (int k = 0; k < 1000; ++k) {
      const double t = 0.01 * k;
      time.push_back(t);
      q.push_back(scale * std::sin(3 * t + phase));
      v.push_back(3 * std::cos(3 * t + phase));
      tau.push_back(8 * std::sin(3 * t + phase) + (std::cos(3 * t + phase) > 0 ? 2 : -2));
    }
  }
};

TEST(Derivative, IsFoundWithItsRatio) {
  const Sine sine(0.4, 180 / std::numbers::pi);
  const Derivative relation = derivative_of(sine.time, sine.q, sine.v);
  // Central differences of sin 3t over 2 · 0.01 s shrink it by sin(0.03)/0.03 = 1 − 1.5e-4.
  EXPECT_NEAR(relation.slope, 180 / std::numbers::pi, 0.02);
  EXPECT_GT(relation.correlation, 0.9999);
  EXPECT_LT(derivative_of(sine.time, sine.v, sine.q).correlation, 0);
}

TEST(Blocks, WithoutNamesAreToldApartByDerivativesInBothOrders) {
  const Sine one(0), two(1);
  const auto blocks = guess_blocks({one.tau, two.tau, one.q, two.q, one.v, two.v}, 2);
  ASSERT_TRUE(blocks);
  EXPECT_THAT(blocks->position, ElementsAre(2, 3));
  EXPECT_THAT(blocks->velocity, ElementsAre(4, 5));
  EXPECT_THAT(blocks->torque, ElementsAre(0, 1));
  const auto mixed = guess_blocks({one.q, one.v, one.tau, two.q, two.v, two.tau}, 2);
  ASSERT_TRUE(mixed);
  EXPECT_THAT(mixed->position, ElementsAre(0, 3));
  EXPECT_THAT(mixed->velocity, ElementsAre(1, 4));
  EXPECT_THAT(mixed->torque, ElementsAre(2, 5));
  const auto bare = guess_blocks({one.tau, two.tau, one.q, two.q}, 2);
  ASSERT_TRUE(bare);
  EXPECT_THAT(bare->position, ElementsAre(2, 3));
  EXPECT_FALSE(guess_blocks({one.q, one.v, one.tau}, 2));
}

class GuessLog : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("steelyard_guess_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A log of the 2R arm with this header, scales of q and v, and a time unit of so many seconds.
  std::string log(const std::string& header, double q_scale, double v_scale, double time_unit,
                  const std::string& name = "log.csv") {
    std::ofstream file(folder_ / name);
    file << header;
    const Sine one(0), two(1);
    for (std::size_t k = 0; k < one.q.size(); ++k)
      file << one.time[k] / time_unit << ',' << q_scale * one.q[k] << ',' << q_scale * two.q[k] << ','
           << v_scale * one.v[k] << ',' << v_scale * two.v[k] << ',' << one.tau[k] << ',' << two.tau[k]
           << '\n';
    return (folder_ / name).string();
  }

  const ChannelColumns* channel(const LogGuess& guess, const std::string& name) {
    for (const ChannelColumns& item : guess.file.channels)
      if (item.channel == name) return &item;
    return nullptr;
  }

  std::filesystem::path folder_;
  Robot robot_ = read_robot(kSource + "/robots/two_r.yaml").robot;
};

TEST_F(GuessLog, TellsDegreesMillisecondsAndMixedVelocities) {
  const double degree = std::numbers::pi / 180;
  const LogGuess guess = guess_log(log("time,q1,q2,v_vel1,v_vel2,tau1,tau2\n", 1 / degree, 1, 0.001), robot_);
  EXPECT_EQ(guess.file.time_unit, "ms");
  EXPECT_NEAR(guess.rate, 100, 1e-6);
  ASSERT_NE(channel(guess, "position"), nullptr);
  EXPECT_THAT(channel(guess, "position")->columns, ElementsAre("q{j}"));
  EXPECT_THAT(channel(guess, "position")->units, ElementsAre("deg"));
  ASSERT_NE(channel(guess, "velocity"), nullptr);
  EXPECT_THAT(channel(guess, "velocity")->units, ElementsAre("rad/s"));
  EXPECT_TRUE(guess.questions.empty());
}

TEST_F(GuessLog, TellsNanosecondsFromMicroseconds) {
  const LogGuess nano = guess_log(log("time,q1,q2,v1,v2,tau1,tau2\n", 1, 1, 1e-9), robot_);
  EXPECT_EQ(nano.file.time_unit, "ns");
  EXPECT_EQ(nano.file.time, "time");
  EXPECT_NEAR(nano.rate, 100, 1e-6);
  const LogGuess micro = guess_log(log("time,q1,q2,v1,v2,tau1,tau2\n", 1, 1, 1e-6), robot_);
  EXPECT_EQ(micro.file.time_unit, "us");
  EXPECT_NEAR(micro.rate, 100, 1e-6);
}

TEST_F(GuessLog, AsksWhenTheNameOfTheTimeIsHardlyItsUnit) {
  const LogGuess guess = guess_log(log("t_s,q1,q2,v1,v2,tau1,tau2\n", 1, 1, 1e-3), robot_);
  ASSERT_EQ(guess.questions.size(), 1u);
  EXPECT_EQ(guess.questions[0].name, "units");
  EXPECT_THAT(guess.questions[0].text, HasSubstr("more likely ms"));
}

TEST_F(GuessLog, LeavesOutVelocitiesThatAreNobodysDerivative) {
  const LogGuess guess = guess_log(log("time,q1,q2,dq2,dq1,tau1,tau2\n", 1, -1, 1), robot_);
  EXPECT_EQ(channel(guess, "velocity"), nullptr);
}

TEST_F(GuessLog, OfNamelessColumnsAsksWhetherTheyAreThese) {
  const LogGuess guess = guess_log(log("", 1, 1, 1), robot_);
  EXPECT_EQ(guess.file.time, "1");
  EXPECT_THAT(channel(guess, "position")->columns, ElementsAre("2", "3"));
  EXPECT_THAT(channel(guess, "velocity")->columns, ElementsAre("4", "5"));
  EXPECT_THAT(channel(guess, "torque")->columns, ElementsAre("6", "7"));
  ASSERT_EQ(guess.questions.size(), 1u);
  EXPECT_EQ(guess.questions[0].name, "columns");
}

TEST_F(GuessLog, OfCurrentsAsksForGains) {
  const LogGuess guess = guess_log(log("time,q1,q2,dq1,dq2,current_1,current_2\n", 1, 1, 1), robot_);
  EXPECT_EQ(guess.effort, "current");
  ASSERT_EQ(guess.questions.size(), 1u);
  EXPECT_EQ(guess.questions[0].name, "gains");
}

// A carriage of 2 m with an arm, as `simulate` and as people name their columns.
TEST_F(GuessLog, OfRobotsThatSlideAndTurnHasBothUnits) {
  robot_ =
      read_robot_yaml(
          "name: gantry\nconvention: frames\njoints:\n"
          "  - {name: lift, kind: prismatic, axis: [0, 0, 1], limits: {position: [-2, 2]}, link: car}\n"
          "  - {name: turn, axis: [0, 0, 1], xyz: [0.1, 0, 0], limits: {position: [-3, 3]}, link: arm}\n",
          "gantry.yaml")
          .robot;
  using Units = std::vector<std::string>;
  const struct {
    const char* header;
    double scale;  // of the carriage's numbers
    Units columns, position, effort;
  } cases[] = {
      {"t_s,q1_m,q2_rad,tau1_N,tau2_Nm", 1, {"q1_m", "q2_rad"}, {"m", "rad"}, {"N", "N*m"}},
      {"t_s,turn_pos_rad,lift_pos_mm,turn_torque_mNm,lift_force_N",
       1000,
       {"lift_pos_mm", "turn_pos_rad"},
       {"mm", "rad"},
       {"N", "mNm"}},
      {"time,pos_lift,pos_turn,effort_lift,effort_turn", 1000, {"pos_{name}"}, {"mm", "rad"}, {"N", "N*m"}},
      {"time,pos_lift,pos_turn,effort_lift,effort_turn", 1, {"pos_{name}"}, {"m", "rad"}, {"N", "N*m"}},
  };
  for (const auto& test : cases) {
    const bool turned = std::string(test.header).find("turn_pos") < 8;
    std::ofstream file(folder_ / "gantry.csv");
    file << test.header << '\n';
    for (int i = 0; i < 200; ++i) {
      const double lift = test.scale * 0.4 * std::sin(0.1 * i), turn = std::cos(0.07 * i);
      file << 0.01 * i << ',' << (turned ? turn : lift) << ',' << (turned ? lift : turn) << ',' << i % 5
           << ',' << i % 7 << '\n';
    }
    file.close();
    const LogGuess guess = guess_log((folder_ / "gantry.csv").string(), robot_);
    EXPECT_TRUE(guess.questions.empty()) << test.header;
    EXPECT_TRUE(guess.moving.empty()) << test.header;
    EXPECT_EQ(channel(guess, "position")->columns, test.columns);
    EXPECT_EQ(channel(guess, "position")->units, test.position) << test.header;
    EXPECT_EQ(channel(guess, "torque")->units, test.effort) << test.header;
  }
}

TEST_F(GuessLog, EffortsInNobodysOrderAreAsked) {
  const LogGuess guess = guess_log(log("time,q1,q2,dq1,dq2,tau_a,tau_b\n", 1, 1, 1), robot_);
  ASSERT_EQ(guess.questions.size(), 1u);
  EXPECT_EQ(guess.questions[0].name, "columns");
}

TEST_F(GuessLog, WithoutPositionsIsAnErrorThatListsTheColumns) {
  try {
    guess_log(log("time,a,b,c,d,tau1,tau2\n", 1, 1, 1), robot_);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("position"));
    EXPECT_THAT(error.what(), HasSubstr("tau1"));
  }
}

// In the places of the velocities: their numbers do not matter, and two_r.yaml declares no drives.
TEST_F(GuessLog, TemperaturesAreAChannelAndTriedAsPartOfTheFriction) {
  for (const auto& [header, pattern] :
       {std::pair{"time,q1,q2,temp1_C,temp2_C,tau1,tau2\n", "temp{j}_C"},
        {"time,q1,q2,motor_temperature_1,motor_temperature_2,tau1,tau2\n", "motor_temperature_{j}"},
        {"time,q1,q2,temperature,other,tau1,tau2\n", "temperature"}}) {
    InitOptions options;
    options.robot = kSource + "/robots/two_r.yaml";
    options.logs = {log(header, 1, 1, 1)};
    options.study = (folder_ / "study.yaml").string();
    const InitStudy init = init_study(options);
    ASSERT_NE(channel(init.logs[0].guess, "temperature"), nullptr) << header;
    EXPECT_THAT(channel(init.logs[0].guess, "temperature")->columns, ElementsAre(pattern));
    EXPECT_THAT(init.study, HasSubstr("temperature: auto"));
  }
  // Kelvins are not what a study has.
  const LogGuess kelvin = guess_log(log("time,q1,q2,temp1_K,temp2_K,tau1,tau2\n", 1, 1, 1), robot_);
  EXPECT_EQ(channel(kelvin, "temperature"), nullptr);
}

TEST_F(GuessLog, TheLastOfSeveralLogsValidates) {
  const std::string header = "time,q1,q2,dq1,dq2,tau1,tau2\n";
  InitOptions options;
  options.robot = kSource + "/robots/two_r.yaml";
  options.logs = {log(header, 1, 1, 1, "a.csv"), log(header, 1, 1, 1, "b.csv")};
  options.study = (folder_ / "study.yaml").string();
  const InitStudy init = init_study(options);
  EXPECT_FALSE(init.logs[0].validates);
  EXPECT_TRUE(init.logs[1].validates);
  EXPECT_THAT(init.study, HasSubstr("- file: b.csv\n    label: b\n    role: validate"));
  EXPECT_TRUE(init.questions.empty());
  EXPECT_TRUE(init.robot_path.empty());
}

}  // namespace
}  // namespace steelyard
