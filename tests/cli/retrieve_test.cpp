// `steelyard retrieve`: links from a study and from base values, and the examples of the 2R arm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "in_folder.hpp"
#include "program.hpp"

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kExamples = std::string(STEELYARD_SOURCE_DIR) + "/examples/two-r-retrieve/";

class Retrieve : public program::InFolder {
 protected:
  std::string out() const { return (folder_ / "out").string(); }
  json written() const { return json::parse(std::ifstream(folder_ / "out" / "result.json")); }
  Outcome retrieve(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "retrieve");
    arguments.insert(arguments.end(), {"--out", out()});
    return steelyard(arguments);
  }
};

// By how much the centres of mass are inside the column and the tapered link; negative: outside.
double inside(const json& links) {
  const json &first = links[0]["com"], &second = links[1]["com"];
  const double x = second[0];
  const double radius = x < -0.2 ? 0.08 : 0.08 - 0.3 * (0.2 + x);
  return std::min(0.15 - std::hypot(first[0].get<double>(), first[2].get<double>()),
                  radius - std::hypot(second[1].get<double>(), second[2].get<double>()));
}

TEST_F(Retrieve, PrintsFeasibleLinksBesideTheInfeasibleOnesOfLeastSquares) {
  const Outcome outcome = retrieve({kExamples + "shapes.yaml", "--base", kExamples + "base.yml"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("link2"));
  EXPECT_THAT(outcome.out, HasSubstr("Not determined by the data"));
  EXPECT_THAT(outcome.out, HasSubstr("no body"));
  EXPECT_THAT(outcome.out, HasSubstr("in each joint"));
  const json result = written();
  ASSERT_EQ(result["links"].size(), 2u);
  for (const json& link : result["links"]) EXPECT_GT(link["margin"], 0);
  EXPECT_GE(inside(result["links"]), 0);
  EXPECT_FALSE(fs::exists(fs::path(out()) / "report.html"));
}

// Sets of links by name, of joint 1: the largest force, and how far torques are from those of the feasible links.
struct JointLoad {
  double force = 0, apart = 0;
  std::vector<double> torque;
};
std::map<std::string, JointLoad> loads_of_joint1(const fs::path& folder) {
  std::ifstream file(folder / "joint_loads.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "time,set,joint,fx,fy,fz,mx,my,mz,torque");
  std::map<std::string, JointLoad> loads;
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream words(line);
    for (std::string cell; std::getline(words, cell, ',');) cells.push_back(cell);
    if (cells.at(2) != "joint1") continue;
    JointLoad& own = loads[cells[1]];
    const double size = std::hypot(std::stod(cells[3]), std::stod(cells[4]), std::stod(cells[5]));
    own.force = std::max(own.force, size);
    own.torque.push_back(std::stod(cells.at(9)));
    if (const JointLoad& first = loads["feasible"]; own.torque.size() <= first.torque.size())
      own.apart = std::max(own.apart, std::abs(own.torque.back() - first.torque[own.torque.size() - 1]));
  }
  return loads;
}

// Figs. 9 and 10: the same torques, forces inside the joints that differ by five orders.
TEST_F(Retrieve, HiddenMassesLoadTheJointsOverTheWholeMotion) {
  const Outcome outcome = retrieve({kExamples + "shapes.yaml", "--base", kExamples + "base.yml", "--links",
                                    kExamples + "hidden-mass.yml"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::map<std::string, JointLoad> loads = loads_of_joint1(out());
  ASSERT_EQ(loads.size(), 3u);
  for (const auto& [name, load] : loads) {
    EXPECT_EQ(load.torque.size(), 500u) << name;
    EXPECT_LT(load.apart, 1e-4) << name;  // rounding of base.yml and of 1e7 N times a metre
  }
  // The weight of a million kilograms, 9.81e6 N, and nearly nothing else at these speeds.
  EXPECT_NEAR(loads["hidden-mass.yml"].force, 9.81e6, 0.02e6);
  EXPECT_LT(loads["feasible"].force, 1e-4 * loads["hidden-mass.yml"].force);
  std::ifstream file(fs::path(out()) / "joint_loads.svg");
  const std::string picture((std::istreambuf_iterator<char>(file)), {});
  std::size_t curves = 0;
  for (std::size_t at = 0; (at = picture.find("<polyline", at)) != std::string::npos; ++at) ++curves;
  EXPECT_EQ(curves, 6u);  // three sets, two joints
  EXPECT_THAT(picture, HasSubstr("logarithmic"));
}

TEST_F(Retrieve, JointLoadsOfAStudyAreThoseOfItsLog) {
  EXPECT_EQ(retrieve({kExamples + "shapes.yaml"}).code, 0);
  std::map<std::string, JointLoad> loads = loads_of_joint1(out());
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_GE(loads["feasible"].torque.size(), 500u);  // five seconds at 200 Hz, a thousand samples at most
  EXPECT_LE(loads["feasible"].torque.size(), 1001u);
  EXPECT_LT(loads["smallest"].apart, 0.01);  // N·m: links are feasible, base parameters those of a log
}

TEST_F(Retrieve, LinksOfAnotherRobotAreRefused) {
  const Outcome outcome = retrieve({kExamples + "shapes.yaml", "--base", kExamples + "base.yml", "--links",
                                    std::string(STEELYARD_SOURCE_DIR) + "/robots/tx40.yaml"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("not the study's robot"));
}

// There are no rows: nothing is said of them, and what a run shows is printed joint by joint.
TEST_F(Retrieve, BaseValuesHaveNoRowsThatCouldFit) {
  const Outcome outcome = retrieve({kExamples + "shapes.yaml", "--base", kExamples + "base.yml"});
  EXPECT_THAT(outcome.out, HasSubstr("nothing was fitted"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("of the effort is unexplained")));
  const Outcome tested = steelyard({"validate", (fs::path(out()) / "result.json").string(),
                                    kExamples + "study.yaml", "--out", (folder_ / "validated").string()});
  EXPECT_EQ(tested.code, 0) << tested.err;
  EXPECT_THAT(tested.out, HasSubstr("given without rows"));
  EXPECT_THAT(tested.out, Not(HasSubstr("0 rows")));
  EXPECT_THAT(tested.out, HasSubstr("Unexplained effort of run 'simulated'"));
  EXPECT_THAT(tested.out, HasSubstr("joint2"));
  const Outcome beside =
      steelyard({"validate", (fs::path(out()) / "result.json").string(), kExamples + "study.yaml", "--beside",
                 program::robot("two_r"), "--out", (folder_ / "beside").string()});
  EXPECT_EQ(beside.code, 0) << beside.err;
  EXPECT_THAT(beside.out, ::testing::ContainsRegex("mean square error of +joint1 +joint2\n"));
}

// Towards uniform bodies both are inside; before, the box alone let centres of mass out of the links.
TEST_F(Retrieve, CentresOfMassAreInsideTheLinksWithAndWithoutShapes) {
  ASSERT_EQ(retrieve({kExamples + "study.yaml", "--quiet"}).code, 0);
  const json box = written();
  EXPECT_GE(inside(box["links"]), 0);
  ASSERT_EQ(retrieve({kExamples + "shapes.yaml", "--quiet"}).code, 0);
  const json shapes = written();
  EXPECT_GE(inside(shapes["links"]), 0);
  // The same torques: the logs cannot distinguish the two.
  for (const json* result : {&box, &shapes})
    EXPECT_LE((*result)["feasible"]["residual"]["prepared"].get<double>(),
              (*result)["residual"]["prepared"].get<double>() + 1e-4);
}

TEST_F(Retrieve, SetsOfSeveralResultsStandInOneTableOfMeanSquareErrors) {
  ASSERT_EQ(retrieve({kExamples + "study.yaml", "--quiet"}).code, 0);
  const std::string box = (folder_ / "box.json").string(), table = (folder_ / "table").string();
  fs::rename(fs::path(out()) / "result.json", box);
  ASSERT_EQ(retrieve({kExamples + "shapes.yaml", "--quiet"}).code, 0);
  const std::string shapes = (fs::path(out()) / "result.json").string();
  const Outcome outcome =
      steelyard({"validate", shapes, kExamples + "study.yaml", "--beside", box, "--beside",
                 std::string(STEELYARD_SOURCE_DIR) + "/robots/two_r.yaml", "--out", table});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("mean square error of"));
  EXPECT_THAT(outcome.out, HasSubstr("box.json, links"));
  const json result = json::parse(std::ifstream(fs::path(table) / "result.json"));
  ASSERT_EQ(result["comparison"].size(), 5u);
  for (const json& set : result["comparison"]) EXPECT_EQ(set["mse"].size(), 2u);
  // The file's links are the ones that were simulated: they explain as much as what was fitted.
  EXPECT_THAT(outcome.out, HasSubstr("two_r.yaml, links"));
  for (const int joint : {0, 1})
    EXPECT_LE(result["comparison"][4]["mse"][joint].get<double>(),
              1.1 * result["comparison"][0]["mse"][joint].get<double>() + 1e-12);
  // Both fit the same torques: their links explain them alike.
  EXPECT_NEAR(result["comparison"][1]["mse"][1].get<double>(),
              result["comparison"][3]["mse"][1].get<double>(),
              1e-3 * result["comparison"][1]["mse"][1].get<double>());
}

// What the links make of every base parameter, with φ1; φ2 where there are rows.
TEST_F(Retrieve, PutsTheBaseParametersOfTheLinksBesideTheEstimate) {
  const Outcome outcome = retrieve({kExamples + "study.yaml"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("Base parameters, estimated and of the links"));
  const json result = written();
  double phi1 = 0, squares = 0;
  for (const json& value : result["base"]) {
    const double apart = value["feasible"].get<double>() - value["value"].get<double>();
    phi1 += apart * apart;
  }
  EXPECT_NEAR(result["feasible"]["phi1"].get<double>(), phi1, 1e-12 * phi1);
  for (const json& joint : result["residual"]["per_joint"])
    squares += std::pow(joint["rms"].get<double>(), 2);
  // Least squares explains the rows at least as well.
  EXPECT_GE(result["feasible"]["phi2"].get<double>(), 0.5 * squares);
  const Outcome given = retrieve({kExamples + "shapes.yaml", "--base", kExamples + "base.yml", "--json"});
  EXPECT_FALSE(json::parse(given.out)["feasible"].contains("phi2"));
  EXPECT_TRUE(json::parse(given.out)["feasible"].contains("phi1"));
}

// The same links as a robot file, as bodies, as ten numbers and as base values: one line each, the same errors.
TEST_F(Retrieve, PublishedValuesAreTestedOnALogInAnyForm) {
  ASSERT_EQ(retrieve({kExamples + "study.yaml", "--quiet"}).code, 0);
  const json result = written();
  std::string standard = "standard: {", bodies = "links: {", leads = "base: {";
  for (std::size_t k = 0; k < result["links"].size(); ++k) {
    const json& link = result["links"][k];
    const std::string number = std::to_string(k + 1);
    const double m = link["mass"];
    const json &c = link["com"], &I = link["inertia_com"], &J = link["inertia_origin"];
    const char* names[] = {"xx", "xy", "xz", "yy", "yz", "zz"};
    standard += "m" + number + ": " + json(m).dump() + ", ";
    bodies += link["name"].get<std::string>() + ": {mass: " + json(m).dump() + ", com: " + c.dump() +
              ", inertia: {";
    for (std::size_t i = 0; i < 3; ++i)
      standard += std::string("m") + "xyz"[i] + number + ": " + json(m * c[i].get<double>()).dump() + ", ";
    for (std::size_t i = 0; i < 6; ++i) {
      standard += std::string("J") + names[i] + number + ": " + J[i].dump() + ", ";
      bodies += std::string(names[i]) + ": " + I[i].dump() + ", ";
    }
    bodies += "}}, ";
  }
  for (const json& value : result["base"])
    leads += value["name"].get<std::string>() + ": " + value["feasible"].dump() + ", ";
  std::vector<std::string> arguments = {"validate", (fs::path(out()) / "result.json").string(),
                                        kExamples + "study.yaml", "--out", (folder_ / "table").string()};
  for (const auto& [name, text] :
       {std::pair{"standard.yaml", standard}, {"bodies.yaml", bodies}, {"leads.yaml", leads}}) {
    arguments.emplace_back("--beside");
    arguments.push_back(program::write_file(name, text + "}\n"));
  }
  const Outcome outcome = steelyard(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json sets = json::parse(std::ifstream(folder_ / "table" / "result.json"))["comparison"];
  ASSERT_EQ(sets.size(), 5u);  // base and links of the result, then the three files
  EXPECT_EQ(sets[2]["parameters"], "links");
  EXPECT_EQ(sets[4]["parameters"], "base");
  for (const std::size_t k : {2, 3, 4})
    for (const std::size_t joint : {0, 1}) {
      const double own = sets[1]["mse"][joint];
      EXPECT_NEAR(sets[k]["mse"][joint].get<double>(), own, 1e-9 * own) << k;
    }
}

TEST_F(Retrieve, PublishedValuesOfAnotherRobotAreRefused) {
  ASSERT_EQ(retrieve({kExamples + "shapes.yaml", "--base", kExamples + "base.yml", "--quiet"}).code, 0);
  const std::pair<const char*, const char*> cases[] = {
      {"base: {Jzz1: 1}\n", "has no base parameter"},
      {"standard: {m9: 1}\n", "m9"},
      {"links: {link1: {mass: 1, com: [0, 0, 0], inertia: {xx: 1, xy: 0, xz: 0, yy: 1, yz: 0, zz: 1}}}\n",
       "link2"},
  };
  for (const auto& [text, word] : cases) {
    const Outcome outcome =
        steelyard({"validate", (fs::path(out()) / "result.json").string(), kExamples + "study.yaml",
                   "--beside", program::write_file("other.yaml", text), "--out", out() + "2"});
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_THAT(outcome.err, HasSubstr(word));
  }
}

TEST_F(Retrieve, ConstraintsThatExcludeEachOtherEndWithCodeThreeAndTheirNames) {
  const Outcome outcome = retrieve({kExamples + "infeasible.yaml"});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  for (const char* name : {"bound m2", "total mass", "light column"})
    EXPECT_THAT(outcome.out, HasSubstr(name));
  EXPECT_THAT(outcome.out, Not(HasSubstr("narrow link")));
  EXPECT_EQ(written()["feasible"]["conflict"].size(), 3u);
}

TEST_F(Retrieve, TakesTheBaseValuesOfAnEarlierResult) {
  ASSERT_EQ(retrieve({kExamples + "shapes.yaml", "--quiet"}).code, 0);
  const fs::path first = folder_ / "first.json";
  fs::copy_file(fs::path(out()) / "result.json", first);
  const Outcome outcome = retrieve({kExamples + "shapes.yaml", "--base", first.string(), "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  // The same estimate; only what the links make of it is another objective's.
  const auto estimates = [](json base) {
    for (json& value : base) value.erase("feasible");
    return base;
  };
  EXPECT_EQ(estimates(result["base"]), estimates(json::parse(std::ifstream(first))["base"]));
  EXPECT_EQ(result["links"].size(), 2u);
  EXPECT_THAT(result["unavailable"].dump(), HasSubstr("without rows"));
}

TEST_F(Retrieve, BadConstraintsAndBaseValuesEndWithCodeTwoAndWriteNothing) {
  const std::string head = "robot: " + program::robot("two_r") + "\nfeasible: {constraints: [";
  const std::pair<const char*, const char*> cases[] = {
      {"{name: elbow, bound: cq2, at_most: 1}", "elbow"},
      {"{name: twisted, bound: m2, between: [4, 3]}", "is reversed"},
      {"{name: ratio, expression: \"m1 / (m2 - m2)\", at_most: 1}", "ratio"},
      {"{name: shell, com_mesh: {link: link2, file: nowhere.stl}}", "nowhere.stl"},
  };
  for (const auto& [constraint, word] : cases) {
    const std::string study = program::write_file("bad.yaml", head + constraint + "]}\n");
    const Outcome outcome = retrieve({study, "--base", kExamples + "base.yml"});
    EXPECT_EQ(outcome.code, 2) << constraint << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(word));
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(fs::exists(out()));
  }
  const std::string values = program::write_file("values.yaml", "base: {Jyy1: 1, Jzz9: 2}\n");
  const Outcome outcome = retrieve({kExamples + "study.yaml", "--base", values});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("Jzz9"));
}

}  // namespace
