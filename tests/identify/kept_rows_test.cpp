// Joints of which rejection and decimation leave no rows: said before a fit and after it, and no nonsense
// beside.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "steelyard/core/error.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace {

using testing::HasSubstr;

constexpr const char* kArm = R"(name: arm3
convention: modified_dh
joints:
  - {name: column, a: 0, alpha: 0, d: 0.4, link: {mass: 9, com: [0, 0.02, -0.1], inertia: {xx: 0.2, xy: 0, xz: 0, yy: 0.2, yz: 0, zz: 0.06}}}
  - {name: shoulder, a: 0, alpha: pi/2, d: 0, link: {mass: 6, com: [0.22, 0.01, 0.05], inertia: {xx: 0.02, xy: 0, xz: 0, yy: 0.12, yz: 0, zz: 0.12}}}
  - {name: elbow, a: 0.45, alpha: 0, d: 0, link: {mass: 3.5, com: [0.18, 0.03, 0.02], inertia: {xx: 0.01, xy: 0, xz: 0, yy: 0.05, yz: 0, zz: 0.05}}}
)";

class KeptRows : public testing::Test {
 protected:
  void SetUp() override {
    robot_ = (std::filesystem::temp_directory_path() /
              ("steelyard_kept_rows_" + std::to_string(getpid()) + ".yaml"))
                 .string();
    std::ofstream(robot_) << kArm;
  }
  void TearDown() override { std::filesystem::remove(robot_); }
  Study study_with(const std::string& prepare, const std::string& validate = "") const;

  std::string robot_;
};

// A column and a shoulder at right angles, as robots have them: Jzz2 is 6e-17 in the first joint's rows.
Study KeptRows::study_with(const std::string& prepare, const std::string& validate) const {
  const std::string simulate =
      "    simulate: {motion: {multi_sine: {harmonics: 4, period: 5, center: [0, 0.5, -0.5], reach: 1, "
      "velocity: "
      "2, acceleration: 8, seed: 3}}, rate: 100, effort_noise: 0.05, friction: {viscous: 0.3, coulomb: "
      "0.4}}\n";
  return read_study_text(
      "robot: " + robot_ + "\ndrives: {friction: [viscous, coulomb, offset]}\nruns:\n  - label: a\n" +
          simulate + (validate.empty() ? "" : "  - label: b\n    role: validate\n" + simulate) +
          "prepare: {filter: {order: 4, cutoff: 8}, columns: filtered, " + prepare +
          "}\nestimate: {method: wls, intervals: {bias_check: false, replicates: 20}}\n",
      "study.yaml");
}

std::vector<Finding> of_code(const std::vector<Finding>& findings, const std::string& code) {
  std::vector<Finding> found;
  for (const Finding& finding : findings)
    if (finding.code == code) found.push_back(finding);
  return found;
}

TEST_F(KeptRows, AJointWithoutRowsIsAnErrorOfRunAndCheck) {
  const Study study = study_with("reject: {velocity_below: [0.05, 100, 0.05]}");
  const Result result = run_study(study, {}).result;
  EXPECT_EQ(result.verdict.level, VerdictLevel::not_trustworthy);
  for (const std::vector<Finding>& findings : {result.findings, check_study(study).findings}) {
    const std::vector<Finding> found = of_code(findings, "joint-without-rows");
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].joint, "shoulder");
    EXPECT_EQ(found[0].severity, Severity::error);
    EXPECT_THAT(found[0].evidence, HasSubstr("velocity_below: 100"));
  }
  // What only its rows show is zero, not rounding errors blown up.
  EXPECT_LT(*result.residual.raw, 2);
  for (const BaseValue& value : result.base) EXPECT_LT(std::abs(value.value), 1e3) << value.name;
}

TEST_F(KeptRows, AsManyRowsAsParametersOfItsOwnAreTooFew) {
  // 5 s at 100 Hz, one sample in 200: three rows a joint for fv, fc and fo.
  const Study study = study_with("decimate: 200, trim: 0");
  const std::vector<Finding> found = of_code(check_study(study).findings, "joint-without-rows");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[1].evidence, HasSubstr("one sample in 200"));
  EXPECT_EQ(of_code(run_study(study, {}).result.findings, "joint-without-rows").size(), 3U);
}

TEST_F(KeptRows, NoRowAtAllIsRefusedByBoth) {
  const Study study = study_with("reject: {velocity_below: 100}");
  try {
    run_study(study, {});
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("none is left of column, shoulder, elbow"));
    EXPECT_THAT(error.what(), HasSubstr("study.yaml"));
  }
  EXPECT_EQ(of_code(check_study(study).findings, "preparation-refused").size(), 1U);
}

TEST_F(KeptRows, EnoughRowsAreNoFinding) {
  const Study study = study_with("reject: {velocity_below: 0.05}", "b");
  EXPECT_TRUE(of_code(run_study(study, {}).result.findings, "joint-without-rows").empty());
  EXPECT_TRUE(of_code(check_study(study).findings, "joint-without-rows").empty());
}

}  // namespace
}  // namespace steelyard
