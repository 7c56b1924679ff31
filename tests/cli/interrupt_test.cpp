// Interrupts, terminations and closed terminals at random moments of every verb that writes, on a busy
// machine: the output is the old one or the new one, whole, and nothing else is left, no child either.
//
// STEELYARD_INTERRUPTS sets the number of moments, STEELYARD_SEED another seed.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <thread>

#include "in_folder.hpp"
#include "oracle/sanitized.hpp"
#include "program.hpp"
#include "steelyard/core/random.hpp"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Files = std::map<std::string, std::string>;  // path below the place, content

const std::string kRoot = STEELYARD_SOURCE_DIR;
constexpr const char* kSimulation = R"(
drives: {friction: [viscous, coulomb, offset]}
runs:
  - label: a
    simulate:
      motion: {multi_sine: {harmonics: 3, period: 2, duration: 4, reach: [1, 1], center: [0, 0], velocity: 2, acceleration: 8, seed: 7}}
      rate: 500
      friction: {viscous: [0.1, 0.1], coulomb: [0.2, 0.2]}
      effort_noise: 0.01
prepare: {filter: {order: 4, cutoff: 10}, columns: filtered}
estimate: {method: wls}
excite: {duration: 4, starts: 2}
)";

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

long number_from(const char* variable, long usual) {
  const char* text = std::getenv(variable);
  return text != nullptr && *text != 0 ? std::strtol(text, nullptr, 10) : usual;
}

// Threads that use every processor, so that the program is stopped between any two of its steps.
class BusyMachine {
 public:
  BusyMachine() {
    for (unsigned k = 0; k < std::max(2U, std::thread::hardware_concurrency()); ++k)
      threads_.emplace_back([this] {
        while (!done_) {
        }
      });
  }
  ~BusyMachine() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  BusyMachine(const BusyMachine&) = delete;
  BusyMachine& operator=(const BusyMachine&) = delete;

 private:
  std::atomic<bool> done_ = false;
  std::vector<std::thread> threads_;
};

struct VerbCase {
  std::vector<std::string> arguments;
  double seconds = 0;  // that it takes here
  Files whole = {};    // what it writes
};

class Interrupts : public program::InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    fs::create_directories(folder_ / "place");
    fs::create_directories(folder_ / "tmp");
    // Children whose parent has ended become ours, so that they are seen.
    ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
  }

  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::string at(const std::string& name) const { return folder_ / name; }

  // All below the place; of run.json, which contains times, the name alone. A fleet keeps the robots that are
  // finished: whatever number of whole files.
  Files files() const {
    Files found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "place")) {
      const std::string path = entry.path().lexically_relative(folder_ / "place");
      if (path.starts_with("out.state") && path.find(".partial-") == std::string::npos) continue;
      found[path] =
          entry.is_directory() || entry.path().filename() == "run.json" ? "" : content(entry.path());
    }
    return found;
  }

  pid_t start(std::vector<std::string> arguments) const {
    const std::string temporaries = "TMPDIR=" + at("tmp");
    arguments.insert(arguments.begin(), {"env", temporaries, STEELYARD_PROGRAM});
    std::vector<char*> argv;
    for (std::string& word : arguments) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string said = at("said.txt");
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions, stream, said.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    pid_t child = 0;
    EXPECT_EQ(posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    return child;
  }

  std::vector<VerbCase> cases() const {
    const std::string study = put("study.yaml", "robot: " + program::robot("two_r") + kSimulation);
    std::string fleet = content(kRoot + "/examples/fleet/study.yaml");
    const auto replace = [&fleet](const std::string& from, const std::string& to) {
      fleet.replace(fleet.find(from), from.size(), to);
    };
    replace("robot: arm.yml", "robot: " + kRoot + "/examples/fleet/arm.yml");
    replace("robots: 40", "robots: 4");
    replace("days: 3", "days: 1");
    const std::size_t begin = fleet.find("  faults:"), end = fleet.find("  simulate:");
    fleet.replace(begin, end - begin, "  faults: []\n");
    const std::string reverse =
        put("reverse.yaml", "robot: " + program::robot("two_r") +
                                "\nreport: false\nreverse:\n  source: {robot: " + program::robot("two_r") +
                                "}\n  configurations: {count: 20}\n");
    EXPECT_EQ(program::steelyard({"run", study, "--out", at("ready"), "--quiet"}).code, 0);
    EXPECT_EQ(program::steelyard({"fold", study, "--out", at("folds"), "--quiet"}).code, 0);
    EXPECT_EQ(program::steelyard({"simulate", study, "--out", at("logs"), "--quiet"}).code, 0);
    const std::string result = at("ready/result.json"), out = at("place/out"), log = at("logs/a.csv");
    const std::string robot = program::robot("two_r");
    return {{{"run", study, "--out", out}},
            {{"simulate", study, "--out", at("place/deep/er/out")}},
            {{"fold", study, "--out", out}},
            {{"merge", at("folds/a.fold"), "--out", at("place/all.fold")}},
            {{"excite", study, "--out", out}},
            {{"export", result, study, "--c", "arm", "--out", out}},
            {{"validate", result, study, "--out", out}},
            {{"retrieve", study, "--out", out}},
            {{"convert", log, at("place/log.npz"), "--replace"}},
            {{"report", result, "--page", at("place/page.html")}},
            {{"init", robot, log, "--out", at("place/new.yaml"), "--replace"}},
            {{"reverse", reverse, "--out", out}},
            {{"fleet", put("fleet.yaml", fleet), "--out", out, "--fresh"}}};
  }
};

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Whether all children, also those of a program that has ended, are gone; a busy machine takes its time.
bool all_children_end() {
  const auto limit = Clock::now() + std::chrono::seconds(60);
  while (Clock::now() < limit) {
    const pid_t ended = waitpid(-1, nullptr, WNOHANG);
    if (ended < 0 && errno == ECHILD) return true;
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

TEST_F(Interrupts, AtAnyMomentLeaveTheOldOutputOrTheNewAndNoRest) {
  const auto seed = static_cast<std::uint64_t>(number_from("STEELYARD_SEED", 32));
  const long moments = number_from("STEELYARD_INTERRUPTS", steelyard::oracle::is_sanitized() ? 13 : 39);
  std::cout << "seed " << seed << ", " << moments << " moments\n";
  std::vector<VerbCase> verbs = cases();
  const BusyMachine busy;
  for (VerbCase& verb : verbs) {
    fs::remove_all(folder_ / "place");
    fs::create_directory(folder_ / "place");
    const auto begin = Clock::now();
    const int code = wait_for(start(verb.arguments));
    ASSERT_TRUE(code == 0 || code == 3) << verb.arguments[0] << ": " << code << content(at("said.txt"));
    verb.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    verb.whole = files();
  }
  steelyard::Random random(seed, "moments");
  std::map<std::string, int> stopped;
  int count = 0;
  for (long k = 0; k < moments; ++k) {
    const VerbCase& verb = verbs[static_cast<std::size_t>(k) % verbs.size()];
    const std::string& name = verb.arguments[0];
    const int number = std::array{SIGINT, SIGTERM, SIGHUP}[static_cast<std::size_t>(3 * random.uniform())];
    const double delay = verb.seconds * random.uniform();
    const bool twice = random.uniform() < 0.3, replaces = random.uniform() < 0.5;
    SCOPED_TRACE("moment " + std::to_string(k) + ": " + name + ", signal " + std::to_string(number) +
                 " after " + std::to_string(delay) + " s" + (twice ? ", twice" : ""));
    fs::remove_all(folder_ / "place");
    fs::create_directory(folder_ / "place");
    if (replaces) {
      const int code = wait_for(start(verb.arguments));
      ASSERT_TRUE(code == 0 || code == 3);
    }
    const Files old = files();
    fs::remove(at("said.txt"));
    const pid_t child = start(verb.arguments);
    std::this_thread::sleep_for(std::chrono::duration<double>(delay));
    kill(child, number);
    if (twice) kill(child, number);
    const int code = wait_for(child);
    EXPECT_TRUE(code == 128 + number || code == 0 || code == 3) << code << content(at("said.txt"));
    EXPECT_TRUE(all_children_end());
    const Files now = files();
    EXPECT_TRUE(now == verb.whole || (now == old && code == 128 + number)) << [&] {
      std::string text;
      for (const auto& [path, bytes] : now) text += "  " + path + "\n";
      return text + content(at("said.txt"));
    }();
    EXPECT_TRUE(fs::is_empty(folder_ / "tmp"));
    const bool is_stopped = code == 128 + number;
    stopped[name] += is_stopped;
    count += is_stopped;
    if (HasFailure()) break;
  }
  for (const auto& [name, times] : stopped) std::cout << name << ": stopped " << times << " times\n";
  EXPECT_GE(4 * count, moments);  // the others were faster than the moment
}

// The reader of what is printed goes away: no rest, and no complaint.
TEST_F(Interrupts, AClosedPipeLeavesNoRest) {
  const std::string study = put("study.yaml", "robot: " + program::robot("two_r") + kSimulation);
  const program::Outcome outcome =
      program::run({"bash", "-c", "\"$0\" run \"$1\" --out \"$2\" 2>&1 | true; exit ${PIPESTATUS[0]}",
                    STEELYARD_PROGRAM, study, at("place/out")});
  EXPECT_TRUE(outcome.code == 128 + SIGPIPE || outcome.code == 0) << outcome.code;
  for (const auto& [path, bytes] : files()) EXPECT_TRUE(path.starts_with("out")) << path;
  EXPECT_EQ(fs::exists(at("place/out")), fs::exists(at("place/out/result.json")));
}

}  // namespace
