// Memory of a study against the length of its log: `steelyard simulate` writes a CSV of a 7-joint arm,
// `steelyard identify` reads it, each in a process of its own, whose peak memory the kernel counts.
//
//   memory_bench [--large] [--program STEELYARD] [--folder WHERE]
//
// 1e5 and 1e6 samples; with --large also 1e7 (a file of some 3 GB in WHERE, removed afterwards). Exit code 1
// when the peak is 300 MB or more, or the longest log needs more than a tenth above the shortest.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

extern char** environ;

namespace {

constexpr double kMostMegabytes = 300;
constexpr double kMostGrowth =
    1.1;  // of the longest over the shortest: blocks of folds fill up to their limit of 128

struct Child {
  int code = -1;
  double megabytes = 0;  // peak resident
  double seconds = 0;    // user and system
};

// Runs a program to its end; what it prints is dropped.
Child run(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(fmt::format("{}: {}", arguments[0], std::strerror(error)));
  int status = 0;
  rusage usage{};
  wait4(pid, &status, 0, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, static_cast<double>(usage.ru_maxrss) * 1024 / 1e6,
          seconds(usage.ru_utime) + seconds(usage.ru_stime)};
}

constexpr const char* kMotion = R"(
    simulate:
      motion:
        fourier:
          omega: 0.15*pi
          duration: {}
          a:
            - [-0.2031, -0.0699, 0.3076, 0.1269, -0.2773, 0.2100, -0.2273]
            - [0.1295, -0.5380, 0.5864, -0.0253, -0.0857, -0.1194, -0.5636]
          b:
            - [-0.1136, -0.2437, 0.3898, 0.0401, 0.5491, 0.0692, 0.2023]
            - [0.6600, 0.1820, -0.0268, -0.1503, 0.1046, -0.6946, -0.2570]
          q0: [-0.5850, -0.1744, -0.3373, -1.8767, -1.0631, 1.7917, -0.7284]
      rate: 1000
      friction: {{viscous: 0.1, coulomb: 0.2}}
      effort_noise: 0.05
      velocity: none
)";

constexpr const char* kFile = R"(
    file: logs/long.csv
    columns: {time: t_s, position: "q{j}_rad", torque: "tau{j}_Nm"}
    units: {position: rad, torque: N*m}
)";

std::string study(const std::string& run) {
  return fmt::format(
      "robot: {}/robots/panda.yaml\ndrives: {{friction: [viscous, coulomb, offset]}}\nruns:\n  - label: "
      "long{}"
      "prepare: {{filter: {{order: 4, cutoff: 5}}, columns: filtered, decimate: auto}}\n"
      "estimate: {{method: wls}}\nvalidate: {{cross: {{blocks: 10, by: phase}}}}\n",
      STEELYARD_SOURCE_DIR, run);
}

// Peak of `identify` in megabytes.
double measure(const std::string& program, const std::string& parent, double samples) {
  const TemporaryFolder folder("steelyard-memory", parent);
  const std::string simulated = folder.path() + "/simulate.yaml", read = folder.path() + "/identify.yaml";
  std::ofstream(simulated) << study(fmt::format(kMotion, samples / 1000));
  std::ofstream(read) << study(kFile);
  const Child writer = run({program, "simulate", simulated, "--out", folder.path() + "/logs", "--quiet"});
  if (writer.code != 0)
    throw std::runtime_error(fmt::format("steelyard simulate ended with {}", writer.code));
  const Child reader =
      run({program, "identify", read, "--threads", "1", "--out", folder.path() + "/out", "--quiet"});
  if (reader.code != 0 && reader.code != 3)
    throw std::runtime_error(fmt::format("steelyard identify ended with {}", reader.code));
  const auto bytes = static_cast<double>(std::filesystem::file_size(folder.path() + "/logs/long.csv"));
  fmt::print("{:>10.0e}{:>14.0f} MB{:>18.0f} MB{:>14.1f} s{:>18.0f} MB{:>14.1f} s\n", samples, bytes / 1e6,
             writer.megabytes, writer.seconds, reader.megabytes, reader.seconds);
  std::fflush(stdout);
  return reader.megabytes;
}

}  // namespace

int main(int argc, char** argv) {
  std::string program = STEELYARD_PROGRAM, folder;
  std::vector<double> lengths = {1e5, 1e6};
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--large") == 0) {
      lengths.push_back(1e7);
    } else if (std::strcmp(argv[k], "--program") == 0 && k + 1 < argc) {
      program = argv[++k];
    } else if (std::strcmp(argv[k], "--folder") == 0 && k + 1 < argc) {
      folder = argv[++k];
    } else {
      fmt::print(stderr, "usage: memory_bench [--large] [--program STEELYARD] [--folder WHERE]\n");
      return 2;
    }
  }
  try {
    fmt::print("Peak memory of a study against the length of its log, 7 joints, one thread\n\n");
    fmt::print("{:>10}{:>17}{:>21}{:>16}{:>21}{:>16}\n", "samples", "log", "simulate", "CPU", "identify",
               "CPU");
    std::vector<double> peaks;
    for (const double samples : lengths) peaks.push_back(measure(program, folder, samples));
    bool bounded = true;
    for (const double peak : peaks) bounded &= peak < kMostMegabytes;
    bounded &= peaks.back() < kMostGrowth * peaks.front();
    fmt::print("{}\n", bounded ? "below 300 MB and flat" : "above 300 MB, or growing by more than a tenth");
    return bounded ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "memory_bench: {}\n", error.what());
    return 4;
  }
}
