#include "steelyard/reverse/table.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ReverseFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = fs::temp_directory_path() / ("steelyard_reverse_" + std::to_string(getpid()));
  }
  void TearDown() override { fs::remove(path_); }
  std::string with(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return path_.string();
  }
  void expect_refused(const std::string& text, const std::string& words) {
    try {
      read_reverse_table(with(text), 2);
      FAIL() << words;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  }
  fs::path path_;
};

TEST_F(ReverseFile, EitherTriangleWillDo) {
  for (const char* text :
       {"q1,q2,g1,g2,M11,M21,M22\n1,2,3,4,5,6,7\n", "q1,q2,g1,g2,M11,M12,M22\n1,2,3,4,5,6,7\n",
        "q2,q1,M22,M12,M21,M11,g2,g1\n2,1,7,6,6,5,4,3\n"}) {
    const ReverseTable table = read_reverse_table(with(text), 2);
    ASSERT_EQ(table.size(), 1);
    EXPECT_EQ(table.q(0, 1), 2);
    EXPECT_EQ(table.gravity(0, 0), 3);
    EXPECT_EQ(table.inertia(0, triangle_index(0, 0)), 5);
    EXPECT_EQ(table.inertia(0, triangle_index(1, 0)), 6);
    EXPECT_EQ(table.inertia(0, triangle_index(1, 1)), 7);
  }
}

TEST_F(ReverseFile, UnitsAndAbsentColumns) {
  ReverseColumns columns;
  columns.position = "a{j}";
  columns.position_scale = std::acos(-1.0) / 180;
  const ReverseTable table = read_reverse_table(with("a1,a2,M22\n90,180,7\n"), 2, columns);
  EXPECT_NEAR(table.q(0, 0), std::acos(0.0), 1e-15);
  EXPECT_FALSE(table.has_gravity());
  EXPECT_TRUE(std::isnan(table.inertia(0, 0)));
  EXPECT_EQ(table.inertia(0, 2), 7);
}

TEST_F(ReverseFile, EmptyFieldsAreMissingEntries) {
  const ReverseTable table =
      read_reverse_table(with("q1,q2,g1,g2,M11,M12,M21,M22\n1,2,,4,5,,6,nan\n1,2,3,4,5,7,,8\n"), 2);
  EXPECT_TRUE(std::isnan(table.gravity(0, 0)));
  EXPECT_EQ(table.gravity(1, 0), 3);
  EXPECT_EQ(table.inertia(0, 1), 6);  // either triangle, row by row
  EXPECT_EQ(table.inertia(1, 1), 7);
  EXPECT_TRUE(std::isnan(table.inertia(0, 2)));
  expect_refused("q1,q2,g1,g2\n1,,2,3\n", "a position is missing");
}

TEST_F(ReverseFile, NumberedColumnsComeInTheOrderThatIsSaid) {
  ReverseColumns columns;
  columns.inertia = "m{k}";
  const std::string triangle = with("q1,q2,q3,m1,m2,m3,m4,m5,m6\n0,0,0,11,21,22,31,32,33\n");
  EXPECT_EQ(read_reverse_table(triangle, 3, columns).inertia,
            (MatrixXd(1, 6) << 11, 21, 22, 31, 32, 33).finished());
  columns.order = TriangleOrder::columns;
  EXPECT_EQ(
      read_reverse_table(with("q1,q2,q3,m1,m2,m3,m4,m5,m6\n0,0,0,11,21,31,22,32,33\n"), 3, columns).inertia,
      (MatrixXd(1, 6) << 11, 21, 22, 31, 32, 33).finished());
  EXPECT_EQ(read_reverse_table(with("q1,q2,m1,m2,m3,m4\n0,0,11,21,21,22\n"), 2, columns).inertia,
            (MatrixXd(1, 3) << 11, 21, 22).finished());
  EXPECT_THROW(read_reverse_table(with("q1,q2,m1,m2\n0,0,11,21\n"), 2, columns), InputError);
}

TEST_F(ReverseFile, AJacobianIsReadWhenItIsThere) {
  std::string header = "q1,q2,g1,g2", row = "0,0,1,2";
  for (int i = 1; i <= 6; ++i)
    for (int j = 1; j <= 2; ++j)
      header += ",J" + std::to_string(i) + std::to_string(j), row += "," + std::to_string(10 * i + j);
  const ReverseTable table = read_reverse_table(with(header + "\n" + row + "\n"), 2);
  ASSERT_TRUE(table.has_jacobian());
  EXPECT_EQ(table.jacobian(0, 0), 11);
  EXPECT_EQ(table.jacobian(0, 11), 62);
}

TEST_F(ReverseFile, MistakesAreNamed) {
  expect_refused("q1,q2,M11,M12,M21,M22\n1,2,3,0,4,5\n1,2,3,0,4,5\n", "a triangle is not filled");
  expect_refused("q1,q2,x\n1,2,3\n", "neither gravity nor inertia");
  expect_refused("q1,g1,g2\n1,2,3\n", "q2");
  expect_refused("q1,q2,M12,M21\n1,2,3,4\n", "M21");
}

TEST(ReverseSourceCheck, MatricesThatAreNotSymmetricAreRefused) {
  const ReverseSource lies = [](const VectorXd&) {
    MatrixXd M(2, 2);
    M << 1, 0.5, 0.4, 1;
    return ReverseAnswer{VectorXd::Zero(2), M};
  };
  try {
    ask(lies, MatrixXd::Zero(1, 2), "the vendor");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("the vendor is not symmetric: M21 = 0.4, M12 = 0.5 at configuration 1"));
  }
}

TEST(ReverseSourceCheck, MatricesThatNoBodyHasAreFound) {
  ReverseTable table;
  table.name = "vendor";
  table.q = MatrixXd::Zero(3, 2);
  table.inertia.resize(3, 3);
  table.inertia << 1, 0, 1, 1, 2, 1, 1, std::nan(""), 1;
  const std::vector<Finding> findings = examine(table);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "inertia-not-positive");
  EXPECT_THAT(findings[0].evidence, HasSubstr("1 of 3"));
}

}  // namespace
}  // namespace steelyard
