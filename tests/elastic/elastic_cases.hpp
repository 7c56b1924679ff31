// Simulated elastic robots that tests and benchmarks share.
#pragma once

#include <string>
#include <vector>

#include "steelyard/log/prepare.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/simulate/elastic.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::cases {

inline Robot robot(const std::string& name) {
  return read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/" + name + ".yaml").robot;
}

inline VectorXd list(std::initializer_list<double> values) {
  VectorXd out(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), out.data());
  return out;
}

inline ElasticRobot elastic_robot(const Robot& robot, const VectorXd& K, const VectorXd& B) {
  ElasticRobot elastic;
  elastic.parameters = true_parameters(robot);
  elastic.stiffness = K;
  elastic.damping = list({1});
  for (std::size_t j = 0; j < elastic.parameters.drives.size(); ++j) {
    Drive& drive = elastic.parameters.drives[j];
    drive.rotor_inertia = B[static_cast<Index>(j)];
    drive.friction.viscous = 4 * B[static_cast<Index>(j)];
    drive.friction.coulomb = 1 + B[static_cast<Index>(j)];
    drive.friction.offset = 0.1;
  }
  return elastic;
}

// A Panda with the springs and rotors of a light arm with harmonic drives.
struct SevenJoints {
  Robot arm = robot("panda");
  VectorXd K = list({12000, 12000, 9000, 9000, 5000, 4000, 3000});
  VectorXd B = list({1.2, 1.2, 0.8, 0.8, 0.4, 0.3, 0.2});
  ElasticRobot elastic = elastic_robot(arm, K, B);

  ElasticMotion motion(double duration, std::uint64_t seed = 1) const {
    RandomMotion random;
    random.harmonics = 8;
    random.period = duration;
    random.center = list({0, 0, 0, -1.6, 0, 1.8, 0});
    random.reach = list({1.2, 0.8, 1.2, 0.9, 1.2, 1.0, 1.2});
    random.velocity = list({2});
    random.acceleration = list({8});
    ElasticMotionOptions options;
    return elastic_motion(arm, elastic, random_multi_sine(random, seed), options);
  }
};

// The published 2R arm on soft springs, with motors that have viscous friction only: Coulomb friction turns
// with θ̇, which link positions alone do not show.
struct TwoJoints {
  Robot arm = robot("two_r");
  VectorXd K = list({1500, 1200});
  VectorXd B = list({0.5, 0.4});
  ElasticRobot elastic = elastic_robot(arm, K, B);

  TwoJoints() {
    for (Drive& drive : elastic.parameters.drives) drive.friction.coulomb = 0;
    elastic.damping = list({0});
  }

  ElasticMotion motion(std::uint64_t seed = 3) const {
    RandomMotion random;
    random.harmonics = 10;
    random.period = 5;
    random.duration = 20;
    random.center = list({0, 0.3});
    random.reach = list({0.8});
    random.acceleration = list({60});
    return elastic_motion(arm, elastic, random_multi_sine(random, seed), {});
  }
};

// Positions are filtered an octave above the columns.
inline PrepareOptions elastic_filters(double cutoff) {
  PrepareOptions prepare;
  prepare.filter = {4, 2 * cutoff};
  prepare.column_filter = {4, cutoff};
  prepare.difference_order = 6;
  return prepare;
}

}  // namespace steelyard::cases
