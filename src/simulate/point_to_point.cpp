// Rest-to-rest moves with trapezoidal acceleration, in the share s = 0 … 1 of the way.
//
// Half a move: jerk J for Tj, acceleration J Tj until Ta − Tj, jerk −J until Ta, then velocity V until the
// middle. The other half is its mirror image: s(T − t) = 1 − s(t).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "simulate/lists.hpp"
#include "simulate/shape.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

struct Profile {
  double jerk = 0;
  double ramp = 0;      // Tj
  double speeding = 0;  // Ta
  double cruise = 0;    // time at constant velocity
  double velocity = 0;  // V reached

  double duration() const { return 2 * speeding + cruise; }
};

// The fastest way over the distance 1.
Profile fastest(double V, double A, double J) {
  Profile p;
  p.jerk = J;
  const bool reaches_A = V * J >= A * A;
  p.ramp = reaches_A ? A / J : std::sqrt(V / J);
  p.speeding = reaches_A ? p.ramp + V / A : 2 * p.ramp;
  p.cruise = 1 / V - p.speeding;
  if (p.cruise < 0) {  // too short for V
    p.cruise = 0;
    if (2 * A * A * A <= J * J) {
      p.ramp = A / J;
      p.speeding = p.ramp / 2 + std::sqrt(p.ramp * p.ramp / 4 + 1 / A);
    } else {  // too short for A as well
      p.ramp = std::cbrt(1 / (2 * J));
      p.speeding = 2 * p.ramp;
    }
  }
  p.velocity = p.jerk * p.ramp * (p.speeding - p.ramp);
  return p;
}

// Over the distance 1 in the time T.
Profile timed(double T) {
  Profile p;
  p.speeding = T / 3;
  p.cruise = T - 2 * p.speeding;
  p.ramp = T / 15;
  p.velocity = 1 / (T - p.speeding);
  p.jerk = p.velocity / (p.ramp * (p.speeding - p.ramp));
  return p;
}

struct Share {
  double s, ds, dds;
};

// In the first half of the move.
Share first_half(const Profile& p, double t) {
  const double top = p.jerk * p.ramp;
  if (t < p.ramp) return {p.jerk * t * t * t / 6, p.jerk * t * t / 2, p.jerk * t};
  if (t < p.speeding - p.ramp) {
    return {top * (3 * t * t - 3 * p.ramp * t + p.ramp * p.ramp) / 6, top * (t - p.ramp / 2), top};
  }
  const double rest = p.speeding - t;
  if (rest > 0) {
    return {p.velocity * (p.speeding / 2 - rest) + p.jerk * rest * rest * rest / 6,
            p.velocity - p.jerk * rest * rest / 2, p.jerk * rest};
  }
  return {p.velocity * (p.speeding / 2 - rest), p.velocity, 0};
}

struct Move {
  double begin = 0;
  VectorXd from, to;
  Profile profile;

  double end() const { return begin + profile.duration(); }
};

class Moves : public MotionShape {
 public:
  Moves(std::vector<Move> moves, double duration) : moves_(std::move(moves)), duration_(duration) {}

  Index joints() const override { return moves_.front().from.size(); }
  double duration() const override { return duration_; }

  void evaluate(const double* time, Index count, const StateTarget& out) const override {
    for (Index s = 0; s < count; ++s) put(time[s], s, out);
  }

 private:
  void put(double time, Index at, const StateTarget& out) const {
    const auto after = std::upper_bound(moves_.begin(), moves_.end(), time,
                                        [](double t, const Move& move) { return t < move.begin; });
    const Move& move = after == moves_.begin() ? moves_.front() : *(after - 1);
    const double T = move.profile.duration();
    const double t = std::clamp(time - move.begin, 0.0, T);
    const bool is_first = t <= T / 2;
    const Share share = first_half(move.profile, is_first ? t : T - t);
    for (Index j = 0; j < joints(); ++j) {
      const double way = move.to[j] - move.from[j];
      const Index to = j * out.stride + at;
      out.q[to] = is_first ? move.from[j] + share.s * way : move.to[j] - share.s * way;
      out.qd[to] = share.ds * way;
      out.qdd[to] = is_first ? share.dds * way : -share.dds * way;
    }
  }

  std::vector<Move> moves_;  // by time; at least one
  double duration_;
};

void check_points(const PointToPoint& moves) {
  if (moves.points.size() < 2) {
    throw InputError({fmt::format("a point-to-point motion has {} points", moves.points.size()),
                      {},
                      "at least two points",
                      {}});
  }
  const Index joints = moves.points.front().size();
  if (joints == 0) throw InputError({"a point-to-point motion has points without joints", {}, {}, {}});
  for (std::size_t i = 0; i < moves.points.size(); ++i) {
    check_matrix(moves.points[i], joints, 1, fmt::format("point {}", i + 1));
  }
}

VectorXd dwell_times(const PointToPoint& moves) {
  const Index points = static_cast<Index>(moves.points.size());
  const Index given = moves.dwell.size();
  if (given > 1 && given != points) {
    throw InputError({fmt::format("{} dwell times are given for {} points", given, points),
                      {},
                      "none, one for all points, or one per point",
                      {}});
  }
  for (Index i = 0; i < given; ++i) check_number(moves.dwell[i], Bound::not_negative, "dwell time");
  if (given == points) return moves.dwell;
  return VectorXd::Constant(points, given == 1 ? moves.dwell[0] : 0.0);
}

// Moves with given times; a move that goes nowhere takes its time, too.
ShapePointer timed_moves(const PointToPoint& given, const VectorXd& dwell) {
  const Index count = static_cast<Index>(given.points.size()) - 1;
  if (given.velocity.size() + given.acceleration.size() + given.jerk.size() > 0)
    throw InputError({"a point-to-point motion has both times and limits", {}, "one of them", {}});
  const VectorXd time = per_joint(given.time, count, 0, Bound::positive, "time of a move");
  std::vector<Move> moves;
  double now = dwell[0];
  for (Index i = 0; i < count; ++i) {
    const auto& from = given.points[static_cast<std::size_t>(i)];
    const auto& to = given.points[static_cast<std::size_t>(i) + 1];
    moves.push_back({now, from, to, timed(time[i])});
    now = moves.back().end() + dwell[i + 1];
  }
  return std::make_shared<Moves>(std::move(moves), now);
}

// min_j limit_j / |way_j|: the limit of s.
double share_limit(const VectorXd& limit, const VectorXd& way) {
  double shortest = std::numeric_limits<double>::infinity();
  for (Index j = 0; j < way.size(); ++j) {
    if (way[j] != 0) shortest = std::min(shortest, limit[j] / std::abs(way[j]));
  }
  return shortest;
}

}  // namespace

ShapePointer make_shape(const PointToPoint& given) {
  check_points(given);
  const VectorXd dwell = dwell_times(given);
  if (given.time.size() > 0) return timed_moves(given, dwell);
  const Index joints = given.points.front().size();
  const auto limit = [joints](const VectorXd& list, const char* name) {
    if (list.size() == 0) {
      throw InputError(
          {fmt::format("a point-to-point motion has no {}", name), {}, {}, "give one per joint"});
    }
    return per_joint(list, joints, 0, Bound::positive, name);
  };
  const VectorXd velocity = limit(given.velocity, "velocity limit");
  const VectorXd acceleration = limit(given.acceleration, "acceleration limit");
  const VectorXd jerk =
      given.jerk.size() == 0 ? VectorXd(10 * acceleration) : limit(given.jerk, "jerk limit");
  std::vector<Move> moves;
  double now = dwell[0];
  for (std::size_t i = 1; i < given.points.size(); ++i) {
    const VectorXd way = given.points[i] - given.points[i - 1];
    if (way.cwiseAbs().maxCoeff() > 0) {
      moves.push_back(
          {now, given.points[i - 1], given.points[i],
           fastest(share_limit(velocity, way), share_limit(acceleration, way), share_limit(jerk, way))});
      now = moves.back().end();
    }
    now += dwell[static_cast<Index>(i)];
  }
  if (moves.empty()) {
    throw InputError(
        {"all points of a point-to-point motion are the same", {}, {}, "give points that differ"});
  }
  check_number(now, Bound::positive, "duration of the point-to-point motion");
  return std::make_shared<Moves>(std::move(moves), now);
}

}  // namespace steelyard
