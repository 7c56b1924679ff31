#include "faults.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "steelyard/core/random.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/doctor/doctor.hpp"

namespace steelyard::testing {
namespace {

constexpr std::uint64_t kSeed = 20;

double* values(Run& run, std::string_view channel, int joint) {
  return run.samples.row(run.samples.find(channel), joint);
}

double step_of(const Run& run) {
  const SampleBlock& s = run.samples;
  return (s.time()[s.size() - 1] - s.time()[0]) / static_cast<double>(s.size() - 1);
}

Index samples_in(const Run& run, double seconds) {
  return static_cast<Index>(seconds / step_of(run));
}

// The sample at which the joint is fastest over the next `count`: there a hold is a hold.
Index fastest(Run& run, int joint, Index count) {
  const double* q = values(run, channel::kPosition, joint);
  Index best = 0;
  for (Index s = 0; s + count + 1 < run.samples.size(); ++s)
    if (std::abs(q[s + count] - q[s]) > std::abs(q[best + count] - q[best])) best = s;
  return best;
}

void remove_rows(Run& run, Index first, Index count) {
  SampleBlock kept(run.samples.channels(), run.samples.joints());
  kept.append(run.samples, 0, first);
  kept.append(run.samples, first + count, run.samples.size() - first - count);
  kept.pack();
  run.samples = std::move(kept);
}

void hold(Run& run, std::string_view channel, int joint, double seconds) {
  const Index count = samples_in(run, seconds), first = fastest(run, joint, count);
  double* x = values(run, channel, joint);
  std::fill(x + first, x + first + count, x[first]);
}

void quantise(Run& run, std::string_view channel, int joint, double levels) {
  double* x = values(run, channel, joint);
  const auto [low, high] = std::minmax_element(x, x + run.samples.size());
  const double quantum = (*high - *low) / levels;
  for (Index s = 0; s < run.samples.size(); ++s) x[s] = quantum * std::round(x[s] / quantum);
}

void clip(Run& run, int joint, double share) {
  double* x = values(run, channel::kTorque, joint);
  double largest = 0;
  for (Index s = 0; s < run.samples.size(); ++s) largest = std::max(largest, std::abs(x[s]));
  for (Index s = 0; s < run.samples.size(); ++s) x[s] = std::clamp(x[s], -share * largest, share * largest);
}

void wrap(Run& run, int joint) {
  double* q = values(run, channel::kPosition, joint);
  const auto [low, high] = std::minmax_element(q, q + run.samples.size());
  const double middle = 0.5 * (*low + *high);
  for (Index s = 0; s < run.samples.size(); ++s)
    if (q[s] > middle) q[s] -= 2 * std::numbers::pi;
}

void shake_stamps(Run& run, double share) {
  Random random(kSeed, "stamps");
  const double step = step_of(run);
  const Index n = run.samples.size();
  std::vector<double> stamps(run.samples.time(), run.samples.time() + n);
  for (double& t : stamps) t += share * step * random.uniform(-0.5, 0.5);
  std::sort(stamps.begin(), stamps.end());
  for (Index s = 0; s < n; ++s)
    run.samples.time()[s] = std::max(stamps[static_cast<std::size_t>(s)],
                                     s > 0 ? run.samples.time()[s - 1] + 1e-6 * step : -1e300);
}

void repeat_rows(Run& run, double share) {
  Random random(kSeed, "repeats");
  for (Index s = 1; s < run.samples.size(); ++s) {
    if (random.uniform() >= share) continue;
    for (Index r = 0; r < run.samples.rows(); ++r) {
      double* x = run.samples.data() + r * run.samples.stride();
      x[s] = x[s - 1];
    }
  }
}

void scale(Run& run, std::string_view channel, int joint, double factor) {
  for (int j = 0; j < static_cast<int>(run.samples.joints()); ++j) {
    if (joint >= 0 && j != joint) continue;
    double* x = values(run, channel, j);
    for (Index s = 0; s < run.samples.size(); ++s) x[s] *= factor;
  }
}

}  // namespace

void delay_efforts(Run& run, double seconds, int joint) {
  const Index shift = samples_in(run, std::abs(seconds)), n = run.samples.size();
  for (int j = 0; j < static_cast<int>(run.samples.joints()); ++j) {
    if (joint >= 0 && j != joint) continue;
    double* x = values(run, channel::kTorque, j);
    if (seconds > 0)
      for (Index s = n - 1; s >= 0; --s) x[s] = x[std::max<Index>(0, s - shift)];
    else
      for (Index s = 0; s < n; ++s) x[s] = x[std::min(n - 1, s + shift)];
  }
}

std::vector<SignalFault> signal_faults(const RealLog& log) {
  std::vector<SignalFault> faults;
  const auto add = [&](const std::string& name, const char* code, const std::string& joint,
                       std::function<void(Run&)> apply) {
    faults.push_back({name, code, joint, std::move(apply)});
  };
  const std::string& run = log.name;
  add("0.3 s missing", "gaps", run, [](Run& r) { remove_rows(r, r.samples.size() / 2, samples_in(r, 0.3)); });
  add("stamps off by 40 %", "irregular-stamps", run, [](Run& r) { shake_stamps(r, 0.8); });
  add("3 % repeated rows", "repeated-samples", run, [](Run& r) { repeat_rows(r, 0.03); });
  add("30 % repeated rows", "repeated-samples", run, [](Run& r) { repeat_rows(r, 0.3); });
  for (const int j : {0, 1, 3, static_cast<int>(log.joints.size()) - 1}) {
    const std::string& joint = log.joints[static_cast<std::size_t>(j)];
    add("three NaN", "not-finite", joint, [j](Run& r) {
      std::fill_n(values(r, channel::kTorque, j) + r.samples.size() / 3, 3,
                  std::numeric_limits<double>::quiet_NaN());
    });
    add("dead torque", "dead-channel", joint, [j](Run& r) { scale(r, channel::kTorque, j, 0); });
    add("torque held 0.5 s", "frozen-channel", joint, [j](Run& r) { hold(r, channel::kTorque, j, 0.5); });
    add("position held 0.3 s", "frozen-channel", joint, [j](Run& r) { hold(r, channel::kPosition, j, 0.3); });
    add("torque cut at 60 %", "saturation", joint, [j](Run& r) { clip(r, j, 0.6); });
    add("torque cut at 80 %", "saturation", joint, [j](Run& r) { clip(r, j, 0.8); });
    add("torque of 20 levels", "quantised", joint, [j](Run& r) { quantise(r, channel::kTorque, j, 20); });
    add("position of 300 levels", "quantised", joint,
        [j](Run& r) { quantise(r, channel::kPosition, j, 300); });
    add("encoder wraps", "encoder-wrap", joint, [j](Run& r) { wrap(r, j); });
    if (log.run.samples.find(channel::kVelocity) < 0) continue;
    for (const double factor : {180 / std::numbers::pi, -1.0, 0.5, 100.0})
      add("velocity times " + std::to_string(factor), "velocity-scale", joint,
          [j, factor](Run& r) { scale(r, channel::kVelocity, j, factor); });
  }
  if (log.run.samples.find(channel::kVelocity) >= 0) {
    add("velocities in deg/s", "velocity-scale", "",
        [](Run& r) { scale(r, channel::kVelocity, -1, 180 / std::numbers::pi); });
    for (const double factor : {2.0, 0.1})
      add("stamps times " + std::to_string(factor), "time-scale", run, [factor](Run& r) {
        for (Index s = 0; s < r.samples.size(); ++s) r.samples.time()[s] *= factor;
      });
  }
  return faults;
}

namespace {

// Every kind of hypothesis at several joints.
std::vector<Hypothesis> several_of(const std::vector<Hypothesis>& all) {
  std::vector<Hypothesis> faults;
  // The `which`-th hypothesis of that code and these joints.
  const auto take = [&](FindingCode code, std::vector<int> joints, int which = 0) {
    for (const Hypothesis& hypothesis : all)
      if (hypothesis.code == code && hypothesis.joints == joints && which-- == 0)
        return faults.push_back(hypothesis);
  };
  for (const int j : {0, 1, 3, 5}) take("torque-sign", {j});
  take("torque-sign", {});
  for (const int j : {0, 1, 2, 4}) take("position-sign", {j});
  for (const int j : {1, 2, 4}) take("axis-sign", {j});
  take("joint-zero", {1}, 0);
  take("joint-zero", {1}, 2);
  take("joint-zero", {2}, 1);
  take("joint-zero", {3}, 2);
  for (const auto& pair : std::vector<std::vector<int>>{{0, 1}, {1, 2}, {2, 4}}) take("joint-order", pair);
  for (const auto& pair : std::vector<std::vector<int>>{{1, 3}, {0, 2}}) take("position-order", pair);
  for (const auto& pair : std::vector<std::vector<int>>{{1, 2}, {0, 4}}) take("effort-order", pair);
  take("position-unit", {}, 0);
  take("position-unit", {1}, 0);
  take("position-unit", {3}, 1);
  take("coupling", {1, 2}, 1);
  take("coupling", {4, 5}, 0);
  take("kinematics", {});
  for (const int j : {1, 2, 3}) take("kinematics", {j});
  return faults;
}

}  // namespace

std::vector<Hypothesis> set_up_faults(const RealLog& log) {
  const std::vector<Hypothesis> all = fixed_hypotheses(log.robot);
  std::vector<Hypothesis> faults = std::getenv("STEELYARD_EVERY_FAULT") != nullptr ? all : several_of(all);
  for (const Vector3& direction : {Vector3(0, 0, 1), Vector3(1, 0, 0), Vector3(0, 0.5, -0.866)})
    faults.push_back(gravity_hypothesis(log.robot, direction));
  const int n = static_cast<int>(log.joints.size());
  for (const auto& [joint, factor] : {std::pair{1, 100.0}, {2, 0.01}, {3, 2.0}, {0, 50.0}, {n - 2, 0.02}})
    faults.push_back(effort_hypothesis(log.robot, joint, factor));
  for (const double factor : {0.5, 2.0}) faults.push_back(time_hypothesis(log.robot, factor));
  return faults;
}

SetUpFault inject(const RealLog& log, const Hypothesis& mend) {
  SetUpFault fault{mend, log.robot, log.run};
  put(mend, fault.robot, fault.run);
  return fault;
}

void put(const Hypothesis& mend, Robot& robot, Run& run) {
  if (mend.robot && mend.code != "coupling") {
    robot = *mend.robot;  // the fault is the other robot; the right one mends it
    return;
  }
  const Eigen::MatrixXd P = Eigen::MatrixXd(mend.set_up.position).inverse(),
                        E = Eigen::MatrixXd(mend.set_up.effort).inverse();
  SampleBlock& block = run.samples;
  const Index n = block.joints();
  const auto map = [&](std::string_view channel, const Eigen::MatrixXd& M, const VectorXd& offset) {
    const int c = block.find(channel);
    if (c < 0) return;
    Eigen::VectorXd x(n);
    for (Index s = 0; s < block.size(); ++s) {
      for (Index j = 0; j < n; ++j) x[j] = block.row(c, j)[s] - offset[j];
      const Eigen::VectorXd y = M * x;
      for (Index j = 0; j < n; ++j) block.row(c, j)[s] = y[j];
    }
  };
  const VectorXd none = VectorXd::Zero(n);
  map(channel::kPosition, P, mend.set_up.zero);
  map(channel::kVelocity, P * mend.set_up.time, none);
  map(channel::kTorque, E, none);
  for (Index s = 0; s < block.size(); ++s) block.time()[s] /= mend.set_up.time;
}

std::vector<double> residual_logs(const Robot& robot, const Run& run) {
  TrialOptions options;
  options.noise_factor = options.floor = 0;
  const std::unique_ptr<SampleSource> source = view_run(run);
  const TimeScan time = scan_time(*source);
  const Trial trial(robot, {coarse_run(view_run(run), "run", time, DoctorOptions().coarse)}, options);
  return trial.fit(*trial.given(), SetUp::as_given(trial.joints())).by_block;
}

bool Growth::shows() const {
  return mean > student_quantile(0.975, sections - 1) * deviation;
}

bool Growth::is_plain() const {
  return shows() && mean > 0.3;
}

Growth growth(const std::vector<double>& clean, const std::vector<double>& faulty) {
  Growth out;
  const auto n = static_cast<double>(clean.size());
  for (std::size_t b = 0; b < clean.size(); ++b) out.mean += (faulty[b] - clean[b]) / n;
  for (std::size_t b = 0; b < clean.size(); ++b)
    out.deviation += std::pow(faulty[b] - clean[b] - out.mean, 2) / (n - 1) / n;
  out.deviation = std::sqrt(out.deviation);
  out.sections = n;
  return out;
}

}  // namespace steelyard::testing
