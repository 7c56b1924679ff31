// Every key of a study, from its description: it is in the schema, the provenance, the documents and the words
// of the fuzzer, and bad values are refused by name. No key is listed here by hand.
//
// STEELYARD_WRITE_DOCS=1 writes the files instead of comparing them (`make schema`).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "steelyard/core/described.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/fleet/fleet_keys.hpp"
#include "steelyard/study/provenance.hpp"
#include "steelyard/study/study_yaml.hpp"
#include "study/key_trees.hpp"

namespace steelyard {
namespace {

using key_trees::Json;
using key_trees::object_with;
using Kind = KeyRow::Kind;

const std::string kSource = STEELYARD_SOURCE_DIR;

// A study as the reader and the fleets' reader know it.
void describe_all(Fields& fields) {
  static Study study;
  static FleetSpec fleet;
  bool has_fleet = false;
  describe(fields, study);
  fields.section({"fleet", "", "many robots of one type instead of `runs` ([fleet](fleet.md))"}, has_fleet,
                 [](Fields& inner) { describe(inner, fleet); });
}

void compare_or_write(const std::string& path, const std::string& wanted) {
  if (std::getenv("STEELYARD_WRITE_DOCS") != nullptr) {
    std::ofstream(path, std::ios::binary) << wanted;
    return;
  }
  EXPECT_EQ(read_text_file(path, "document"), wanted) << path << " is out of date: run `make schema`";
}

TEST(StudyKeys, SchemaIsGenerated) {
  JsonWriter json(JsonStyle::readable);
  json.begin_object();
  json.key("$schema").value("https://json-schema.org/draft/2020-12/schema");
  json.key("title").value("Steelyard study");
  json.key("description").value("docs/study.md explains every key. Numbers may be expressions such as pi/2.");
  write_schema_members(json, describe_all, SchemaNumbers::expressions);
  json.end_object();
  compare_or_write(kSource + "/docs/study.schema.json", json.text() + "\n");
}

// Keys that have the same table as others.
bool is_elsewhere(const std::string& path) {
  for (const char* copy :
       {"fleet.simulate.", "reverse.validation[].", "reverse.loaded.", "reverse.configurations.source."})
    if (path.starts_with(copy)) return true;
  return false;
}

std::string table_of(const std::string& path) {
  if (path.starts_with("runs[].simulate.")) return "simulate";
  const std::string name = path.substr(0, path.find_first_of(".[{"));
  return name == path ? "study" : name;
}

// What stands before the keys of a table.
std::string prefix_of(const std::vector<KeyRow>& rows) {
  const std::string name = table_of(rows.back().path);
  if (name == "simulate") return "runs[].simulate.";
  const std::string& path = rows.back().path;
  return name == "study" ? "" : path.substr(0, name.size() + (path[name.size()] == '.' ? 1 : 3));
}

// Tables of docs/study.md stand between `<!-- keys:NAME -->` and `<!-- keys:end -->`; `study` has the keys
// without those of its sections.
TEST(StudyKeys, TablesOfTheDocumentAreGenerated) {
  const std::string path = kSource + "/docs/study.md";
  const std::string text = read_text_file(path, "document");
  std::map<std::string, std::vector<KeyRow>> sections;
  for (const KeyRow& row : key_rows(describe_all)) {
    if (is_elsewhere(row.path)) continue;
    sections[table_of(row.path)].push_back(row);
  }
  const std::string begin = "<!-- keys:", end = "<!-- keys:end -->";
  std::string wanted;
  std::set<std::string> seen;
  std::size_t at = 0;
  for (std::size_t next; (next = text.find(begin, at)) != std::string::npos;) {
    const std::size_t close = text.find(" -->", next);
    const std::string name = text.substr(next + begin.size(), close - next - begin.size());
    const std::size_t last = text.find(end, close);
    ASSERT_NE(last, std::string::npos) << name;
    ASSERT_EQ(sections.count(name), 1u) << name;
    wanted += text.substr(at, close + 5 - at) + "\n" +
              markdown_table(sections[name], prefix_of(sections[name])) + "\n" + end;
    seen.insert(name);
    at = last + end.size();
  }
  compare_or_write(path, wanted + text.substr(at));
  for (const auto& [name, rows] : sections) EXPECT_EQ(seen.count(name), 1u) << "no table of " << name;
}

TEST(StudyKeys, WordsOfTheFuzzerAreGenerated) {
  std::set<std::string> words;
  for (const KeyRow& row : key_rows(describe_all)) {
    if (row.name.find(' ') == std::string::npos) words.insert(row.name);
    words.insert(row.words.begin(), row.words.end());
  }
  std::string text;
  for (const std::string& word : words) text += "\"" + word + "\"\n";
  compare_or_write(kSource + "/tests/fuzz/words/study", text);
}

// The member of a JSON tree at a path of keys; null when an outer one is not there.
bool has_path(const Json& json, const std::string& path) {
  const std::size_t dot = path.find_first_of(".[{");
  const std::string name = path.substr(0, dot);
  if (!json.is_object() || !json.contains(name)) return false;
  const Json& value = json[name];
  if (dot == std::string::npos || value.is_null() || !value.is_object()) return true;
  return path[dot] != '.' || value.empty() || has_path(value, path.substr(dot + 1));
}

TEST(StudyKeys, AreAllInProvenance) {
  const std::string robot = kSource + "/robots/two_r.yaml";
  const Study study =
      read_study_text("robot: " + robot +
                          "\nruns: [{simulate: {motion: {multi_sine: {center: [0, 0], reach: [1, "
                          "1]}}}}]\nfeasible: {pull: {towards: "
                          "robot, weight: 1}}\nelastic: {}\nexcite: {}\nvalidate: {cross: {}}\n",
                      "study.yaml");
  const Json options = Json::parse(provenance(study, "").options);
  int keys = 0;
  for (const KeyRow& row : key_rows([](Fields& fields) {
         static Study blank;
         describe(fields, blank);
       })) {
    ++keys;
    const bool is_nested = row.path.find_first_of("[{") != std::string::npos;
    EXPECT_TRUE(is_nested || has_path(options, row.path)) << row.path;
  }
  EXPECT_GT(keys, 200);
}

// Nulls, empty lists and empty maps are what is not given.
Json without_nulls(const Json& json) {
  if (!json.is_structured()) return json;
  Json out = json.is_array() ? Json::array() : Json::object();
  for (const auto& item : json.items()) {
    if (json.is_array())
      out.push_back(without_nulls(item.value()));
    else if (!item.value().is_null() && !(item.value().is_structured() && item.value().empty()))
      out[item.key()] = without_nulls(item.value());
  }
  return out;
}

TEST(StudyKeys, ProvenanceIsTheStudyAgain) {
  const std::string robot = kSource + "/robots/two_r.yaml";
  const Study study = read_study_text(
      "robot: " + robot +
          "\nruns: [{simulate: {motion: {points: {points: [[0, 0], [1, 1]], velocity: 1, acceleration: [1, "
          "2]}}, friction: {viscous: [1, 2]}, load: {m: 1}}}]\n"
          "drives: {friction: sigmoid, joints: {joint1: {friction: [viscous]}}}\n"
          "prepare: {filter: {cutoff: auto}, columns: filtered, resample: 500, reject: {velocity_below: "
          "0.1}}\n"
          "estimate: {method: iv, essential: 20, prior: {from: robot, weight: 1}}\n"
          "feasible: {objective: {base: {weight: covariance}}, intervals: true, constraints: [{bound: m1, "
          "at_most: "
          "3}, {com_box: {link: all, x: [null, 1]}}]}\nsigns: {gains: unknown, reversals: true}\n"
          "validate: {cross: {period: 3}}\n",
      "study.yaml");
  const auto text = [](const Study& given) {
    Json json = Json::parse(provenance(given, "").options);
    json.erase("prepared");
    for (Json& run : json["runs"])
      for (const char* key : {"simulated", "log", "seed", "motion"}) run.erase(key);
    return without_nulls(json).dump();
  };
  const std::string once = text(study);
  EXPECT_EQ(text(read_study_text(once, "study.yaml")), once);
}

TEST(StudyKeys, BadValuesAreRefusedByNameOrAllowed) {
  const std::vector<KeyRow> rows = key_rows([](Fields& fields) {
    static Study blank;
    describe(fields, blank);
  });
  const std::pair<const char*, Json> bad[] = {{"nan", ".nan"},
                                              {"negative", -1},
                                              {"fraction", 0.5},
                                              {"huge", 1e300},
                                              {"infinite", ".inf"},
                                              {"text", "nonsense words"},
                                              {"list", Json::array({Json::array({"x"})})},
                                              {"map", {{"zzz", 1}}}};
  int refused = 0;
  for (const KeyRow& row : rows) {
    for (const auto& [what, value] : bad) {
      std::string text = object_with(rows, "", row.path, value).dump();
      SCOPED_TRACE(row.path + ": " + text);
      const bool is_number = value.is_number();
      try {
        read_study_text(text, "study.yaml", false);
        EXPECT_TRUE(!is_number || row.kind != Kind::number || row.allowed.contains(value.get<double>()));
        EXPECT_FALSE(is_number && row.kind == Kind::count && row.words.empty() && value != -1) << "a count";
        EXPECT_FALSE((row.kind == Kind::number || row.kind == Kind::count) && !is_number) << "no number";
      } catch (const Error& error) {
        ++refused;
        const bool out = is_number && (row.kind == Kind::number || row.kind == Kind::count) &&
                         !row.allowed.contains(value.get<double>());
        EXPECT_TRUE(!out || std::string(error.what()).find(row.name) != std::string::npos) << error.what();
        EXPECT_FALSE(error.complaint().place.file.empty()) << error.what();
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

// The nearest numbers that a key does not accept.
std::vector<double> just_outside(const KeyRow& row) {
  const Allowed& allowed = row.allowed;
  const bool counts = row.kind == Kind::count;
  std::vector<double> values;
  if (std::isfinite(allowed.lower))
    values.push_back(allowed.above ? allowed.lower
                     : counts      ? allowed.lower - 1
                                   : std::nextafter(allowed.lower, -HUGE_VAL));
  if (std::isfinite(allowed.upper))
    values.push_back(allowed.below ? allowed.upper
                     : counts      ? std::nextafter(allowed.upper + 1, HUGE_VAL)
                                   : std::nextafter(allowed.upper, HUGE_VAL));
  return values;
}

void read_tree(const Json& tree) {
  const std::string text = tree.dump();
  if (!tree.contains("fleet")) {
    read_study_text(text, "study.yaml", false);
    return;
  }
  FleetSpec fleet;
  Json section = tree["fleet"];
  if (!section.contains("simulate") && !section.contains("logs")) section["logs"] = "{robot}-{day}.csv";
  read_described({"study.yaml", "", 1}, parse_yaml(section.dump(), "study.yaml"), "fleet", "",
                 [&](Fields& fields) { describe(fields, fleet); });
}

// Also in lists, and of fleets.
TEST(StudyKeys, NumbersJustOutsideTheirLimitsAreRefusedByName) {
  const std::vector<KeyRow> rows = key_rows(describe_all);
  int tried = 0;
  for (const KeyRow& row : rows) {
    if (row.kind != Kind::number && row.kind != Kind::count && row.kind != Kind::numbers) continue;
    for (const double value : just_outside(row)) {
      std::vector<Json> forms = {value};
      if (row.kind == Kind::numbers) forms.push_back(Json::array({1, value}));
      for (const Json& form : forms) {
        const Json tree = object_with(rows, "", row.path, form);
        SCOPED_TRACE(row.path + ": " + tree.dump());
        ++tried;
        try {
          read_tree(tree);
          ADD_FAILURE() << "accepted";
        } catch (const InputError& error) {
          EXPECT_NE(std::string(error.what()).find(row.name), std::string::npos) << error.what();
        }
      }
    }
  }
  EXPECT_GT(tried, 250);
}

TEST(StudyKeys, CountsAndLimitsAreTyped) {
  const std::string study =
      "robot: r.yaml\nruns: [{file: a.csv, columns: {time: t, position: q, torque: t}}]\n";
  for (const char* bad :
       {"estimate: {method: iv, instruments: {iterations: 0.5}}", "estimate: {huber: {passes: 2.5}}",
        "validate: {cross: {period: -1}}", "excite: {condition: -1}", "excite: {duration: 1e300}",
        "excite: {rate: 1e9}", "excite: {starts: 1e9}", "feasible: {pull: {towards: robot, weight: 1e300}}"})
    EXPECT_THROW(read_study_text(study + bad + "\n", "study.yaml"), InputError) << bad;
}

}  // namespace
}  // namespace steelyard
