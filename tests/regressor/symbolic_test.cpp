// Formulas of the dynamics against the numbers of the dynamics stage and of the regressor.
#include "steelyard/regressor/symbolic.hpp"

#include <gmock/gmock.h>

#include "oracle/random_robot.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/expression.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace symbolic_test {
namespace {

using testing::HasSubstr;

Robot robot_of(const std::string& name) {
  return read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/" + name).robot;
}

SymbolicOptions everything() {
  SymbolicOptions options;
  options.inertia = options.coriolis = options.gravity = options.regressor = true;
  return options;
}

// A state, base parameters as numbers, and the same as variables of the formulas.
struct Case {
  Case(const Robot& robot, const BaseParameters& base, const SymbolicDynamics& formulas, std::uint64_t seed)
      : standard(VectorXd::Zero(10 * robot.size())) {
    oracle::Random random(seed);
    const int n = robot.size();
    state = oracle::random_state(random, n);
    for (int j = 0; j < n; ++j) add("q" + std::to_string(j + 1), state.q[j]);
    for (int j = 0; j < n; ++j) add("qd" + std::to_string(j + 1), state.qd[j]);
    for (int j = 0; j < n; ++j) add("qdd" + std::to_string(j + 1), state.qdd[j]);
    for (const SymbolicSymbol& symbol : formulas.symbols) add(symbol.name, symbol.value);
    const std::vector<std::string> all = standard_parameter_names(robot);
    for (std::size_t b = 0; b < base.base.size(); ++b) {
      const std::string& lead = base.base[b].lead;
      add(lead, random.uniform(-1, 1));
      const auto place = std::find(all.begin(), all.end(), lead);
      if (place != all.end()) standard[place - all.begin()] = values.back();
    }
  }
  void add(const std::string& name, double value) {
    names.push_back(name);
    values.push_back(value);
  }
  double value(const SymbolicEntry& entry) const {
    return Expression::parse(entry.text, names, {}, {1 << 22, 200, 1 << 20}).evaluate(values);
  }

  oracle::State state;
  VectorXd standard;
  std::vector<std::string> names;
  std::vector<double> values;
};

// Errors of a few hundred terms of the size of the largest.
constexpr double kRounding = 1e-12;

void expect_equal(const Robot& robot, const SymbolicOptions& options, std::uint64_t seed) {
  BaseOptions base_options;
  base_options.drives = false;
  base_options.expressions = false;
  const BaseParameters base = base_parameters(robot, base_options);
  const SymbolicDynamics formulas = symbolic_dynamics(robot, base, options);
  const Tree tree = compile(robot);
  for (int round = 0; round < 3; ++round) {
    const Case at(robot, base, formulas, seed + static_cast<std::uint64_t>(round));
    const MatrixXd M = mass_matrix(tree, at.standard, at.state.q),
                   C = coriolis_factor(tree, at.standard, at.state.q, at.state.qd);
    const VectorXd g = gravity_torque(tree, at.standard, at.state.q);
    const VectorXd tau = M * at.state.qdd + C * at.state.qd + g;
    const double size = 1 + M.cwiseAbs().maxCoeff() + C.cwiseAbs().maxCoeff() + tau.cwiseAbs().maxCoeff();
    for (Index i = 0; i < robot.size(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      if (options.gravity) {
        EXPECT_NEAR(at.value(formulas.gravity[row]), g[i], kRounding * size);
      }
      for (Index j = 0; j < robot.size(); ++j) {
        const auto column = static_cast<std::size_t>(j);
        if (options.inertia) {
          EXPECT_NEAR(at.value(formulas.inertia[row][column]), M(i, j), kRounding * size) << i << j;
        }
        if (options.coriolis) {
          EXPECT_NEAR(at.value(formulas.coriolis[row][column]), C(i, j), kRounding * size) << i << j;
        }
      }
      if (!options.regressor) continue;
      double sum = 0;
      for (std::size_t b = 0; b < formulas.leads.size(); ++b) {
        const auto place = std::find(at.names.begin(), at.names.end(), formulas.leads[b]);
        sum += at.value(formulas.regressor[row][b]) *
               at.values[static_cast<std::size_t>(place - at.names.begin())];
      }
      EXPECT_NEAR(sum, tau[i], 10 * kRounding * size) << i;
    }
  }
}

TEST(Symbolic, TwoAndThreeJointsEqualTheNumbers) {
  expect_equal(robot_of("two_r.yaml"), everything(), 1);
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    SCOPED_TRACE(seed);
    oracle::RandomRobotOptions options;
    options.joints = seed % 2 == 0 ? 2 : 3;
    expect_equal(oracle::random_robot(seed, options), everything(), 10 * seed);
  }
}

TEST(Symbolic, GravityOfSixAndSevenJointsEqualsTheNumbers) {
  SymbolicOptions gravity;
  gravity.gravity = true;
  for (const char* name : {"kr5.yaml", "tx40.yaml", "panda.yaml", "ur10.yaml"}) {
    SCOPED_TRACE(name);
    expect_equal(robot_of(name), gravity, 7);
  }
}

// A pendulum of two links in a vertical plane: the textbook's form.
TEST(Symbolic, TextbookPendulum) {
  const Robot robot =
      read_robot_yaml(
          "name: pendulum\nconvention: standard_dh\nbase: {rpy: [pi/2, 0, 0]}\njoints:\n"
          "  - {name: one, a: 0.5, alpha: 0, d: 0}\n  - {name: two, a: 0.4, alpha: 0, d: 0}\n",
          "pendulum.yaml")
          .robot;
  BaseOptions options;
  const SymbolicDynamics formulas = symbolic_dynamics(robot, base_parameters(robot, options), everything());
  EXPECT_THAT(formulas.inertia[0][0].text, HasSubstr("cos(q2)"));
  EXPECT_THAT(formulas.inertia[0][0].text, testing::Not(HasSubstr("q1")));
  EXPECT_THAT(formulas.gravity[0].text, HasSubstr("cos(q1+q2)"));
  EXPECT_THAT(formulas.gravity[0].latex, HasSubstr("\\cos(q_{1} + q_{2})"));
  EXPECT_EQ(formulas.coriolis[1][1].text, "0");
}

TEST(Symbolic, TooManyTermsAreRefused) {
  SymbolicOptions options;
  options.inertia = true;
  options.most_terms = 100;
  const Robot robot = robot_of("panda.yaml");
  EXPECT_THROW(symbolic_dynamics(robot, base_parameters(robot), options), InputError);
}

}  // namespace
}  // namespace symbolic_test
}  // namespace steelyard
