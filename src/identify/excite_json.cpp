// excite.json and next.json (docs/excite.md) and their schemas, from one description.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "steelyard/core/described.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/identify/excite.hpp"
#include "steelyard/identify/schema.hpp"
#include "steelyard/result/json_text.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t kMotionFormat = 1;

// A number that is finite, or absent.
void describe_finite(Fields& f, const Key& key, double& value, const Allowed& allowed) {
  bool is_finite = std::isfinite(value);
  f.number(key, value, allowed, &is_finite);
}

// A report without any finite number is null.
void describe_report(Fields& f, const Key& key, MotionReport& x) {
  bool has = std::isfinite(x.log_det) || std::isfinite(x.condition) || std::isfinite(x.condition_scaled);
  f.section(nullable(key), has, [&](Fields& g) {
    describe_finite(g, may("log_det", "", "of the information, with that of earlier runs"), x.log_det,
                    any_number());
    describe_finite(g, may("condition", "", "condition number of the rows"), x.condition, at_least(1));
    describe_finite(g, may("condition_scaled", "", "the same with all columns scaled to norm one"),
                    x.condition_scaled, at_least(1));
  });
}

}  // namespace

void describe(Fields& f, Outlook& x) {
  f.text(must("name", "", "lead column"), x.parameter);
  describe_finite(f, may("sigma", "SI", "standard deviation to expect; absent: not determined"), x.sigma,
                  at_least(0));
  describe_finite(f, may("sigma_before", "SI", "by earlier runs alone; absent: not determined"),
                  x.sigma_before, at_least(0));
  describe_finite(f, may("inflation", "", "of its variance by the other columns"), x.inflation, at_least(0));
  f.group("poor", x.poor, [&](Fields& g) {
    g.text(must("poor", "", "why it stays poorly determined; absent when it does not"), x.why);
  });
}

void describe(Fields& f, LimitUse& x) {
  f.text(must("limit", "", "velocity of joint3, tool and table, …"), x.what);
  describe_finite(f, may("worst", "SI", "value; of distances the least, beyond the clearance"), x.worst,
                  any_number());
  describe_finite(f, may("allowed", "SI", "the limit itself"), x.limit, any_number());
  describe_finite(f, may("share", "", "of the limit; of distances 1 when touching, 0 from 0.1 m on"), x.share,
                  any_number());
  describe_finite(f, may("time", "s", "when it is worst"), x.time, at_least(0));
}

void describe(Fields& f, ExcitedMotion& x) {
  describe_report(f, must("before", "", "the initial motion of the best start"), x.before);
  describe_report(f, must("after", "", "the motion that was found"), x.report);
  f.count(must("starts", "", "that were finished"), x.starts, at_least(0));
  f.count(must("best_start", "", "from 0"), x.best_start, at_least(0));
  f.count(must("evaluations", "", "of the objective"), x.evaluations, at_least(0));
  f.flag(must("time_limit_reached", "", "the motion then depends on the machine"), x.time_limit_reached);
  f.texts(must("notes", "", "limits that could not be checked, capsules that always touch"), x.notes);
  f.sections(must("parameters", "", "what to expect of each"), x.report.parameters);
  f.sections(must("limits", "", "how far each is used, the most used first"), x.report.limits);
}

void describe(Fields& f, Shrinkage& x) {
  f.text(must("name", "", "lead column"), x.parameter);
  f.number(nullable(must("predicted", "", "sigma_before over sigma")), x.predicted, at_least(0));
  f.number(nullable(must("achieved", "", "sigma_before over the standard deviation now")), x.achieved,
           at_least(0));
}

namespace {

void describe_head(Fields& f, Robot& robot, ExciteOptions& options) {
  std::int64_t format = kMotionFormat;
  f.whole(must("format_version", "", "within one version keys are only added"), format,
          from_to(kMotionFormat, kMotionFormat));
  f.section(must("robot", "", "that moves"), [&](Fields& g) {
    Index dof = robot.dof();
    g.text(must("name", "", "as its file has it"), robot.name);
    g.count(must("dof", "", "moving joints"), dof, at_least(0));
  });
  f.number(must("duration", "s", "of the motion, lead-in and lead-out included"), options.duration, above(0));
  f.number(must("rows_per_second", "Hz", "rows that count"), options.rate, above(0));
  f.count(must("seed", "", "of all random numbers; may exceed 2⁵³"), options.seed, at_least(0));
  std::string version = STEELYARD_VERSION;
  f.text(must("version", "", "of the program"), version);
}

void describe_excite(Fields& f, ExciteOutcome& x) {
  using enum MotionKind;
  describe_head(f, x.robot, x.options);
  f.choice(must("motion", "", "its kind"), x.options.kind,
           {{to_string(fourier), fourier}, {to_string(points), points}});
  describe(f, x.found);
}

// Every gain, if all were unknown.
void describe_gains(Fields& f, NextCandidate& x, const Robot& robot) {
  const std::vector<int> joints = coordinates(robot).joints;
  const auto count = static_cast<std::size_t>(x.gain_sigma.size());
  f.list(must("gains", "", "how accurately each would be identified"), count,
         [&](Fields& item, std::size_t k) {
           std::string joint = k < count ? robot.joints[static_cast<std::size_t>(joints[k])].name : "";
           double sigma = k < count ? x.gain_sigma[static_cast<Index>(k)] : 0;
           item.section(must("", "", ""), [&](Fields& g) {
             g.text(must("joint", "", "its name"), joint);
             describe_finite(g, may("sigma", "", "standard deviation; absent: not determined"), sigma,
                             at_least(0));
           });
         });
}

void describe_sigmas(Fields& f, NextCandidate& x, const NextOutcome& now) {
  const std::size_t count = now.parameters.size();
  f.list(must("parameters", "", "what to expect of each"), count, [&](Fields& item, std::size_t k) {
    std::string name = k < count ? now.parameters[k] : "";
    double before = k < count ? now.sigma[static_cast<Index>(k)] : 0;
    double sigma = k < count ? x.sigma[static_cast<Index>(k)] : 0;
    item.section(must("", "", ""), [&](Fields& g) {
      g.text(must("name", "", "lead column"), name);
      describe_finite(g, may("sigma_before", "SI", "standard deviation now; absent: not determined"), before,
                      at_least(0));
      describe_finite(g, may("sigma", "SI", "after such a run; absent: not determined"), sigma, at_least(0));
    });
  });
}

// As in result.json (docs/forecast.md).
void describe_forecast(Fields& f, const Key& key, std::optional<MotionForecast>& x) {
  bool has = x.has_value();
  MotionForecast own = x.value_or(MotionForecast());
  f.section(key, has, [&](Fields& g) {
    g.number(must("expected", "", "share of the effort that will be unexplained"), own.expected, at_least(0));
    g.number(must("lower", "", "with a probability of 90 % not less"), own.lower, at_least(0));
    g.number(must("upper", "", "with a probability of 90 % not more"), own.upper, at_least(0));
    const std::size_t count = own.per_joint.size();
    g.list(must("joints", "", "the same for each joint"), count, [&](Fields& item, std::size_t k) {
      JointForecast joint = k < count ? own.per_joint[k] : JointForecast();
      item.section(must("", "", ""), [&](Fields& row) {
        row.text(must("name", "", "of the joint"), joint.name);
        row.number(must("rms", "N·m or N", "expected error"), joint.rms, at_least(0));
        row.number(may("expected", "", "share of the joint's effort; absent where it takes none"),
                   joint.expected, at_least(0));
        row.number(may("upper", "", "with a probability of 90 % not more"), joint.upper, at_least(0));
      });
    });
  });
}

void describe_candidate(Fields& f, NextCandidate& x, const NextOutcome& now) {
  f.text(matching(must("kind", "", "of the run"), "fourier|points|configurations|payload"), x.kind);
  describe_finite(f, may("log_det", "", "of all runs, including this one"), x.log_det, any_number());
  describe_forecast(f, may("forecast", "", "of the error on typical motions after this run"), x.forecast);
  bool shrinks = !x.shrinks.empty(), has_load = x.load > 0;
  f.group("shrinks", shrinks, [&](Fields& g) {
    g.text(must("shrinks", "", "the parameter whose interval shrinks most"), x.shrinks);
    describe_finite(g, may("factor", "", "by which it does"), x.most, at_least(0));
  });
  f.group("load", has_load, [&](Fields& g) {
    g.number(must("load", "kg", "at the tool, of candidates with a payload"), x.load, above(0));
    describe_gains(g, x, now.robot);
  });
  f.optional_section(may("motion", "", "as in excite.json"), x.motion);
  const auto poses = static_cast<std::size_t>(x.poses.size() > 0 ? x.poses.rows() : 0);
  f.list(may("poses", "rad or m", "to hold still at; by joint"), poses, [&](Fields& item, std::size_t k) {
    VectorXd pose;
    if (k < poses) pose = x.poses.row(static_cast<Index>(k)).transpose();
    item.numbers(must("", "", ""), pose, any_number());
  });
  describe_sigmas(f, x, now);
}

void describe_next(Fields& f, NextOutcome& x, std::optional<std::vector<Shrinkage>> achieved) {
  describe_head(f, x.robot, x.options);
  describe_forecast(f, may("forecast", "", "of the error on typical motions now (docs/forecast.md)"),
                    x.forecast);
  f.text(may("no_forecast", "", "why there is none; candidates are then compared by log_det"), x.no_forecast);
  f.list(must("candidates", "", "for the next run, the best first"), x.candidates.size(),
         [&](Fields& item, std::size_t k) {
           NextCandidate fresh;
           NextCandidate& one = k < x.candidates.size() ? x.candidates[k] : fresh;
           item.section(must("", "", ""), [&](Fields& g) { describe_candidate(g, one, x); });
         });
  bool has = achieved.has_value();
  std::vector<Shrinkage> list = achieved.value_or(std::vector<Shrinkage>());
  f.group("achieved", has, [&](Fields& g) {
    g.sections(must("achieved", "", "by the last run; absent without an earlier next.json"), list);
  });
}

// Indented and with numbers as the JSON library writes them: 20.0, 1e-05.
std::string motion_text(const Fields::Part& part) {
  return ordered_json::parse(json_text(part, JsonStyle::typed)).dump(2) + "\n";
}

}  // namespace

std::vector<Shrinkage> shrinkages(const NextOutcome& outcome, const std::string& previous) {
  std::vector<Shrinkage> list;
  try {
    const ordered_json before = ordered_json::parse(previous);
    for (const auto& one : before.at("candidates").at(0).at("parameters")) {
      const std::string name = one.at("name");
      const auto at = std::find(outcome.parameters.begin(), outcome.parameters.end(), name);
      if (at == outcome.parameters.end() || !one.contains("sigma") || !one.contains("sigma_before")) continue;
      const double now = outcome.sigma[at - outcome.parameters.begin()];
      if (!std::isfinite(now)) continue;
      const double was = one.at("sigma_before"), predicted = one.at("sigma");
      list.push_back({name, was / predicted, was / now});
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError({fmt::format("the earlier prediction cannot be read: {}", error.what()),
                      {},
                      "a next.json",
                      "give the file that `steelyard next` wrote before the last run"});
  }
  return list;
}

std::string to_json(const ExciteOutcome& outcome) {
  ExciteOutcome described = outcome;
  return motion_text([&](Fields& fields) { describe_excite(fields, described); });
}

std::string to_json(const NextOutcome& outcome, const std::string& previous) {
  NextOutcome described = outcome;
  std::optional<std::vector<Shrinkage>> achieved;
  if (!previous.empty()) achieved = shrinkages(outcome, previous);
  return motion_text([&](Fields& fields) { describe_next(fields, described, achieved); });
}

std::string excite_schema() {
  ExciteOutcome outcome;
  return schema_text(
      "Steelyard motion",
      "A motion that identifies the most (excite.json). docs/excite.md explains it. Numbers that "
      "are not known are absent.",
      [&](Fields& fields) { describe_excite(fields, outcome); });
}

std::string next_schema() {
  NextOutcome outcome;
  return schema_text(
      "Steelyard next run",
      "What each candidate for the next run would add (next.json). docs/excite.md explains it. "
      "Numbers that are not known are absent.",
      [&](Fields& fields) { describe_next(fields, outcome, {}); });
}

}  // namespace steelyard
