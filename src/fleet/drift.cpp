#include "fleet/drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "fleet/scatter.hpp"
#include "steelyard/core/statistics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Standard deviations of the healthy scatter: shares are not given of a value that is closer to zero.
constexpr double kNotZero = 3;

// A weighted line: slope, its standard deviation, squared distances from the line in standard deviations.
struct Line {
  bool is_found = false;
  double slope = 0, sigma = 0, distance = 0;
  Index degrees = 0;
};

// 0: the log does not identify it.
double weight_of(const FleetLog& log, Index column) {
  const double sigma = log.sigma[column];
  return std::isfinite(sigma) && sigma > 0 ? 1 / (sigma * sigma) : 0;
}

Line fit_line(const FleetRobot& robot, Index column) {
  double w = 0, wt = 0, wy = 0;
  Index count = 0;
  const auto weight = [&](const FleetLog& log) { return weight_of(log, column); };
  for (const FleetLog& log : robot.logs) {
    const double one = weight(log);
    if (one == 0) continue;
    ++count;
    w += one;
    wt += one * log.time;
    wy += one * log.values[column];
  }
  Line line;
  if (count < kFewestFleetLogs) return line;
  const double t0 = wt / w, y0 = wy / w;
  double stt = 0, sty = 0;
  for (const FleetLog& log : robot.logs) {
    const double one = weight(log), t = log.time - t0;
    stt += one * t * t;
    sty += one * t * (log.values[column] - y0);
  }
  if (!(stt > 0)) return line;
  line.is_found = true;
  line.slope = sty / stt;
  line.sigma = 1 / std::sqrt(stt);
  line.degrees = count - 2;
  for (const FleetLog& log : robot.logs) {
    const double off = log.values[column] - y0 - line.slope * (log.time - t0);
    line.distance += weight(log) * off * off;
  }
  return line;
}

// The step that is largest in standard deviations, of the places between logs.
struct Step {
  double size = 0, sigma = 0;
  const FleetLog* since = nullptr;  // null: none
  Index places = 0;
};

Step fit_step(const FleetRobot& robot, Index column) {
  double w_all = 0, wy_all = 0;
  for (const FleetLog& log : robot.logs) {
    w_all += weight_of(log, column);
    wy_all += weight_of(log, column) * log.values[column];
  }
  Step best;
  double w = 0, wy = 0;  // of the logs before
  const FleetLog* before = nullptr;
  for (const FleetLog& log : robot.logs) {
    const double one = weight_of(log, column);
    if (one == 0) continue;
    if (before != nullptr && log.time > before->time) {
      ++best.places;
      const double size = (wy_all - wy) / (w_all - w) - wy / w;
      const double sigma = std::sqrt(1 / w + 1 / (w_all - w));
      if (best.since == nullptr || std::abs(size) * best.sigma > std::abs(best.size) * sigma)
        best.size = size, best.sigma = sigma, best.since = &log;
    }
    w += one;
    wy += one * log.values[column];
    before = &log;
  }
  return best;
}

// Squared distances of single logs from their lines over their standard deviations: at least 1. The median
// over robots, so that a robot that does not follow a line counts like any other.
struct Excess {
  double factor = 1;
  double degrees = 0;
};

Excess excess_of(const std::vector<Line>& lines) {
  Excess out;
  std::vector<double> ratios;
  for (const Line& line : lines) {
    if (!line.is_found) continue;
    const auto degrees = static_cast<double>(line.degrees);
    ratios.push_back(line.distance / chi_squared_quantile(0.5, degrees));
    out.degrees += degrees;
  }
  if (ratios.size() >= 3) {
    out.factor = std::max(1.0, robust_spread(ratios).middle);
    out.degrees *= 0.4;  // effective share of a median of squares
  } else if (!ratios.empty()) {
    double distance = 0;
    for (const Line& line : lines) distance += line.distance;
    out.factor = std::max(1.0, distance / out.degrees);
  }
  return out;
}

std::string drift_words(const std::string& parameter, const Drift& drift, const std::string& unit) {
  const std::string stem = parameter.substr(0, 2),
                    number = parameter.substr(std::min<std::size_t>(2, parameter.size()));
  const std::string what = stem == "fv"   ? fmt::format("viscous friction of joint {}", number)
                           : stem == "fc" ? fmt::format("Coulomb friction of joint {}", number)
                           : stem == "fo" ? fmt::format("effort offset of joint {}", number)
                                          : fmt::format("parameter {}", parameter);
  const bool is_step = !drift.since.empty();
  const std::string when = is_step ? fmt::format("from log {} on", drift.since) : "a " + unit;
  if (drift.relative == 0 || stem == "fo")
    return fmt::format("{} changes by {:.2g} {}", what, is_step ? drift.step : drift.slope, when);
  const char* verb =
      is_step ? (drift.relative > 0 ? "is higher" : "is lower") : (drift.relative > 0 ? "rises" : "falls");
  return fmt::format("{} {} by {:.2g} % of the fleet's value {}", what, verb, 100 * std::abs(drift.relative),
                     when);
}

// The line or the step of a parameter, with its chance: lines and steps each have half of the level, and
// steps share theirs among their places.
Drift more_likely(const Line& line, const Step& step, const Excess& excess) {
  const auto chance = [&](double size, double sigma) {
    const double t = size / sigma;
    return 2 * fisher_tail(t * t / excess.factor, 1, excess.degrees);
  };
  Drift drift;
  drift.slope = line.slope;
  drift.sigma = line.sigma * std::sqrt(excess.factor);
  drift.p = chance(line.slope, line.sigma);
  if (step.since == nullptr) return drift;
  const double p = static_cast<double>(step.places) * chance(step.size, step.sigma);
  if (p >= drift.p) return drift;
  drift.slope = 0;
  drift.step = step.size;
  drift.since = step.since->name;
  drift.sigma = step.sigma * std::sqrt(excess.factor);
  drift.p = p;
  return drift;
}

}  // namespace

std::vector<std::vector<Drift>> detect_drifts(const FleetInput& input, const VectorXd& fleet,
                                              const VectorXd& scatter, const FleetOptions& options) {
  std::vector<std::vector<Drift>> out(input.robots.size());
  std::vector<std::vector<Line>> lines(input.columns.size());
  double tests = 0;
  for (std::size_t c = 0; c < input.columns.size(); ++c)
    for (const FleetRobot& robot : input.robots) {
      lines[c].push_back(fit_line(robot, static_cast<Index>(c)));
      tests += lines[c].back().is_found;
    }
  for (std::size_t c = 0; c < input.columns.size(); ++c) {
    const Excess excess = excess_of(lines[c]);
    if (excess.degrees <= 0) continue;
    for (std::size_t r = 0; r < input.robots.size(); ++r) {
      const Line& line = lines[c][r];
      if (!line.is_found) continue;
      const auto column = static_cast<Index>(c);
      Drift drift = more_likely(line, fit_step(input.robots[r], column), excess);
      drift.p = std::min(1.0, tests * drift.p);
      if (drift.p > options.level) continue;
      drift.parameter = input.columns[c];
      if (std::abs(fleet[column]) > kNotZero * scatter[column])
        drift.relative = (drift.slope + drift.step) / fleet[column];
      drift.text = drift_words(drift.parameter, drift, input.time_unit);
      out[r].push_back(std::move(drift));
    }
  }
  for (std::vector<Drift>& list : out)
    std::stable_sort(list.begin(), list.end(), [](const Drift& a, const Drift& b) { return a.p < b.p; });
  return out;
}

}  // namespace steelyard
