// 95 % intervals of elastic joints hold, or there is none. STEELYARD_DRAWS=400 draws the noise that often.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "elastic_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/elastic/elastic.hpp"

namespace steelyard {
namespace elastic_coverage_test {
namespace {

struct Tally {
  int held = 0, with_interval = 0, values = 0;
  void add(const std::optional<ElasticValue>& value, double truth) {
    ++values;
    if (!value || !value->lower || !value->upper) return;
    ++with_interval;
    held += *value->lower <= truth && truth <= *value->upper;
  }
};

struct Case {
  const char* name;
  ElasticEquations equations;
  double encoders;       // σ of their noise [rad]
  double stiffness = 1;  // factor of K
};

int draws(int usual) {
  const char* given = std::getenv("STEELYARD_DRAWS");
  return given != nullptr ? std::atoi(given) : usual;
}

cases::TwoJoints arm(double stiffness) {
  cases::TwoJoints arm;
  arm.K *= stiffness;
  arm.elastic.stiffness = arm.K;
  return arm;
}

// By kind: K, B, friction, links.
std::map<std::string, Tally> tally(const Case& what, int count) {
  const cases::TwoJoints robot = arm(what.stiffness);
  const ElasticMotion motion = robot.motion();
  ElasticOptions options;
  options.equations = what.equations;
  options.replicates = 200;
  std::map<std::string, Tally> out;
  for (int draw = 0; draw < count; ++draw) {
    ElasticMotionOptions noise;
    noise.seed = static_cast<std::uint64_t>(draw) + 1;
    noise.link_noise = noise.motor_noise = cases::list({what.encoders});
    noise.relative_effort_noise = cases::list({0.01});
    noise.elastic_torque_noise = cases::list({0.02});
    const Run run = elastic_log(motion, noise);
    const ElasticFit fit = identify_elastic(robot.arm, {run}, cases::elastic_filters(10), options);
    const ElasticModel model = elastic_model(robot.arm, run.samples.channels(), options);
    const VectorXd links = model.base.K * robot.elastic.parameters.standard;
    for (Index k = 0; k < links.size(); ++k)
      out["links"].add(elastic_value(fit, model.base.base[static_cast<std::size_t>(k)].lead), links[k]);
    for (std::size_t j = 0; j < 2; ++j) {
      const Drive& drive = robot.elastic.parameters.drives[j];
      const std::string number = std::to_string(j + 1);
      out["friction"].add(elastic_value(fit, "fv" + number), drive.friction.viscous);
      out["friction"].add(elastic_value(fit, "fo" + number), drive.friction.offset);
      out["B"].add(fit.joints[j].motor_inertia, drive.rotor_inertia);
      out["K"].add(fit.joints[j].identifiable ? fit.joints[j].stiffness : std::nullopt,
                   robot.K[static_cast<Index>(j)]);
    }
  }
  return out;
}

class ElasticCoverage : public ::testing::TestWithParam<Case> {};

// Values of one draw share its noise: their number counts half. 3.1 standard deviations: one case in a thousand.
double least_share(int values, double expected) {
  return expected - 3.1 * std::sqrt(2 * expected * (1 - expected) / values);
}

TEST_P(ElasticCoverage, IntervalsHoldOrThereIsNone) {
  const int count = draws(3);
  int held = 0, with_interval = 0;
  for (const auto& [kind, found] : tally(GetParam(), count)) {
    std::printf("%s, %s: %d of %d hold, %d without\n", GetParam().name, kind.c_str(), found.held,
                found.with_interval, found.values - found.with_interval);
    held += found.held;
    with_interval += found.with_interval;
  }
  ASSERT_GT(with_interval, 0);
  const double share = static_cast<double>(held) / with_interval;
  std::printf("%s: %.1f %% of %d\n", GetParam().name, 100 * share, with_interval);
  EXPECT_GE(share, count >= 100 ? 0.92 : least_share(with_interval, 0.92));
  EXPECT_LE(share, count >= 100 ? 0.99 : 1);
}

INSTANTIATE_TEST_SUITE_P(
    , ElasticCoverage,
    ::testing::Values(Case{"motors_and_links, 1e-5 rad", ElasticEquations::motors_and_links, 1e-5},
                      Case{"motors_and_links, 1e-4 rad", ElasticEquations::motors_and_links, 1e-4},
                      Case{"motors_and_links, 1e-3 rad", ElasticEquations::motors_and_links, 1e-3},
                      Case{"elastic_torque, 1e-5 rad", ElasticEquations::elastic_torque, 1e-5},
                      Case{"elastic_torque, 1e-4 rad", ElasticEquations::elastic_torque, 1e-4},
                      Case{"links, 1e-5 rad", ElasticEquations::links, 1e-5},
                      Case{"links, 1e-4 rad", ElasticEquations::links, 1e-4},
                      Case{"links, 3e-4 rad", ElasticEquations::links, 3e-4},
                      Case{"links, 1e-3 rad", ElasticEquations::links, 1e-3},
                      Case{"links, stiff, 1e-5 rad", ElasticEquations::links, 1e-5, 2},
                      Case{"links, stiff, 1e-4 rad", ElasticEquations::links, 1e-4, 2},
                      Case{"links, stiff, 3e-4 rad", ElasticEquations::links, 3e-4, 2}));

}  // namespace
}  // namespace elastic_coverage_test
}  // namespace steelyard
