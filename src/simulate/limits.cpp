#include "simulate/limits.hpp"

#include <fmt/format.h>

#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// A motion planned up to the limit may pass it by rounding.
constexpr double kSlack = 1e-9;

bool is_within(double value, double lower, double upper) {
  return value >= lower - kSlack * std::abs(lower) && value <= upper + kSlack * std::abs(upper);
}

struct Quantity {
  const char* name;
  double value, lower, upper;
};

[[noreturn]] void refuse(const Quantity& x, double time, const std::string& joint) {
  const std::string limit =
      x.value < x.lower ? fmt::format("at least {}", x.lower) : fmt::format("at most {}", x.upper);
  throw InputError(
      {fmt::format("the motion exceeds the joint's limits: {} {:.6g} at t = {:.6g} s", x.name, x.value, time),
       {{}, 0, 0, joint},
       limit,
       "choose a smaller or slower motion, or simulate without checking limits"});
}

}  // namespace

LimitCheck::LimitCheck(const Robot& robot) : coordinates_(coordinates(robot)) {
  for (const Joint& joint : robot.joints) {
    names_.push_back(joint.name);
    limits_.push_back(joint.limits);
  }
}

void LimitCheck::operator()(const VectorXd& time, const States& states, Index from) const {
  const MatrixXd& matrix = coordinates_.matrix;
  for (Index s = from; s < time.size(); ++s) {
    for (Index i = 0; i < matrix.rows(); ++i) {
      double q = coordinates_.offset[i], qd = 0, qdd = 0;
      for (Index a = 0; a < matrix.cols(); ++a) {
        if (matrix(i, a) == 0) continue;
        q += matrix(i, a) * states.q(s, a);
        qd += matrix(i, a) * states.qd(s, a);
        qdd += matrix(i, a) * states.qdd(s, a);
      }
      const Limits& l = limits_[static_cast<std::size_t>(i)];
      for (const Quantity& x :
           {Quantity{"position", q, l.lower, l.upper}, Quantity{"velocity", qd, -l.velocity, l.velocity},
            Quantity{"acceleration", qdd, -l.acceleration, l.acceleration}}) {
        if (!is_within(x.value, x.lower, x.upper)) refuse(x, time[s], names_[static_cast<std::size_t>(i)]);
      }
    }
  }
}

}  // namespace steelyard
