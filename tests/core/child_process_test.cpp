// Children: how they end, what they leave; temporary names and who removes them.
#include "steelyard/core/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "steelyard/core/atomic_file.hpp"
#include "steelyard/core/child.hpp"

namespace {

namespace fs = std::filesystem;
using steelyard::AtomicFile;
using steelyard::ChildProcess;
using steelyard::ChildProgram;
using steelyard::ChildState;

std::string all_it_says(ChildProcess& child) {
  std::string text;
  char bytes[64];
  for (;;) {
    const ChildProcess::Received got = child.receive(bytes, sizeof bytes);
    if (got.state != ChildState::answers) return text;
    text.append(bytes, got.count);
  }
}

TEST(ChildProcess, ReportsHowAProgramEnds) {
  ChildProcess good(
      ChildProgram{{"sh", "-c", "read x; echo $x $TMPDIR; echo why >&2; exit 7"}, {}, "/nowhere"});
  EXPECT_EQ(good.send("hello\n"), ChildState::answers);
  EXPECT_EQ(all_it_says(good), "hello /nowhere\n");
  const steelyard::ChildEnd how = good.end(60);
  EXPECT_EQ(how.code, 7);
  EXPECT_FALSE(how.killed);
  EXPECT_EQ(good.last_words(), "why\n");
  ChildProcess crashing([](int, int) { ::raise(SIGSEGV); });
  EXPECT_EQ(all_it_says(crashing), "");
  EXPECT_EQ(crashing.end(60).signal, SIGSEGV);
  EXPECT_THROW(ChildProcess(ChildProgram{{"/no/such/program"}}), std::system_error);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a zombie";
}

TEST(ChildProcess, TellsLateFromLooping) {
  char byte = 0;
  ChildProcess late([](int, int) { ::pause(); });
  late.allow(0.05);
  EXPECT_EQ(late.receive(&byte, 1).state, ChildState::late);
  EXPECT_TRUE(late.end(0).killed);
  ChildProcess loops([](int, int) {
    for (volatile int k = 0;;) k = 1 - k;
  });
  loops.allow(1e5, 0.05);
  EXPECT_EQ(loops.receive(&byte, 1).state, ChildState::loops);
  EXPECT_TRUE(loops.end(0).killed);
}

TEST(ChildProcess, HasNoDescriptorOfTheHost) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);  // inherited by exec, if nobody closes it
  const std::string test = "test ! -e /proc/self/fd/" + std::to_string(ends[1]);
  ChildProcess program(ChildProgram{{"sh", "-c", test}});
  EXPECT_EQ(program.end(60).code, 0);
  const int number = ends[1];
  struct stat host {};
  ASSERT_EQ(::fstat(number, &host), 0);
  ChildProcess function([number, host](int, int) {
    struct stat own {};  // the number may be that of another pipe by now
    if (::fstat(number, &own) == 0 && own.st_ino == host.st_ino && own.st_dev == host.st_dev) throw 1;
  });
  EXPECT_EQ(function.end(60).code, 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

// A lock distinguishes dead from running processes: the system releases it with the process.
TEST(AtomicFile, WhatKilledProgramsLeftIsRemovedAndTheUsersFilesStay) {
  const fs::path home = fs::path(testing::TempDir()) / ("atomic_file_" + std::to_string(getpid()));
  fs::create_directories(home);
  const pid_t child = fork();
  if (child == 0) {
    AtomicFile file(home / "log.csv");
    file.write("half");
    kill(getpid(), SIGKILL);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  std::ofstream(home / "log.csv.part-1") << "mine";
  std::ofstream(home / ".log.csv.partial-mine") << "mine";
  AtomicFile living(home / "log.csv");
  living.write("living");
  AtomicFile second(home / "log.csv");
  second.write("second");
  second.commit();
  living.commit();
  std::ifstream file(home / "log.csv");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "living");
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(home)) names.push_back(entry.path().filename());
  EXPECT_THAT(names, testing::UnorderedElementsAre("log.csv", "log.csv.part-1", ".log.csv.partial-mine"));
  fs::remove_all(home);
}

}  // namespace
