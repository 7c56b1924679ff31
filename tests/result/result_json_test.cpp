#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "result/sample_result.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

using nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> keys(const ordered_json& object) {
  std::vector<std::string> names;
  for (const auto& member : object.items()) names.push_back(member.key());
  return names;
}

TEST(ResultJson, ReadBackAndWrittenAgainIsTheSameBytes) {
  for (const Result& result : {full_result(), rare_result(), bare_result()}) {
    const std::string text = to_json(result);
    EXPECT_EQ(to_json(result_from_json(text, "result.json")), text);
    EXPECT_EQ(to_json(result), text);
  }
}

TEST(ResultJson, ReadBackHoldsTheSameValues) {
  const Result given = full_result();
  const Result read = result_from_json(to_json(given), "result.json");
  EXPECT_EQ(read.robot_name, given.robot_name);
  EXPECT_EQ(read.rows, given.rows);
  EXPECT_EQ(read.verdict.level, given.verdict.level);
  EXPECT_EQ(read.verdict.reasons, given.verdict.reasons);
  EXPECT_TRUE(read.findings[0].waived);
  EXPECT_EQ(read.findings[1].severity, Severity::error);
  EXPECT_EQ(read.condition, given.condition);
  EXPECT_EQ(read.residual.per_joint[1].rms, given.residual.per_joint[1].rms);
  EXPECT_FALSE(read.residual.per_joint[1].raw);
  EXPECT_EQ(read.preparation.kept_share, 1.0 / 3.0);
  EXPECT_EQ(read.preparation.candidates[1].cutoff, 5);
  EXPECT_EQ(read.preparation.choice, given.preparation.choice);
  EXPECT_EQ(read.cross_validation->by, "phase");
  EXPECT_EQ(read.intervals->effective_rows, given.intervals->effective_rows);
  EXPECT_EQ(read.bands[1].half_width, given.bands[1].half_width);
  EXPECT_EQ(read.base[0].interval, given.base[0].interval);
  EXPECT_EQ(read.base[0].terms, given.base[0].terms);
  EXPECT_FALSE(read.base[1].sigma);
  EXPECT_EQ(read.drives[0].values, given.drives[0].values);
  EXPECT_TRUE(read.validation[0].fresh);
  EXPECT_EQ(read.validation[0].feasible->prepared, given.validation[0].feasible->prepared);
  EXPECT_EQ(read.feasible->cross_validation->blocks, 10);
  EXPECT_EQ(read.feasible->constraints[0].margin, 0.5);
  EXPECT_FALSE(read.feasible->constraints[1].margin);
  EXPECT_EQ(read.links[0].inertia_origin, given.links[0].inertia_origin);
  EXPECT_FALSE(read.links[0].known.at("m1").upper);
  EXPECT_EQ(read.reverse->parts[0].coefficients[0].value, -0.25);
  EXPECT_FALSE(read.reverse->parts[0].condition_scaled);
  EXPECT_EQ(read.reverse->errors[0].components[0].largest, 3e-6);
  EXPECT_EQ(read.reverse->tilt->gravity, given.reverse->tilt->gravity);
  EXPECT_EQ(read.reverse->kinematics->axes, "tool");
  EXPECT_EQ(read.reverse->payload->masses[0].mass, 0.251);
  EXPECT_EQ(read.reverse->design->least, 3);
  EXPECT_EQ(read.reverse->reference->values[0].sigma, 1e-3);
  EXPECT_FALSE(read.reverse->reference->values[1].sigma);
  EXPECT_EQ(read.unavailable, given.unavailable);
  EXPECT_EQ(read.provenance.inputs[0].path, given.provenance.inputs[0].path);
  EXPECT_EQ(read.provenance.options, given.provenance.options);
  EXPECT_EQ(read.provenance.seed, given.provenance.seed);
}

TEST(ResultJson, KeysHaveTheirContractedNamesAndOrder) {
  const ordered_json json = ordered_json::parse(to_json(full_result()));
  EXPECT_THAT(keys(json),
              ElementsAre("format_version", "robot", "samples", "rows", "passes", "verdict", "findings",
                          "fixes", "condition", "condition_scaled", "residual", "estimator", "preparation",
                          "cross_validation", "intervals", "bands", "base", "drives", "feasible", "links",
                          "elastic", "reverse", "validation", "unavailable", "provenance"));
  EXPECT_THAT(keys(json["robot"]), ElementsAre("name", "hash", "dof", "probe"));
  EXPECT_THAT(keys(json["findings"][0]),
              ElementsAre("code", "joint", "severity", "evidence", "remedy", "waived"));
  EXPECT_THAT(keys(json["residual"]),
              ElementsAre("prepared", "prepared_weighted", "raw", "relative", "per_joint"));
  EXPECT_THAT(keys(json["residual"]["per_joint"][0]), ElementsAre("name", "rms", "prepared", "raw"));
  EXPECT_THAT(keys(json["cross_validation"]), ElementsAre("blocks", "by", "residual"));
  EXPECT_THAT(keys(json["base"][0]),
              ElementsAre("name", "expression", "terms", "value", "sigma", "sigma_classical",
                          "relative_sigma", "interval", "method", "status"));
  EXPECT_THAT(keys(json["drives"][0]), ElementsAre("joint", "fv", "fc", "fo", "Ia", "gain", "status"));
  EXPECT_THAT(keys(json["validation"][0]),
              ElementsAre("run", "fresh", "residual", "repeats", "left_out", "whiteness", "feasible"));
  EXPECT_THAT(keys(json["feasible"]),
              ElementsAre("method", "residual", "cross_validation", "gap", "moved_sigma", "constraints",
                          "violated", "conflict", "drives"));
  EXPECT_THAT(keys(json["links"][0]), ElementsAre("name", "mass", "com", "inertia_com", "inertia_origin",
                                                  "margin", "chosen", "known"));
  EXPECT_THAT(keys(json["provenance"]), ElementsAre("inputs", "options", "seed", "version", "isa"));
}

TEST(ResultJson, RarePartsAreReadBack) {
  const Result read = result_from_json(to_json(rare_result()), "result.json");
  EXPECT_EQ(read.links[0].wrench->known[1].lower, -2);
  EXPECT_FALSE(read.links[0].wrench->known[1].upper);
  EXPECT_EQ(read.gains->methods[0].method, "tls");
  EXPECT_EQ(read.gains->methods[0].joints[0].gain->interval, std::pair(1.25, 1.75));
  EXPECT_FALSE(read.gains->methods[0].joints[1].gain);
  EXPECT_EQ(read.payloads[0].mass, 1.5);
  EXPECT_FALSE(read.payloads[1].mass);
  EXPECT_EQ(read.signs->segments[0].sign, -1);
  EXPECT_EQ(read.signs->completed->guessed, std::vector<std::string>{"joint2"});
  EXPECT_EQ(read.comparison[0].runs[0].mse[1], 0.25);
  EXPECT_EQ(read.exports[0].not_carried[0].effort, 2.5);
  EXPECT_FALSE(read.engines[0].followed);
  EXPECT_EQ(read.engines[1].followed_heavier->turn_max, 0.2);
  EXPECT_FALSE(read.engines[1].by_velocity);
  EXPECT_EQ(read.engines[2].command_step, 5e-3);
  EXPECT_EQ(read.engines[2].by_velocity->rpy_max, Vector3(0.006, 0.007, 0.008));
  const ordered_json json = ordered_json::parse(to_json(read));
  EXPECT_THAT(keys(json["gains"]), ElementsAre("used", "columns", "tls", "drift"));
  EXPECT_THAT(keys(json["engines"][1]), ElementsAre("engine", "run", "drive_step", "joints", "feedback",
                                                    "followed", "heavier", "followed_heavier"));
  EXPECT_THAT(keys(json["validation"][0]),
              ElementsAre("run", "fresh", "residual", "whiteness", "band_coverage"));
}

TEST(ResultJson, RelativeResidualIsThePreparedOneEverywhere) {
  const ordered_json json = ordered_json::parse(to_json(full_result()));
  for (const ordered_json& residual :
       {json["residual"], json["cross_validation"]["residual"], json["validation"][0]["residual"]})
    EXPECT_EQ(residual["relative"], residual["prepared"]);
}

TEST(ResultJson, NumbersReadBackExactly) {
  constexpr unsigned kSeed = 12;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    double number = 0;
    do number = std::bit_cast<double>(random());
    while (!std::isfinite(number));
    Result result = bare_result();
    result.condition = number;
    EXPECT_EQ(result_from_json(to_json(result), "").condition, number);
  }
}

TEST(ResultJson, NumbersAreAsShortAsTheyCanBe) {
  Result result = bare_result();
  for (const auto& [number, text] : {std::pair{0.1, "0.1"},
                                     {5e-324, "5e-324"},
                                     {9007199254740993.0, "9007199254740992"},
                                     {1e23, "1e+23"},
                                     {2.0, "2"}}) {
    result.condition = number;
    EXPECT_THAT(to_json(result), HasSubstr(std::string("\"condition\": ") + text + ","));
  }
}

TEST(ResultJson, RefusesToWriteNumbersThatAreNotFinite) {
  using Spoil = std::function<void(Result&, double)>;
  const std::vector<std::pair<const char*, Spoil>> places = {
      {"condition", [](Result& r, double x) { r.condition = x; }},
      {"residual.per_joint[1].rms", [](Result& r, double x) { r.residual.per_joint[1].rms = x; }},
      {"base[0].interval[1]", [](Result& r, double x) { r.base[0].interval->second = x; }},
      {"base[0].terms.Jyy2", [](Result& r, double x) { r.base[0].terms["Jyy2"] = x; }},
      {"drives[0].fc", [](Result& r, double x) { r.drives[0].values["fc"] = x; }},
      {"validation[0].residual.raw", [](Result& r, double x) { r.validation[0].residual.raw = x; }}};
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (const auto& [path, spoil] : places) {
      Result result = full_result();
      spoil(result, bad);
      try {
        to_json(result);
        ADD_FAILURE() << path << " was written";
      } catch (const InternalError& error) {
        EXPECT_THAT(error.what(), HasSubstr(std::string("'") + path + "'"));
      }
    }
  }
}

TEST(ResultJson, BytesThatAreNoTextBecomeReplacementCharacters) {
  Result result = bare_result();
  result.robot_name =
      "a\xff"
      "b\xc3\x28\xed\xa0\x80";
  EXPECT_EQ(result_from_json(to_json(result), "").robot_name, "a\uFFFDb\uFFFD(\uFFFD\uFFFD\uFFFD");
}

TEST(ResultJson, OptionsMustBeAnObject) {
  Result result = bare_result();
  for (const char* text : {"[1]", "{\"a\":", "yes"}) {
    result.provenance.options = text;
    EXPECT_THROW(to_json(result), InternalError) << text;
  }
}

// Changes one place of a full result and returns the complaint about it.
std::string complaint(const std::function<void(ordered_json&)>& spoil) {
  ordered_json json = ordered_json::parse(to_json(full_result()));
  spoil(json);
  try {
    result_from_json(json.dump(), "out/result.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ResultJson, ComplaintsNameTheFileTheKeyAndTheValue) {
  EXPECT_THAT(complaint([](auto& j) { j["base"][1]["value"] = "two"; }),
              HasSubstr("out/result.json: 'base[1].value' is \"two\" instead of a number"));
  EXPECT_THAT(complaint([](auto& j) { j["robot"].erase("dof"); }), HasSubstr("'robot.dof' is missing"));
  EXPECT_THAT(complaint([](auto& j) { j["verdict"]["level"] = "great"; }),
              HasSubstr("'verdict.level' is 'great' instead of good, usable or not_trustworthy"));
  EXPECT_THAT(complaint([](auto& j) { j["findings"][2]["severity"] = 1; }),
              HasSubstr("'findings[2].severity' is 1"));
  EXPECT_THAT(complaint([](auto& j) { j["findings"][2]["severity"] = "loud"; }),
              HasSubstr("is 'loud' instead of note, warning or error"));
  EXPECT_THAT(complaint([](auto& j) { j["findings"][2]["waived"] = 1; }),
              HasSubstr("'findings[2].waived' is 1"));
  EXPECT_THAT(complaint([](auto& j) {
                j["base"][0]["interval"] = {1, 2, 3};
              }),
              HasSubstr("has 3 numbers instead of two"));
  EXPECT_THAT(complaint([](auto& j) { j["rows"] = -1; }), HasSubstr("'rows' is -1"));
  EXPECT_THAT(complaint([](auto& j) { j["robot"]["dof"] = 3000000000u; }),
              HasSubstr("'robot.dof' is too large"));
  EXPECT_THAT(complaint([](auto& j) { j["drives"] = nullptr; }),
              HasSubstr("'drives' is null instead of an array"));
  EXPECT_THAT(complaint([](auto& j) { j["format_version"] = 2; }), HasSubstr("format version 2"));
  EXPECT_THAT(complaint([](auto& j) { j["elastic"]["joints"][0].erase("K_interval"); }),
              HasSubstr("'elastic.joints[0].K_interval' is missing"));
  EXPECT_THAT(complaint([](auto& j) { j = ordered_json::array(); }),
              HasSubstr("the whole is [] instead of an object"));
}

TEST(ResultJson, KeysOfLaterVersionsAreIgnored) {
  EXPECT_EQ(complaint([](auto& j) { j["weather"] = {{"method", "barrier"}}; }), "accepted");
}

TEST(ResultJson, BrokenJsonIsRefusedWithLineAndColumn) {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      result_from_json(text, "r.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(refusal("{\n  \"a\": 1,\n  \"b\": oops}"), HasSubstr("r.json:3:8: not valid JSON"));
  EXPECT_THAT(refusal(""), HasSubstr("r.json:1:1: not valid JSON"));
  EXPECT_THAT(refusal(to_json(full_result()).substr(0, 500)), HasSubstr("was the file truncated"));
  EXPECT_THAT(refusal("{\"a\": 1e999}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("nested too deeply"));
}

// Whatever is cut away, the reader answers with an InputError and nothing else.
TEST(ResultJson, EveryTruncationIsRefused) {
  std::string text = to_json(full_result());
  text.pop_back();  // the line feed at the end
  for (std::size_t size = 0; size < text.size(); size += 7)
    EXPECT_THROW(result_from_json(text.substr(0, size), "cut.json"), InputError) << size;
}

}  // namespace
}  // namespace steelyard
