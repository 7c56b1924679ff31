// The page of web/: its data, and what the page itself is made of. What it draws: browser_test.mjs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>

#include <limits>
#include <nlohmann/json.hpp>

#include "report/sample_report.hpp"
#include "report/sections.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/report/assets.hpp"
#include "steelyard/report/report.hpp"

namespace steelyard {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

int scripts_in(const std::string& html) {
  int number = 0;
  for (std::size_t at = html.find("<script"); at != std::string::npos; at = html.find("<script", at + 1))
    ++number;
  return number;
}

TEST(WebReport, DataHoldTheWholeResult) {
  const json data =
      json::parse(web_data(sample_result(), sample_curves(), {"steelyard run x"}, sample_scene()));
  EXPECT_EQ(data["result"], json::parse(to_json(sample_result())));
  EXPECT_EQ(data["curves"]["runs"].size(), 2u);
  EXPECT_EQ(data["scene"]["command"], "steelyard run x");
}

// The tool of the arm at q = 0 by the poses that the page multiplies: 0.088 + 0 m ahead, and
// 0.333 + 0.316 + 0.384 − 0.107 m up, with the flange downwards.
TEST(WebReport, PosesOfTheSceneLeadToTheTool) {
  const json robot = json::parse(web_data(sample_result(), {}, {}, sample_scene()))["scene"]["robot"];
  const auto pose = [](const json& numbers) {
    Pose read;
    for (std::size_t i = 0; i < 9; ++i)
      read.rotation(static_cast<Index>(i / 3), static_cast<Index>(i % 3)) = numbers[i].get<double>();
    for (std::size_t i = 0; i < 3; ++i) read.position[static_cast<Index>(i)] = numbers[9 + i].get<double>();
    return read;
  };
  Pose tool = pose(robot["base"]);
  for (const json& joint : robot["joints"]) tool = tool * pose(joint["before"]) * pose(joint["after"]);
  tool = tool * pose(robot["tool"]);
  EXPECT_NEAR(tool.position[0], 0.088, 1e-12);
  EXPECT_NEAR(tool.position[1], 0, 1e-12);
  EXPECT_NEAR(tool.position[2], 0.333 + 0.316 + 0.384 - 0.107, 1e-12);
  EXPECT_EQ(robot["tool_link"], 6);
}

TEST(WebReport, CoordinatesOfAMimicJointFollowItsMaster) {
  Scene scene = sample_scene();
  scene.robot->mimics = {{6, 5, -2, 0.25}};
  const json joint = json::parse(web_data(sample_result(), {}, {}, scene))["scene"]["robot"]["joints"][6];
  EXPECT_EQ(joint["coordinates"], json({0, 0, 0, 0, 0, -2}));
  EXPECT_EQ(joint["offset"], 0.25);
}

TEST(WebReport, NumbersOfMotionsThatAreNotFiniteAreGaps) {
  Scene scene = sample_scene();
  scene.motions[1].position[2][3] = std::numeric_limits<double>::quiet_NaN();
  const json motions = json::parse(web_data(sample_result(), {}, {}, scene))["scene"]["motions"];
  EXPECT_TRUE(motions[1]["position"][2][3].is_null());
  EXPECT_NEAR(motions[1]["position"][2][4].get<double>(), scene.motions[1].position[2][4], 1e-5);
  scene.motions[1].position[2].pop_back();
  EXPECT_THROW(web_data(sample_result(), {}, {}, scene), InternalError);
}

TEST(WebReport, DataNeverEndTheScriptTheyStandIn) {
  for (const char* text :
       {"</script><script>alert(1)</script>", "<!--<script>", "<script>alert(1)</script>"}) {
    Result result = sample_result();
    std::vector<EffortCurve> curves = sample_curves();
    ReportOptions options;
    Scene scene = sample_scene();
    const int plain = scripts_in(render_report(result, curves, options, scene));
    type_everywhere(text, result, curves, options);
    scene.robot->joints[0].name = scene.robot->joints[0].link = scene.motions[0].run = text;
    EXPECT_THAT(web_data(result, curves, options, scene), Not(HasSubstr("<")));
    EXPECT_EQ(scripts_in(render_report(result, curves, options, scene)), plain);
  }
}

TEST(WebReport, SpectraHaveFourDigits) {
  std::vector<EffortCurve> curves = sample_curves();
  curves[0].residual_spectrum.density[1] = 1.23456e-9;
  curves[0].effort_spectrum.density[1] = 0;
  const json joint =
      json::parse(web_data(sample_result(), curves, {}, sample_scene()))["curves"]["runs"][0]["joints"][0];
  EXPECT_EQ(joint["spectrum"]["frequency"].size(), 72u);
  EXPECT_NEAR(joint["spectrum"]["residual"][1].get<double>(), 1.235e-9, 1e-18);
  EXPECT_EQ(joint["spectrum"]["effort"][1], 0);
  EXPECT_EQ(joint["correlation"].size(), 20u);
  curves[0].residual_spectrum.frequency.pop_back();
  EXPECT_THROW(web_data(sample_result(), curves, {}, {}), InternalError);
}

TEST(WebReport, DesignsKeepTheirTextAndNoMarkup) {
  if (!draws_pages()) GTEST_SKIP() << "built without web/";
  const json design = {{"robot", {{"name", "</script><script>alert(1)</script>"}, {"dof", 7}}}, {"seed", 3}};
  const std::string html =
      render_design(design.dump(2), design["robot"]["name"], {"steelyard excite x"}, sample_scene());
  EXPECT_EQ(scripts_in(html), 2);
  const std::string opening = "id=\"data\">";
  const std::size_t from = html.find(opening) + opening.size();
  const json data = json::parse(html.substr(from, html.find("</script>", from) - from));
  EXPECT_EQ(data["design"], design);
  EXPECT_EQ(data["scene"]["command"], "steelyard excite x");
  EXPECT_EQ(data["scene"]["motions"].size(), 2u);
}

// 600 curves, 20 motions: everything is there, thinner, and the peak is as high as it was.
TEST(WebReport, OfThirtyJointsInTwentyRunsStaysSmall) {
  const LargeSample large = large_sample();
  for (const std::string& page : {render_report(large.result, large.curves, {}, large.scene),
                                  render_plain_report(large.result, large.curves, {})})
    EXPECT_LT(page.size(), 5000000U);
  const json data = json::parse(web_data(large.result, curves_for_page(large.curves), {}, large.scene));
  ASSERT_EQ(data["curves"]["runs"].size(), 20U);
  ASSERT_EQ(data["scene"]["motions"].size(), 20U);
  EXPECT_GE(data["scene"]["motions"][19]["time"].size(), 100U);
  for (const json& run : data["curves"]["runs"]) {
    ASSERT_EQ(run["joints"].size(), 30U);
    for (const json& joint : run["joints"]) EXPECT_GE(joint["time"].size(), 50U);
  }
  const std::vector<double> top = data["curves"]["runs"][0]["joints"][kSpikeJoint]["measured_max"];
  const std::vector<double>& whole = large.curves[kSpikeJoint].measured_max;
  const double peak = *std::max_element(whole.begin(), whole.end());
  EXPECT_NEAR(*std::max_element(top.begin(), top.end()), peak, 1e-4 * peak);
  // A page of usual size keeps every section.
  EXPECT_EQ(curves_for_page(sample_curves())[0].time.size(), sample_curves()[0].time.size());
}

TEST(WebReport, IsTheSameBytesForTheSameInput) {
  EXPECT_EQ(render_report(sample_result(), sample_curves(), {}, sample_scene()),
            render_report(sample_result(), sample_curves(), {}, sample_scene()));
}

// Style and script are inside, and the policy admits nothing else. Addresses in the bundle are names of
// formats and comments; the policy would stop a request to them.
TEST(WebReport, PolicyAdmitsNothingFromOutside) {
  if (assets::web_js.empty()) GTEST_SKIP() << "built without web/";
  const std::string html = render_report(sample_result(), sample_curves(), {}, sample_scene());
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; style-src 'sha256-"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(html, Not(HasSubstr("<link")));
  EXPECT_THAT(html, Not(HasSubstr("<iframe")));
  EXPECT_EQ(scripts_in(html), 2);
  EXPECT_THAT(std::string(assets::web_js), Not(HasSubstr("</script")));
  EXPECT_THAT(html, HasSubstr("<noscript><main>"));
}

}  // namespace
}  // namespace steelyard
