// excite.json and next.json are what docs/excite.schema.json and docs/next.schema.json say.
#include <gmock/gmock.h>

#include "oracle/expect_file.hpp"
#include "oracle/mini_schema.hpp"
#include "steelyard/identify/excite.hpp"
#include "steelyard/identify/schema.hpp"

namespace steelyard {
namespace excite_schema_test {

using Json = MiniSchema::Json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Robot small_robot() {
  Robot robot;
  robot.name = "arm";
  robot.joints.resize(1);
  robot.joints[0].name = "elbow";
  return robot;
}

// The report before has no number that is known.
ExcitedMotion some_motion() {
  ExcitedMotion found;
  found.before.log_det = -kInfinity;
  found.before.condition = found.before.condition_scaled = kInfinity;
  found.report.log_det = 12;
  found.report.condition = found.report.condition_scaled = 3.5;
  found.report.parameters = {{"fv1", 1e-5, kInfinity, 1, false, ""},
                             {"Ia1", kInfinity, 2, 1, true, "hidden"}};
  found.report.limits = {{"velocity of elbow", 1.5, 2, 0.75, 3}};
  found.notes = {"no limit of acceleration"};
  return found;
}

NextOutcome some_candidates() {
  NextOutcome outcome;
  outcome.robot = small_robot();
  outcome.parameters = {"fv1"};
  outcome.sigma = VectorXd::Constant(1, 2.0);
  NextCandidate still;
  still.kind = "configurations";
  still.sigma = VectorXd::Constant(1, 1.0);
  still.poses = MatrixXd::Zero(2, 1);
  NextCandidate loaded;
  loaded.kind = "payload";
  loaded.motion = some_motion();
  loaded.sigma = VectorXd::Constant(1, kInfinity);
  loaded.load = 5;
  loaded.gain_sigma = VectorXd::Constant(1, 0.01);
  loaded.shrinks = "fv1";
  outcome.candidates = {still, loaded};
  return outcome;
}

TEST(ExciteSchema, IsMadeFromTheDescriptions) {
  expect_file("/docs/excite.schema.json", excite_schema());
  expect_file("/docs/next.schema.json", next_schema());
}

TEST(ExciteSchema, HoldsForWhatIsWritten) {
  MiniSchema schema(Json::parse(excite_schema()));
  ExciteOutcome outcome;
  outcome.robot = small_robot();
  outcome.found = some_motion();
  const std::string text = to_json(outcome);
  Json json = Json::parse(text);
  EXPECT_THAT(schema.check(json), IsEmpty());
  EXPECT_THAT(text, HasSubstr("\"duration\": 20.0,\n"));
  EXPECT_THAT(text, HasSubstr("\"sigma\": 1e-05,\n"));
  EXPECT_THAT(text, HasSubstr("\"before\": null,\n"));
  EXPECT_EQ(json["parameters"].dump(),
            R"([{"name":"fv1","sigma":1e-05,"inflation":1.0},)"
            R"({"name":"Ia1","sigma_before":2.0,"inflation":1.0,"poor":"hidden"}])");
  json.erase("limits");
  json["seed"] = 0.5;
  EXPECT_THAT(schema.check(json), ElementsAre("#/seed: is no integer", "#: lacks limits"));
}

TEST(NextSchema, HoldsForWhatIsWritten) {
  MiniSchema schema(Json::parse(next_schema()));
  const NextOutcome outcome = some_candidates();
  const std::string text = to_json(outcome);
  EXPECT_THAT(schema.check(Json::parse(text)), IsEmpty());
  const Json after = Json::parse(to_json(outcome, text));
  EXPECT_THAT(schema.check(after), IsEmpty());
  EXPECT_EQ(after["candidates"][0].dump(),
            R"({"kind":"configurations","log_det":0.0,"poses":[[0.0],[0.0]],)"
            R"("parameters":[{"name":"fv1","sigma_before":2.0,"sigma":1.0}]})");
  EXPECT_EQ(after["candidates"][1]["gains"].dump(), R"([{"joint":"elbow","sigma":0.01}])");
  EXPECT_EQ(after["achieved"].dump(), R"([{"name":"fv1","predicted":2.0,"achieved":1.0}])");
}

}  // namespace excite_schema_test
}  // namespace steelyard
