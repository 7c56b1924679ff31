// Speed of the CSV reader: a log of about 200 MB is written to a temporary folder, read twice (all columns,
// then the few of one joint) and removed. The goal is 150 MB/s on one core with all columns converted.
//
//   csv_bench [megabytes]
#include <fmt/format.h>
#include <fmt/os.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <numeric>
#include <vector>

#include "steelyard/log/csv.hpp"

namespace {

constexpr int kColumns = 22;

// Looks like a log of a 7-joint arm: time, positions, velocities, torques with six to nine digits.
void write_log(const std::filesystem::path& path, double bytes) {
  auto file = fmt::output_file(path.string());
  file.print("t_s");
  for (int c = 1; c < kColumns; ++c) file.print(",x{}", c);
  file.print("\n");
  double written = 0;
  std::string line;
  for (int row = 0; written < bytes; ++row) {
    const double t = 1e-3 * row;
    line = fmt::format("{:.6f}", t);
    for (int c = 1; c < kColumns; ++c)
      fmt::format_to(std::back_inserter(line), ",{:.8g}", 3 * std::sin(0.7 * c + 0.1 * c * t));
    line += '\n';
    file.print("{}", line);
    written += static_cast<double>(line.size());
  }
}

double read_all(const std::filesystem::path& path, std::vector<int> columns, const char* what) {
  const double megabytes = static_cast<double>(std::filesystem::file_size(path)) / 1e6;
  const auto wall = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  steelyard::CsvReader reader(path.string());
  std::vector<std::vector<double>> values(columns.size(), std::vector<double>(4096));
  std::vector<double*> targets;
  for (auto& column : values) targets.push_back(column.data());
  reader.select(std::move(columns));
  double sum = 0;
  steelyard::Index rows = 0;
  while (const steelyard::Index count = reader.read(4096, targets.data())) {
    rows += count;
    for (const auto& column : values) sum += column[0];
  }
  const double cpu_seconds = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  fmt::print("{:<24} {:>9} rows  {:7.1f} MB/s cpu  {:7.1f} MB/s wall  (checksum {:.17g})\n", what, rows,
             megabytes / cpu_seconds, megabytes / seconds, sum);
  return megabytes / cpu_seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const double megabytes = argc > 1 ? std::atof(argv[1]) : 200;
  std::string name = (std::filesystem::temp_directory_path() / "steelyard-csv-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    fmt::print(stderr, "csv_bench: no temporary folder\n");
    return 4;
  }
  int status = 0;
  try {
    const std::filesystem::path path = std::filesystem::path(name) / "log.csv";
    write_log(path, megabytes * 1e6);
    std::vector<int> all(kColumns);
    std::iota(all.begin(), all.end(), 0);
    const double speed = read_all(path, all, "all 22 columns");
    read_all(path, {0, 1, 8, 15}, "4 of 22 columns");
    if (speed < 150) fmt::print("below the goal of 150 MB/s\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "csv_bench: {}\n", error.what());
    status = 4;
  }
  std::filesystem::remove_all(name);
  return status;
}
