#include "steelyard/excite/configurations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/excite/motion.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

Robot named(const std::string& name) {
  return read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/" + name + ".yaml").robot;
}

BaseParameters base_of(const Robot& robot) {
  BaseOptions options;
  options.rows = RowSet::gravity_inertia;
  options.expressions = false;
  return base_parameters(robot, options);
}

// Median over random sets of the same size.
ConfigurationSet median_random(const Robot& robot, const BaseParameters& base, Index count) {
  std::vector<ConfigurationSet> sets;
  for (std::uint64_t index = 1; index <= 21; ++index)
    sets.push_back(measure(robot, base, random_configurations(robot, count, {}, index)));
  std::sort(sets.begin(), sets.end(), [](const ConfigurationSet& a, const ConfigurationSet& b) {
    return a.mean_variance < b.mean_variance;
  });
  return sets[10];
}

TEST(Configurations, ChosenSetsBeatRandomOnes) {
  for (const char* name : {"lwr4", "panda"}) {
    const Robot robot = named(name);
    const BaseParameters base = base_of(robot);
    for (const auto& [count, most] : {std::pair<Index, double>{3, 0.5}, {10, 0.8}}) {
      ConfigurationOptions options;
      options.count = count;
      const ConfigurationSet best = best_configurations(robot, base, options);
      const ConfigurationSet random = median_random(robot, base, count);
      EXPECT_EQ(best.rank, 43) << name;
      EXPECT_GT(best.log_det, random.log_det) << name << " " << count;
      EXPECT_LT(best.mean_variance, most * random.mean_variance) << name << " " << count;
      for (Index j = 0; j < best.q.cols(); ++j) {
        const Limits& limits = robot.joints[static_cast<std::size_t>(j)].limits;
        EXPECT_GE(best.q.col(j).minCoeff(), limits.lower);
        EXPECT_LE(best.q.col(j).maxCoeff(), limits.upper);
      }
    }
  }
}

// Whatever the size; beyond small sets little is gained (`bench/reverse_bench` has more sizes).
TEST(Configurations, ChosenSetsAreNeverWorseThanTheMedianRandomOne) {
  for (const char* name : {"lwr4", "panda"}) {
    const Robot robot = named(name);
    const BaseParameters base = base_of(robot);
    for (const Index count : {4, 7, 20}) {
      ConfigurationOptions options;
      options.count = count;
      options.candidates = 60;
      const ConfigurationSet best = best_configurations(robot, base, options);
      const ConfigurationSet random = median_random(robot, base, count);
      EXPECT_GE(best.log_det, random.log_det) << name << " " << count;
      EXPECT_LE(best.mean_variance, random.mean_variance) << name << " " << count;
    }
  }
}

TEST(Configurations, SameSeedSameSet) {
  const Robot robot = named("panda");
  const BaseParameters base = base_of(robot);
  ConfigurationOptions options;
  options.count = 3;
  options.candidates = 50;
  EXPECT_EQ(best_configurations(robot, base, options).q, best_configurations(robot, base, options).q);
}

TEST(Configurations, KeepTheTableTheEffortsAndGivenLimits) {
  const Robot robot = named("panda");
  BaseOptions gravity;
  gravity.expressions = false;
  const BaseParameters base = base_parameters(robot, gravity);
  ExciteOptions limits;
  limits.workspace.half_spaces = {table_at(0.3)};
  limits.prior = prior_from_masses(robot, base);
  for (const Joint& joint : robot.joints) limits.limits.push_back(joint.limits);
  limits.limits[1].effort = 30;  // up to 60 N m stretched out
  limits.limits[0].upper = 0.5;
  ConfigurationOptions options;
  options.rows = RowSet::gravity;
  options.count = 6;
  options.candidates = 40;
  const Tree tree = compile(robot);
  const VectorXd masses = standard_parameters(robot), still = VectorXd::Zero(7);
  const auto broken = [&](const MatrixXd& poses) {
    int count = 0;
    for (Index k = 0; k < poses.rows(); ++k) {
      const VectorXd q = poses.row(k).transpose();
      count += tool_pose(tree, q).position.z() < 0.3 || q[0] > 0.5 ||
               std::abs(newton_euler(tree, masses, q, still, still).tau[1]) > 30;
    }
    return count;
  };
  EXPECT_GT(broken(best_configurations(robot, base, options).q), 0);
  options.limits = limits.limits;
  options.allows = pose_check(robot, base, limits);
  const ConfigurationSet set = best_configurations(robot, base, options);
  EXPECT_EQ(set.q.rows(), 6);
  EXPECT_EQ(broken(set.q), 0);
  options.allows = [](const VectorXd&) { return false; };
  EXPECT_THROW(best_configurations(robot, base, options), InputError);
}

TEST(Configurations, TooFewShowTooLittle) {
  const Robot robot = named("panda");
  const BaseParameters base = base_of(robot);
  const Index min_count = min_configurations(robot, base);
  EXPECT_GE(min_count, 2);  // 35 entries a configuration, 43 base parameters
  EXPECT_LT(measure(robot, base, random_configurations(robot, min_count - 1, {})).rank, 43);
  EXPECT_TRUE(std::isinf(measure(robot, base, random_configurations(robot, 1, {})).mean_variance));
}

}  // namespace
}  // namespace steelyard
