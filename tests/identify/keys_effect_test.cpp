// A key that a study may have changes its result, or is refused by name. No key is listed here: the rows of their
// descriptions are, and what a description says of keys that act in some studies only (`Key::only`).
//
// STEELYARD_SHOW_KEYS=1 prints what became of every key.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "oracle/sanitized.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/identify/excite.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/study/study_yaml.hpp"
#include "study/key_trees.hpp"

namespace steelyard {
namespace keys_effect_test {
namespace {

using key_trees::Json;
using Kind = KeyRow::Kind;

// A small study and the keys that are changed in it: those below these prefixes; none: all.
struct Base {
  std::string name;
  Json tree;
  std::vector<std::string> keys;
  std::string inside = {};  // the section whose keys act here, whatever it says of other studies
  bool excites = false;
};

// Twelve seconds of the 2R arm.
Json simulated(const char* label, int seed, const char* more = "{}") {
  Json run = Json::parse(R"({"simulate": {"rate": 50, "effort_noise": 0.05, "velocity": "none",
      "friction": {"viscous": 0.5, "coulomb": 0.4},
      "motion": {"multi_sine": {"harmonics": 4, "period": 6, "duration": 12, "center": [0, 0], "reach": 1.5}}}})");
  run["label"] = label;
  run["simulate"]["motion"]["multi_sine"]["seed"] = seed;
  run.merge_patch(Json::parse(more));
  return run;
}

Json study_tree(const char* more, const Json& first = simulated("a", 3),
                const Json& second = simulated("b", 5, R"({"role": "validate"})")) {
  Json tree = Json::parse(R"({"robot": ")" STEELYARD_SOURCE_DIR R"(/robots/two_r.yaml",
      "drives": {"friction": ["viscous", "coulomb"]},
      "prepare": {"filter": {"order": 4, "cutoff": 5}, "columns": "filtered"},
      "estimate": {"method": "wls", "intervals": {"bias_check": false, "replicates": 20}}})");
  tree["runs"] = Json::array({first, second});
  tree.merge_patch(Json::parse(more));
  return tree;
}

std::vector<Base> bases() {
  const char* kCurrent = R"({"simulate": {"effort": "current", "gain": [2, 3]}})";
  const char* kLoaded =
      R"({"payload": "plate", "simulate": {"effort": "current", "gain": [2, 3], "load": {"m": 2}}})";
  const char* kUnsigned = R"({"unsigned": true, "simulate": {"velocity": "exact"}})";
  const char* kSprings = R"({"simulate": {"velocity": null, "rate": 200, "rotor_inertia": 0.5,
      "elastic": {"stiffness": [3000, 2000], "damping": 1, "relative_encoder_noise": 0.001}}})";
  const char* kPoints = R"({"simulate": {"motion": {"multi_sine": null,
      "points": {"points": [[0, 0], [1, 1], [-1, 0.5], [0.3, -1]], "velocity": 1, "acceleration": 3}}}})";
  const char* kSeries =
      R"({"simulate": {"motion": {"multi_sine": null, "fourier": {"omega": 1, "duration": 12,
      "a": [[0.4, 0.3], [0.2, 0.5]], "b": [[0.1, 0.3], [0.3, -0.2]], "q0": [0, 0], "lead": 1}}}})";
  return {
      {"plain", study_tree("{}"), {""}},
      {"exact velocities",
       study_tree("{}", simulated("a", 3, R"({"simulate": {"velocity": "exact"}})")),
       {"prepare.velocity"}},
      {"constraints",
       study_tree(R"({"feasible": {"constraints": [{"bound": "m1", "at_most": 5}]}})"),
       {"feasible"}},
      {"box",
       study_tree(R"({"feasible": {"constraints": [{"com_box": {"link": "all", "x": [-0.1, 0.1]}}]}})"),
       {"feasible.constraints[].com_box"}},
      {"instruments",
       study_tree(R"({"estimate": {"method": "iv"}})"),
       {"estimate.instruments"},
       "estimate.instruments"},
      {"huber", study_tree(R"({"estimate": {"method": "huber"}})"), {"estimate.huber"}, "estimate.huber"},
      {"points", study_tree("{}", simulated("a", 3, kPoints)), {"runs[].simulate.motion"}},
      {"series", study_tree("{}", simulated("a", 3, kSeries)), {"runs[].simulate.motion"}},
      {"gains",
       study_tree(R"({"gains": {"method": "wls"}, "payloads": [{"name": "plate", "mass": 2}]})",
                  simulated("a", 3, kCurrent), simulated("b", 5, kLoaded)),
       {"gains", "payloads", "runs[].simulate.gain", "runs[].simulate.load"}},
      {"signs",
       study_tree(R"({"signs": {"filter": {"order": 4, "cutoff": 5}}})", simulated("a", 3, kUnsigned)),
       {"signs"},
       "signs"},
      {"elastic",
       study_tree(
           R"({"elastic": {}, "drives": {"rotor_inertia": true, "friction": ["viscous", "coulomb", "offset"]}})",
           simulated("a", 3, kSprings), simulated("b", 5, kSprings)),
       {"elastic", "runs[].simulate.elastic"}},
      {"reverse",
       Json::parse(R"({"robot": ")" STEELYARD_SOURCE_DIR R"(/robots/two_r.yaml", "reverse":
               {"source": {"robot": ")" STEELYARD_SOURCE_DIR R"(/robots/two_r.yaml"},
                "configurations": {"count": 30}, "answers": {"digits": 5}, "validation": [{"count": 20}]}})"),
       {"reverse"}},
      {"excite",
       study_tree(R"({"excite": {"duration": 6, "rate": 20, "starts": 1, "iterations": 20, "noise": 0.05}})"),
       {"excite"},
       "excite",
       true}};
}

// What became of a study: the text of its result without its provenance, or the refusal.
struct Outcome {
  std::string result, refusal;
};

Outcome outcome_of_text(const std::string& text, bool excites) {
  try {
    const Study study = read_study_text(text, "study.yaml");
    if (excites) return {to_json(excite_study(study)), ""};
    StudyOutcome outcome = run_study(study);
    outcome.result.provenance = {};
    return {to_json(outcome.result), ""};
  } catch (const Error& error) {  // also programs that cannot be started
    return {"", error.what()};
  }
}

// Values that a row accepts.
std::vector<Json> candidates(const KeyRow& row) {
  std::vector<Json> values;
  const auto add_number = [&](double value) {
    if (row.kind == Kind::count) value = std::round(value);
    if (row.allowed.contains(value))
      values.push_back(row.kind == Kind::count ? Json(std::int64_t(value)) : Json(value));
  };
  for (const std::string& word : row.words)
    values.push_back(word == "true" || word == "false" ? Json(word == "true") : Json(word));
  switch (row.kind) {
    case Kind::number:
    case Kind::count:
    case Kind::numbers: {
      const double usual = row.usual.empty() ? 1 : std::atof(row.usual.c_str());
      for (const double value : {2 * usual, 0.5 * usual, usual + 1, usual + 0.3, 0.1, 1.0, 3.0, 20.0, 40.0,
                                 0.5 * (row.allowed.lower + row.allowed.upper)})
        add_number(value);
      for (std::size_t k = values.size(); row.kind == Kind::numbers && k-- > 0;)
        if (values[k].is_number()) values.push_back(Json::array({values[k], values[k]}));
      break;
    }
    case Kind::interval:
      values.push_back(Json::array({0.5, 2}));
      break;
    case Kind::text:
    case Kind::texts:
      for (const char* text : {"joint2", "m2", "q", "mx1", "other"}) values.push_back(text);
      break;
    case Kind::section:
      values.push_back(Json::object());
      break;
    case Kind::list:
      values.push_back(Json::array({Json::array({0.5, 2.5})}));
      break;
    default:
      break;
  }
  return values;
}

// `base` with a value at the path of a row; keys that are required beside it are added.
Json with_value(Json base, const std::vector<KeyRow>& rows, const std::string& prefix,
                const std::string& path, const Json& value) {
  if (path.empty()) return value;
  if (path[0] == '[') {
    if (!base.is_array() || base.empty()) base = Json::array({nullptr});
    base[0] = with_value(base[0], rows, prefix + "[]", path.substr(2), value);
    return base;
  }
  if (path[0] == '{') {
    if (!base.is_object()) base = Json::object();
    const std::string name = !base.empty()                  ? base.begin().key()
                             : prefix.starts_with("runs[]") ? "torque"
                                                            : "joint1";
    base[name] = with_value(base.value(name, Json()), rows, prefix + "{}", path.substr(2), value);
    return base;
  }
  const std::string rest = path[0] == '.' ? path.substr(1) : path;
  const std::string own = path[0] == '.' ? prefix + "." : prefix;
  const std::size_t stop = std::min(rest.find_first_of(".[{"), rest.size());
  const std::string name = rest.substr(0, stop);
  if (!base.is_object()) base = Json::object();
  for (const KeyRow& row : rows) {
    if (!row.required || !row.path.starts_with(own)) continue;
    const std::string sibling = row.path.substr(own.size());
    if (sibling.find_first_of(".[{") == std::string::npos && !base.contains(sibling))
      base[sibling] = key_trees::sample(row);
  }
  base[name] = with_value(base.value(name, Json()), rows, own + name, rest.substr(stop), value);
  return base;
}

// The earlier ones count where values of one key differ: a value beyond a limit does not make a key act.
enum class Fate { acts, silent, refused, refused_without_name, untried };

// Of the first value that does something.
struct Tried {
  Fate fate = Fate::untried;
  std::string text, refusal;
};

bool is_default(const KeyRow& row, const Json& value) {
  if (row.usual.empty()) return false;
  const Json& one = value.is_array() && !value.empty() ? value[0] : value;
  return one.is_number() ? one.get<double>() == std::atof(row.usual.c_str())
                         : row.usual == (one.is_string() ? one.get<std::string>() : one.dump());
}

Tried tried(const Base& base, const Outcome& before, const std::vector<KeyRow>& rows, const KeyRow& row) {
  Tried out;
  for (const Json& value : candidates(row)) {
    if (is_default(row, value)) continue;
    const std::string text = with_value(base.tree, rows, "", row.path, value).dump();
    if (text == base.tree.dump()) continue;
    const Outcome after = outcome_of_text(text, base.excites);
    Fate fate = Fate::silent;
    if (!after.refusal.empty())
      fate = after.refusal.find(row.name) != std::string::npos ? Fate::refused : Fate::refused_without_name;
    else if (after.result != before.result)
      fate = Fate::acts;
    if (out.fate != Fate::untried && fate >= out.fate) continue;
    out = {fate, value.dump(), after.refusal};
    if (fate == Fate::acts) break;
  }
  return out;
}

// The row, or a section around it, says where it acts.
bool says_where(const std::vector<KeyRow>& rows, const std::string& path, const std::string& inside) {
  return std::any_of(rows.begin(), rows.end(), [&](const KeyRow& row) {
    if (row.only.empty() || row.path == inside || !path.starts_with(row.path)) return false;
    return path.size() == row.path.size() ||
           std::string(".[{").find(path[row.path.size()]) != std::string::npos;
  });
}

// Sections, lists and maps say nothing by themselves: their keys are rows of their own. Files are other inputs.
bool holds_others(const std::vector<KeyRow>& rows, const KeyRow& row) {
  if (row.kind == Kind::path) return true;
  if (row.kind != Kind::section && row.kind != Kind::list && row.kind != Kind::map) return false;
  return row.words.empty() && std::any_of(rows.begin(), rows.end(), [&](const KeyRow& other) {
           return other.path.size() > row.path.size() && other.path.starts_with(row.path);
         });
}

// Sanitized, every seventh key is tried.
const std::size_t kStride = oracle::is_sanitized() ? 7 : 1;

TEST(Keys, ActOrAreRefusedByName) {
  const std::vector<KeyRow> rows = key_rows([](Fields& fields) {
    static Study blank;
    describe(fields, blank);
  });
  const bool shows = std::getenv("STEELYARD_SHOW_KEYS") != nullptr;
  std::set<std::string> acting;
  for (const Base& base : bases()) {
    const Outcome before = outcome_of_text(base.tree.dump(), base.excites);
    ASSERT_EQ(before.refusal, "") << base.name;
    for (std::size_t k = 0; k < rows.size(); k += kStride) {
      const KeyRow& row = rows[k];
      const bool wanted = std::any_of(base.keys.begin(), base.keys.end(), [&](const std::string& prefix) {
        return row.path.starts_with(prefix);
      });
      // What says where it acts is tried there, in a study of its own.
      if (!wanted || holds_others(rows, row) ||
          (base.keys[0].empty() && says_where(rows, row.path, base.inside)))
        continue;
      const Tried out = tried(base, before, rows, row);
      constexpr const char* kFates[] = {"acts", "SILENT", "refused", "REFUSED WITHOUT NAME", "UNTRIED"};
      if (shows)
        std::printf("%s\t%s\t%s\t%s\t%s\n", base.name.c_str(), row.path.c_str(),
                    kFates[static_cast<int>(out.fate)], out.text.c_str(), out.refusal.substr(0, 200).c_str());
      if (out.fate == Fate::acts) acting.insert(row.path);
      EXPECT_TRUE(out.fate != Fate::silent || says_where(rows, row.path, base.inside))
          << base.name << ": " << row.path << " = " << out.text << " is accepted and changes nothing";
    }
  }
  if (shows)
    for (const KeyRow& row : rows)
      if (!acting.contains(row.path) && !holds_others(rows, row))
        std::printf("never acts\t%s\n", row.path.c_str());
  EXPECT_GT(acting.size(), 150U / kStride);
}

}  // namespace
}  // namespace keys_effect_test
}  // namespace steelyard
