#include "steelyard/doctor/delay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "doctor/delay_fit.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using doctor::DelayFit;
using doctor::DelayRows;
using doctor::DelayRunRows;
using doctor::RunDelays;

constexpr int kDelaySweeps = 2;  // over the runs
constexpr double kFewestSections = 5;
constexpr double kBeyondZero = 2;     // half widths of a delay that is certain: t > 4.3, chance below 10⁻³
constexpr double kCommonGain = 0.01;  // see the header: per joint
constexpr double kAlone = 3;          // half widths of one joint's delay
constexpr double kAloneGain = 0.15;
constexpr double kEndOfRange = 0.98;  // of the longest delay that is looked for: no minimum there
constexpr double kOwnGain = 0.05;     // of one joint's delay over the common one
constexpr double kMostlyBetter = 0.7;
constexpr double kOwnError =
    0.005;  // of a joint's effort: what filters and differences leave of a perfect log
constexpr double kPlainlyWrong = 0.04;  // gain per joint above which a finding is an error
constexpr double kPlainlyAlone =
    6;  // half widths of one joint's delay, likewise: friction of a light joint looks like one
constexpr double kPlainlyAll = 4;  // half widths of a common delay, likewise
constexpr double kPlainlyBetter = 0.9;
constexpr double kPlainlyLate = 0.003;  // [s]; shorter ones are usual of drives that filter their torque

bool has_rows(const DelayRunRows& run, std::size_t block) {
  return std::any_of(run.joints.begin(), run.joints.end(),
                     [&](const doctor::DelayEquations& joint) { return joint.rows[block] > 0; });
}

// Half of an interval from the estimates without one section each.
double half_width_of(const std::vector<double>& without, double level) {
  const auto n = static_cast<double>(without.size());
  if (n < kFewestSections) return std::numeric_limits<double>::infinity();
  double mean = 0, squares = 0;
  for (const double x : without) mean += x / n;
  for (const double x : without) squares += (x - mean) * (x - mean);
  return student_quantile(0.5 + level / 2, n - 1) * std::sqrt(squares * (n - 1) / n);
}

// What is left of held-out sections: Σ e² by joint, without a delay, with a common one and with each joint's own.
struct Leftover {
  Eigen::VectorXd none, common, each, effort;
  double sections = 0, better = 0;
  Eigen::VectorXd better_alone;
  std::vector<double> commons;
  std::vector<std::vector<double>> alone;  // by joint

  explicit Leftover(Index joints)
      : none(Eigen::VectorXd::Zero(joints)),
        common(none),
        each(none),
        effort(none),
        better_alone(none),
        alone(static_cast<std::size_t>(joints)) {}
};

Leftover hold_out(const DelayRunRows& run, const DelayFit& fit, std::size_t r, const RunDelays& common,
                  const RunDelays& each) {
  const RunDelays none = RunDelays::Zero(common.size());
  Leftover out(common.size());
  const Eigen::VectorXd w = fit.weights().row(static_cast<Index>(r)).head(none.size()).transpose();
  for (std::size_t k = 0; k < run.joints.front().blocks.size(); ++k) {
    if (!has_rows(run, k)) continue;
    const DelayFit::OfRun part = fit.of_run(r, static_cast<Index>(k));
    const RunDelays here = part.common(common[0]), alone = part.each(each);
    const auto left = [&](const RunDelays& delays) {
      return fit.left(r, k, delays, part.parameters(delays));
    };
    const Eigen::VectorXd a = left(none), b = left(here), c = left(alone);
    out.none += a;
    out.effort += fit.left(r, k, none, Eigen::VectorXd::Zero(part.parameters(none).size()));
    out.common += b;
    out.each += c;
    out.better += w.dot(b) < w.dot(a);
    out.better_alone += (c.array() < a.array()).cast<double>().matrix();
    out.sections += 1;
    out.commons.push_back(here[0]);
    for (std::size_t j = 0; j < out.alone.size(); ++j) out.alone[j].push_back(alone[static_cast<Index>(j)]);
  }
  return out;
}

double gain_of(const Leftover& left, Index joint, const Eigen::VectorXd& without,
               const Eigen::VectorXd& with) {
  const double own = kOwnError * kOwnError * left.effort[joint];
  return own > 0 ? 0.5 * std::log((without[joint] + own) / (with[joint] + own)) : 0;
}

// The half width of a mean of values that scatter by more than their own intervals say.
double widened(const RunDelay& delay) {
  double squares = 0, count = 0;
  for (const DelayValue& joint : delay.joints) {
    if (!(joint.half_width > 0) || !std::isfinite(joint.half_width)) continue;
    squares += std::pow((joint.seconds - delay.common.seconds) / joint.half_width, 2);
    count += 1;
  }
  constexpr double kSigmas = 2;  // of a half width
  const double scatter = count > 1 ? kSigmas * std::sqrt(squares / (count - 1)) : 1;
  return delay.common.half_width * std::max(1.0, scatter);
}

// What is certain of the estimates.
void decide(const Leftover& left, RunDelay& out) {
  const auto joints = static_cast<Index>(out.joints.size());
  out.certain = VectorXd::Zero(joints);
  out.widened = widened(out);
  // A single joint has no other to agree with.
  const bool single = joints == 1;
  out.of_all = std::abs(out.common.seconds) > (single ? kAlone : kBeyondZero) * out.widened &&
               out.common.gain > (single ? kAloneGain : kCommonGain) && out.common.better >= kMostlyBetter;
  if (out.of_all) out.certain.setConstant(out.common.seconds);
  for (Index j = 0; !single && j < joints; ++j) {
    const DelayValue& own = out.joints[static_cast<std::size_t>(j)];
    const double from = out.of_all ? out.common.seconds : 0;
    const double gain = out.of_all ? gain_of(left, j, left.common, left.each) : own.gain;
    if (std::abs(own.seconds - from) > kAlone * own.half_width &&
        gain > (out.of_all ? kOwnGain : kAloneGain) && own.better >= kMostlyBetter) {
      out.certain[j] = own.seconds;
      out.alone.push_back(static_cast<int>(j));
    }
  }
}

RunDelay estimate_run(const DelayRows& rows, const DelayFit& fit, std::size_t r, double level) {
  const DelayRunRows& run = rows.runs[r];
  RunDelay out;
  const DelayFit::OfRun all = fit.of_run(r);
  const RunDelays common = all.common(), each = all.each(common);
  const Leftover left = hold_out(run, fit, r, common, each);
  const double sections = std::max(1.0, left.sections);
  const auto half_width = [&](double seconds, const std::vector<double>& without) {
    const bool inside = std::abs(seconds) < kEndOfRange * run.longest();
    return inside ? half_width_of(without, level) : std::numeric_limits<double>::infinity();
  };
  out.common = {common[0], half_width(common[0], left.commons), 0, left.better / sections};
  for (Index j = 0; j < common.size(); ++j) {
    out.common.gain += gain_of(left, j, left.none, left.common) / static_cast<double>(common.size());
    out.joints.push_back({each[j], half_width(each[j], left.alone[static_cast<std::size_t>(j)]),
                          gain_of(left, j, left.none, left.each), left.better_alone[j] / sections});
  }
  decide(left, out);
  return out;
}

}  // namespace

namespace {

// One joint's delay is its sensor's, and the same in all runs. Another run that excludes it, or several joints of which each has
// one of its own, show friction.
void drop_contradicted(std::vector<RunDelay>& runs) {
  for (RunDelay& run : runs)
    std::erase_if(run.alone, [&](int joint) {
      const auto j = static_cast<std::size_t>(joint);
      const DelayValue& own = run.joints[j];
      const auto contradicts = [&](const RunDelay& other) {
        return other.joints.size() > j && std::isfinite(other.joints[j].half_width) &&
               std::abs(other.joints[j].seconds - own.seconds) >
                   std::hypot(other.joints[j].half_width, own.half_width);
      };
      if (std::none_of(runs.begin(), runs.end(), contradicts)) return false;
      run.certain[joint] = run.of_all ? run.common.seconds : 0;
      return true;
    });
}

}  // namespace

std::vector<RunDelay> estimate_delays(const Robot& robot, const std::vector<DelayedRun>& runs,
                                      const DelayOptions& options) {
  const DelayRows rows = doctor::delay_rows(robot, runs, options);
  DelayFit fit(rows);
  fit.weigh();
  for (int sweep = 0; sweep < kDelaySweeps; ++sweep) {
    for (std::size_t r = 0; r < rows.runs.size(); ++r)
      if (!rows.runs[r].joints.empty()) fit.set_delays(r, fit.of_run(r).common());
    fit.weigh();
  }
  std::vector<RunDelay> out;
  for (std::size_t r = 0; r < rows.runs.size(); ++r) {
    out.push_back(rows.runs[r].joints.empty() ? RunDelay() : estimate_run(rows, fit, r, options.level));
    out.back().label = runs[r].label.label;
    out.back().why_not = rows.runs[r].why_not;
  }
  drop_contradicted(out);
  return out;
}

namespace {

std::string lateness(const DelayValue& delay) {
  return fmt::format("{:.2f} ± {:.2f} ms {}", 1e3 * std::abs(delay.seconds), 1e3 * delay.half_width,
                     delay.seconds > 0 ? "later" : "earlier");
}

Finding finding_of(const std::string& joint, const DelayValue& delay, const char* where) {
  Finding finding = make_finding(
      "effort-delay", joint,
      fmt::format("the effort is {} than the position; at its time it leaves {:.0f} % less of held-out "
                  "sections{}",
                  lateness(delay), 100 * (1 - std::exp(-delay.gain)), where));
  if (delay.gain < kPlainlyWrong || std::abs(delay.seconds) < kPlainlyLate ||
      std::abs(delay.seconds) < kPlainlyAll * delay.half_width)
    finding.severity = Severity::warning;
  return finding;
}

}  // namespace

std::vector<DelayFinding> delay_findings(const std::vector<RunDelay>& delays, const Robot& robot) {
  const std::vector<LogJoint> names = log_joints(robot);
  std::vector<DelayFinding> findings;
  for (std::size_t r = 0; r < delays.size(); ++r) {
    const RunDelay& delay = delays[r];
    if (delay.of_all) {
      DelayValue common = delay.common;
      common.half_width = delay.widened;
      findings.push_back({finding_of("", common, " on average over all joints"), {r}});
    }
    for (const int joint : delay.alone) {
      findings.push_back({finding_of(names[static_cast<std::size_t>(joint)].name,
                                     delay.joints[static_cast<std::size_t>(joint)], ""),
                          {r}});
      const DelayValue& own = delay.joints[static_cast<std::size_t>(joint)];
      const bool is_plain =
          std::abs(own.seconds) > kPlainlyAlone * own.half_width && own.better >= kPlainlyBetter;
      if (delay.alone.size() > 1 || !is_plain) findings.back().finding.severity = Severity::warning;
    }
  }
  return findings;
}

}  // namespace steelyard
