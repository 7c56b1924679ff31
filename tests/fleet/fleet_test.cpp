// Fleets of a small arm, simulated in memory: names, causes, drifts, and silence about healthy robots.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "steelyard/core/random.hpp"
#include "steelyard/fleet/compare.hpp"
#include "steelyard/fold/samples.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

constexpr Index kSamples = 300;

// The published 2R arm with friction, and its fleets: every robot makes the same motion.
struct Arm {
  Arm() {
    robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/two_r.yaml").robot;
    for (Joint& joint : robot.joints) joint.drive = {true, true, true, false};
    base = base_parameters(robot);
    PlanOptions options;
    for (const BaseParameter& one : base.base) options.wanted.push_back(one.lead);
    plan = make_plan(robot, options);
    layouts = row_layouts(plan, robot);
    std::vector<const Layout*> all;
    for (const Layout& layout : layouts) all.push_back(&layout);
    columns = union_layout(all).columns;
    q.resize(kSamples, 2), qd.resize(kSamples, 2), qdd.resize(kSamples, 2);
    for (Index s = 0; s < kSamples; ++s)
      for (Index j = 0; j < 2; ++j) {
        const double w = j == 0 ? 0.9 : 1.3, t = 0.05 * static_cast<double>(s);
        q(s, j) = std::sin(w * t) + 0.3 * std::sin(2.7 * w * t + 1);
        qd(s, j) = w * std::cos(w * t) + 0.81 * w * std::cos(2.7 * w * t + 1);
        qdd(s, j) = -w * w * std::sin(w * t) - 2.187 * w * w * std::sin(2.7 * w * t + 1);
      }
  }

  // Base parameters of standard ones, in the order of the plan's columns.
  VectorXd base_of(const VectorXd& standard) const {
    const std::vector<std::string> names = standard_parameter_names(robot);
    VectorXd values = VectorXd::Zero(static_cast<Index>(columns.size()));
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (const BaseParameter& one : base.base)
        if (one.lead == columns[c])
          for (const BaseTerm& term : one.terms)
            for (std::size_t k = 0; k < names.size(); ++k)
              if (names[k] == term.parameter)
                values[static_cast<Index>(c)] += term.coefficient * standard[static_cast<Index>(k)];
    return values;
  }

  // Folds of efforts that the values give, with noise, times a gain for each joint.
  std::vector<Fold> fold(const VectorXd& values, const Vector3& gain, std::uint64_t noise,
                         double times = 1) const {
    std::vector<Fold> folds;
    std::vector<VectorXd> efforts;
    std::vector<RowInput> inputs;
    for (std::size_t r = 0; r < plan.rows.size(); ++r) {
      folds.emplace_back(layouts[r]);
      Random random(noise, "effort", r);
      VectorXd effort(kSamples);
      for (Index s = 0; s < kSamples; ++s) {
        const MatrixXd Y =
            regressor(plan, q.row(s).transpose(), qd.row(s).transpose(), qdd.row(s).transpose());
        double sum = 0;
        for (std::size_t c = 0; c < plan.columns.size(); ++c) {
          const auto at = std::find(columns.begin(), columns.end(), plan.columns[c]) - columns.begin();
          sum += Y(static_cast<Index>(r), static_cast<Index>(c)) * values[at];
        }
        effort[s] = gain[static_cast<Index>(r)] * (sum + 0.2 * times * random.normal());
      }
      efforts.push_back(effort);
    }
    for (const VectorXd& effort : efforts) inputs.push_back({{effort.data()}, nullptr});
    fold_samples(plan, {q.data(), qd.data(), qdd.data(), kSamples, kSamples}, inputs, folds);
    return folds;
  }

  Robot robot;
  BaseParameters base;
  Plan plan;
  std::vector<Layout> layouts;
  std::vector<std::string> columns;
  MatrixXd q, qd, qdd;
};

const Arm& arm() {
  static const Arm one;
  return one;
}

struct Change {
  double mass = 0;      // on link 2
  double friction = 1;  // of joint 1
  double gain = 1;      // of joint 2
  double noise = 1;     // times the usual
};

// Masses and friction scatter by 2.5 %.
FleetRobot make_robot(std::uint64_t seed, int number, const Change& change) {
  const Arm& a = arm();
  Random random(seed, "robot", static_cast<std::uint64_t>(number));
  VectorXd standard(20);
  for (int link = 0; link < 2; ++link) {
    const Inertia& inertia = *a.robot.joints[static_cast<std::size_t>(link)].inertia;
    standard.segment(10 * link, 10) = inertia.to_standard() * (1 + 0.025 * random.normal());
  }
  const double x = -0.1;  // the centre of mass of link 2
  VectorXd point(10);
  point << 1, x, 0, 0, 0, 0, 0, x * x, 0, x * x;
  standard.segment(10, 10) += change.mass * point;
  VectorXd values = a.base_of(standard);
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    const std::string& name = a.columns[c];
    double& value = values[static_cast<Index>(c)];
    if (name[0] != 'f') continue;
    if (name[1] == 'v') value = 2;
    if (name[1] == 'c') value = 3;
    if (name[1] == 'o') value = 0.1;
    if (name[1] != 'o') value *= (1 + 0.025 * random.normal()) * (name[2] == '1' ? change.friction : 1);
  }
  FleetRobot robot;
  robot.name = "r" + std::to_string(number);
  robot.folds =
      a.fold(values, {1, change.gain, 1}, 1000 * seed + static_cast<std::uint64_t>(number), change.noise);
  return robot;
}

FleetInput fleet_of(std::uint64_t seed, int robots, const std::map<int, Change>& changes) {
  const Arm& a = arm();
  FleetInput input;
  input.columns = a.columns;
  input.base = a.base;
  input.robot = a.robot;
  input.row_joints = {"joint1", "joint2"};
  input.row_numbers = {1, 2};
  for (int r = 1; r <= robots; ++r)
    input.robots.push_back(make_robot(seed, r, changes.contains(r) ? changes.at(r) : Change{}));
  return input;
}

TEST(Fleet, NamesTheHeavyLinkTheWornJointAndTheWrongGain) {
  const FleetInput input = fleet_of(1, 40, {{5, {1.0, 1, 1}}, {17, {0, 1.5, 1}}, {30, {0, 1, 1.1}}});
  const FleetResult result = compare_fleet(input);
  for (int r = 1; r <= 40; ++r) {
    const std::vector<Cause>& causes = result.robots[static_cast<std::size_t>(r - 1)].causes;
    if (r != 5 && r != 17 && r != 30) {
      EXPECT_TRUE(causes.empty()) << r << " " << causes[0].text;
      continue;
    }
    ASSERT_FALSE(causes.empty()) << r;
    const Cause& cause = causes[0];
    if (r == 5) {
      EXPECT_EQ(cause.kind, CauseKind::mass);
      EXPECT_EQ(cause.of, "link2");
      EXPECT_NEAR(cause.amount, 1.0, 0.3);  // links of 3 kg scatter by 0.075 kg, and the place is found, too
    } else if (r == 17) {
      EXPECT_EQ(cause.kind, CauseKind::friction);
      EXPECT_EQ(cause.of, "joint1");
      EXPECT_NEAR(cause.amount, 0.5, 0.1);  // four standard deviations of the scatter
    } else {
      EXPECT_EQ(cause.kind, CauseKind::gain);
      EXPECT_EQ(cause.of, "joint2");
      EXPECT_NEAR(cause.amount, 0.1, 0.05);
    }
  }
}

TEST(Fleet, SaysNothingOfHealthyFleets) {
  for (std::uint64_t seed = 11; seed <= 20; ++seed) {
    const FleetResult result = compare_fleet(fleet_of(seed, 20, {}));
    for (const FleetRobotResult& robot : result.robots) {
      EXPECT_TRUE(robot.causes.empty()) << seed << robot.name;
    }
  }
}

TEST(Fleet, GivesTheSameNumbersForAnyNumberOfThreads) {
  const FleetInput input = fleet_of(3, 12, {{4, {0, 2, 1}}});
  FleetOptions options;
  const FleetResult one = compare_fleet(input, options);
  options.threads = 3;
  const FleetResult three = compare_fleet(input, options);
  EXPECT_EQ(one.values, three.values);
  EXPECT_EQ(one.scatter, three.scatter);
  for (std::size_t r = 0; r < one.robots.size(); ++r) {
    ASSERT_EQ(one.robots[r].causes.size(), three.robots[r].causes.size());
    for (std::size_t k = 0; k < one.robots[r].causes.size(); ++k)
      EXPECT_EQ(one.robots[r].causes[k].gain, three.robots[r].causes[k].gain);
  }
}

TEST(Fleet, ThreeRobotsAreTooFewToNameOne) {
  const FleetResult result = compare_fleet(fleet_of(3, 3, {{2, {0, 3, 1}}}));
  EXPECT_NE(result.unavailable.find("3 robots"), std::string::npos);
  for (const FleetRobotResult& robot : result.robots) EXPECT_TRUE(robot.causes.empty());
}

// The names of all robots that something is said of.
std::vector<std::string> named_of(const FleetResult& result) {
  std::vector<std::string> names;
  for (const FleetRobotResult& robot : result.robots)
    if (!robot.causes.empty()) names.push_back(robot.name);
  return names;
}

struct GrossFault {
  const char* what;
  Change change;
  CauseKind kind;
  int fewest;  // robots with which it is named
};

TEST(Fleet, NamesGrossFaultsInSmallFleetsWithTheirKind) {
  const GrossFault faults[] = {
      {"20 kg on a link of 3 kg", {20, 1, 1}, CauseKind::mass, 5},
      {"friction times 20", {0, 20, 1}, CauseKind::friction, 5},
      {"friction times 2", {0, 2, 1}, CauseKind::friction, 6},
      {"gain 1.5", {0, 1, 1.5}, CauseKind::gain, 6},
      {"milli-newtonmetres", {0, 1, 1000}, CauseKind::set_up, 4},
      {"a dead torque", {0, 1, 0}, CauseKind::set_up, 4},
      {"a residual 20 times as large", {0, 1, 1, 20}, CauseKind::fit, 4},
  };
  for (const int robots : {4, 5, 6, 10, 16})
    for (const GrossFault& fault : faults) {
      if (robots < fault.fewest) continue;
      const FleetResult result = compare_fleet(fleet_of(101, robots, {{3, fault.change}}));
      EXPECT_EQ(named_of(result), std::vector<std::string>{"r3"}) << fault.what << " of " << robots;
      const std::vector<Cause>& causes = result.robots[2].causes;
      ASSERT_FALSE(causes.empty());
      EXPECT_EQ(causes[0].kind, fault.kind) << fault.what << " of " << robots << ": " << causes[0].text;
    }
}

TEST(Fleet, ATorqueOfTheWrongSignIsNoGain) {
  const FleetResult result = compare_fleet(fleet_of(101, 16, {{3, {0, 1, -1}}}));
  EXPECT_EQ(named_of(result), std::vector<std::string>{"r3"});
  ASSERT_FALSE(result.robots[2].causes.empty());
  const CauseKind kind = result.robots[2].causes[0].kind;
  EXPECT_TRUE(kind == CauseKind::fit || kind == CauseKind::set_up) << result.robots[2].causes[0].text;
}

// Four of ten: two of them the same fault, which would hide each other in a scatter of all robots.
TEST(Fleet, NamesFourGrossFaultsOfTenRobots) {
  const FleetResult result = compare_fleet(
      fleet_of(102, 10, {{2, {0, 20, 1}}, {4, {0, 20, 1}}, {7, {20, 1, 1}}, {9, {0, 1, 1000}}}));
  EXPECT_EQ(named_of(result), (std::vector<std::string>{"r2", "r4", "r7", "r9"}));
}

// Chance 0.01 a fleet: 0.8 of 80 are expected to name somebody, more than 4 in one of 700 such tests.
TEST(Fleet, HealthySmallFleetsRaiseNoMoreAlarmsThanTheirLevel) {
  int alarms = 0;
  for (const int robots : {4, 6, 10, 16})
    for (std::uint64_t seed = 301; seed <= 320; ++seed)
      alarms += !named_of(compare_fleet(fleet_of(seed, robots, {}))).empty();
  EXPECT_LE(alarms, 4);
}

// What is named has no part in the fleet's parameters.
TEST(Fleet, TheFleetsParametersAreThoseOfTheOthers) {
  const FleetInput healthy = fleet_of(103, 12, {});
  FleetInput without = healthy;
  without.robots.erase(without.robots.begin() + 4);
  const FleetResult expected = compare_fleet(without);
  for (const Change& change :
       {Change{0, 1, 1000}, Change{0, 20, 1}, Change{20, 1, 1}, Change{0, 1, 1, 100}}) {
    const FleetResult result = compare_fleet(fleet_of(103, 12, {{5, change}}));
    EXPECT_EQ(result.healthy, 11);
    for (Index i = 0; i < result.values.size(); ++i)
      EXPECT_NEAR(result.values[i], expected.values[i], 1e-6 * expected.sigma[i]) << result.columns[i];
  }
}

TEST(Fleet, SaysWhatItCanNameWithFewRobots) {
  const FleetResult few = compare_fleet(fleet_of(104, 5, {})), many = compare_fleet(fleet_of(104, 40, {}));
  EXPECT_GT(few.least_deviations, 15);  // Student's tail with three degrees
  EXPECT_LT(many.least_deviations, 6);
  EXPECT_GT(many.least_deviations, 4);  // the normal one for as many tests
  EXPECT_FALSE(std::isfinite(compare_fleet(fleet_of(104, 3, {})).least_deviations));
}

TEST(Fleet, ARobotThatIsNotComparedIsDescribedOnly) {
  FleetInput input = fleet_of(105, 8, {{2, {0, 20, 1}}});
  input.robots[1].is_compared = false;
  input.robots[1].known.push_back(
      {CauseKind::set_up, "monday", 0, 0, Vector3::Zero(), 0, 0, "in degrees", ""});
  const FleetResult result = compare_fleet(input);
  EXPECT_EQ(result.compared, 7);
  EXPECT_EQ(named_of(result), std::vector<std::string>{"r2"});
  ASSERT_EQ(result.robots[1].causes.size(), 1u);
  EXPECT_EQ(result.robots[1].causes[0].text, "in degrees");
}

// Lines with a known slope and known standard deviations: only the robot that drifts is reported, with its
// slope.
TEST(Fleet, FindsADriftAndItsSlope) {
  FleetInput input = fleet_of(7, 8, {});
  Random random(7, "logs");
  for (std::size_t r = 0; r < input.robots.size(); ++r)
    for (int day = 0; day < 6; ++day) {
      FleetLog log{"", static_cast<double>(day), VectorXd::Ones(static_cast<Index>(input.columns.size())),
                   VectorXd::Constant(static_cast<Index>(input.columns.size()), 0.02)};
      for (double& value : log.values) value += 0.02 * random.normal();
      if (r == 2) log.values[1] += 0.05 * day;
      input.robots[r].logs.push_back(log);
    }
  const FleetResult result = compare_fleet(input);
  for (std::size_t r = 0; r < result.robots.size(); ++r) {
    if (r == 2) continue;
    EXPECT_TRUE(result.robots[r].drifts.empty()) << r;
  }
  ASSERT_EQ(result.robots[2].drifts.size(), 1u);
  EXPECT_EQ(result.robots[2].drifts[0].parameter, input.columns[1]);
  // σ of the slope: 0.02 / √17.5 = 0.0048; three of these.
  EXPECT_NEAR(result.robots[2].drifts[0].slope, 0.05, 0.015);
}

}  // namespace
}  // namespace steelyard
