#include "identify/fixes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <set>
#include <utility>

#include "steelyard/log/columns.hpp"
#include "steelyard/study/edit_yaml.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Entry (i, source[i]) is the only one of its row that is not zero.
struct Mapping {
  std::vector<Index> source;
  std::vector<double> factor;
};

std::optional<Mapping> mapping_of(const MatrixXd& matrix) {
  Mapping out;
  for (Index i = 0; i < matrix.rows(); ++i) {
    Index at = -1;
    for (Index j = 0; j < matrix.cols(); ++j) {
      if (matrix(i, j) == 0) continue;
      if (at >= 0) return std::nullopt;
      at = j;
    }
    if (at < 0) return std::nullopt;
    out.source.push_back(at);
    out.factor.push_back(matrix(i, at));
  }
  return out;
}

// One entry for all joints, or for each; `rest` where there is none.
template <typename T>
T entry(const std::vector<T>& list, Index j, T rest) {
  if (list.empty()) return rest;
  return list.size() == 1 ? list[0] : list.at(static_cast<std::size_t>(j));
}

// One for all where all are the same.
std::string list_text(const std::vector<std::string>& items) {
  const bool same =
      std::all_of(items.begin(), items.end(), [&](const std::string& item) { return item == items[0]; });
  return same ? items[0] : fmt::format("[{}]", fmt::join(items, ", "));
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (std::string text : texts) {
    for (std::size_t at = 0; (at = text.find_first_of("\"\\", at)) != std::string::npos; at += 2)
      text.insert(at, 1, '\\');
    quoted.push_back('"' + text + '"');
  }
  return list_text(quoted);
}

std::string number_list(const std::vector<double>& numbers) {
  std::vector<std::string> texts;
  for (const double number : numbers) texts.push_back(fmt::format("{:.6g}", number));
  return list_text(texts);
}

// "runs", "2" of the study's file: runs of windows and of fold files share their entry.
std::vector<std::string> entry_of(const Study& study, const StudyRun& run) {
  std::set<std::pair<int, int>> before;
  for (const StudyRun& other : study.runs) {
    const std::pair<int, int> place{other.place.line, other.place.column};
    if (place < std::pair<int, int>{run.place.line, run.place.column}) before.insert(place);
  }
  return {"runs", std::to_string(before.size())};
}

// A channel of one run, read in another way.
class Reading {
 public:
  Reading(std::vector<std::string> run, const ChannelColumns& channel, const std::vector<LogJoint>& joints)
      : run_(std::move(run)), name_(channel.channel), joints_(static_cast<Index>(joints.size())) {
    for (Index j = 0; j < joints_; ++j) {
      const auto at = static_cast<std::size_t>(j);
      columns_.push_back(channel.columns.size() == 1
                             ? expand_pattern(channel.columns[0], static_cast<int>(j), joints[at])
                             : channel.columns.at(at));
      units_.push_back(entry<std::string>(channel.units, j, ""));
      signs_.push_back(entry(channel.sign, j, 1.0));
      scales_.push_back(entry(channel.scale, j, 1.0));
      offsets_.push_back(entry(channel.offset, j, 0.0));
    }
  }

  // Joint i is `factor` times what joint source[i] was, plus `zero`.
  std::vector<StudyEdit> edits(const Mapping& mapping, const VectorXd& zero) const {
    Reading now = *this;
    for (Index i = 0; i < joints_; ++i) {
      const auto to = static_cast<std::size_t>(i);
      const auto from = static_cast<std::size_t>(mapping.source[to]);
      const double factor = mapping.factor[to];
      now.columns_[to] = columns_[from];
      now.units_[to] = units_[from];
      now.signs_[to] = factor < 0 ? -signs_[from] : signs_[from];
      now.scales_[to] = scales_[from];
      now.offsets_[to] = factor * offsets_[from] + (zero.size() > 0 ? zero[i] : 0.0);
      now.take_size(to, std::abs(factor));
    }
    std::vector<StudyEdit> out;
    const auto add = [&](const char* key, bool changed, std::string value) {
      if (!changed) return;
      out.push_back({run_, std::move(value)});
      out.back().path.insert(out.back().path.end(), {key, name_});
    };
    add("columns", now.columns_ != columns_, quoted_list(now.columns_));
    add("units", now.units_ != units_, quoted_list(now.units_));
    add("sign", now.signs_ != signs_, number_list(now.signs_));
    add("scale", now.scales_ != scales_, number_list(now.scales_));
    add("offset", now.offsets_ != offsets_, number_list(now.offsets_));
    return out;
  }

 private:
  // Degrees for radians have a name; other factors are scales.
  void take_size(std::size_t j, double size) {
    constexpr double kDegree = std::numbers::pi / 180;
    const auto is = [&](double value) { return std::abs(size / value - 1) < 1e-9; };
    std::string& unit = units_[j];
    if (is(1)) return;
    if (is(kDegree) && (unit.empty() || unit == "rad"))
      unit = "deg";
    else if (is(1 / kDegree) && unit == "deg")
      unit = "rad";
    else
      scales_[j] *= size;
  }

  std::vector<std::string> run_;
  std::string name_;
  Index joints_;
  std::vector<std::string> columns_, units_;
  std::vector<double> signs_, scales_, offsets_;
};

// Velocities and accelerations belong to positions whose sign or place is wrong as a whole.
bool moves_along(const Hypothesis& found) {
  return found.code == "position-sign" || found.code == "axis-sign" || found.code == "joint-order";
}

std::string time_unit(double factor) {
  constexpr double kNear = 1.25;  // the factor is searched for
  for (const auto& [unit, value] : {std::pair{"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}})
    if (factor < value * kNear && factor > value / kNear) return unit;
  return "";
}

}  // namespace

std::vector<StudyEdit> reading_edits(const Study& study, const StudyRun& run, const Robot& robot,
                                     const Hypothesis& found) {
  if (run.file.path.empty() || run.folded || found.robot) return {};
  const std::optional<Mapping> position = mapping_of(found.set_up.position);
  const std::optional<Mapping> effort = mapping_of(found.set_up.effort);
  if (!position || !effort) return {};
  const std::vector<std::string> at = entry_of(study, run);
  const std::vector<LogJoint> joints = log_joints(robot);
  std::vector<StudyEdit> edits;
  for (const ChannelColumns& channel : run.file.channels) {
    if (channel.channel.starts_with(channel::kMotor)) return {};
    const bool is_effort = channel.channel == channel::kTorque || channel.channel == channel::kCurrent;
    const bool is_position = channel.channel == channel::kPosition;
    const bool follows = moves_along(found) &&
                         (channel.channel == channel::kVelocity || channel.channel == channel::kAcceleration);
    if (!is_effort && !is_position && !follows) continue;
    const Reading reading(at, channel, joints);
    for (StudyEdit& edit :
         reading.edits(is_effort ? *effort : *position, is_position ? found.set_up.zero : VectorXd()))
      edits.push_back(std::move(edit));
  }
  if (found.set_up.time != 1) {
    const std::string unit = time_unit(found.set_up.time);
    if (run.file.time.empty() || unit.empty() || run.file.time_unit != "s") return {};
    edits.push_back({at, unit});
    edits.back().path.insert(edits.back().path.end(), {"units", "time"});
  }
  return edits;
}

namespace {

std::string title_of(const Finding& finding) {
  return finding.code + (finding.joint.empty() ? "" : " (" + finding.joint + ")");
}

// The part between gaps as runs of their own; only where every gap is known.
std::vector<StudyEdit> window_edits(const Study& study, const StudyRun& run, const TimeScan& time) {
  if (run.file.path.empty() || !run.window.is_all() || run.part > 0 || time.gaps == 0 ||
      static_cast<std::size_t>(time.gaps) != time.longest_gaps.size())
    return {};
  std::string windows = "[[null, ", end;
  for (const TimeGap& gap : time.longest_gaps) {
    end = fmt::format("{:.9g}", gap.begin + 0.5 * gap.length);  // inside the gap
    windows += fmt::format("{}], [{}, ", end, end);
  }
  StudyEdit edit{entry_of(study, run), windows + "null]]"};
  edit.path.emplace_back("windows");
  return {edit};
}

// Findings whose remedy is one value, whatever the numbers.
std::optional<StudyEdit> edit_of_code(const Finding& finding) {
  if (is(finding, "velocity-scale") || is(finding, "velocity-delay") || is(finding, "velocity-noise"))
    return StudyEdit{{"prepare", "velocity"}, "differences"};
  if (is(finding, "effort-delay")) return StudyEdit{{"prepare", "effort_delay"}, "auto"};
  return std::nullopt;
}

// One of several set-ups that explain the log equally well is a guess.
bool is_unique(const Examination& examination) {
  return examination.set_up && tied(*examination.set_up).size() == 1 &&
         tied_second(*examination.set_up).size() <= 1;
}

void add_set_up_fix(const Study& study, const Robot& robot, const Examination& examination,
                    const std::vector<std::size_t>& logs, std::vector<StudyFix>& fixes) {
  if (!is_unique(examination)) return;
  std::vector<Hypothesis> steps = {examination.set_up->ranked[0].hypothesis};
  if (examination.set_up->second) steps.push_back(examination.set_up->further[0].hypothesis);
  if (examination.set_up->without_first)
    std::swap(steps[0], steps[1]);  // the first was found on top of the second
  StudyFix fix;
  Hypothesis all = steps[0];
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (k > 0) all = on_top(all, steps[k]);
    for (const Finding& finding : examination.findings)
      if (is(finding, steps[k].code)) fix.findings.push_back(title_of(finding));
    if (moves_along(steps[k])) all.code = steps[k].code;
  }
  for (std::size_t f = 0; f < examination.findings.size(); ++f) {
    if (!is(examination.findings[f], steps[0].code)) continue;
    for (const std::size_t subject : examination.subjects[f])
      for (StudyEdit& edit : reading_edits(study, study.runs[logs[subject]], robot, all))
        if (std::none_of(fix.edits.begin(), fix.edits.end(),
                         [&](const StudyEdit& other) { return other.path == edit.path; }))
          fix.edits.push_back(std::move(edit));
  }
  if (!fix.edits.empty()) fixes.push_back(std::move(fix));
}

}  // namespace

std::vector<StudyFix> study_fixes(const Study& study, const Robot& robot, const Examination& examination,
                                  const std::vector<std::size_t>& logs) {
  std::vector<StudyFix> fixes;
  add_set_up_fix(study, robot, examination, logs, fixes);
  for (std::size_t f = 0; f < examination.findings.size(); ++f) {
    const Finding& finding = examination.findings[f];
    StudyFix fix{{title_of(finding)}, {}};
    if (finding.severity == Severity::note) continue;  // of what is not used
    if (const std::optional<StudyEdit> edit = edit_of_code(finding)) fix.edits = {*edit};
    if (is(finding, "gaps"))
      for (const std::size_t subject : examination.subjects[f])
        for (StudyEdit& edit :
             window_edits(study, study.runs[logs[subject]], examination.signals[subject].time))
          fix.edits.push_back(std::move(edit));
    const auto same = std::find_if(fixes.begin(), fixes.end(), [&](const StudyFix& other) {
      return !fix.edits.empty() && other.edits.size() == 1 && other.edits[0].path == fix.edits[0].path;
    });
    if (same != fixes.end())
      same->findings.push_back(fix.findings[0]);
    else if (!fix.edits.empty())
      fixes.push_back(std::move(fix));
  }
  return fixes;
}

std::string fixed_study(const std::string& text, const std::string& path,
                        const std::vector<StudyFix>& fixes) {
  std::string out = text;
  for (const StudyFix& fix : fixes)
    for (const StudyEdit& edit : fix.edits) out = set_yaml(out, path, edit.path, edit.value);
  read_study_text(out, path);
  return out;
}

}  // namespace steelyard
