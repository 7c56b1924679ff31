// Engines that die, hang or refuse: each is an error with the engine's name, and this process goes on.
#include "engines/child_world.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <thread>

#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

enum class Mood { well, refuses, aborts, crashes, exits, hangs };

// Two joints; what is asked of it comes back changed in a known way.
class Moody : public World {
 public:
  explicit Moody(Mood mood) : mood_(mood) {}

  void set_state(const double* q, const double* qd) override {
    for (int j = 0; j < 2; ++j) q_[j] = q[j], qd_[j] = qd[j];
  }
  void state(double* q, double* qd) const override {
    for (int j = 0; j < 2; ++j) q[j] = q_[j], qd[j] = qd_[j];
  }
  void step(const double* effort, double seconds) override {
    for (int j = 0; j < 2; ++j) qd_[j] += effort[j] * seconds;
  }
  bool inverse(const double* q, const double* qd, const double* qdd, double* effort) override {
    switch (mood_) {
      case Mood::well:
        break;
      case Mood::refuses:
        throw std::runtime_error("not this\nstate");
      case Mood::aborts:
        std::abort();
      case Mood::crashes:
        std::raise(SIGSEGV);
        break;
      case Mood::exits:
        std::exit(0);
      case Mood::hangs:
        std::this_thread::sleep_for(std::chrono::minutes(1));
        break;
    }
    for (int j = 0; j < 2; ++j) effort[j] = q[j] + 10 * qd[j] + 100 * qdd[j];
    return true;
  }
  void drive(const double* velocity, double seconds, double* effort) override {
    for (int j = 0; j < 2; ++j) effort[j] = velocity[j] / seconds;
  }
  WorldFrame pose(int link) override {
    WorldFrame frame;
    frame.rotation(0, 1) = link;
    frame.position = Vector3(1, 2, 3);
    return frame;
  }

 private:
  Mood mood_;
  double q_[2] = {}, qd_[2] = {};
};

std::string message_of(Mood mood, double seconds = 60) {
  const auto world = child_world([&] { return new Moody(mood); }, 2, "moody", seconds);
  const double zero[2] = {};
  double effort[2];
  try {
    world->inverse(zero, zero, zero, effort);
  } catch (const MachineError& error) {
    return std::string("machine: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("refused: ") + error.what();
  }
  return "";
}

TEST(ChildWorld, GivesWhatTheWorldGives) {
  const auto world = child_world([] { return new Moody(Mood::well); }, 2, "moody");
  const double q[] = {0.1, -std::numeric_limits<double>::denorm_min()}, qd[] = {1.0 / 3, 1e300},
               qdd[] = {2, 3};
  double effort[2], there[2], moving[2];
  EXPECT_TRUE(world->inverse(q, qd, qdd, effort));
  EXPECT_EQ(effort[0], q[0] + 10 * qd[0] + 100 * qdd[0]);
  EXPECT_FALSE(world->dry_friction(q, qd, qdd, effort));
  world->set_state(q, qd);
  world->step(qdd, 0.5);
  world->state(there, moving);
  EXPECT_EQ(there[0], q[0]);
  EXPECT_EQ(there[1], q[1]);
  EXPECT_EQ(moving[0], qd[0] + 1);
  world->drive(qdd, 0.25, effort);
  EXPECT_EQ(effort[1], 12);
  const WorldFrame frame = world->pose(5);
  EXPECT_EQ(frame.rotation(0, 1), 5);
  EXPECT_EQ(frame.rotation(1, 0), 0);
  EXPECT_EQ(frame.position, Vector3(1, 2, 3));
}

TEST(ChildWorld, WhatItRefusesIsThrown) {
  EXPECT_EQ(message_of(Mood::refuses), "refused: not this state");
  const auto refusal = [] {
    return child_world([]() -> World* { throw std::runtime_error("no"); }, 2, "moody");
  };
  EXPECT_THROW(refusal(), std::runtime_error);
}

TEST(ChildWorld, OneThatDiesIsTheMachinesFaultWithItsName) {
  EXPECT_THAT(message_of(Mood::aborts),
              AllOf(HasSubstr("machine: "), HasSubstr("the engine 'moody'"),
                    HasSubstr("terminated by signal 6"), HasSubstr("leave this engine out")));
  EXPECT_THAT(message_of(Mood::exits), AllOf(HasSubstr("machine: "), HasSubstr("exited with code 0")));
  EXPECT_THAT(message_of(Mood::crashes), AllOf(HasSubstr("machine: "), HasSubstr("terminated by signal 11")));
}

TEST(ChildWorld, OneThatHangsIsEnded) {
  EXPECT_THAT(message_of(Mood::hangs, 0.2),
              AllOf(HasSubstr("machine: "), HasSubstr("did not answer within 0.2 s")));
}

}  // namespace
}  // namespace steelyard
