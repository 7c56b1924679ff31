// One study again and again in one process: bytes of the result, memory, open files.
//
//   repeat_bench [STUDY] [TIMES]        default: the demo, 300 times
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "steelyard/identify/run.hpp"

namespace {

using namespace steelyard;

double resident_mib() {
  malloc_trim(0);  // what was freed is no growth
  long total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

long open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

}  // namespace

int main(int argc, char** argv) {
  const Study study =
      read_study(argc > 1 ? argv[1] : std::string(STEELYARD_SOURCE_DIR) + "/examples/demo/study.yaml");
  const int times = argc > 2 ? std::atoi(argv[2]) : 300;
  std::string first;
  double early = 0, most = 0;
  long files = 0;
  for (int k = 0; k < times; ++k) {
    StudyOptions options;
    options.threads = 1 + k % 2;
    const StudyOutcome outcome = run_study(study, options);
    std::string bytes = to_json(outcome.result);
    if (k == 0) first = bytes, files = open_files();
    if (bytes != first) return std::printf("run %d gave another result\n", k + 1), 1;
    const double now = resident_mib();
    // The first runs fill what is kept for good: instruction tables, threads' stacks.
    if (k == times / 10) early = now;
    most = std::max(most, now);
  }
  const double late = resident_mib();
  const long left = open_files() - files;
  std::printf(
      "%d runs: the same %zu bytes; resident %.1f MiB after a tenth, %.1f MiB at the end, %.1f at most; "
      "%ld files left open\n",
      times, first.size(), early, late, most, left);
  return late > 1.05 * early + 1 || left != 0 ? 1 : 0;
}
