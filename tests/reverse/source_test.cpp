// Sources in other processes: answers are taken as they are, errors are reported, nothing hangs.
#include "steelyard/reverse/source.hpp"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

ReverseSource shell(const std::string& script, double seconds = 5) {
  return program_source({"/bin/sh", "-c", script}, "", {seconds});
}

const VectorXd kTwo = (VectorXd(2) << 0.25, -1).finished();

template <typename Error>
void expect_error(const ReverseSource& source, const std::string& words) {
  try {
    source(kTwo);
    FAIL() << words;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(ProgramSource, SaysGravityAndInertiaInTheFormsAgreedOn) {
  const ReverseSource full = shell("while read a b; do echo '# at' $a; echo; echo g $a $b M 1 2 2 5; done");
  for (int repeat = 0; repeat < 3; ++repeat) {
    const ReverseAnswer answer = full(kTwo);
    EXPECT_EQ(answer.gravity, kTwo);
    EXPECT_EQ(answer.inertia, (MatrixXd(2, 2) << 1, 2, 2, 5).finished());
  }
  const ReverseAnswer triangle = shell("while read q; do echo M 1 2 5; done")(kTwo);
  EXPECT_EQ(triangle.gravity.size(), 0);
  EXPECT_EQ(triangle.inertia, (MatrixXd(2, 2) << 1, 2, 2, 5).finished());
}

TEST(ProgramSource, NumbersKeepAllTheirDigits) {
  VectorXd q(3);
  q << std::sqrt(2), -1e-17, 4.9e-324;
  EXPECT_EQ(shell("while read q; do echo g $q; done")(q).gravity, q);
}

TEST(ProgramSource, AnswersThatCannotBeReadAreRefusedWithTheLine) {
  expect_error<InputError>(shell("echo hello"), "'hello': 'hello' is not a number");
  expect_error<InputError>(shell("echo g 1 2 3"), "3 numbers of g for 2 joints");
  expect_error<InputError>(shell("echo g 1 2 M 1 2 3 4 5"), "5 numbers of M for 2 joints");
  expect_error<InputError>(shell("echo error no such configuration"), "no such configuration");
}

TEST(ProgramSource, OneThatDiesIsToldWithItsLastWords) {
  expect_error<MachineError>(shell("echo out of paper >&2; exit 3"), "code 3; its last output: out of paper");
  expect_error<MachineError>(shell("kill -9 $$"), "signal 9");
}

TEST(ProgramSource, OneThatIsNotThereIsToldAtOnce) {
  try {
    program_source({"/no/such/program"});
    FAIL();
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot be started"));
  }
}

TEST(ProgramSource, OneThatHangsIsKilledWithAllItsChildren) {
  const auto file = std::filesystem::temp_directory_path() / ("steelyard_hang_" + std::to_string(getpid()));
  const auto begin = std::chrono::steady_clock::now();
  expect_error<MachineError>(shell("sleep 1000 & echo $! > " + file.string() + "; trap '' TERM; wait", 0.3),
                             "did not answer within 0.3 s");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
  pid_t grandchild = 0;
  std::ifstream(file) >> grandchild;
  std::filesystem::remove(file);
  ASSERT_GT(grandchild, 0);
  // It is gone as soon as init has reaped it.
  bool gone = false;
  for (int k = 0; k < 200 && !gone; ++k) {
    std::ifstream stat("/proc/" + std::to_string(grandchild) + "/stat");
    std::string word, name, state;
    gone = !(stat >> word >> name >> state) || state == "Z";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(gone);
}

TEST(ProgramSource, NothingIsLeftWhenTheSourceIsLetGo) {
  const auto file = std::filesystem::temp_directory_path() / ("steelyard_left_" + std::to_string(getpid()));
  {
    const ReverseSource source =
        shell("echo $$ > " + file.string() + "; while read q; do echo g $q; done; sleep 1000");
    source(kTwo);
  }
  pid_t child = 0;
  std::ifstream(file) >> child;
  std::filesystem::remove(file);
  ASSERT_GT(child, 0);
  EXPECT_NE(::kill(child, 0), 0);
}

TEST(LibrarySource, AFunctionIsCalledInAChild) {
  const ReverseAnswer answer = library_source(SOURCE_LIBRARY)(kTwo);
  EXPECT_DOUBLE_EQ(answer.gravity[1], 9.81 * std::cos(-0.75));
  EXPECT_DOUBLE_EQ(answer.inertia(0, 1), 1 + std::cos(-1.0));
  const ReverseAnswer gravity = library_source(SOURCE_LIBRARY, "gravity_only")(kTwo);
  EXPECT_EQ(gravity.gravity, kTwo);
  EXPECT_EQ(gravity.inertia.size(), 0);
}

TEST(LibrarySource, CrashesAndHangingStayInTheChild) {
  expect_error<MachineError>(library_source(SOURCE_LIBRARY, "crashes"), "signal 6");
  expect_error<MachineError>(library_source(SOURCE_LIBRARY, "hangs", {0.3}), "did not answer within 0.3 s");
  expect_error<InputError>(library_source(SOURCE_LIBRARY, "absent"), "has no function 'absent'");
  expect_error<InputError>(library_source("/no/such/library.so"), "cannot be opened");
  try {
    library_source(SOURCE_LIBRARY)(VectorXd::Zero(3));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("returns -1"));
  }
}

}  // namespace
}  // namespace steelyard
