// Robots, motions and comparisons that the simulator's tests share.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>

#include "steelyard/robot/read.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::cases {

inline Robot robot(const std::string& name) {
  return read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/" + name + ".yaml").robot;
}

inline nlohmann::json panda_tables() {
  std::ifstream file(std::string(STEELYARD_SOURCE_DIR) + "/tests/data/panda_trajectory.json");
  return nlohmann::json::parse(file);
}

inline VectorXd to_vector(const nlohmann::json& list) {
  const std::vector<double> values = list;
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
}

// The Panda paper's exciting motion.
inline FourierSeries panda_series() {
  const nlohmann::json data = panda_tables();
  FourierSeries series;
  series.omega = data["omega_over_pi"].get<double>() * std::numbers::pi;
  series.a.resize(5, 7);
  series.b.resize(5, 7);
  for (Index l = 0; l < 5; ++l) {
    series.a.row(l) = to_vector(data["a"][static_cast<std::size_t>(l)]);
    series.b.row(l) = to_vector(data["b"][static_cast<std::size_t>(l)]);
  }
  series.q0 = to_vector(data["q0"]);
  series.duration = data["duration_s"];
  return series;
}

// A random motion of a robot without regard to its limits.
inline MultiSine motion(Index joints, std::uint64_t seed, double duration = 10) {
  RandomMotion options;
  options.center = VectorXd::Zero(joints);
  options.reach = VectorXd::Ones(1);
  options.period = 10;
  options.duration = duration;
  return random_multi_sine(options, seed);
}

inline VectorXd row(const Run& run, std::string_view channel, Index joint) {
  const int found = run.samples.find(channel);
  EXPECT_GE(found, 0) << channel;
  return Eigen::Map<const VectorXd>(run.samples.row(found, joint), run.samples.size());
}

// All joints of one sample.
inline VectorXd at(const Run& run, std::string_view channel, Index sample) {
  VectorXd values(run.samples.joints());
  for (Index j = 0; j < values.size(); ++j) values[j] = run.samples.row(run.samples.find(channel), j)[sample];
  return values;
}

inline VectorXd one(double value) {
  return VectorXd::Constant(1, value);
}

inline bool same_bytes(const double* a, const double* b, Index count) {
  return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(double)) == 0;
}

// Samples of `part` equal those of `whole` from `first` on, bit by bit.
inline void expect_same_bytes(const SampleBlock& whole, const SampleBlock& part, Index first) {
  ASSERT_EQ(whole.channels(), part.channels());
  EXPECT_TRUE(same_bytes(whole.time() + first, part.time(), part.size()));
  for (Index c = 0; c < static_cast<Index>(whole.channels().size()); ++c) {
    for (Index j = 0; j < whole.joints(); ++j) {
      EXPECT_TRUE(same_bytes(whole.row(c, j) + first, part.row(c, j), part.size()))
          << whole.channels()[static_cast<std::size_t>(c)] << " of joint " << j + 1;
    }
  }
}

}  // namespace steelyard::cases
