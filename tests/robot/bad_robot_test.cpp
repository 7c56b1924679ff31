// Robot files that are wrong: the message names the file, the line, the joint or key, and what to do about
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

std::string message_of(const std::string& path) {
  try {
    read_robot(path);
  } catch (const InputError& error) {
    EXPECT_FALSE(error.complaint().remedy.empty()) << error.what();
    return error.what();
  }
  return "accepted";
}

std::string message_of_text(const std::string& text, bool urdf) {
  try {
    urdf ? read_robot_urdf(text, "text.urdf") : read_robot_yaml(text, "text.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

struct BadRobot {
  const char* file;
  const char* where;   // after the file name
  const char* what;    // joint or key, with the value
  const char* remedy;  // part of it
};

std::ostream& operator<<(std::ostream& out, const BadRobot& bad) {
  return out << bad.file;
}

std::string file_name(const ::testing::TestParamInfo<BadRobot>& info) {
  std::string name = info.param.file;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

class BadRobotFile : public ::testing::TestWithParam<BadRobot> {};

TEST_P(BadRobotFile, IsRefusedWithPlaceAndRemedy) {
  const BadRobot& bad = GetParam();
  const std::string message =
      message_of(std::string(STEELYARD_SOURCE_DIR) + "/tests/data/robots/" + bad.file);
  EXPECT_THAT(message, HasSubstr(std::string(bad.file) + bad.where));
  EXPECT_THAT(message, HasSubstr(bad.what));
  EXPECT_THAT(message, HasSubstr(bad.remedy));
}

INSTANTIATE_TEST_SUITE_P(
    Yaml, BadRobotFile,
    ::testing::Values(
        BadRobot{"unknown_key.yaml", ":2:1", "unknown key 'gravty'", "did you mean 'gravity'?"},
        BadRobot{"unknown_joint_key.yaml", ":6:5, 'elbow'", "unknown key 'alhpa'", "did you mean 'alpha'?"},
        BadRobot{"wrong_convention_key.yaml", ":3:19, 'elbow'", "unknown key 'a'", "use one of these"},
        BadRobot{"cycle.yaml", ":4:26, 'left'", "cycle", "correct the parent"},
        BadRobot{"zero_axis.yaml", ":4:11, 'elbow'", "axis is the zero vector", "[0, 0, 1]"},
        BadRobot{"not_finite.yaml", ":4:8, 'elbow'", "a = '.nan'", "correct the number"},
        BadRobot{"infinite.yaml", ":4:8, 'elbow'", "a = '1/0'", "divisor"},
        BadRobot{"reversed_limits.yaml", ":4:24, 'elbow'", "[2, -2] is reversed", "swap"},
        BadRobot{"negative_velocity.yaml", ":4:24, 'elbow'", "velocity limit -1", "leave the limit out"},
        BadRobot{"alias_bomb.yaml", ":2:4", "aliases", "write the value where"},
        BadRobot{"duplicate_key.yaml", ":3:1", "key 'gravity' is given twice, first in line 2", "remove one"},
        BadRobot{"duplicate_joint.yaml", ":4:5", "joint name 'elbow' is used twice", "rename"},
        BadRobot{"duplicate_link.yaml", ":4:5, 'elbow'", "link 'upper'", "rename"},
        BadRobot{"parent_not_found.yaml", ":5:13, 'elbow'", "unknown parent 'sholder'",
                 "did you mean 'shoulder'?"},
        BadRobot{"coupled_unknown.yaml", ":2:20", "unknown joint 'joint3'", "did you mean 'joint1'?"},
        BadRobot{"singular_transmission.yaml", ":3:3", "singular", "give its ratio"},
        BadRobot{"transmission_size.yaml", ":3:11", "ratios has 3 entries", "give 2 numbers"},
        BadRobot{"missing_dh.yaml", ":4:5, 'elbow'", "no 'd'", "add `d: ...`"},
        BadRobot{"wrong_length.yaml", ":4:10, 'elbow'", "xyz has 2 entries", "give 3 numbers"},
        BadRobot{"wrong_type.yaml", ":4:8, 'elbow'", "a is a list", "write one number"},
        BadRobot{"bad_expression.yaml", ":5:12, 'elbow'", "unknown name 'pie'", "pi"},
        BadRobot{"no_convention.yaml", ":1:1", "no 'convention'", "add `convention"},
        BadRobot{"wrong_kind.yaml", ":4:11, 'elbow'", "'revolut'", "did you mean 'revolute'?"},
        BadRobot{"wrong_drive.yaml", ":2:18", "'columb'", "did you mean 'coulomb'?"},
        BadRobot{"mimic_circle.yaml", ":4:30, 'b'", "circle", "name the joint"},
        BadRobot{"mass_without_inertia.yaml", ":4:11, 'elbow'", "no 'inertia'", "add `inertia"},
        BadRobot{"fixed_with_limits.yaml", ":4:41, 'flange'", "fixed joint has 'limits'", "change the kind"},
        BadRobot{"only_fixed.yaml", ":3:3", "no moving joint", "add one"},
        BadRobot{"tool_unknown.yaml", ":2:14", "unknown tool link 'hadn'", "did you mean 'hand'?"},
        BadRobot{"bounds_unknown.yaml", ":4:21, 'elbow'", "'Ixxx'", "did you mean 'Ixx'?"},
        BadRobot{"list_at_top.yaml", ":1:1", "robot file is a list", "convention"},
        BadRobot{"broken.yaml", ":4:5", "not valid YAML", "check brackets"},
        BadRobot{"empty.yaml", ":1", "empty", "docs/robot.md"},
        BadRobot{"comment.yaml", ":1", "empty", "docs/robot.md"},
        BadRobot{"garbage.yaml", ":1", "binary", "name a YAML file"}),
    file_name);

INSTANTIATE_TEST_SUITE_P(
    Urdf, BadRobotFile,
    ::testing::Values(
        BadRobot{"cycle.urdf", ":5, 'ja'", "cycle", "correct the parent"},
        BadRobot{"full_cycle.urdf", ":1", "cycle", "remove the joint"},
        BadRobot{"two_roots.urdf", ":4, 'stray'", "2 base links: base, stray", "type=\"fixed\""},
        BadRobot{"two_parents.urdf", ":5, 'jb'", "link 'a' is moved by two joints", "remove one"},
        BadRobot{"zero_axis.urdf", ":6, 'elbow'", "axis is the zero vector", "0 0 1"},
        BadRobot{"not_finite.urdf", ":6, 'elbow'", "'nan'", "correct the number"},
        BadRobot{"reversed_limits.urdf", ":6, 'elbow'", "[2, -2] are reversed", "swap"},
        BadRobot{"truncated.urdf", ":5", "not valid XML", "complete"},
        BadRobot{"xacro_macro.urdf", ":2", "xacro:property", "run xacro first"},
        BadRobot{"xacro_expression.urdf", ":6, 'elbow'", "${length}", "run xacro first"},
        BadRobot{"floating.urdf", ":4, 'root'", "'floating'", "fixed one"},
        BadRobot{"unknown_link.urdf", ":6, 'elbow'", "unknown child link 'uper_arm'",
                 "did you mean 'upper_arm'?"},
        BadRobot{"duplicate_link.urdf", ":4, 'a'", "used twice", "rename"},
        BadRobot{"duplicate_joint.urdf", ":6, 'elbow'", "used twice", "rename"},
        BadRobot{"mimic_unknown.urdf", ":6, 'finger'", "'thumb'", "name the joint"},
        BadRobot{"no_mass.urdf", ":4, 'a'", "no <mass>", "add it"},
        BadRobot{"wrong_length.urdf", ":6, 'elbow'", "2 numbers", "x, y and z"},
        BadRobot{"not_urdf.urdf", ":1", "'sdf'", "docs/robot.md"},
        BadRobot{"nothing_moves.urdf", ":1", "no moving joint", "joint types"},
        BadRobot{"empty.urdf", ":1", "empty", "docs/robot.md"},
        BadRobot{"garbage.urdf", ":1", "not valid XML", "complete"}),
    file_name);

TEST(BadRobot, MissingFileDirectoryAndWrongEndingAreInputErrors) {
  EXPECT_THAT(message_of("/nowhere/robot.yaml"), HasSubstr("/nowhere/robot.yaml: robot file does not exist"));
  EXPECT_THAT(message_of(STEELYARD_SOURCE_DIR), HasSubstr("this is a directory"));
  EXPECT_THAT(message_of(std::string(STEELYARD_SOURCE_DIR) + "/CMakeLists.txt"),
              HasSubstr(".yaml, .yml, .urdf"));
}

TEST(BadRobot, HugeFileIsRefusedUnread) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "steelyard_huge_robot.yaml";
  { std::ofstream stream(path); }
  std::filesystem::resize_file(path, std::uintmax_t{1} << 34);  // sparse: takes no disk space
  const std::string message = message_of(path.string());
  std::filesystem::remove(path);
  EXPECT_THAT(message, HasSubstr("17179869184 bytes"));
  EXPECT_THAT(message, HasSubstr("16 MiB"));
}

TEST(BadRobot, DeepNestingIsRefusedQuicklyWhateverItsForm) {
  const int depth = 100000;
  std::string opened, dashes = "joints:\n", questions, elements = "<robot>", indented;
  for (int i = 0; i < depth; ++i) {
    opened += "[";
    dashes += "- ";
    questions += "? ";
    elements += "<a>";
  }
  for (int i = 0; i < 2000; ++i) indented += std::string(i, ' ') + "a:\n";
  const std::clock_t start = std::clock();  // processor time: the machine may be busy with others
  EXPECT_THAT(message_of_text("joints: " + opened, false), HasSubstr("64 levels"));
  EXPECT_THAT(message_of_text(dashes, false), HasSubstr("64 levels"));
  EXPECT_THAT(message_of_text(questions, false), HasSubstr("text.yaml:1"));
  EXPECT_THAT(message_of_text(indented, false), HasSubstr("64 levels"));
  EXPECT_THAT(message_of_text(elements, true), HasSubstr("not valid XML"));
  EXPECT_LT(std::clock() - start, 20 * CLOCKS_PER_SEC);
}

TEST(BadRobot, TooManyEntriesAndJointsAreRefused) {
  std::string wide = "joints: [";
  for (int i = 0; i < 200000; ++i) wide += "1,";
  EXPECT_THAT(message_of_text(wide + "]", false), HasSubstr("at most 100000 nodes"));
  std::string many = "convention: frames\njoints:\n";
  for (int i = 0; i < 1001; ++i) many += "- {}\n";
  EXPECT_THAT(message_of_text(many, false), HasSubstr("1001 joints"));
}

TEST(BadRobot, TwoDocumentsInOneFileAreRefused) {
  EXPECT_THAT(message_of_text("convention: frames\njoints: [{}]\n---\nname: other\n", false),
              HasSubstr("more than one YAML document"));
}

// Every prefix and many one-byte changes of a good file either load or give an InputError; nothing else may
// happen.
TEST(BadRobot, DamagedFilesNeverDoAnythingElseThanComplain) {
  for (const char* name : {"/robots/tx40.yaml", "/robots/two_r.yaml", "/tests/data/robots/two_roots.urdf"}) {
    std::ifstream stream(std::string(STEELYARD_SOURCE_DIR) + name);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    ASSERT_FALSE(text.empty());
    const bool urdf = std::string(name).ends_with("urdf");
    int refused = 0;
    for (std::size_t i = 0; i < text.size(); i += 7) {
      refused += message_of_text(text.substr(0, i), urdf) != "accepted";
      for (const char c : {'\0', '[', '{', ':', '&', '*', '"', '\n', '-', '\xff'}) {
        std::string damaged = text;
        damaged[i] = c;
        refused += message_of_text(damaged, urdf) != "accepted";
      }
    }
    EXPECT_GT(refused, 10) << name;
  }
}

}  // namespace
}  // namespace steelyard
