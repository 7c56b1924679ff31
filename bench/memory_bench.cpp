// Memory of a study against the length of its log: `steelyard simulate` writes a CSV of a 7-joint arm,
// `steelyard identify` reads it, each in a process of its own, whose peak memory the kernel counts.
//
//   memory_bench [--large] [--program STEELYARD] [--folder WHERE]
//
// 1e5 and 1e6 samples; with --large also 1e7 (a file of some 3 GB in WHERE, removed afterwards). Exit code 1
// when the peak is 300 MB or more, or the longest log needs 13 MB more than the shortest.
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "child_process.hpp"
#include "long_log.hpp"
#include "temporary_folder.hpp"

namespace {

constexpr double kMaxMegabytes = 300;
constexpr double kMaxGrowth = 13;  // MB: blocks of folds fill up to their limit of 128

// Peak of `identify` in megabytes.
double measure(const std::string& program, const std::string& parent, double samples) {
  const TemporaryFolder folder("steelyard-memory", parent);
  const std::string simulated = folder.path() + "/simulate.yaml", read = folder.path() + "/identify.yaml";
  std::ofstream(simulated) << long_study(fmt::format(kLongMotion, samples / 1000));
  std::ofstream(read) << long_study(kLongFile);
  const Child writer =
      run_child({program, "simulate", simulated, "--out", folder.path() + "/logs", "--quiet"});
  if (writer.code != 0)
    throw std::runtime_error(fmt::format("steelyard simulate ended with {}", writer.code));
  const Child reader =
      run_child({program, "identify", read, "--threads", "1", "--out", folder.path() + "/out", "--quiet"});
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
    for (const double peak : peaks) bounded &= peak < kMaxMegabytes;
    bounded &= peaks.back() < peaks.front() + kMaxGrowth;
    fmt::print("{}\n", bounded ? "below 300 MB and flat" : "above 300 MB, or growing by 13 MB or more");
    return bounded ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "memory_bench: {}\n", error.what());
    return 4;
  }
}
