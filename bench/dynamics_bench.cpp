// Forward dynamics, inverse dynamics and M against one inverse dynamics call of KDL on a 7-joint Panda.
//
//   dynamics_bench [--json] [--repeats N]
//
// A Panda, a chain and a tree of 30 random revolute joints. One thread, CPU time; ours and KDL's calls alternate,
// medians and quartiles; all numbers in ns per sample, and their ratio to the KDL call beside the goal. Goals are
// of the best instruction set. `robot`: the functions of a tree, which take the parameters with every call;
// `plan`: DynamicsPlan, one sample a call; `batch`: 64 samples a call; `loop`: a step of a closed loop with dry
// friction, four forward and one inverse dynamics.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "clock.hpp"
#include "kdl_reference.hpp"
#include "oracle/random_robot.hpp"
#include "panda_robot.hpp"
#include "statistics.hpp"
#include "steelyard/core/isa.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/simulate/closed_loop.hpp"

namespace {

using namespace steelyard;

constexpr IsaLevel kIsaLevels[] = {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512};
constexpr Index kBatch = 64;

struct Measurement {
  std::string robot, what, form;
  double goal = 0;  // KDL calls; 0: none
  Spread time, kdl;

  double ratio() const { return time.median / kdl.median; }
};

Robot random_revolute(bool branches) {
  return oracle::random_robot(17, {30, branches, 0, oracle::Geometry::modified_dh, false});
}

// A robot, its samples, and KDL's Panda on samples of its own.
class Contest {
 public:
  Contest(std::string name, const Robot& robot)
      : name_(std::move(name)),
        robot_(robot),
        tree_(compile(robot)),
        parameters_(standard_parameters(robot)),
        plan_(tree_, parameters_) {
    const int n = robot.size();
    oracle::Random random(5);
    for (MatrixXd* channel : {&q_, &qd_, &qdd_, &tau_, &out_}) channel->resize(kBatch, n);
    panda_.resize(kBatch, 21);
    for (Index s = 0; s < kBatch; ++s) {
      const oracle::State x = oracle::random_state(random, n);
      q_.row(s) = x.q.transpose(), qd_.row(s) = x.qd.transpose(), qdd_.row(s) = x.qdd.transpose();
      panda_.row(s) = random.joint_vector(21, 2).transpose();
    }
    plan_.inverse({q_.data(), qd_.data(), qdd_.data(), kBatch, kBatch}, tau_.data(), kBatch);
    for (Index s = 0; s < kBatch; ++s) {
      rows_.push_back({q_.row(s), qd_.row(s), qdd_.row(s)});
      efforts_.emplace_back(tau_.row(s));
    }
  }

  // Largest |q̈ − q̈ found back from the efforts|, relative.
  double error() {
    plan_.forward({q_.data(), qd_.data(), tau_.data(), kBatch, kBatch}, out_.data(), kBatch);
    return (out_ - qdd_).cwiseAbs().maxCoeff() / qdd_.cwiseAbs().maxCoeff();
  }

  std::vector<Measurement> measure(int repeats, double forward, double forward_batch, double inverse) {
    const DynamicsSamples efforts{q_.data(), qd_.data(), tau_.data(), kBatch, kBatch};
    const DynamicsSamples motions{q_.data(), qd_.data(), qdd_.data(), kBatch, kBatch};
    const auto each = [this](const auto& call) {
      return [this, call] {
        for (std::size_t s = 0; s < rows_.size(); ++s) sink_ += call(rows_[s], efforts_[s]).data()[0];
      };
    };
    return {
        time("forward", "robot", forward, repeats, each([this](const oracle::State& x, const VectorXd& tau) {
               return forward_dynamics(tree_, parameters_, x.q, x.qd, tau);
             })),
        time("forward", "plan", forward, repeats, each([this](const oracle::State& x, const VectorXd& tau) {
               return plan_.forward(x.q, x.qd, tau);
             })),
        time("forward", "batch", forward_batch, repeats,
             [&] { plan_.forward(efforts, out_.data(), kBatch), sink_ += out_(0, 0); }),
        time("inverse", "robot", inverse, repeats, each([this](const oracle::State& x, const VectorXd&) {
               return newton_euler(tree_, parameters_, x.q, x.qd, x.qdd).tau;
             })),
        time("inverse", "plan", inverse, repeats, each([this](const oracle::State& x, const VectorXd&) {
               return plan_.inverse(x.q, x.qd, x.qdd);
             })),
        time("inverse", "batch", 0, repeats,
             [&] { plan_.inverse(motions, out_.data(), kBatch), sink_ += out_(0, 0); }),
        time("M", "robot", 0, repeats, each([this](const oracle::State& x, const VectorXd&) {
               return mass_matrix(tree_, parameters_, x.q);
             })),
        time("M", "plan", 0, repeats,
             each([this](const oracle::State& x, const VectorXd&) { return plan_.mass_matrix(x.q); })),
    };
  }
  double sink() const { return sink_; }

  // One step a sample of the controller.
  Measurement measure_loop(int repeats) {
    RandomMotion motion;
    motion.center = VectorXd::Zero(robot_.size());
    motion.reach = VectorXd::Ones(1);
    motion.duration = (kRounds * kBatch - 1) * 1e-3;
    const Trajectory reference = random_multi_sine(motion, 3);
    TrueParameters truth = true_parameters(robot_);
    for (Drive& drive : truth.drives)
      drive.rotor_inertia = 0.1, drive.friction.viscous = drive.friction.coulomb = 1;
    ClosedLoopOptions options;
    options.substeps = 1;
    std::vector<double> ours, theirs;
    for (int k = -3; k < repeats; ++k) {
      const double start = thread_nanoseconds();
      const ClosedLoopMotion found = closed_loop(robot_, truth, reference, options);
      const double middle = thread_nanoseconds();
      for (int r = 0; r < kRounds; ++r) call_kdl();
      const double end = thread_nanoseconds();
      sink_ += found.q(0, 0);
      if (k < 0) continue;
      ours.push_back((middle - start) / static_cast<double>(found.q.rows()));
      theirs.push_back((end - middle) / (kRounds * kBatch));
    }
    return {name_, "loop", "", 0, spread_of(ours), spread_of(theirs)};
  }

 private:
  // `call` goes over all samples.
  template <typename Call>
  Measurement time(const char* what, const char* form, double goal, int repeats, const Call& call) {
    std::vector<double> ours, theirs;
    for (int k = -3; k < repeats; ++k) {  // three rounds to warm up
      const double start = thread_nanoseconds();
      for (int r = 0; r < kRounds; ++r) call();
      const double middle = thread_nanoseconds();
      for (int r = 0; r < kRounds; ++r) call_kdl();
      const double end = thread_nanoseconds();
      if (k < 0) continue;
      ours.push_back((middle - start) / (kRounds * kBatch)),
          theirs.push_back((end - middle) / (kRounds * kBatch));
    }
    return {name_, what, form, goal, spread_of(ours), spread_of(theirs)};
  }
  void call_kdl() {
    double tau[7];
    for (Index s = 0; s < kBatch; ++s) {
      kdl_.torque(&panda_(s, 0), &panda_(s, 7), &panda_(s, 14), kBatch, tau);
      sink_ += tau[0];
    }
  }

  static constexpr int kRounds = 4;
  std::string name_;
  Robot robot_;
  Tree tree_;
  VectorXd parameters_;
  DynamicsPlan plan_;
  KdlReference kdl_;
  MatrixXd q_, qd_, qdd_, tau_, out_, panda_;
  std::vector<oracle::State> rows_;
  std::vector<VectorXd> efforts_;
  double sink_ = 0;
};

void print_table(const char* level, const std::vector<Measurement>& found) {
  fmt::print("{}\n{:<12}{:<10}{:<8}{:>26}{:>14}{:>10}\n", level, "robot", "", "", "ns a sample", "KDL calls",
             "goal");
  for (const Measurement& m : found)
    fmt::print("{:<12}{:<10}{:<8}{:>26}{:>14.3f}{:>10}\n", m.robot, m.what, m.form,
               fmt::format("{:.1f} ({:.1f}-{:.1f})", m.time.median, m.time.lower, m.time.upper), m.ratio(),
               m.goal > 0 ? fmt::format("{:.3g}", m.goal) : "");
  fmt::print(
      "{:<30}{:>26}\n\n", "one KDL call, Panda",
      fmt::format("{:.1f} ({:.1f}-{:.1f})", found[0].kdl.median, found[0].kdl.lower, found[0].kdl.upper));
}

std::string json_of(const char* level, const Measurement& m) {
  const auto spread = [](const Spread& s) {
    return fmt::format("{{\"median\": {:.2f}, \"quartiles\": [{:.2f}, {:.2f}]}}", s.median, s.lower, s.upper);
  };
  return fmt::format(
      "{{\"level\": \"{}\", \"robot\": \"{}\", \"what\": \"{}\", \"form\": \"{}\", \"goal\": {:.4g}, "
      "\"time\": {}, \"kdl\": {}}}",
      level, m.robot, m.what, m.form, m.goal, spread(m.time), spread(m.kdl));
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  int repeats = 51;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[k], "--repeats") == 0 && k + 1 < argc) {
      repeats = std::atoi(argv[++k]);
    } else {
      repeats = 0;
    }
  }
  if (repeats < 1) {
    fmt::print(stderr, "usage: dynamics_bench [--json] [--repeats N]\n");
    return 2;
  }
  std::vector<std::string> lines;
  double worst = 0, sink = 0;
  for (const IsaLevel level : kIsaLevels) {
    if (!is_available(level)) continue;
    set_isa_level(level);
    std::vector<Measurement> found;
    const auto contest = [&](const char* name, const Robot& robot, double forward, double batch,
                             double inverse) {
      Contest one(name, robot);
      worst = std::max(worst, one.error());
      for (Measurement& m : one.measure(repeats, forward, batch, inverse)) found.push_back(std::move(m));
      found.push_back(one.measure_loop(repeats));
      sink += one.sink();
    };
    contest("Panda", panda_robot(), 1.1, 0.165, 0.38);
    contest("chain of 30", random_revolute(false), 4.7, 0.71, 0);
    contest("tree of 30", random_revolute(true), 4.7, 0.71, 0);
    if (!json) print_table(to_string(level), found);
    for (const Measurement& m : found) lines.push_back(json_of(to_string(level), m));
  }
  if (json) fmt::print("[{}]\n", fmt::join(lines, ",\n "));
  // Numbers of a wrong computation are worth nothing. A chain of 30 has condition numbers of 1e6.
  return worst < 1e-7 && std::isfinite(sink) ? 0 : 1;
}
