// steelyard model: the published numbers of base parameters, and the shape of its text and JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

namespace {

using program::model;
using program::robot;
using ::testing::HasSubstr;

const std::vector<std::string> kRobots = {"kr5", "lwr4", "panda", "two_r", "tx40", "ur10"};

struct Count {
  const char* robot;
  std::vector<std::string> options;
  int dof, standard, base, inertial;
};

TEST(Model, CountsOfTheSixRobotsAreThePublishedOnes) {
  const std::vector<Count> counts = {
      {"kr5", {}, 6, 60, 36, 36},
      {"lwr4", {}, 7, 70, 43, 43},
      {"lwr4", {"--rows", "gravity"}, 7, 70, 12, 12},
      {"lwr4", {"--rows", "inertia"}, 7, 70, 39, 39},
      {"lwr4", {"--rows", "gravity+inertia"}, 7, 70, 43, 43},
      {"lwr4", {"--rows", "inertia", "--zero", "Jxz7,Jyz7"}, 7, 68, 37, 37},
      {"lwr4", {"--rows", "gravity+inertia", "--zero", "Jxz7,Jyz7"}, 7, 68, 41, 41},
      {"panda", {}, 7, 70, 43, 43},
      {"two_r", {}, 2, 20, 8, 8},
      {"tx40", {}, 6, 87, 61, 36},
      {"tx40", {"--no-drives"}, 6, 60, 36, 36},
      {"ur10", {}, 6, 60, 36, 36},
  };
  for (const Count& count : counts) {
    std::vector<std::string> arguments = {robot(count.robot)};
    arguments.insert(arguments.end(), count.options.begin(), count.options.end());
    SCOPED_TRACE(count.robot + testing::PrintToString(count.options));
    const auto json = model(arguments);
    EXPECT_EQ(json.value("dof", 0), count.dof);
    EXPECT_EQ(json.value("standard_count", 0), count.standard);
    EXPECT_EQ(json.value("base_count", 0), count.base);
    EXPECT_EQ(json.value("inertial_base_count", 0), count.inertial);
    EXPECT_GT(json.value("gap", 0.0), 1e3);
    EXPECT_EQ(json.at("base").size(), static_cast<std::size_t>(count.base));
  }
}

TEST(Model, EveryBaseParameterHasLeadExpressionLatexAndTerms) {
  for (const std::string& name : kRobots) {
    SCOPED_TRACE(name);
    const auto json = model({robot(name)});
    for (const auto& item : json.at("base")) {
      const std::string lead = item.at("lead");
      EXPECT_FALSE(item.at("expression").get<std::string>().empty()) << lead;
      EXPECT_FALSE(item.at("latex").get<std::string>().empty()) << lead;
      EXPECT_TRUE(item.at("exact").get<bool>()) << lead;
      EXPECT_EQ(item.at("terms").value(lead, 0.0), 1.0);
      for (const auto& [parameter, coefficient] : item.at("terms").items())
        EXPECT_TRUE(std::isfinite(coefficient.get<double>())) << lead << " " << parameter;
    }
  }
}

TEST(Model, ExpressionsOfThePandaArePrintedAsInThePaper) {
  const auto json = model({robot("panda")});
  const auto& base = json.at("base");
  const auto item = std::find_if(base.begin(), base.end(), [](const auto& b) { return b["lead"] == "my4"; });
  ASSERT_NE(item, base.end());
  EXPECT_EQ(item->at("expression"), "c4y m4 + d5 (m5 + m6 + m7) + c5z m5");
  EXPECT_DOUBLE_EQ(item->at("terms").at("m6").get<double>(), 0.384);
}

TEST(Model, JointsCarryFramesLimitsAndParameters) {
  const auto json = model({robot("panda")});
  ASSERT_EQ(json.at("joints").size(), 7u);
  const auto& fourth = json.at("joints")[3];
  EXPECT_EQ(fourth.at("name"), "panda_joint4");
  EXPECT_EQ(fourth.at("parent"), 3);
  EXPECT_EQ(fourth.at("position")[0], 0.0825);
  EXPECT_EQ(fourth.at("limits").at("effort"), 87);
  EXPECT_EQ(fourth.at("parameters").size(), 10u);
}

TEST(Model, SaysOfEveryColumnWhetherItIsKnownAloneCombinedOrNotAtAll) {
  const auto lists = model({robot("panda")}).at("identifiability");
  EXPECT_EQ(lists.at("alone").size() + lists.at("combined").size() + lists.at("unseen").size(), 70u);
  for (const auto& [kind, list] : lists.items())
    for (const auto& item : list)
      EXPECT_FALSE(item.at("why").get<std::string>().empty()) << kind << " " << item;
}

// Characters, not bytes: `…` is one.
std::size_t width(const std::string& line) {
  return std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

TEST(Model, TextFitsEightyColumns) {
  for (const std::string& name : kRobots)
    for (const char* option : {"--no-drives", "--latex", "--no-expressions"}) {
      std::istringstream text(program::steelyard({"model", robot(name), option}).out);
      std::string line;
      int lines = 0;
      for (; std::getline(text, line); ++lines) {
        EXPECT_LE(width(line), 80u) << name << " " << option << ": " << line;
        EXPECT_FALSE(line.ends_with(' ')) << name << ": " << line;
      }
      EXPECT_GT(lines, 40) << name;
    }
}

TEST(Model, TextTellsFramesParametersLimitsAndWhatCanBeKnown) {
  const std::string text = program::steelyard({"model", robot("panda")}).out;
  for (const char* part : {"7 degrees of freedom", "Frames", "Limits", "Standard parameters",
                           "43 of 70 columns", "alone", "in combination", "not at all"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Model, SameRobotSameBytes) {
  const std::vector<std::string> command = {"model", robot("tx40"), "--json"};
  EXPECT_EQ(program::steelyard(command).out, program::steelyard(command).out);
}

}  // namespace
