#include "steelyard/simulate/trajectory.hpp"

#include "simulate/shape.hpp"

namespace steelyard::inline STEELYARD_ABI {

Trajectory::Trajectory(const FourierSeries& series) : shape_(make_shape(series)) {}
Trajectory::Trajectory(const MultiSine& sines) : shape_(make_shape(sines)) {}
Trajectory::Trajectory(const PointToPoint& moves) : shape_(make_shape(moves)) {}
Trajectory::Trajectory(const SampledMotion& samples) : shape_(make_shape(samples)) {}
Trajectory::Trajectory(const RestToRest& motion) : shape_(make_shape(motion)) {}

Index Trajectory::joints() const {
  return shape_->joints();
}

double Trajectory::duration() const {
  return shape_->duration();
}

void Trajectory::evaluate(const double* time, Index count, double* q, double* qd, double* qdd,
                          Index stride) const {
  shape_->evaluate(time, count, {q, qd, qdd, stride});
}

JointState Trajectory::at(double time) const {
  JointState state{VectorXd(joints()), VectorXd(joints()), VectorXd(joints())};
  evaluate(&time, 1, state.q.data(), state.qd.data(), state.qdd.data(), 1);
  return state;
}

}  // namespace steelyard
