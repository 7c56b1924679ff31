#include "steelyard/log/transmission.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void check(const Transmission& transmission, Index joints, const std::string& name) {
  const MatrixXd& n = transmission.matrix;
  if (!transmission.is_given()) {
    throw InputError(
        {fmt::format("the log has the channel {}, but the robot has no transmission", quoted(name)),
         {},
         {},
         "give the robot a transmission, or use the joint-side name of the channel"});
  }
  const bool fits = n.rows() == joints && n.cols() == joints &&
                    (transmission.zero.size() == joints || transmission.zero.size() == 0);
  if (!fits) {
    throw InputError(
        {fmt::format("the transmission is {} × {}, the log has {} joints", n.rows(), n.cols(), joints),
         {},
         {},
         "give one row and one column per joint"});
  }
}

}  // namespace

void to_joint_side(const Transmission& transmission, SampleBlock& block) {
  for (std::size_t c = 0; c < block.channels().size(); ++c) {
    const std::string name = block.channels()[c];
    if (!name.starts_with(channel::kMotor)) continue;
    const std::string own = name.substr(channel::kMotor.size());
    const bool is_position = own == channel::kPosition;
    const bool is_torque = own == channel::kTorque;
    const bool is_known =
        is_position || is_torque || own == channel::kVelocity || own == channel::kAcceleration;
    if (!is_known || block.find(own) >= 0) continue;
    check(transmission, block.joints(), name);
    MatrixXd matrix = transmission.matrix.transpose();
    if (!is_torque) {
      const PivotedLu lu(transmission.matrix);
      if (!lu.is_invertible()) {
        throw InputError(
            {"the transmission matrix is singular", {}, "an invertible matrix", "check the gear ratios"});
      }
      matrix = lu.inverse();
    }
    block.rename(static_cast<Index>(c), own);
    Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>> values(
        block.row(static_cast<Index>(c)), block.size(), block.joints(), Eigen::OuterStride<>(block.stride()));
    // Plain sums in the order of the joints: the bytes must not depend on the number of samples in the block.
    const MatrixXd before = values;
    for (Index j = 0; j < block.joints(); ++j) {
      const bool shifted = is_position && transmission.zero.size() > 0;
      values.col(j).setConstant(shifted ? transmission.zero(j) : 0);
      for (Index k = 0; k < block.joints(); ++k) {
        if (matrix(j, k) != 0) values.col(j) += matrix(j, k) * before.col(k);
      }
    }
  }
}

}  // namespace steelyard
