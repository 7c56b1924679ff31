// The published tables of base parameters, term by term with exact constants (tests/data/, each with its
// origin).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "steelyard/core/expression.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

using nlohmann::json;

const std::string kSource = STEELYARD_SOURCE_DIR;

json load(const std::string& name) {
  std::ifstream file(kSource + "/tests/data/" + name);
  EXPECT_TRUE(file.good()) << name;
  return json::parse(file);
}

Robot load_robot(const json& data) {
  return read_robot(kSource + "/" + data["robot"].get<std::string>()).robot;
}

std::map<std::string, double> terms_of(const BaseParameter& parameter) {
  std::map<std::string, double> terms;
  for (const BaseTerm& term : parameter.terms) terms[term.parameter] = term.coefficient;
  return terms;
}

// The base parameter whose terms are these, to rounding (a few sums of products of lengths below one).
const BaseParameter* find(const BaseParameters& base, const std::map<std::string, double>& wanted) {
  for (const BaseParameter& parameter : base.base) {
    const std::map<std::string, double> terms = terms_of(parameter);
    bool same = terms.size() == wanted.size();
    for (const auto& [name, value] : wanted)
      same = same && terms.contains(name) && std::abs(terms.at(name) - value) < 1e-14;
    if (same) return &parameter;
  }
  return nullptr;
}

VectorXd values(const BaseParameters& base, const Robot& robot) {
  return base.K * standard_parameters(robot);
}

double value_of(const BaseParameters& base, const Robot& robot, const BaseParameter* parameter) {
  return values(base, robot)[parameter - base.base.data()];
}

// Variables of a published formula: m<i>, c<i>x, J<i>xx, and lengths; drawn at random, so that two formulas
// that agree a few times are the same.
class Draw {
 public:
  Draw(int links, const std::map<std::string, double>& lengths, std::uint64_t seed) {
    Random random(seed, "formula");
    VectorXd pi(10 * links);
    for (int i = 0; i < links; ++i) {
      const std::string number = std::to_string(i + 1);
      for (int k = 0; k < 10; ++k) pi[10 * i + k] = random.uniform(0.1, 2);
      add("m" + number, pi[10 * i]);
      for (int k = 1; k < 4; ++k) add("c" + number + "xyz"[k - 1], pi[10 * i + k] / pi[10 * i]);
      for (int k = 4; k < 10; ++k)
        add("J" + number + std::string(kParameterStems[k]).substr(1), pi[10 * i + k]);
    }
    for (const auto& [name, value] : lengths) add(name, value);
    parameters = pi;
  }

  double evaluate(const std::string& formula) const {
    return Expression::parse(formula, names_).evaluate(values_);
  }

  VectorXd parameters;

 private:
  void add(const std::string& name, double value) {
    names_.push_back(name);
    values_.push_back(value);
  }
  std::vector<std::string> names_;
  std::vector<double> values_;
};

TEST(PublishedTables, Kr5HasThirtySixBaseParametersAndAllPrintedFormsAndValues) {
  const json data = load("kr5_base.json");
  const Robot robot = load_robot(data);
  const BaseParameters base = base_parameters(robot);
  ASSERT_EQ(base.rank, 36);
  int published = 0;
  for (const json& row : data["rows"]) {
    const BaseParameter* parameter = find(base, row["terms"]);
    ASSERT_NE(parameter, nullptr) << row["symbolic"];
    EXPECT_EQ(parameter->lead, row["lead"]);
    EXPECT_TRUE(parameter->exact);
    EXPECT_NEAR(value_of(base, robot, parameter), row["ground_truth"].get<double>(), 6e-6);  // six digits
    if (!row["published"].get<bool>()) continue;
    ++published;
    EXPECT_NEAR(value_of(base, robot, parameter), row["published_real"].get<double>(), 0.51e-4)
        << row["symbolic"];
    const std::map<std::string, double> lengths = {
        {"a1", 0.075}, {"a2", 0.27}, {"a3", 0.09}, {"d4", -0.295}, {"d6", -0.08}};
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Draw draw(6, lengths, seed);
      const double ours = (base.K * draw.parameters)[parameter - base.base.data()];
      EXPECT_NEAR(ours, draw.evaluate(row["symbolic"]), 1e-13) << row["symbolic"];
    }
  }
  EXPECT_EQ(published, 27);
}

TEST(PublishedTables, Kr5ExpressionsReadAsPrinted) {
  const BaseParameters base = base_parameters(read_robot(kSource + "/robots/kr5.yaml").robot);
  EXPECT_EQ(base.base[0].expression,
            "J1yy + J2yy + J3zz + a1^2 m1 + (a1^2 - a2^2) m2 + (a1^2 - a2^2 - a3^2) (m3 + m4 + m5 + m6) + 2 "
            "a1 c1x m1");
  EXPECT_EQ(base.base[1].expression, "J2xx - J2yy + a2^2 (m2 + m3 + m4 + m5 + m6)");
  EXPECT_EQ(base.base[1].latex, "J_{2xx} - J_{2yy} + a_{2}^{2} (m_{2} + m_{3} + m_{4} + m_{5} + m_{6})");
}

TEST(PublishedTables, PandaHasTheFortyThreeCoefficientsOfTableIII) {
  const json data = load("panda_base.json");
  const Robot robot = load_robot(data);
  const BaseParameters base = base_parameters(robot);
  ASSERT_EQ(base.rank, 43);
  for (const json& row : data["rows"]) {
    const BaseParameter* parameter = find(base, row["terms"]);
    ASSERT_NE(parameter, nullptr) << row;
    EXPECT_TRUE(parameter->exact);
    const double value = value_of(base, robot, parameter);
    EXPECT_NEAR(value, row["pi_phat_corrected"].get<double>(), 1e-5 * std::max(1.0, std::abs(value)));
    // Printed with four decimals from parameters printed with six digits.
    if (row["index"] != data["wrong_printed_row"] && !row["pi_phat_printed"].is_null()) {
      EXPECT_NEAR(value, row["pi_phat_printed"].get<double>(), 1.1e-4) << row;
    }
  }
}

TEST(PublishedTables, LwrHasTheTwelveGravityCoefficientsOfEquation28) {
  const json data = load("lwr_base.json");
  const Robot robot = load_robot(data);
  BaseOptions options;
  options.rows = RowSet::gravity;
  const BaseParameters base = base_parameters(robot, options);
  ASSERT_EQ(base.rank, 12);
  for (const json& formula : data["gravity"]) {
    int matches = 0;
    for (std::size_t b = 0; b < base.base.size(); ++b) {
      bool same = true;
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const Draw draw(7, {{"d1", 0.4}, {"d2", 0.39}}, seed);
        same = same &&
               std::abs((base.K * draw.parameters)[static_cast<Index>(b)] - draw.evaluate(formula)) < 1e-13;
      }
      matches += same;
    }
    EXPECT_EQ(matches, 1) << formula;
  }
}

TEST(PublishedTables, LwrRanksByWhatIsMeasured) {
  const json data = load("lwr_base.json");
  const Robot robot = load_robot(data);
  const auto rank = [&](RowSet rows, bool zeros) {
    BaseOptions options;
    options.rows = rows;
    options.expressions = false;
    if (zeros) options.zero = {"Jxz7", "Jyz7"};
    return base_parameters(robot, options).rank;
  };
  EXPECT_EQ(rank(RowSet::torque, false), 43);
  EXPECT_EQ(rank(RowSet::gravity, false), 12);
  EXPECT_EQ(rank(RowSet::inertia, false), 39);
  EXPECT_EQ(rank(RowSet::inertia, true), 37);
  EXPECT_EQ(rank(RowSet::gravity_inertia, false), 43);
  EXPECT_EQ(rank(RowSet::gravity_inertia, true), 41);
}

TEST(PublishedTables, TwoRHasItsEightCoefficients) {
  const json data = load("two_r_base.json");
  const Robot robot = load_robot(data);
  const BaseParameters base = base_parameters(robot);
  ASSERT_EQ(base.rank, 8);
  const VectorXd real = values(base, robot);
  for (std::size_t row = 0; row < data["base"].size(); ++row) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Draw draw(2, {}, seed);
      EXPECT_NEAR((base.K * draw.parameters)[static_cast<Index>(row)], draw.evaluate(data["base"][row]),
                  1e-13)
          << data["base"][row];
    }
    EXPECT_NEAR(real[static_cast<Index>(row)], data["pi_real"][row].get<double>(), 1e-12);
  }
}

TEST(PublishedTables, Tx40RegroupsAsThePaperNames) {
  const json data = load("tx40_base.json");
  const Robot robot = load_robot(data);
  const BaseParameters base = base_parameters(robot);
  EXPECT_EQ(base.columns.size(), 87u);
  EXPECT_EQ(base.rank, 61);
  EXPECT_EQ(base.inertial_rank, 36);
  for (const auto& [lead, terms] : data["regrouped"].items()) {
    const BaseParameter* parameter = find(base, terms);
    ASSERT_NE(parameter, nullptr) << lead << " " << terms;
    EXPECT_EQ(parameter->lead, lead);
  }
}

TEST(PublishedTables, Tx40PayloadIsSeparableOnlyByLoadedAndUnloadedRunsTogether) {
  const Robot robot = read_robot(kSource + "/robots/tx40.yaml").robot;
  BaseOptions options;
  options.expressions = false;
  options.payload = PayloadRuns::loaded_only;
  EXPECT_EQ(base_parameters(robot, options).rank, 61);
  options.payload = PayloadRuns::unloaded_and_loaded;
  const BaseParameters both = base_parameters(robot, options);
  EXPECT_EQ(both.rank, 71);
  int loads_alone = 0;
  for (const BaseParameter& parameter : both.base)
    loads_alone += parameter.lead.ends_with("_load") && parameter.terms.size() == 1;
  EXPECT_EQ(loads_alone, 10);
}

TEST(PublishedTables, Ur10HasThirtySixBaseParameters) {
  EXPECT_EQ(base_parameters(read_robot(kSource + "/robots/ur10.yaml").robot).rank, 36);
}

// Torques of an independent program at the published parameters.
TEST(PublishedTables, TorquesOfTheGroundTruths) {
  for (const char* name : {"kr5_torques.json", "panda_torques.json", "two_r_base.json"}) {
    const json data = load(name);
    const Robot robot = load_robot(data);
    const Tree tree = compile(robot);
    ASSERT_FALSE(data["samples"].empty());
    for (const json& sample : data["samples"]) {
      const auto vector = [&](const char* key) {
        const std::vector<double> v = sample[key];
        return VectorXd(Eigen::Map<const VectorXd>(v.data(), static_cast<Index>(v.size())));
      };
      const VectorXd tau =
          newton_euler(tree, standard_parameters(robot), vector("q"), vector("qd"), vector("qdd")).tau;
      // Printed with twelve significant digits.
      EXPECT_LT((tau - vector("tau")).cwiseAbs().maxCoeff(), 1e-10 * std::max(1.0, tau.cwiseAbs().maxCoeff()))
          << name;
    }
  }
}

}  // namespace
}  // namespace steelyard
