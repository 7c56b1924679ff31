// The machine fails: killed, interrupted, disk full, nothing may be written or read, logs that change.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "in_folder.hpp"
#include "oracle/sanitized.hpp"
#include "program.hpp"
#include "steelyard/core/random.hpp"

namespace {

namespace fs = std::filesystem;
using program::Outcome;
using program::steelyard;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string study_text(int seconds) {
  return "robot: " + program::robot("two_r") + R"(
drives: {friction: [viscous, coulomb]}
runs:
  - label: a
    simulate:
      motion: {multi_sine: {harmonics: 3, period: 2, duration: )" +
         std::to_string(seconds) + R"(, reach: [1, 1], center: [0, 0], velocity: 2, acceleration: 8, seed: 7}}
      rate: 1000
      friction: {viscous: [0.1, 0.1], coulomb: [0.2, 0.2]}
      effort_noise: 0.01
prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}
estimate: {method: wls}
)";
}

class Faults : public program::InFolder {
 protected:
  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::string content(const fs::path& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::set<std::string> names(const fs::path& folder) const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder)) found.insert(entry.path().filename());
    return found;
  }
  // Starts the program; standard error goes to the file err.txt in the folder.
  pid_t start(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), STEELYARD_PROGRAM);
    std::vector<char*> argv;
    for (std::string& word : arguments) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string errors = folder_ / "err.txt";
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions, stream, errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    pid_t child = 0;
    EXPECT_EQ(posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
  }
};

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(Faults, KilledAtFiftyInstantsLeavesTheOldOutputOrTheNewNeverHalf) {
  const std::string study = put("study.yaml", study_text(2)), out = folder_ / "place/out";
  fs::create_directory(folder_ / "place");
  std::vector<std::string> whole;  // result.json of both seeds
  double duration = 0;
  for (const char* seed : {"1", "2"}) {
    const auto begin = Clock::now();
    const Outcome outcome =
        steelyard({"run", study, "--out", out, "--seed", seed, "--threads", "1", "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    duration = std::chrono::duration<double>(Clock::now() - begin).count();
    whole.push_back(content("place/out/result.json"));
  }
  ASSERT_NE(whole[0], whole[1]);
  steelyard::Random random(15, "instants");
  int killed = 0;
  const int instants = steelyard::oracle::is_sanitized() ? 6 : 50;
  for (int k = 0; k < instants; ++k) {
    const pid_t child =
        start({"run", study, "--out", out, "--seed", k % 2 == 0 ? "1" : "2", "--threads", "1", "--quiet"});
    std::this_thread::sleep_for(std::chrono::duration<double>(duration * random.uniform()));
    kill(child, SIGKILL);
    killed += wait_for(child) == 128 + SIGKILL;
    const std::string found = content("place/out/result.json");
    EXPECT_TRUE(found == whole[0] || found == whole[1]) << "instant " << k;
    EXPECT_EQ(names(out), (std::set<std::string>{".steelyard", "report.html", "result.json", "run.json"}))
        << "instant " << k;
  }
  EXPECT_GE(killed, instants / 2);  // the others were faster than the instant
  ASSERT_EQ(steelyard({"run", study, "--out", out, "--quiet"}).code, 0);
  EXPECT_EQ(names(folder_ / "place"), (std::set<std::string>{"out"})) << "stray temporaries";
}

TEST_F(Faults, AnInterruptStopsAndSaysWhatIsKept) {
  const std::string quick = put("quick.yaml", study_text(2)), out = folder_ / "place/out";
  const std::string slow = put("slow.yaml", study_text(3000));
  fs::create_directory(folder_ / "place");
  ASSERT_EQ(steelyard({"run", quick, "--out", out, "--quiet"}).code, 0);
  const std::string before = content("place/out/result.json");
  const pid_t child = start({"run", slow, "--out", out});
  // It is at work when its temporary folder is there.
  const auto limit = Clock::now() + std::chrono::minutes(2);  // however busy the machine is
  while (Clock::now() < limit && names(folder_ / "place").size() < 2)
    std::this_thread::sleep_for(milliseconds(1));
  ASSERT_EQ(names(folder_ / "place").size(), 2u);
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_THAT(content("err.txt"), HasSubstr("interrupted: nothing was written; '" + out + "' is as it was"));
  EXPECT_EQ(content("place/out/result.json"), before);
  EXPECT_EQ(names(folder_ / "place"), (std::set<std::string>{"out"}));
}

// A limit on the size of files and a real full file system; the second where namespaces are allowed.
TEST_F(Faults, AFullDiskEndsWithFourAndLeavesTheOldOutput) {
  const std::string study = put("study.yaml", study_text(2)), out = folder_ / "place/out";
  fs::create_directory(folder_ / "place");
  ASSERT_EQ(steelyard({"run", study, "--out", out, "--quiet"}).code, 0);
  const std::string before = content("place/out/result.json");
  // A build that counts lines must not cut its own counters short.
  const Outcome limited = program::run(
      {"sh", "-c", "export GCOV_PREFIX=/dev/null; ulimit -f 8; exec \"$0\" run \"$1\" --seed 9 --out \"$2\"",
       STEELYARD_PROGRAM, study, out});
  EXPECT_EQ(limited.code, 4) << limited.err;
  EXPECT_THAT(limited.err, HasSubstr("cannot be written"));
  EXPECT_EQ(content("place/out/result.json"), before);
  EXPECT_EQ(names(folder_ / "place"), (std::set<std::string>{"out"}));

  const std::string mount = folder_ / "small";
  fs::create_directory(mount);
  const std::vector<std::string> in_space = {"unshare", "-rm", "sh", "-c"};
  std::vector<std::string> trial = in_space;
  trial.insert(trial.end(), {"mount -t tmpfs -o size=64k none \"$0\"", mount});
  if (program::run(trial).code != 0) GTEST_SKIP() << "skipped: no file systems may be mounted here";
  std::vector<std::string> command = in_space;
  command.insert(command.end(),
                 {"mount -t tmpfs -o size=64k none \"$2\" && \"$0\" run \"$1\" --out \"$2/out\"; code=$?; "
                  "ls -A \"$2\"; exit $code",
                  STEELYARD_PROGRAM, study, mount});
  const Outcome full = program::run(command);
  EXPECT_EQ(full.code, 4) << full.err;
  EXPECT_THAT(full.err, HasSubstr("No space left on device"));
  EXPECT_EQ(full.out, "") << "something was left on the full disk";
}

// The program as a user without rights, where we are the superuser.
std::vector<std::string> without_rights(std::vector<std::string> arguments) {
  std::vector<std::string> command;
  if (geteuid() == 0) command = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  command.emplace_back(STEELYARD_PROGRAM);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

bool can_drop_rights() {
  try {
    return program::run(without_rights({"model", program::robot("two_r")})).code == 0;
  } catch (const std::exception&) {
    return false;
  }
}

TEST_F(Faults, ReadOnlyOutputAndUnreadableInputEndWithFour) {
  if (!can_drop_rights()) GTEST_SKIP() << "skipped: the program cannot be run without the superuser's rights";
  const std::string study = put("study.yaml", study_text(2));
  fs::create_directory(folder_ / "locked");
  fs::permissions(folder_ / "locked", fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                                          fs::perms::others_exec);
  const Outcome written = program::run(without_rights({"run", study, "--out", folder_ / "locked/out"}));
  EXPECT_EQ(written.code, 4) << written.err;
  EXPECT_THAT(written.err, HasSubstr("Permission denied"));
  EXPECT_TRUE(names(folder_ / "locked").empty());
  fs::permissions(folder_ / "locked", fs::perms::owner_all);

  const std::string secret = put("secret.yaml", study_text(2));
  fs::permissions(secret, fs::perms::none);
  const Outcome read = program::run(without_rights({"check", secret}));
  EXPECT_EQ(read.code, 4) << read.err;
  EXPECT_THAT(read.err, HasSubstr("secret.yaml"));
  fs::permissions(secret, fs::perms::owner_all);
}

constexpr const char* kLogStudy = R"(
drives: {friction: [viscous, coulomb]}
runs:
  - file: log.csv
    columns: {time: t, position: "q{j}", torque: "tau{j}"}
prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}
)";

std::string rows(int from, int to, double sign = 1) {
  std::string text;
  for (int k = from; k < to; ++k) {
    const double t = 0.001 * k;
    text += std::to_string(sign * t) + "," + std::to_string(std::sin(5 * t)) + "," +
            std::to_string(std::cos(7 * t)) + "," + std::to_string(std::cos(5 * t)) + "," +
            std::to_string(9 * std::sin(7 * t) - 20) + "\n";
  }
  return text;
}

TEST_F(Faults, ALogThatStillGrowsIsRefused) {
  const std::string study = put("study.yaml", "robot: " + program::robot("two_r") + kLogStudy);
  put("log.csv", "t,q1,q2,tau1,tau2\n" + rows(0, 20000));
  std::atomic<bool> done = false;
  std::thread writer([&] {
    std::ofstream log(folder_ / "log.csv", std::ios::app);
    for (int k = 20000; !done; ++k) {
      log << rows(k, k + 1) << std::flush;
      std::this_thread::sleep_for(milliseconds(1));
    }
  });
  const Outcome outcome = steelyard({"run", study, "--out", folder_ / "out"});
  done = true;
  writer.join();
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("changed while it was read"));
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

TEST_F(Faults, ALogCutInsideALineIsRefusedWithTheLine) {
  const std::string study = put("study.yaml", "robot: " + program::robot("two_r") + kLogStudy);
  const std::string text = "t,q1,q2,tau1,tau2\n" + rows(0, 500);
  put("log.csv", text.substr(0, text.rfind(',') - 3));
  const Outcome outcome = steelyard({"check", study});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("log.csv:501"));
}

TEST_F(Faults, ALogCutInsideItsLastNumberIsUsedAndTold) {
  const std::string study = put("study.yaml", "robot: " + program::robot("two_r") + kLogStudy);
  const std::string text = "t,q1,q2,tau1,tau2\n" + rows(0, 500);
  const auto findings = [&](const std::string& log) {
    put("log.csv", log);
    const Outcome outcome = steelyard({"check", study});
    EXPECT_NE(outcome.code, 2) << outcome.err;
    return outcome.out;
  };
  EXPECT_THAT(findings(text), Not(AnyOf(HasSubstr("cut-log"), HasSubstr("open-last-line"))));
  const std::string without_end = text.substr(0, text.size() - 1);
  EXPECT_THAT(findings(without_end), AllOf(HasSubstr("open-last-line"), Not(HasSubstr("cut-log"))));
  const std::size_t point = text.rfind('.');
  for (const std::size_t end : {point, point + 1, point + 3, text.size() - 2})
    EXPECT_THAT(findings(text.substr(0, end)),
                AllOf(HasSubstr("cut-log"), HasSubstr("log.csv"), HasSubstr("remove it if")))
        << end;
}

TEST_F(Faults, AClockThatGoesBackIsRefusedWithTheLine) {
  const std::string study = put("study.yaml", "robot: " + program::robot("two_r") + kLogStudy);
  put("log.csv", "t,q1,q2,tau1,tau2\n" + rows(0, 300) + rows(250, 600));
  const Outcome outcome = steelyard({"check", study});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("log.csv:302"));
  EXPECT_THAT(outcome.err, HasSubstr("time does not increase"));
}

TEST_F(Faults, AnEngineThatCannotBeLoadedIsTheMachinesFaultWithTheReason) {
  const std::string study = put("study.yaml", study_text(2));
  ASSERT_EQ(steelyard({"run", study, "--out", folder_ / "out", "--quiet"}).code, 0);
  fs::create_directory(folder_ / "engines");
  put("engines/libsteelyard_engine_mujoco.so", "this is no library");
  const Outcome outcome = program::run({"env", "STEELYARD_ENGINES=" + (folder_ / "engines").string(),
                                        STEELYARD_PROGRAM, "validate", folder_ / "out/result.json", study,
                                        "--engine", "mujoco", "--out", folder_ / "checked"});
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("mujoco"));
  EXPECT_FALSE(fs::exists(folder_ / "checked"));
}

// The same bytes every time, and nothing left: the long version is scripts/three-hundred.
TEST_F(Faults, TwentyRunsGiveTheSameBytesAndLeaveNothing) {
  const std::string study = put("study.yaml", study_text(2)), out = folder_ / "place/out";
  fs::create_directories(folder_ / "place/tmp");
  std::string result, report;
  const int runs = steelyard::oracle::is_sanitized() ? 4 : 20;
  for (int k = 0; k < runs; ++k) {
    ASSERT_EQ(steelyard({"run", study, "--out", out, "--threads", k % 2 == 0 ? "1" : "2", "--quiet"}).code,
              0);
    if (k == 0) result = content("place/out/result.json"), report = content("place/out/report.html");
    EXPECT_EQ(content("place/out/result.json"), result) << k;
    EXPECT_EQ(content("place/out/report.html"), report) << k;
    EXPECT_EQ(names(folder_ / "place"), (std::set<std::string>{"out", "tmp"})) << k;
    EXPECT_TRUE(names(folder_ / "place/tmp").empty()) << k;
  }
}

}  // namespace
