#include "steelyard/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "report/sample_report.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/report/html.hpp"

namespace steelyard {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

int occurrences(const std::string& text, const std::string& part) {
  int number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++number;
  return number;
}

json embedded_curves(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=\"curve-data\">";
  const std::size_t from = html.find(begin) + begin.size();
  return json::parse(html.substr(from, html.find("</script>", from) - from));
}

TEST(Report, HasEverySectionAndTheVerdictInWords) {
  const std::string html =
      render_plain_report(sample_result(), sample_curves(), {"steelyard run study.yaml"});
  for (const char* id :
       {"verdict", "figures", "findings", "curves", "joints", "validation", "base", "drives", "provenance"})
    EXPECT_EQ(occurrences(html, std::string("id=\"") + id + "\""), 1) << id;
  EXPECT_THAT(html, HasSubstr("<title>Franka Emika Panda — usable — Steelyard report</title>"));
  EXPECT_THAT(html, HasSubstr("<code>steelyard run study.yaml</code>"));
  Result result = sample_result();
  result.verdict.level = VerdictLevel::not_trustworthy;
  EXPECT_THAT(render_plain_report(result, {}), HasSubstr("Not trustworthy</p>"));
  result.verdict.level = VerdictLevel::good;
  EXPECT_THAT(render_plain_report(result, {}), HasSubstr("Good</p>"));
}

TEST(Report, ShowsTheNumbersOfTheResult) {
  const std::string html = render_plain_report(sample_result(), {});
  EXPECT_THAT(html, HasSubstr("0.950\u202f%"));   // prepared
  EXPECT_THAT(html, HasSubstr("2.82\u202f%"));    // raw
  EXPECT_THAT(html, HasSubstr("1.14\u202f%"));    // cross-validated
  EXPECT_THAT(html, HasSubstr("20\u202f544"));    // samples
  EXPECT_THAT(html, HasSubstr("63 determined"));  // of 64
  EXPECT_THAT(html, HasSubstr(std::string(64, '7')));
}

// Base values that were given have no residual, no samples and no condition: 0 % would be praise for nothing.
TEST(Report, OfBaseValuesWithoutRowsShowsNoResidualOfThem) {
  Result result = sample_result();
  result.residual = {};
  result.samples = result.rows = 0;
  result.condition = result.condition_scaled = std::nullopt;
  const std::string html = render_plain_report(result, {});
  const std::size_t from = html.find("id=\"figures\"");
  const std::string figures = html.substr(from, html.find("</section>", from) - from);
  for (const char* absent : {"<dt>Residual", "<dt>Raw residual", "<dt>Condition", "<dt>Samples"})
    EXPECT_THAT(figures, Not(HasSubstr(absent)));
  EXPECT_THAT(figures, HasSubstr("nothing was fitted"));
  EXPECT_THAT(html, Not(HasSubstr("Residual by joint</h2>")));
}

TEST(Report, OfTablesShowsFitsReferenceLoadAndErrors) {
  Result result = sample_result();
  ASSERT_FALSE(result.base.empty());
  ReverseSummary reverse;
  reverse.source = "vendor <table>";
  reverse.parts = {{"gravity", 7, 6, 12.5, std::nullopt, 1.25e-3, {}}};
  reverse.errors = {{"validation", "validation", 200, 0.01, {{"M31", 200, 4.5e-7, 0.0123, 0.321}}}};
  reverse.reference = ReverseReference{"the vendor", {{result.base[0].name, 0.6543, 0.0021}}};
  reverse.payload = ReversePayload{"flange", {{"mx", -0.0456, std::nullopt}}, {{"m7", 1, 1.789, 0.034}}, 0};
  result.reverse = reverse;
  const std::string html = render_plain_report(result, {});
  for (const char* shown : {"vendor &lt;table&gt;", "gravity", "12.5", "M31", "Beside the vendor", "0.6543",
                            "0.0021", "Load on flange", "mass from m7", "1.789", "mx", "Errors by entry"})
    EXPECT_THAT(html, HasSubstr(shown));
  EXPECT_THAT(html, Not(HasSubstr("vendor <table>")));
  EXPECT_EQ(render_plain_report(result_from_json(to_json(result), "result.json"), {}), html);
}

TEST(Report, OfUnsignedRunsShowsSegmentsAndGains) {
  Result result = sample_result();
  const std::vector<EffortCurve> curves = sample_curves();
  ASSERT_FALSE(curves.empty());
  const EffortCurve& curve = curves.front();
  const double begin = curve.time.front(), end = curve.time.back(), middle = (begin + end) / 2;
  SignsSummary signs;
  signs.certified = "residual-optimal";
  signs.segments = {{curve.run, curve.joint, 0, 10, begin, middle, 1, 4.5, true},
                    {curve.run, curve.joint, 10, 20, middle, end, -1, std::nullopt, true},
                    {curve.run, curve.joint, 20, 30, middle, end, 1, 0.5, false}};
  signs.completed = CompletedSummary{true, {curve.joint}, 0.9, 1.1, 1.2};
  signs.gains = {{curve.joint, "identified", 2.345, 2, 0.012, std::pair(2.3, 2.4)},
                 {"other", "not_identifiable", 1, 1, std::nullopt, std::nullopt}};
  result.signs = signs;
  const std::string html = render_plain_report(result, curves);
  EXPECT_THAT(html, HasSubstr("1 positive, 1 negative, 1 undecided"));
  EXPECT_THAT(html, HasSubstr("4.5 standard deviations"));
  EXPECT_THAT(html, HasSubstr("2.34"));
  EXPECT_EQ(to_json(result_from_json(to_json(result), "result.json")), to_json(result));
}

TEST(Report, IsTheSameBytesForTheSameResult) {
  EXPECT_EQ(render_plain_report(sample_result(), sample_curves()),
            render_plain_report(sample_result(), sample_curves()));
  const Result again = result_from_json(to_json(sample_result()), "result.json");
  EXPECT_EQ(render_plain_report(again, sample_curves()),
            render_plain_report(sample_result(), sample_curves()));
}

TEST(Report, RefersToNothingOutsideOfItself) {
  const std::string html = render_plain_report(sample_result(), sample_curves());
  for (const char* part : {"http:", "https:", "src=", "@import", "url(", "<link", "<iframe"})
    EXPECT_THAT(html, Not(HasSubstr(part)));
}

TEST(Report, WhatUsersTypedNeverBecomesMarkup) {
  for (const std::string text :
       {"<script>alert(1)</script>", "</title><b>x", "\"><img onerror=alert(1)>", "' onclick='alert(1)",
        "</script><script>alert(1)</script>", "<!--<script>", "&lt;b&gt;", "{{script}}", "机器人 Ω ü"}) {
    Result result = sample_result();
    std::vector<EffortCurve> curves = sample_curves();
    ReportOptions options;
    const std::string plain = render_plain_report(result, curves, options);
    type_everywhere(text, result, curves, options);
    const std::string html = render_plain_report(result, curves, options);
    EXPECT_EQ(occurrences(html, "<script"), occurrences(plain, "<script")) << text;
    EXPECT_EQ(occurrences(html, "</script"), occurrences(plain, "</script")) << text;
    EXPECT_THAT(html, Not(HasSubstr("<img"))) << text;
    EXPECT_THAT(html, Not(HasSubstr("<b>"))) << text;
    const std::string markup = html.substr(0, html.find("<script type=\"application/json\""));
    EXPECT_THAT(markup, Not(HasSubstr("' onclick='"))) << text;
    EXPECT_THAT(html, HasSubstr("<h1>" + escape(text) + "</h1>")) << text;
    const json data = embedded_curves(html);
    EXPECT_EQ(data["runs"][0]["name"], text);
    EXPECT_EQ(data["runs"][0]["joints"][0]["joint"], text);
  }
}

TEST(Report, BytesThatAreNoTextAreReplaced) {
  Result result = sample_result();
  result.robot_name = "a\xff\x01z";
  EXPECT_THAT(render_plain_report(result, {}), HasSubstr("<h1>a\uFFFD\uFFFDz</h1>"));
}

TEST(Report, OfABareResultHasNoEmptyTables) {
  Result result;
  result.robot_name = "bare";
  const std::string html = render_plain_report(result, {});
  EXPECT_THAT(html, HasSubstr("No problems found"));
  EXPECT_THAT(html, HasSubstr("There are no curves"));
  EXPECT_THAT(html, Not(HasSubstr("id=\"drives\"")));
  EXPECT_THAT(html, Not(HasSubstr("id=\"validation\"")));
  EXPECT_THAT(html, Not(HasSubstr(">nan")));
}

// Rounding goes outwards, by at most 1e-4 of the curve's size and a little for the division.
TEST(Report, CurvesKeepTheirPeaks) {
  const std::vector<EffortCurve> curves = sample_curves();
  const json joints = embedded_curves(render_plain_report(sample_result(), curves))["runs"][0]["joints"];
  for (std::size_t j = 0; j < 7; ++j) {
    const double size = 2.5 * 40.0 / static_cast<double>(1 + j);
    for (std::size_t i = 0; i < curves[j].time.size(); ++i) {
      const double high = joints[j]["measured_max"][i].get<double>() - curves[j].measured_max[i];
      const double low = curves[j].measured_min[i] - joints[j]["measured_min"][i].get<double>();
      EXPECT_GE(high, -1e-14 * size);
      EXPECT_LE(high, 1.001e-4 * size);
      EXPECT_GE(low, -1e-14 * size);
      EXPECT_LE(low, 1.001e-4 * size);
      EXPECT_NEAR(joints[j]["time"][i].get<double>(), curves[j].time[i], 1e-4);
    }
  }
}

TEST(Report, NumbersOfCurvesThatAreNotFiniteAreGaps) {
  std::vector<EffortCurve> curves = sample_curves();
  curves[0].measured_max[3] = std::nan("");
  curves[0].residual_min[4] = -std::numeric_limits<double>::infinity();
  const json joint = embedded_curves(render_plain_report(sample_result(), curves))["runs"][0]["joints"][0];
  EXPECT_TRUE(joint["measured_max"][3].is_null());
  EXPECT_TRUE(joint["residual_min"][4].is_null());
  EXPECT_TRUE(joint["residual_min"][5].is_number());
}

TEST(Report, RefusesCurvesWhoseSeriesDifferInLength) {
  std::vector<EffortCurve> curves = sample_curves();
  curves[5].predicted_min.pop_back();
  EXPECT_THROW(render_plain_report(sample_result(), curves), InternalError);
}

TEST(ReportFigures, AreReadable) {
  EXPECT_EQ(figure(0, 3), "0");
  EXPECT_EQ(figure(0.98962, 4), "0.9896");
  EXPECT_EQ(figure(-12.3456, 4), "−12.35");
  EXPECT_EQ(figure(123456.7, 4), "123457");
  EXPECT_EQ(figure(1.5e-7, 3), "1.50·10<sup>−7</sup>");
  EXPECT_EQ(figure(-2.5e12, 2), "−2.5·10<sup>12</sup>");
  EXPECT_EQ(percent(0.0095), "0.950\u202f%");
  EXPECT_EQ(count(7), "7");
  EXPECT_EQ(count(1000), "1\u202f000");
  EXPECT_EQ(count(-1234567), "−1\u202f234\u202f567");
}

}  // namespace
}  // namespace steelyard
