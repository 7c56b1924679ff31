// Robots, samples and instruction sets that the regressor's tests share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "oracle/random_robot.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard {

inline std::vector<IsaLevel> available_levels() {
  std::vector<IsaLevel> levels;
  for (const IsaLevel level : {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512}) {
    if (is_available(level)) levels.push_back(level);
  }
  return levels;
}

// Runs each test once per instruction set of this machine.
class PerIsa : public testing::TestWithParam<IsaLevel> {
 protected:
  void SetUp() override {
    before_ = isa_level();
    set_isa_level(GetParam());
  }
  void TearDown() override { set_isa_level(before_); }

 private:
  IsaLevel before_ = IsaLevel::baseline;
};

inline std::string isa_name(const testing::TestParamInfo<IsaLevel>& info) {
  return to_string(info.param);
}

// Chains and trees of all conventions, revolute and prismatic.
inline std::vector<Robot> robots_of_all_kinds() {
  using oracle::Geometry;
  std::vector<Robot> robots;
  std::uint64_t seed = 100;
  for (const Geometry geometry :
       {Geometry::any, Geometry::urdf, Geometry::standard_dh, Geometry::modified_dh}) {
    for (const bool branches : {false, true}) {
      for (const double prismatic : {0.0, 0.4}) {
        for (const int joints : {1, 6, 9}) {
          oracle::RandomRobotOptions options;
          options.geometry = geometry;
          options.branches = branches;
          options.prismatic_share = prismatic;
          options.joints = joints;
          robots.push_back(oracle::random_robot(seed++, options));
        }
      }
    }
  }
  return robots;
}

// Samples as channels: column j holds joint j.
struct Batch {
  MatrixXd q, qd, qdd;
  Samples samples() const { return {q.data(), qd.data(), qdd.data(), q.rows(), q.rows()}; }
};

inline Batch random_batch(std::uint64_t seed, int joints, Index count) {
  oracle::Random random(seed);
  Batch batch{MatrixXd(count, joints), MatrixXd(count, joints), MatrixXd(count, joints)};
  for (Index s = 0; s < count; ++s) {
    const oracle::State state = oracle::random_state(random, joints);
    batch.q.row(s) = state.q;
    batch.qd.row(s) = state.qd;
    batch.qdd.row(s) = state.qdd;
  }
  return batch;
}

// samples × stored columns
inline MatrixXd tile_of(const Plan& plan, const Batch& batch) {
  const Index stride = tile_stride(batch.q.rows());
  MatrixXd tile = MatrixXd::Constant(stride, plan.stored_columns, std::nan(""));
  evaluate(plan, batch.samples(), tile.data(), stride);
  return tile.topRows(batch.q.rows());
}

// What Y·π is compared with: the sum of |entries · parameters|, the size of the terms that may cancel.
inline VectorXd natural_scale(const MatrixXd& Y, const VectorXd& parameters) {
  return (Y.cwiseAbs() * parameters.cwiseAbs()).array() + 1e-3;
}

inline bool same_bytes(const MatrixXd& a, const MatrixXd& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

inline void declare_all_drives(Robot& robot) {
  for (Joint& joint : robot.joints) joint.drive = {true, true, true, true};
}

}  // namespace steelyard
