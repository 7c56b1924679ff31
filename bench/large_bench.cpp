// A log of any size: from CSV to folds beside the CSV reader alone, folds on two threads, a refit from folds.
//
//   large_bench [SAMPLES] [--turns 3] [--program STEELYARD] [--folder WHERE]
//
//   reader    our CSV reader alone, all columns, one thread
//   fold      `steelyard fold --threads 2` of the same file: reading, preparation, folds and the doctor's
//             examination; beside it the same with `--no-check`; both take turns with the reader
//   memory    the folds of up to 1 000 000 samples in memory on one and on two threads, taking turns
//   refit     estimate and 1000 replicates of the bootstrap from the fold file; CPU time of one thread
// Wall times are those of this moment; `CPU / 2` is what two free cores could not beat. Exit code 1 when the
// peak of `fold` is 300 MB or more.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <numeric>

#include "child_process.hpp"
#include "clock.hpp"
#include "long_log.hpp"
#include "statistics.hpp"
#include "steelyard/estimate/bootstrap.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/log/csv.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace steelyard;

template <typename Work>
double wall_seconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void read_alone(const std::string& path) {
  CsvReader reader(path);
  std::vector<int> columns(static_cast<std::size_t>(reader.columns()));
  std::iota(columns.begin(), columns.end(), 0);
  std::vector<std::vector<double>> values(columns.size(), std::vector<double>(4096));
  std::vector<double*> targets;
  for (auto& column : values) targets.push_back(column.data());
  reader.select(std::move(columns));
  while (reader.read(4096, targets.data()) > 0) {
  }
}

struct Timing {
  std::vector<double> wall, cpu;  // [s]
  double megabytes = 0;
};

void add_child(const std::vector<std::string>& command, Timing& timing) {
  const Child child = run_child(command);
  if (child.code != 0) throw std::runtime_error(fmt::format("steelyard fold ended with {}", child.code));
  timing.wall.push_back(child.wall);
  timing.cpu.push_back(child.seconds);
  timing.megabytes = std::max(timing.megabytes, child.megabytes);
}

// Taking turns: each turn's ratio is against the reader just before and just after it.
bool fold_beside_reader(const std::string& program, const std::string& folder, int turns) {
  const std::string log = folder + "/logs/long.csv";
  const std::vector<std::string> command = {program, "fold",  folder + "/read.yaml", "--threads",
                                            "2",     "--out", folder + "/folds",     "--quiet"};
  std::vector<std::string> plain = command;
  plain.emplace_back("--no-check");
  Timing reader, fold, unexamined;
  const auto read = [&] {
    const double cpu = thread_nanoseconds();
    reader.wall.push_back(wall_seconds([&] { read_alone(log); }));
    reader.cpu.push_back(1e-9 * (thread_nanoseconds() - cpu));
  };
  read_alone(log);  // into the cache of the disk
  read();
  for (int k = 0; k < turns; ++k) {
    add_child(command, fold);
    read();
    add_child(plain, unexamined);
    read();
  }
  const auto print = [&](const char* name, const Timing& timing) {
    const Spread wall = spread_of(timing.wall), cpu = spread_of(timing.cpu);
    fmt::print("{:<15}{:8.2f} s wall {:8.2f} s CPU", name, wall.median, cpu.median);
    if (timing.megabytes > 0) fmt::print("   peak {:.0f} MB", timing.megabytes);
    fmt::print("\n");
  };
  const auto print_ratios = [&](const char* name, const Timing& timing, std::size_t first) {
    std::vector<double> wall, cpu;
    for (std::size_t k = 0; k < timing.wall.size(); ++k) {
      const std::size_t before = 2 * k + first;
      wall.push_back(2 * timing.wall[k] / (reader.wall[before] + reader.wall[before + 1]));
      cpu.push_back(timing.cpu[k] / (reader.cpu[before] + reader.cpu[before + 1]));
    }
    fmt::print("{:<15}{:8.2f} by wall ({:.2f} to {:.2f}){:7.2f} by CPU / 2\n", name, spread_of(wall).median,
               *std::min_element(wall.begin(), wall.end()), *std::max_element(wall.begin(), wall.end()),
               spread_of(cpu).median);
  };
  print("reader alone", reader);
  print("fold, 2 threads", fold);
  print("    --no-check", unexamined);
  print_ratios("fold / reader", fold, 0);
  print_ratios("    --no-check", unexamined, 1);
  return fold.megabytes < 300;
}

void fold_in_memory(const std::string& study_path) {
  Study study = read_study(study_path);
  const Robot robot = study_robot(study);
  const BaseParameters base = base_parameters(robot);
  PlanOptions options;
  for (const int column : base.lead) options.wanted.push_back(base.columns[static_cast<std::size_t>(column)]);
  const Plan plan = make_plan(robot, options);
  const std::vector<Layout> layouts = row_layouts(plan, robot);
  const std::unique_ptr<SampleSource> file = open_study_run(study.runs.front(), robot);
  Run run{study.runs.front().file.label, SampleBlock(file->channels(), file->joints())};
  SampleBlock block;
  for (file->read(4096, block); block.size() > 0 && run.samples.size() < 1000000; file->read(4096, block))
    run.samples.append(block, 0, block.size());
  run.samples.pack();
  PreparedRun prepared(view_run(run), run.label, study.prepare);
  std::vector<double> ratios;
  for (int k = 0; k < 7; ++k) {
    PassOptions pass;
    const double one = wall_seconds([&] { fold_run(prepared, plan, layouts, pass); });
    pass.threads = 2;
    const double two = wall_seconds([&] { fold_run(prepared, plan, layouts, pass); });
    ratios.push_back(one / two);
  }
  const Spread spread = spread_of(ratios);
  fmt::print("folds in memory, 2 threads against 1: {:.2f} times ({:.2f} to {:.2f})\n", spread.median,
             spread.lower, spread.upper);
}

std::vector<Fold> folds_of(const std::string& path) {
  std::vector<Fold> folds;
  for (const FoldedRun& run : read_fold_file(path))
    for (const FoldBlock& block : run.blocks)
      for (Fold& fold : block.all()) folds.push_back(std::move(fold));
  return folds;
}

void refit(const std::string& path) {
  std::vector<double> reading, fitting;
  Index blocks = 0;
  for (int k = 0; k < 7; ++k) {
    const double begin = thread_nanoseconds();
    const std::vector<Fold> folds = folds_of(path);
    const double there = thread_nanoseconds();
    EstimateOptions options;
    options.weighting = Weighting::by_row;
    const Estimate found = estimate(folds, options);
    BootstrapOptions replicates;
    replicates.replicates = 1000;
    const Bootstrap deviations = bootstrap(block_moments(folds, found, {}), replicates);
    reading.push_back(1e-6 * (there - begin));
    fitting.push_back(1e-6 * (thread_nanoseconds() - there));
    blocks = deviations.blocks;
    if (!(deviations.sigma.minCoeff() > 0))
      throw std::runtime_error("a standard deviation of the refit is zero");
  }
  const Spread read = spread_of(reading), fit = spread_of(fitting);
  fmt::print(
      "refit from {} blocks with 1000 replicates: {:.1f} ms ({:.1f} to {:.1f}); reading their file {:.1f} "
      "ms\n",
      blocks, fit.median, fit.lower, fit.upper, read.median);
}

}  // namespace

int main(int argc, char** argv) {
  std::string program = STEELYARD_PROGRAM, where;
  double samples = 1e6;
  int turns = 3;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--program") == 0 && k + 1 < argc) {
      program = argv[++k];
    } else if (std::strcmp(argv[k], "--folder") == 0 && k + 1 < argc) {
      where = argv[++k];
    } else if (std::strcmp(argv[k], "--turns") == 0 && k + 1 < argc) {
      turns = std::max(1, std::atoi(argv[++k]));
    } else if (samples = std::atof(argv[k]); samples < 1e4) {
      fmt::print(stderr, "usage: large_bench [SAMPLES] [--turns 3] [--program STEELYARD] [--folder WHERE]\n");
      return 2;
    }
  }
  try {
    const TemporaryFolder folder("steelyard-large", where);
    std::ofstream(folder.path() + "/simulate.yaml") << long_study(fmt::format(kLongMotion, samples / 1000));
    std::ofstream(folder.path() + "/read.yaml") << long_study(kLongFile);
    const Child writer = run_child(
        {program, "simulate", folder.path() + "/simulate.yaml", "--out", folder.path() + "/logs", "--quiet"});
    if (writer.code != 0)
      throw std::runtime_error(fmt::format("steelyard simulate ended with {}", writer.code));
    const auto bytes = static_cast<double>(std::filesystem::file_size(folder.path() + "/logs/long.csv"));
    fmt::print("{:.0e} samples of 7 joints, {:.0f} MB of CSV\n", samples, bytes / 1e6);
    const bool bounded = fold_beside_reader(program, folder.path(), turns);
    refit(folder.path() + "/folds/long.fold");
    fold_in_memory(folder.path() + "/read.yaml");
    return bounded ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "large_bench: {}\n", error.what());
    return 4;
  }
}
