// Parts one after the other: a quintic, a Fourier series, a quintic.
#include <array>
#include <utility>
#include <vector>

#include "simulate/lists.hpp"
#include "simulate/shape.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

class Parts : public MotionShape {
 public:
  Parts(std::array<ShapePointer, 3> parts, double lead) : parts_(std::move(parts)), lead_(lead) {}

  Index joints() const override { return parts_[1]->joints(); }
  double duration() const override { return 2 * lead_ + parts_[1]->duration(); }

  void evaluate(const double* time, Index count, const StateTarget& out) const override {
    std::vector<double> local;
    for (Index s = 0; s < count;) {
      const std::size_t part = part_at(time[s]);
      const double begin = part == 0 ? 0.0 : part == 1 ? lead_ : behind();
      const Index first = s;
      local.clear();
      for (; s < count && part_at(time[s]) == part; ++s) local.push_back(time[s] - begin);
      parts_[part]->evaluate(local.data(), s - first,
                             {out.q + first, out.qd + first, out.qdd + first, out.stride});
    }
  }

 private:
  double behind() const { return lead_ + parts_[1]->duration(); }
  std::size_t part_at(double t) const { return t < lead_ ? 0 : t <= behind() ? 1 : 2; }

  std::array<ShapePointer, 3> parts_;
  double lead_;
};

JointState state_at(const MotionShape& shape, double time) {
  const Index n = shape.joints();
  JointState state{VectorXd(n), VectorXd(n), VectorXd(n)};
  shape.evaluate(&time, 1, {state.q.data(), state.qd.data(), state.qdd.data(), 1});
  return state;
}

ShapePointer quintic(const JointState& from, const JointState& to, double time) {
  SampledMotion motion;
  motion.time = VectorXd::LinSpaced(2, 0, time);
  for (MatrixXd* m : {&motion.q, &motion.qd, &motion.qdd}) m->resize(2, from.q.size());
  motion.q << from.q.transpose(), to.q.transpose();
  motion.qd << from.qd.transpose(), to.qd.transpose();
  motion.qdd << from.qdd.transpose(), to.qdd.transpose();
  return make_shape(motion);
}

// Before the series the robot comes from behind, after it it runs on: `side` −1 and +1.
JointState rest(const VectorXd& given, const JointState& end, double lead, double side, const char* name) {
  const Index n = end.q.size();
  JointState state{given, VectorXd::Zero(n), VectorXd::Zero(n)};
  if (given.size() == 0)
    state.q = end.q + (side * lead / 2) * end.qd + (lead * lead / 12) * end.qdd;
  else
    check_matrix(given, n, 1, name);
  return state;
}

}  // namespace

ShapePointer make_shape(const RestToRest& motion) {
  const ShapePointer series = make_shape(motion.series);
  check_number(motion.lead, Bound::positive, "lead-in of the motion");
  const JointState first = state_at(*series, 0), last = state_at(*series, series->duration());
  const JointState start = rest(motion.start, first, motion.lead, -1, "start of the motion");
  const JointState finish = rest(motion.finish, last, motion.lead, 1, "finish of the motion");
  return std::make_shared<Parts>(std::array<ShapePointer, 3>{quintic(start, first, motion.lead), series,
                                                             quintic(last, finish, motion.lead)},
                                 motion.lead);
}

}  // namespace steelyard
