#include "doctor/velocity_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace steelyard::doctor {
namespace {

constexpr double kAgreement = 0.9;  // of the velocity column with the position
constexpr double kFactor = 0.05;    // by which the velocity may differ from the derivative
constexpr double kDelay = 0.01;     // [s]
constexpr double kExplains = 1.25;  // times as much remains without the delay
constexpr double kHarmless = 1e-4;  // what a delay leaves of the velocity's energy: a hundredth of it
constexpr double kSpoils = 0.01;    // likewise; a tenth of the velocity
constexpr double kAlikeDelays = 0.25;
constexpr double kHeld = 0.005;       // of the largest range of a joint of the kind
constexpr double kFewRepeated = 0.1;  // of the rows: from there on they are what deviates
constexpr double kNoise = 0.04;       // energy of what does not follow the position: a fifth of the velocity

// "57.3 (degrees per second?)"
std::string factor_text(double factor) {
  struct Known {
    double factor;
    const char* what;
  };
  for (const Known& known :
       {Known{180 / std::numbers::pi, "degrees per second"},
        Known{std::numbers::pi / 180, "position in degrees"}, Known{-1, "the opposite sign"},
        Known{60 / (2 * std::numbers::pi), "revolutions per minute"},
        Known{1 / (2 * std::numbers::pi), "revolutions per second"}, Known{1000, "a thousand"}})
    if (std::abs(factor / known.factor - 1) < 0.03) return fmt::format("{:.4g} ({})", factor, known.what);
  return fmt::format("{:.4g}", factor);
}

// The best shift of a joint's velocity.
struct Lag {
  double seconds = 0;     // the velocity is late
  double factor = 0;      // of the velocity, shifted
  double left_given = 1;  // 1 − correlation² as it is
  double left = 1;        // and shifted
  double deviation = 0;   // of what is left, in units of the velocity
  double bin = 0;         // [s]
};

std::optional<Lag> lag_of(const VelocityLags& lags, Index j) {
  constexpr Index kFewestBins = 25;
  if (lags.bins < kFewestBins || lags.motion_squared[j] <= 0) return std::nullopt;
  const Eigen::ArrayXd cross = lags.motion_velocity.col(j), energy = lags.velocity_squared.col(j);
  if (energy.minCoeff() <= 0) return std::nullopt;
  const Eigen::ArrayXd correlation = cross / (energy * lags.motion_squared[j]).sqrt();
  Index best = 0;
  const double largest = correlation.maxCoeff(&best);
  Lag lag;
  lag.bin = lags.seconds / static_cast<double>(lags.bins);
  lag.left_given = 1 - std::pow(std::max(0.0, correlation[kLagBins]), 2);
  double shift = 0, peak = largest;
  if (best > 0 && best + 1 < correlation.size()) {  // the top of a parabola
    const double before = correlation[best - 1], behind = correlation[best + 1];
    const double bend = before - 2 * largest + behind;
    if (bend < 0) shift = 0.5 * (before - behind) / bend;
    peak = largest - 0.25 * (before - behind) * shift;
  }
  lag.seconds = (static_cast<double>(best - kLagBins) + shift) * lag.bin;
  lag.left = std::max(0.0, 1 - peak * peak);
  lag.factor = peak * std::sqrt(energy[best] / lags.motion_squared[j]);
  lag.deviation = std::sqrt(lag.left * energy[best] / static_cast<double>(lags.bins)) / lag.bin;
  return lag;
}

class VelocityFindings {
 public:
  VelocityFindings(const SignalScan& scan, const std::vector<LogJoint>& joints, const std::string& run,
                   const SignalUse& use, const std::set<int>& spoiled)
      : scan_(scan), joints_(joints), run_(run), use_(use) {
    for (Index j = 0; j < scan_.motion_squared.size(); ++j) {
      lags_.push_back(lag_of(scan_.lags, j));
      if (scan_.motion_squared[j] > 0 && spoiled.count(static_cast<int>(j)) == 0 && !is_held(j))
        moving_.push_back(j);
    }
  }

  void report_delays() {
    std::vector<Index> late;
    for (const Index j : moving_)
      if (is_late(j)) late.push_back(j);
    if (late.empty()) return;
    const auto [least, most] = std::minmax_element(
        late.begin(), late.end(), [&](Index a, Index b) { return lag(a).seconds < lag(b).seconds; });
    const double mean = 0.5 * (lag(*least).seconds + lag(*most).seconds);
    const bool alike = late.size() > 1 && late.size() == moving_.size() &&
                       lag(*most).seconds - lag(*least).seconds < kAlikeDelays * std::abs(mean);
    double worst = 0;
    for (const Index j : late) {
      const double harm = lag(j).left_given - lag(j).left;
      worst = std::max(worst, harm);
      if (!alike)
        add("velocity-delay", name(j), "the velocity is " + lag_text(lag(j).seconds), harm > kSpoils);
    }
    if (alike)
      add("velocity-delay", "", "the velocities of all joints are " + lag_text(mean), worst > kSpoils);
  }

  // Beyond what the resolutions of position and velocity explain, and more than differences of the positions would have: these
  // are no better where their own noise is as large.
  void report_noise() {
    const int position = scan_.find(channel::kPosition), velocity = scan_.find(channel::kVelocity);
    for (const Index j : moving_) {
      if (!has_lag(j) || is_off(j) || repeated() > kFewRepeated) continue;
      const double steps =
          scan_.scans[static_cast<std::size_t>(position)][static_cast<std::size_t>(j)].quantum;
      const double levels =
          scan_.scans[static_cast<std::size_t>(velocity)][static_cast<std::size_t>(j)].quantum;
      const double of_positions = std::max(steps * steps / 6, 2 * std::pow(scan_.position_noise[j], 2));
      const double resolution = (of_positions + std::pow(levels * lag(j).bin, 2) / 12) *
                                static_cast<double>(scan_.lags.bins) / scan_.lags.motion_squared[j];
      if (lag(j).left < kNoise + 2 * resolution) continue;
      add("velocity-noise", name(j),
          fmt::format("over {:.0f} ms the velocity deviates by {:.3g} from the derivative of the position, "
                      "{:.0f} % of it",
                      1e3 * lag(j).bin, lag(j).deviation, 100 * std::sqrt(lag(j).left)),
          false);
    }
  }

  void report_factors();

  std::vector<Finding> findings;

 private:
  const std::string& name(Index j) const { return joints_[static_cast<std::size_t>(j)].name; }
  bool has_lag(Index j) const { return lags_[static_cast<std::size_t>(j)].has_value(); }
  const Lag& lag(Index j) const { return *lags_[static_cast<std::size_t>(j)]; }

  bool is_late(Index j) const {
    if (!has_lag(j)) return false;
    const Lag& best = lag(j);
    return std::abs(best.seconds) >= std::max(kDelay, scan_.time.median_step) &&
           std::abs(best.seconds) <= (kLagBins - 0.5) * best.bin && best.left_given > kExplains * best.left &&
           best.left_given - best.left > kHarmless && best.left < 1 - kAgreement &&
           std::abs(best.factor - 1) <= kFactor;
  }
  // One that is never commanded moves by its noise: no velocity follows it.
  bool is_held(Index j) const {
    const auto& q = scan_.scans[static_cast<std::size_t>(scan_.find(channel::kPosition))];
    double largest = 0;
    for (std::size_t k = 0; k < joints_.size(); ++k)
      if (joints_[k].kind == joints_[static_cast<std::size_t>(j)].kind)
        largest = std::max(largest, q[k].range());
    return q[static_cast<std::size_t>(j)].range() < kHeld * largest;
  }
  // Share of rows that repeat the one before: the velocity goes on where the position stands.
  double repeated() const {
    return static_cast<double>(scan_.repeated_rows) / static_cast<double>(std::max<Index>(1, scan_.samples));
  }
  double agreement(Index i, Index j) const {
    const double product = scan_.motion_squared[i] * scan_.velocity_squared[j];
    return product > 0 ? std::pow(scan_.motion_velocity(i, j), 2) / product : 0;
  }
  double factor(Index j) const { return scan_.motion_velocity(j, j) / scan_.motion_squared[j]; }
  bool is_off(Index j) const {
    return !is_late(j) && (agreement(j, j) < kAgreement * (1 - repeated()) ||
                           std::abs(factor(j) - 1) > kFactor + repeated());
  }

  static std::string lag_text(double seconds) {
    return fmt::format("{:.0f} ms {} than the derivative of the position", 1e3 * std::abs(seconds),
                       seconds > 0 ? "later" : "earlier");
  }
  // Unused columns do no harm.
  void add(FindingCode code, const std::string& joint, std::string evidence, bool is_error) {
    findings.push_back(make_finding(code, joint, std::move(evidence)));
    findings.back().severity = !use_.velocity ? Severity::note
                               : is_error     ? Severity::error
                                              : Severity::warning;
  }
  void add_error(FindingCode code, const std::string& joint, std::string evidence) {
    findings.push_back(make_finding(code, joint, std::move(evidence)));
  }

  const SignalScan& scan_;
  const std::vector<LogJoint>& joints_;
  const std::string& run_;
  const SignalUse& use_;
  std::vector<std::optional<Lag>> lags_;
  std::vector<Index> moving_;
};

void VelocityFindings::report_factors() {
  const Index n = scan_.motion_squared.size();
  std::vector<Index> off;
  bool alike = true;
  for (const Index j : moving_) {
    if (!is_off(j)) continue;
    off.push_back(j);
    alike &= agreement(j, j) >= kAgreement && std::abs(factor(j) / factor(off[0]) - 1) < 0.02;
  }
  if (off.empty()) return;
  if (alike && off.size() == moving_.size() && (off.size() > 1 || n == 1)) {
    const double common = factor(off[0]);
    const bool unit = factor_text(common).find('(') != std::string::npos;
    add_error(
        unit ? FindingCode("velocity-scale") : FindingCode("time-scale"), unit ? "" : run_,
        unit ? fmt::format("the velocity is {} times the derivative of the position for all joints",
                           factor_text(common))
             : fmt::format("the velocity is {:.4g} times the derivative of the position for all joints: the "
                           "sampling rate is {:.4g} times what the stamps say, or the velocity's unit is "
                           "wrong",
                           common, common));
    return;
  }
  for (const Index j : off) {
    if (agreement(j, j) >= kAgreement) {
      add("velocity-scale", name(j),
          fmt::format("the velocity is {} times the derivative of the position", factor_text(factor(j))),
          true);
      continue;
    }
    std::string whose;
    for (Index i = 0; i < n; ++i)
      if (i != j && agreement(i, j) > 0.97) whose = fmt::format("; it follows the position of {}", name(i));
    add("velocity-scale", name(j),
        fmt::format("the velocity follows the position with a correlation of {:.2f} only{}",
                    std::sqrt(agreement(j, j)), whose),
        true);
  }
}

}  // namespace

std::vector<Finding> velocity_findings(const SignalScan& scan, const std::vector<LogJoint>& joints,
                                       const std::string& run, const SignalUse& use,
                                       const std::set<int>& spoiled) {
  if (scan.motion_velocity.size() == 0) return {};
  VelocityFindings found(scan, joints, run, use, spoiled);
  found.report_factors();
  found.report_delays();
  found.report_noise();
  return std::move(found.findings);
}

}  // namespace steelyard::doctor
