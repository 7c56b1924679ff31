// fleet.json is what docs/fleet.schema.json says.
#include "steelyard/fleet/schema.hpp"

#include <gmock/gmock.h>

#include <functional>

#include "oracle/expect_file.hpp"
#include "oracle/mini_schema.hpp"
#include "steelyard/fleet/fleet.hpp"

namespace steelyard {
namespace fleet_schema_test {

using Json = MiniSchema::Json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// One robot with every kind of cause, a line and a step.
FleetSummary full_summary() {
  FleetSummary summary{"arm", "ab12", "day", 0.01, {}, {}, {}, {"robot-3"}, {}};
  FleetRobotResult robot;
  robot.name = "robot-1";
  for (int kind = 0; kind <= static_cast<int>(CauseKind::set_up); ++kind) {
    Cause cause;
    cause.kind = static_cast<CauseKind>(kind);
    cause.p = 0;
    robot.causes.push_back(cause);
  }
  robot.causes[0].instead = "friction of joint 'elbow'";
  robot.drifts = {{"fv1", 0.1, 0, "", 0.02, 0.3, 0.001, "rises"}, {"fc1", 0, 2, "b", 0.1, 0.5, 0, "a step"}};
  robot.values = robot.sigma = robot.deviation = VectorXd::Constant(1, kInfinity);
  FleetResult& result = summary.result;
  result.columns = {"fv1"};
  result.values = result.sigma = result.scatter = VectorXd::Constant(1, 2.0);
  result.robots = {robot, {}};
  result.unavailable = "three robots only";
  summary.logs = {{"robot-1", "a", "logs/a.csv", std::string(64, '0'), 1, 100, 1.5}, {}};
  summary.problems = {{"robot-3", "c", "logs/c.csv", "fit", "does not fit"}, {}};
  return summary;
}

TEST(FleetSchema, IsMadeFromTheDescriptionOfASummary) {
  expect_file("/docs/fleet.schema.json", fleet_schema());
}

TEST(FleetSchema, HoldsForWhatIsWritten) {
  MiniSchema schema(Json::parse(fleet_schema()));
  FleetSummary bare;
  bare.time_unit = "log";
  for (const FleetSummary& summary : {full_summary(), bare})
    EXPECT_THAT(schema.check(Json::parse(to_json(summary))), IsEmpty());
}

TEST(FleetSchema, RefusesWhatIsNotAllowed) {
  MiniSchema schema(Json::parse(fleet_schema()));
  const auto complaints = [&](const std::function<void(Json&)>& spoil) {
    Json json = Json::parse(to_json(full_summary()));
    spoil(json);
    return schema.check(json);
  };
  EXPECT_THAT(complaints([](Json& j) { j.erase("lost"); }), ElementsAre("#: lacks lost"));
  EXPECT_THAT(complaints([](Json& j) { j["level"] = nullptr; }), ElementsAre("#/level: is no number"));
  EXPECT_THAT(complaints([](Json& j) { j["robots"][0]["causes"][0]["kind"] = "rust"; }), testing::SizeIs(1));
}

// What is not known is null where the key stays, otherwise absent.
TEST(FleetSchema, KeysComeInOrderAndUnknownOnesAreNullOrAbsent) {
  const Json json = Json::parse(to_json(full_summary()));
  const auto keys = [](const Json& object) {
    std::vector<std::string> names;
    for (const auto& member : object.items()) names.push_back(member.key());
    return names;
  };
  const Json& robot = json["robots"][0];
  EXPECT_THAT(keys(robot["causes"][0]),
              ElementsAre("kind", "of", "amount", "sigma", "at", "gain", "p", "text", "instead"));
  EXPECT_THAT(keys(robot["causes"][1]), ElementsAre("kind", "of", "amount", "sigma", "gain", "p", "text"));
  EXPECT_EQ(robot["causes"][1]["p"], 0.0);
  EXPECT_TRUE(robot["causes"][6]["p"].is_null()) << "of a log that does not fit";
  EXPECT_THAT(keys(robot["drifts"][0]), ElementsAre("parameter", "slope", "sigma", "relative", "p", "text"));
  EXPECT_THAT(keys(robot["drifts"][1]),
              ElementsAre("parameter", "step", "since", "sigma", "relative", "p", "text"));
  EXPECT_TRUE(robot["values"][0].is_null());
  EXPECT_TRUE(json["least_deviations"].is_null());
  EXPECT_EQ(json["named"].dump(), R"(["robot-1"])");
  EXPECT_THAT(keys(json["logs"][1]), ElementsAre("robot", "log", "time", "samples", "noise_factor"));
  EXPECT_THAT(keys(json["problems"][1]), ElementsAre("robot", "log", "path", "message"));
}

}  // namespace fleet_schema_test
}  // namespace steelyard
