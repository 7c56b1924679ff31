// Exported C, compiled by the machine's compiler, against the library.
#include "steelyard/export/c_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "export/random_model.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

using testing::HasSubstr;
using testing::Not;

// Straight-line code sums the same terms in another order: some tens of roundings of the largest term.
constexpr double kRounding = 1e-13;

Friction every_friction(oracle::Random& random) {
  Friction friction;
  friction.viscous = random.uniform(0, 2);
  friction.coulomb = random.uniform(0, 2);
  friction.offset = random.uniform(-1, 1);
  friction.coulomb_positive = random.uniform(0, 1);
  friction.coulomb_negative = random.uniform(0, 1);
  friction.sigmoid_height = random.uniform(0.1, 1);
  friction.sigmoid_slope = random.uniform(1, 20);
  friction.sigmoid_shift = random.uniform(-0.1, 0.1);
  friction.stribeck = random.uniform(0, 1);
  friction.stribeck_velocity = random.uniform(0.05, 0.5);
  friction.stribeck_exponent = random.uniform(0, 1) < 0.5 ? 1 : 2;
  friction.load_driving = random.uniform(0, 0.5);
  friction.load_driven = random.uniform(0, 1) < 0.5 ? friction.load_driving : random.uniform(0, 0.5);
  friction.load_velocity = random.uniform(0, 1) < 0.5 ? 0 : random.uniform(0.01, 0.5);
  friction.load_mean = random.uniform(0, 1) < 0.5 ? 0 : random.uniform(0, 0.4);
  friction.load_peak = random.uniform(0, 1) < 0.5 ? 0 : random.uniform(0, 0.4);
  friction.load_peak_velocity = random.uniform(0.05, 0.5);
  return friction;
}

ExportModel random_model(const Robot& robot, std::uint64_t seed) {
  oracle::Random random(seed);
  ExportModel model = oracle::random_model(robot, random);
  for (Drive& drive : model.parameters.drives) drive = {random.uniform(0, 1), every_friction(random), 1};
  for (std::size_t k = 0; k < robot.pairs.size(); ++k)
    model.parameters.pairs.push_back({random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1)});
  return model;
}

double deviation(const ExportModel& model, const COptions& options) {
  return check_c(to_c(model, options), model, options, export_states(model.robot, 20));
}

TEST(CCode, OfRandomTreesComputesTheSameEfforts) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    oracle::RandomRobotOptions robot_options;
    robot_options.joints = static_cast<int>(1 + seed);
    robot_options.branches = seed % 2 == 0;
    const ExportModel model = random_model(oracle::random_robot(seed, robot_options), seed);
    EXPECT_LT(deviation(model, {}), kRounding) << oracle::to_string(model.robot);
  }
}

// Base parameters in the places of their lead columns give the same efforts as all parameters, and the base
// regressor times them too.
TEST(CCode, OfPublishedRobotsHoldsTheirBaseRegressor) {
  for (const char* name : {"panda", "tx40", "two_r"}) {
    const Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/" + name + ".yaml").robot;
    ExportModel model = random_model(robot, 7);
    BaseOptions base_options;
    base_options.expressions = false;
    base_options.drives = false;
    const BaseParameters base = base_parameters(robot, base_options);
    const VectorXd all = base.K * model.parameters.standard;
    ExportModel lead = model;
    lead.parameters.standard.setZero();
    COptions options;
    options.prefix = name;
    const auto names = standard_parameter_names(robot);
    std::vector<double> values;
    for (std::size_t b = 0; b < base.base.size(); ++b) {
      const auto column = std::find(names.begin(), names.end(), base.base[b].lead);
      lead.parameters.standard[column - names.begin()] = all[static_cast<Index>(b)];
      options.columns.push_back(base.base[b].lead);
      values.push_back(all[static_cast<Index>(b)]);
    }
    for (int j = 0; j < robot.size(); ++j) {
      const Drive& drive = model.parameters.drives[static_cast<std::size_t>(j)];
      for (const auto& [stem, value] : {std::pair{"Ia", drive.rotor_inertia},
                                        {"fv", drive.friction.viscous},
                                        {"fc", drive.friction.coulomb},
                                        {"fo", drive.friction.offset}}) {
        options.columns.push_back(stem + std::to_string(j + 1));
        values.push_back(value);
      }
    }
    for (std::size_t k = 0; k < robot.pairs.size(); ++k) {
      const PairDrive& pair = model.parameters.pairs[k];
      for (const auto& [stem, value] :
           {std::pair{"Iam", pair.rotor_inertia}, {"fvm", pair.viscous}, {"fcm", pair.coulomb}}) {
        options.columns.push_back(stem + std::to_string(robot.pairs[k].partner + 1));
        values.push_back(value);
      }
    }
    options.values = Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
    EXPECT_LT(deviation(lead, options), 1e-12) << name;  // K's coefficients are known to 1e-13
    for (const ExportState& state : export_states(robot, 5))
      EXPECT_LT((model_effort(lead, state.q, state.qd, state.qdd) -
                 model_effort(model, state.q, state.qd, state.qdd))
                    .cwiseAbs()
                    .maxCoeff(),
                1e-9 * model_effort(model, state.q, state.qd, state.qdd).cwiseAbs().maxCoeff());
  }
}

// A spring on one joint and a cable between two, as a study writes them.
TEST(CCode, TakesExtraColumnsAlong) {
  const Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/two_r.yaml").robot;
  const ExportModel model = random_model(robot, 5);
  COptions options;
  options.columns = {"Jzz2", "mx2"};
  options.values = (VectorXd(2) << model.parameters.standard[19], model.parameters.standard[11]).finished();
  const auto column = [](const char* name, Index row, double value, const char* text) {
    return CColumn{name, row, value, Expression::parse(text, export_variables(2))};
  };
  options.extra = {column("spring", 1, 3.5, "q - 0.2"), column("cable", 0, -0.7, "tanh(5*qd) * sin(q1 + q2)"),
                   column("ripple", 1, 0.4, "sign(qd) * cos(3*q)")};
  ExportModel bodies = model;  // the regressor has two columns of the bodies: the others are nothing
  bodies.parameters.standard.setZero();
  bodies.parameters.standard[19] = options.values[0], bodies.parameters.standard[11] = options.values[1];
  for (Drive& drive : bodies.parameters.drives) drive = {};
  EXPECT_LT(deviation(bodies, options), kRounding);
  const CCode code = to_c(bodies, options);
  EXPECT_THAT(code.header, HasSubstr("_PARAMETERS 5"));
  EXPECT_THAT(code.header, HasSubstr("spring cable ripple"));
  EXPECT_THAT(code.source, HasSubstr("tanh("));
  // At rest the spring pushes either way, what has the sign of the velocity holds, and tanh is nothing.
  const RestBands rest = column_rest(options.extra, Eigen::Vector2d(0.3, 0.5));
  EXPECT_LT(std::abs(rest.high[0]), 1e-299);
  EXPECT_DOUBLE_EQ(rest.high[1], 3.5 * 0.3 + 0.4 * std::cos(1.5));
  EXPECT_DOUBLE_EQ(rest.low[1], 3.5 * 0.3 - 0.4 * std::cos(1.5));
  options.extra[0].value = 0;  // the check sees what they do
  EXPECT_GT(check_c(code, bodies, options, export_states(robot, 5)), 1e-3);
}

TEST(CCode, CallsNothingButSineCosineAndExponential) {
  const Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/panda.yaml").robot;
  const CCode code = to_c(random_model(robot, 3), {});
  const std::regex call("([a-z_]+)\\(");
  std::set<std::string> called;
  for (std::sregex_iterator at(code.source.begin(), code.source.end(), call), end; at != end; ++at)
    called.insert((*at)[1]);
  called.erase("robot_inverse_dynamics"), called.erase("robot_mass_matrix"), called.erase("robot_coriolis"),
      called.erase("robot_gravity"), called.erase("robot_friction"), called.erase("robot_rest_band"),
      called.erase("robot_load_friction");
  EXPECT_EQ(called, (std::set<std::string>{"cos", "exp", "sin"}));
  EXPECT_THAT(code.source, Not(HasSubstr("for")));
  EXPECT_THAT(code.source, Not(HasSubstr("if")));
}

TEST(CCode, IsSafeFromNamesInComments) {
  Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/two_r.yaml").robot;
  robot.name = "*/ int x; /*\n#error";
  EXPECT_LT(deviation(random_model(robot, 3), {}), kRounding);
}

TEST(CCode, RefusesWhatItCannotWrite) {
  const Robot robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/two_r.yaml").robot;
  ExportModel model = random_model(robot, 3);
  COptions options;
  options.prefix = "2r";
  EXPECT_THROW(to_c(model, options), InputError);
  options.prefix = "two_r";
  options.columns = {"Jzz9"};
  options.values = VectorXd::Ones(1);
  EXPECT_THROW(to_c(model, options), InputError);
  model.parameters.drives[0].friction.stribeck_exponent = 0.7;
  try {
    to_c(model, {});
    FAIL() << "an exponent that needs pow was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("0.7"));
  }
}

}  // namespace
}  // namespace steelyard
