// Noise, encoders, clocks: their statistics, and that they depend on the sample's number alone.
#include <gtest/gtest.h>

#include <cmath>

#include "cases.hpp"
#include "oracle/random_robot.hpp"

namespace steelyard {
namespace {

using cases::one;
using cases::row;

struct Arm {
  Robot robot = oracle::random_robot(3, {.joints = 4, .prismatic_share = 0});
  TrueParameters truth = true_parameters(robot);
  SimulateOptions options;

  Arm() {
    options.rate = 1000;
    options.check_limits = false;
    for (Drive& drive : truth.drives) drive.friction.coulomb = 0.5;
  }
  steelyard::Run run() const { return simulate(robot, truth, cases::motion(4, 3, 30), options); }
};

// Mean, standard deviation and correlations of what should be white: standard deviations of the estimates are
// 1/√n for the mean and for correlations, 1/√(2n) for σ; five of them are exceeded once in two million.
void expect_white(const VectorXd& noise, double sigma) {
  const double n = static_cast<double>(noise.size());
  EXPECT_LT(std::abs(noise.mean()), 5 * sigma / std::sqrt(n));
  const double deviation = noise.norm() / std::sqrt(n);
  EXPECT_NEAR(deviation, sigma, 5 * sigma / std::sqrt(2 * n));
  for (Index lag = 1; lag <= 10; ++lag) {
    const double correlation =
        noise.head(noise.size() - lag).dot(noise.tail(noise.size() - lag)) / noise.squaredNorm();
    EXPECT_LT(std::abs(correlation), 5 / std::sqrt(n)) << lag;
  }
}

TEST(Noise, OfPositionsAndEffortsIsWhiteWithItsDeviation) {
  Arm arm;
  const steelyard::Run clean = arm.run();
  arm.options.position_noise = one(1e-3);
  arm.options.effort_noise = (VectorXd(4) << 0.1, 0.2, 0.3, 0.4).finished();
  const steelyard::Run noisy = arm.run();
  ASSERT_EQ(noisy.samples.size(), 30001);
  MatrixXd all(30001, 8);
  for (Index j = 0; j < 4; ++j) {
    SCOPED_TRACE(j);
    all.col(j) = row(noisy, "position", j) - row(clean, "position", j);
    all.col(4 + j) = row(noisy, "torque", j) - row(clean, "torque", j);
    expect_white(all.col(j), 1e-3);
    expect_white(all.col(4 + j), 0.1 * static_cast<double>(j + 1));
    EXPECT_EQ(row(noisy, "velocity", j), row(clean, "velocity", j));
  }
  for (Index a = 0; a < 8; ++a) {
    for (Index b = 0; b < a; ++b) {
      const double correlation = all.col(a).dot(all.col(b)) / (all.col(a).norm() * all.col(b).norm());
      EXPECT_LT(std::abs(correlation), 5 / std::sqrt(30001.0)) << a << " " << b;
    }
  }
}

TEST(Noise, RelativeToTheRmsOfEachJoint) {
  Arm arm;
  const steelyard::Run clean = arm.run();
  arm.options.relative_effort_noise = one(0.05);
  arm.options.effort_noise = (VectorXd(4) << 0, 0, 0, 1).finished();
  const Simulator simulator(arm.robot, arm.truth, cases::motion(4, 3, 30), arm.options);
  const steelyard::Run noisy = arm.run();
  for (Index j = 0; j < 4; ++j) {
    const VectorXd tau = row(clean, "torque", j);
    const double share = 0.05 * tau.norm() / std::sqrt(static_cast<double>(tau.size()));
    const double sigma = j == 3 ? std::hypot(share, 1) : share;
    EXPECT_NEAR(simulator.effort_deviation()[j], sigma, 1e-12 * sigma);
    expect_white(row(noisy, "torque", j) - tau, sigma);
  }
}

TEST(Noise, DependsOnTheSeed) {
  Arm arm;
  arm.options.effort_noise = one(0.1);
  const steelyard::Run first = arm.run();
  arm.options.seed = 2;
  const steelyard::Run second = arm.run();
  const VectorXd difference = row(second, "torque", 1) - row(first, "torque", 1);
  expect_white(difference, 0.1 * std::sqrt(2));
}

SimulateOptions everything() {
  SimulateOptions options;
  options.rate = 1000;
  options.check_limits = false;
  options.velocity = VelocityChannel::from_positions;
  options.acceleration = true;
  options.unsigned_effort = true;
  options.position_noise = one(1e-4);
  options.quantum = one(1e-5);
  options.relative_effort_noise = one(0.02);
  options.delay = 0.0037;
  options.jitter = 1e-4;
  options.stamp_noise = 5e-5;
  options.repeat = 0.2;
  return options;
}

TEST(Simulator, GivesTheSameBytesForEveryRangeAndNumberOfThreads) {
  Arm arm;
  arm.options = everything();
  const steelyard::Run whole = arm.run();
  for (const int threads : {1, 2, 5}) {
    arm.options.threads = threads;
    const Simulator simulator(arm.robot, arm.truth, cases::motion(4, 3, 30), arm.options);
    SampleBlock part;
    for (const auto& [first, count] :
         {std::pair<Index, Index>{0, 30001}, {0, 1}, {1, 3}, {255, 2}, {4095, 2}, {777, 9001}, {30000, 1}}) {
      SCOPED_TRACE(std::to_string(first) + " + " + std::to_string(count));
      simulator.read(first, count, part);
      ASSERT_EQ(part.size(), count);
      cases::expect_same_bytes(whole.samples, part, first);
    }
  }
}

TEST(Simulator, StreamsTheSameBytes) {
  Arm arm;
  arm.options = everything();
  const steelyard::Run whole = arm.run();
  for (const Index step : {1000, 4096, 7777}) {
    const auto source =
        simulated_source(Simulator(arm.robot, arm.truth, cases::motion(4, 3, 30), arm.options));
    SampleBlock block;
    Index first = 0;
    for (int pass = 0; pass < 2; ++pass) {
      source->rewind();
      first = 0;
      for (source->read(step, block); block.size() > 0; source->read(step, block)) {
        cases::expect_same_bytes(whole.samples, block, first);
        first += block.size();
      }
      EXPECT_EQ(first, 30001);
    }
  }
}

TEST(Encoder, GivesMultiplesOfItsStepNearestToTheTruth) {
  Arm arm;
  const steelyard::Run clean = arm.run();
  const double step = 0x1p-12;  // a power of two, so that multiples are exact
  arm.options.quantum = (VectorXd(4) << step, step, 0, step).finished();
  const steelyard::Run coarse = arm.run();
  for (const Index j : {0, 1, 3}) {
    const VectorXd q = row(coarse, "position", j), counts = q / step;
    EXPECT_EQ(counts, counts.array().round().matrix());
    EXPECT_LE((q - row(clean, "position", j)).cwiseAbs().maxCoeff(), step / 2);
    EXPECT_GT((q - row(clean, "position", j)).cwiseAbs().maxCoeff(), step / 4);
  }
  EXPECT_EQ(row(coarse, "position", 2), row(clean, "position", 2));
}

TEST(Encoder, VelocitiesFromPositionsAreDifferencesOfTheLoggedOnes) {
  Arm arm;
  arm.options.velocity = VelocityChannel::from_positions;
  arm.options.quantum = one(1e-4);
  arm.options.position_noise = one(1e-4);
  const steelyard::Run run = arm.run();
  const VectorXd q = row(run, "position", 2), v = row(run, "velocity", 2);
  const Index n = q.size() - 1;
  const Eigen::Map<const VectorXd> time(run.samples.time(), q.size());
  const VectorXd wanted = (q.tail(n) - q.head(n)).cwiseQuotient(time.tail(n) - time.head(n));
  EXPECT_EQ(v.tail(n), wanted);
  EXPECT_LT(std::abs(v[0]), 10);  // from the sample before the first one
}

TEST(Encoder, VelocitiesMayBeAbsent) {
  Arm arm;
  arm.options.velocity = VelocityChannel::none;
  EXPECT_EQ(arm.run().samples.channels(), (std::vector<std::string>{"position", "torque"}));
}

TEST(Effort, DelayShiftsItAndNothingElse) {
  Arm arm;
  for (Drive& drive : arm.truth.drives) drive.friction.coulomb = 0;  // signs may flip a sample early
  const steelyard::Run prompt = arm.run();
  arm.options.delay = 0.025;
  const steelyard::Run late = arm.run();
  const Index n = prompt.samples.size() - 25;
  for (Index j = 0; j < 4; ++j) {
    const VectorXd tau = row(prompt, "torque", j);
    // Roundings of the time: eps · 30 s · dτ/dt.
    EXPECT_LT((row(late, "torque", j).tail(n) - tau.head(n)).cwiseAbs().maxCoeff(),
              1e-13 * (1 + tau.cwiseAbs().maxCoeff()));
    EXPECT_EQ(row(late, "position", j), row(prompt, "position", j));
    EXPECT_EQ(row(late, "velocity", j), row(prompt, "velocity", j));
  }
}

TEST(Effort, AScaleThatIsOffMultipliesItsJointNoiseIncluded) {
  Arm arm;
  arm.options.relative_effort_noise = one(0.1);
  const steelyard::Run right = arm.run();
  arm.options.effort_scale = VectorXd::Ones(4);
  arm.options.effort_scale[2] = 1.25;  // exact in binary
  const steelyard::Run wrong = arm.run();
  for (Index j = 0; j < 4; ++j)
    EXPECT_EQ(row(wrong, "torque", j), (j == 2 ? 1.25 : 1.0) * row(right, "torque", j));
}

TEST(Effort, AbsoluteValueIsTakenAfterTheNoise) {
  Arm arm;
  const steelyard::Run clean = arm.run();
  arm.options.relative_effort_noise = one(0.3);
  const steelyard::Run with_signs = arm.run();
  arm.options.unsigned_effort = true;
  const steelyard::Run without = arm.run();
  for (Index j = 0; j < 4; ++j) {
    EXPECT_EQ(row(without, "torque", j), row(with_signs, "torque", j).cwiseAbs());
    EXPECT_GE(row(without, "torque", j).minCoeff(), 0);
    // Noise on |τ| instead would be the same noise where τ < 0, not its mirror image.
    const VectorXd other =
        (row(clean, "torque", j).cwiseAbs() + row(with_signs, "torque", j) - row(clean, "torque", j))
            .cwiseAbs();
    if (row(clean, "torque", j).minCoeff() < 0) {
      EXPECT_NE(row(without, "torque", j), other);
    }
  }
}

TEST(Clock, JitteredInstantsHaveTrueStamps) {
  Arm arm;
  arm.options.jitter = 4e-4;
  const steelyard::Run run = arm.run();
  const Trajectory motion(cases::motion(4, 3, 30));
  double largest = 0;
  for (Index s = 0; s < run.samples.size(); ++s) {
    const double t = run.samples.time()[s], off = t - static_cast<double>(s) / 1000;
    EXPECT_LE(std::abs(off), 4e-4 + 1e-14);
    if (s > 0) {
      EXPECT_GT(t, run.samples.time()[s - 1]);
    }
    largest = std::max(largest, std::abs(off));
    if (s % 1000 == 0) {
      EXPECT_EQ(cases::at(run, "position", s), motion.at(t).q);
    }
  }
  EXPECT_GT(largest, 3.9e-4);
}

TEST(Clock, NoisyStampsBelongToRegularInstants) {
  Arm arm;
  const steelyard::Run regular = arm.run();
  arm.options.stamp_noise = 4e-4;
  const steelyard::Run run = arm.run();
  VectorXd off(run.samples.size());
  for (Index s = 0; s < run.samples.size(); ++s) {
    off[s] = run.samples.time()[s] - regular.samples.time()[s];
    if (s > 0) {
      EXPECT_GT(run.samples.time()[s], run.samples.time()[s - 1]);
    }
  }
  expect_white(off, 4e-4 / std::sqrt(3.0));  // of a uniform number
  for (Index j = 0; j < 4; ++j) EXPECT_EQ(row(run, "torque", j), row(regular, "torque", j));
}

TEST(Clock, RepeatedSamplesHaveTheValuesOfTheOneBefore) {
  Arm arm;
  arm.options.effort_noise = one(0.1);
  const steelyard::Run plain = arm.run();
  arm.options.repeat = 0.3;
  const steelyard::Run run = arm.run();
  Index repeated = 0;
  for (Index s = 1; s < run.samples.size(); ++s) {
    const bool is_same = cases::at(run, "torque", s) == cases::at(run, "torque", s - 1);
    EXPECT_EQ(is_same, cases::at(run, "position", s) == cases::at(run, "position", s - 1));
    if (!is_same) {
      EXPECT_EQ(cases::at(run, "torque", s), cases::at(plain, "torque", s));
    }
    repeated += is_same;
  }
  const double n = static_cast<double>(run.samples.size());
  EXPECT_NEAR(static_cast<double>(repeated) / n, 0.3, 5 * std::sqrt(0.3 * 0.7 / n));
  EXPECT_TRUE(cases::same_bytes(run.samples.time(), plain.samples.time(), run.samples.size()));
}

}  // namespace
}  // namespace steelyard
