// What the simulator refuses, and that it reports why.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "cases.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

using cases::one;
using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The text of the InputError that `fn` must throw.
std::string complaint(const std::function<void()>& fn) {
  try {
    fn();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

struct Panda {
  Robot robot = cases::robot("panda");
  TrueParameters truth = true_parameters(robot);
  FourierSeries series = cases::panda_series();
  SimulateOptions options;

  std::string refusal() const {
    return complaint([this] { Simulator(robot, truth, series, options); });
  }
};

TEST(SimulateOptions, RefuseNumbersWithoutMeaning) {
  const auto refusal = [](const std::function<void(SimulateOptions&)>& change) {
    Panda panda;
    change(panda.options);
    return panda.refusal();
  };
  EXPECT_THAT(refusal([](auto& o) { o.rate = 0; }), HasSubstr("sample rate is 0"));
  EXPECT_THAT(refusal([](auto& o) { o.rate = kNan; }), HasSubstr("sample rate is nan"));
  EXPECT_THAT(refusal([](auto& o) { o.rate = 1e18; }), HasSubstr("too many samples"));
  EXPECT_THAT(refusal([](auto& o) { o.samples = -1; }), HasSubstr("-1 samples"));
  EXPECT_THAT(refusal([](auto& o) { o.delay = -1e-3; }), HasSubstr("delay of the efforts is -0.001"));
  EXPECT_THAT(refusal([](auto& o) { o.jitter = 5e-4; }), HasSubstr("less than half a period, 0.0005 s"));
  EXPECT_THAT(refusal([](auto& o) { o.jitter = o.stamp_noise = 3e-4; }), HasSubstr("half a period"));
  EXPECT_THAT(refusal([](auto& o) { o.repeat = 1; }), HasSubstr("0 … 0.9"));
  EXPECT_THAT(refusal([](auto& o) { o.position_noise = VectorXd::Zero(6); }),
              HasSubstr("position noise has 6 numbers for 7 joints"));
  EXPECT_THAT(refusal([](auto& o) { o.effort_noise = one(kInfinity); }), HasSubstr("effort noise is inf"));
  EXPECT_THAT(refusal([](auto& o) { o.quantum = -VectorXd::Ones(7); }),
              HasSubstr("encoder step of joint 1 is -1"));
  EXPECT_THAT(refusal([](auto& o) { o.payload = Inertia(); }), HasSubstr("payload"));
  EXPECT_THAT(refusal([](auto& o) { o.motor_side = true; }), HasSubstr("'panda' has no transmission"));
}

TEST(TrueParameters, AreCheckedAgainstTheRobot) {
  const auto refusal = [](const std::function<void(TrueParameters&)>& change) {
    Panda panda;
    change(panda.truth);
    return panda.refusal();
  };
  EXPECT_THAT(refusal([](auto& t) { t.standard.conservativeResize(69); }), HasSubstr("69 × 1"));
  EXPECT_THAT(refusal([](auto& t) { t.standard[4] = kNan; }), HasSubstr("nan"));
  EXPECT_THAT(refusal([](auto& t) { t.drives.pop_back(); }), HasSubstr("6 drives"));
  EXPECT_THAT(refusal([](auto& t) { t.pairs.resize(1); }), HasSubstr("1 coupled pairs"));
  EXPECT_THAT(refusal([](auto& t) { t.drives[2].gain = 0; }), HasSubstr("panda_joint3"));
  EXPECT_THAT(refusal([](auto& t) { t.drives[1].friction.viscous = kInfinity; }),
              HasSubstr("viscous friction of joint 'panda_joint2' is inf"));
  EXPECT_THAT(refusal([](auto& t) { t.drives[1].friction.stribeck_velocity = 0; }),
              HasSubstr("Stribeck velocity"));
  EXPECT_THAT(complaint([] { true_parameters(cases::robot("ur10")); }), HasSubstr("shoulder"));
}

TEST(Trajectory, RefusesWhatIsNoMotion) {
  Panda panda;
  panda.series.b.conservativeResize(4, 7);
  EXPECT_THAT(panda.refusal(), HasSubstr("b of the Fourier series has 4 × 7 numbers"));
  panda = {};
  panda.series.omega = 0;
  EXPECT_THAT(panda.refusal(), HasSubstr("ω of the Fourier series is 0"));
  panda = {};
  panda.series.q0[2] = kNan;
  EXPECT_THAT(panda.refusal(), HasSubstr("nan"));
  EXPECT_THAT(complaint([] {
                const Panda p;
                Simulator(p.robot, p.truth, cases::motion(6, 1), p.options);
              }),
              HasSubstr("the motion has 6 joints, the robot 'panda' has 7"));
}

TEST(PointToPoint, RefusesWhatIsNoMotion) {
  PointToPoint good;
  good.points = {VectorXd::Zero(2), VectorXd::Ones(2)};
  good.velocity = good.acceleration = VectorXd::Ones(2);
  const auto refusal = [&good](const std::function<void(PointToPoint&)>& change) {
    PointToPoint moves = good;
    change(moves);
    return complaint([&moves] { Trajectory motion(moves); });
  };
  EXPECT_THAT(refusal([](auto& m) { m.points.pop_back(); }), HasSubstr("1 points"));
  EXPECT_THAT(refusal([](auto& m) { m.points[1] = m.points[0]; }), HasSubstr("all points"));
  EXPECT_THAT(refusal([](auto& m) { m.points[1].resize(3); }), HasSubstr("point 2 has 3 × 1 numbers"));
  EXPECT_THAT(refusal([](auto& m) { m.velocity.resize(0); }), HasSubstr("no velocity limit"));
  EXPECT_THAT(refusal([](auto& m) { m.velocity[1] = 0; }), HasSubstr("velocity limit of joint 2 is 0"));
  EXPECT_THAT(refusal([](auto& m) { m.acceleration[0] = kInfinity; }), HasSubstr("acceleration limit"));
  EXPECT_THAT(refusal([](auto& m) { m.jerk = VectorXd::Ones(3); }), HasSubstr("3 numbers for 2 joints"));
  EXPECT_THAT(refusal([](auto& m) { m.dwell = VectorXd::Ones(3); }),
              HasSubstr("3 dwell times are given for 2"));
  EXPECT_THAT(refusal([](auto& m) { m.dwell = -VectorXd::Ones(1); }), HasSubstr("dwell time is -1"));
}

TEST(SampledMotion, RefusesWhatIsNoMotion) {
  SampledMotion samples;
  samples.time = VectorXd::LinSpaced(3, 0, 1);
  samples.q = MatrixXd::Zero(3, 2);
  const auto refusal = [&samples] { return complaint([&samples] { Trajectory motion(samples); }); };
  EXPECT_THAT(refusal(), HasSubstr("3 samples of 2 joints"));
  samples.time = (VectorXd(5) << 0, 1, 1, 2, 3).finished();
  samples.q = MatrixXd::Zero(5, 2);
  EXPECT_THAT(refusal(), HasSubstr("1 after 1 at sample 3"));
  const steelyard::Run run{{}, SampleBlock({"torque"}, 2, 5)};
  EXPECT_THAT(complaint([&run] { sampled_motion(run); }), HasSubstr("no channel 'position'"));
}

TEST(RandomMultiSine, RefusesWhatIsNoMotion) {
  RandomMotion options;
  EXPECT_THAT(complaint([&] { random_multi_sine(options, 1); }), HasSubstr("0 joints"));
  options.center = VectorXd::Zero(2);
  options.reach = VectorXd::Ones(2);
  options.reach[1] = 0;
  EXPECT_THAT(complaint([&] { random_multi_sine(options, 1); }), HasSubstr("reach of joint 2 is 0"));
}

// Joint 4 goes from −1.5 to 0: beyond −0.0698 rad from a known time on.
TEST(Limits, AreNamedWithJointTimeAndLimit) {
  Panda panda;
  PointToPoint moves;
  VectorXd from = cases::panda_series().q0, to = from;
  from[3] = -1.5;
  to[3] = 0;
  moves.points = {from, to};
  moves.velocity = one(1);
  moves.acceleration = one(1);
  const Trajectory motion(moves);
  double beyond = 0;
  while (motion.at(beyond).q[3] <= -0.0698) beyond += 0.001;
  for (const int threads : {1, 4}) {
    panda.options.threads = threads;
    const std::string text = complaint([&] { simulate(panda.robot, panda.truth, motion, panda.options); });
    EXPECT_THAT(text, HasSubstr("'panda_joint4'"));
    EXPECT_THAT(text, HasSubstr("position -0.069"));
    EXPECT_THAT(text, HasSubstr("at most -0.0698"));
    char time[32];
    std::snprintf(time, sizeof time, "at t = %.6g s", beyond);
    EXPECT_THAT(text, HasSubstr(time));
  }
  panda.options.check_limits = false;
  EXPECT_NO_THROW(simulate(panda.robot, panda.truth, motion, panda.options));
}

TEST(Limits, OfVelocityAndAccelerationHoldToo) {
  Panda panda;
  panda.series.a *= 4;
  EXPECT_THAT(complaint([&] { simulate(panda.robot, panda.truth, panda.series, panda.options); }),
              testing::AnyOf(HasSubstr("velocity"), HasSubstr("position")));
  PointToPoint moves;
  const VectorXd from = cases::panda_series().q0;
  moves.points = {from, from + 0.5 * VectorXd::Ones(7)};
  moves.velocity = one(2.175);
  moves.acceleration = (VectorXd(7) << 15, 7.5, 10, 12.5, 15, 20, 20).finished();
  EXPECT_NO_THROW(simulate(panda.robot, panda.truth, moves, panda.options));  // exactly at the limit
  moves.acceleration *= 1.01;
  EXPECT_THAT(complaint([&] { simulate(panda.robot, panda.truth, moves, panda.options); }),
              testing::AllOf(HasSubstr("panda_joint2"), HasSubstr("acceleration"), HasSubstr("at most 7.5")));
}

}  // namespace
}  // namespace steelyard
