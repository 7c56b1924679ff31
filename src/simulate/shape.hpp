// What the kinds of trajectories have in common.
#pragma once

#include <memory>

#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Where evaluate() puts its results: joint j of sample s at [j * stride + s].
struct StateTarget {
  double* q;
  double* qd;
  double* qdd;
  Index stride;
};

struct MotionShape {
  virtual ~MotionShape() = default;
  virtual Index joints() const = 0;
  virtual double duration() const = 0;
  virtual void evaluate(const double* time, Index count, const StateTarget& out) const = 0;
};

using ShapePointer = std::shared_ptr<const MotionShape>;

ShapePointer make_shape(const FourierSeries& series);
ShapePointer make_shape(const MultiSine& sines);
ShapePointer make_shape(const PointToPoint& moves);
ShapePointer make_shape(const SampledMotion& samples);
ShapePointer make_shape(const RestToRest& motion);

}  // namespace steelyard
