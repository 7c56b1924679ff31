#include "steelyard/excite/configurations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

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

TEST(Configurations, SameSeedSameSet) {
  const Robot robot = named("panda");
  const BaseParameters base = base_of(robot);
  ConfigurationOptions options;
  options.count = 3;
  options.candidates = 50;
  EXPECT_EQ(best_configurations(robot, base, options).q, best_configurations(robot, base, options).q);
}

TEST(Configurations, TooFewShowTooLittle) {
  const Robot robot = named("panda");
  const BaseParameters base = base_of(robot);
  const Index least = least_configurations(robot, base);
  EXPECT_GE(least, 2);  // 35 entries a configuration, 43 base parameters
  EXPECT_LT(measure(robot, base, random_configurations(robot, least - 1, {})).rank, 43);
  EXPECT_TRUE(std::isinf(measure(robot, base, random_configurations(robot, 1, {})).mean_variance));
}

}  // namespace
}  // namespace steelyard
