// Instruction sets, processors without them, and robots of unusual size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "oracle/sanitized.hpp"
#include "program.hpp"

namespace {

using program::Outcome;
using program::robot;
using program::steelyard;
using ::testing::HasSubstr;

// The gap has rounding noise in its denominator: the one printed number that may differ between levels and,
// as the C library's sine has variants of its own, between processors.
std::string without_gap(std::string text) {
  const std::size_t at = text.find("(gap ");
  return at == std::string::npos ? text : text.erase(at, text.find(')', at) - at);
}

TEST(Isa, LevelsTellTheSameOfARobot) {
  for (const char* name : {"panda", "tx40"}) {
    const Outcome baseline = steelyard({"model", robot(name), "--isa", "baseline"});
    EXPECT_EQ(baseline.code, 0) << baseline.err;
    for (const char* level : {"avx2", "avx512"}) {
      const Outcome other = steelyard({"model", robot(name), "--isa", level});
      if (other.code == 2) {  // the processor lacks it, and the program says so
        EXPECT_THAT(other.err, HasSubstr(level));
        std::printf("%s: not measured, this processor lacks it\n", level);
        continue;
      }
      EXPECT_EQ(other.code, 0) << other.err;
      EXPECT_EQ(without_gap(other.out), without_gap(baseline.out)) << name << " " << level;
    }
  }
}

TEST(Isa, AProcessorWithoutAvxRunsTheProgramAndTellsTheSame) {
#ifdef STEELYARD_QEMU
  for (const char* name : {"panda", "tx40"}) {
    const Outcome native = steelyard({"model", robot(name), "--isa", "baseline"});
    const Outcome emulated =
        program::run({STEELYARD_QEMU, "-cpu", "qemu64", STEELYARD_PROGRAM, "model", robot(name)});
    EXPECT_EQ(emulated.code, 0) << emulated.err;
    EXPECT_EQ(without_gap(emulated.out), without_gap(native.out));
  }
  EXPECT_EQ(program::run({STEELYARD_QEMU, "-cpu", "qemu64", STEELYARD_PROGRAM, "model", robot("two_r"),
                          "--isa", "avx2"})
                .code,
            2);
#else
  GTEST_SKIP() << "skipped: no qemu-x86_64, or a sanitizer that does not run under it";
#endif
}

std::string chain(int joints) {
  std::string text = "convention: standard_dh\njoints:\n";
  for (int j = 0; j < joints; ++j)
    text += "  - {a: 0." + std::to_string(1 + j % 7) + ", alpha: " + (j % 2 ? "0" : "pi/2") + ", d: 0." +
            std::to_string(j % 3) + "}\n";
  return text;
}

TEST(Size, AThirtyJointChainGetsItsExpressions) {
  const auto json = program::model({program::write_file("chain.yaml", chain(30))});
  EXPECT_EQ(json.at("dof"), 30);
  EXPECT_EQ(json.at("standard_count"), 300);
  for (const auto& item : json.at("base")) EXPECT_TRUE(item.at("exact").get<bool>()) << item.at("lead");
}

TEST(Size, ATwoHundredJointChainWorks) {
  const int joints = steelyard::oracle::is_sanitized() ? 30 : 200;
  const std::string path = program::write_file("chain.yaml", chain(joints));
  const auto json = program::model({path});
  EXPECT_EQ(json.at("dof"), joints);
  EXPECT_EQ(json.at("standard_count"), 10 * joints);
  EXPECT_GT(json.at("base_count").get<int>(), 5 * joints);
  EXPECT_GT(json.at("gap").get<double>(), 1e3);
}

}  // namespace
