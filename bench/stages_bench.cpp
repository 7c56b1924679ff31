// Job B: given the Panda's log as a CSV file (t, q, τ), find 64 parameters; CPU time by stage, one thread.
//
//   stages_bench [--json] [--repeats N]
//
//   read        CSV to samples, twice: the time stamps' pass and the folding one; resampled to a uniform grid
//   prepare     zero-phase filter of the positions, differences
//   columns     regressor at every sample, zero-phase filter of every column and effort
//   fold        the kept samples (decimation) under the triangles
//   estimate    weighted least squares with standard deviations and condition numbers
//
// Stages are driven one by one here, through the library's public functions; "fold_run + estimate" is the
// library's own way through all of them, and must find the same parameters to 1e-9.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "clock.hpp"
#include "panda_job.hpp"
#include "statistics.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace steelyard;

const std::vector<std::string> kStages = {"read", "prepare", "columns", "fold", "estimate"};

struct Times {
  std::vector<std::vector<double>> stage{kStages.size()};  // ns
  std::vector<double> whole;
  double difference = 0;
  Index samples = 0, kept = 0;
};

class StageClock {
 public:
  template <typename Work>
  auto operator()(std::size_t stage, const Work& work) {
    struct Stop {
      double& sum;
      double start = thread_nanoseconds();
      ~Stop() { sum += thread_nanoseconds() - start; }
    } stop{spent[stage]};
    return work();
  }
  std::vector<double> spent = std::vector<double>(kStages.size());
};

PreparedRun open(const PandaJob& job) {
  const StudyRun& run = job.study.runs[0];
  return PreparedRun(open_study_run(run, job.robot), run.file.label, job.study.prepare);
}

// Y and the efforts of a chunk, filtered.
struct Window {
  Index stride = 0;
  std::vector<double> values;
};

Window filtered_window(const PandaJob& job, const PreparedRun& run, const PreparedChunk& chunk) {
  const SampleBlock& block = chunk.samples;
  const Index stored = job.plan.stored_columns, joints = block.joints();
  Window window;
  window.stride = tile_stride(block.size());
  window.values.resize(static_cast<std::size_t>((stored + joints) * window.stride));
  const auto channel = [&](std::string_view name) { return block.row(block.find(name)); };
  evaluate(job.plan,
           {channel(channel::kPosition), channel(channel::kVelocity), channel(channel::kAcceleration),
            block.stride(), block.size()},
           window.values.data(), window.stride);
  for (Index j = 0; j < joints; ++j)
    std::copy_n(channel(channel::kTorque) + j * block.stride(), block.size(),
                window.values.data() + (stored + j) * window.stride);
  filter_zero_phase(*run.preparation().column_filter, window.values.data(), block.size(), stored + joints,
                    window.stride, chunk.chunk.ends);
  return window;
}

void fold_window(const PandaJob& job, const PreparedRun& run, const PreparedChunk& chunk,
                 const Window& window, std::vector<Fold>& folds) {
  const std::vector<Index> kept = run.preparation().decimation.kept(chunk.chunk.core);
  const auto count = static_cast<Index>(kept.size());
  for (std::size_t r = 0; r < folds.size(); ++r) {
    const Row& row = job.plan.rows[r];
    const auto own = static_cast<Index>(row.columns.size());
    MatrixXd rows(count, own + 1);
    for (Index c = 0; c <= own; ++c) {
      const Index column = c < own ? row.offset + c : job.plan.stored_columns + row.i;
      const double* from = window.values.data() + column * window.stride - chunk.chunk.halo.begin;
      for (Index k = 0; k < count; ++k) rows(k, c) = from[kept[static_cast<std::size_t>(k)]];
    }
    folds[r].add(rows);
  }
}

Estimate by_stages(const PandaJob& job, StageClock& clock, Times& times) {
  PreparedRun run = clock(0, [&] { return open(job); });
  std::vector<Fold> folds(job.layouts.begin(), job.layouts.end());
  clock(0, [&] { run.rewind(); });
  for (RawChunk raw; clock(0, [&] { return run.read(raw); }); raw = {}) {
    const PreparedChunk chunk = clock(1, [&] { return run.prepare(std::move(raw)); });
    const Window window = clock(2, [&] { return filtered_window(job, run, chunk); });
    clock(3, [&] { fold_window(job, run, chunk, window, folds); });
  }
  times.samples = run.plan().samples;
  times.kept = run.preparation().decimation.count();
  return clock(4, [&] { return estimate(folds, job.study.estimate); });
}

Estimate whole(const PandaJob& job) {
  PreparedRun run = open(job);
  return estimate(fold_run(run, job.plan, job.layouts).folds.total(), job.study.estimate);
}

Times measure(const PandaJob& job, int repeats) {
  Times times;
  for (int k = -1; k < repeats; ++k) {  // one round to warm up
    StageClock clock;
    const Estimate apart = by_stages(job, clock, times);
    const double start = thread_nanoseconds();
    const Estimate together = whole(job);
    const double time = thread_nanoseconds() - start;
    for (Index c = 0; c < together.values.size(); ++c) {
      const double other = apart.values[apart.find(together.columns[static_cast<std::size_t>(c)])];
      times.difference =
          std::max(times.difference, std::abs(other - together.values[c]) / std::abs(together.values[c]));
    }
    if (k < 0) continue;
    for (std::size_t s = 0; s < kStages.size(); ++s) times.stage[s].push_back(clock.spent[s]);
    times.whole.push_back(time);
  }
  return times;
}

void print_table(const Times& times, const PandaJob& job) {
  fmt::print(
      "Job B, {}, from CSV: {} samples, {} kept after decimation; ms of CPU time, one thread, median "
      "(quartiles)\n\n",
      job.data, times.samples, times.kept);
  const auto print = [](const std::string& name, const std::vector<double>& values) {
    const Spread s = spread_of(values);
    fmt::print("{:<22}{:>10.2f} ({:.2f}-{:.2f})\n", name, s.median / 1e6, s.lower / 1e6, s.upper / 1e6);
  };
  for (std::size_t s = 0; s < kStages.size(); ++s) print(kStages[s], times.stage[s]);
  print("fold_run + estimate", times.whole);
  fmt::print("largest difference of a parameter between the two ways: {:.1e}\n", times.difference);
}

void print_json(const Times& times, const PandaJob& job) {
  fmt::print(
      "{{\"job\": \"B\", \"data\": \"{}\", \"samples\": {}, \"kept\": {}, \"unit\": \"ms\", \"stages\": {{",
      job.data, times.samples, times.kept);
  for (std::size_t s = 0; s < kStages.size(); ++s)
    fmt::print("{}\"{}\": {:.3f}", s ? ", " : "", kStages[s], spread_of(times.stage[s]).median / 1e6);
  fmt::print("}}, \"whole\": {:.3f}, \"difference\": {:.2e}}}\n", spread_of(times.whole).median / 1e6,
             times.difference);
}

// A simulated run is written as CSV first, so that there is something to read.
void write_log(PandaJob& job, const std::string& path) {
  StudyRun& run = job.study.runs[0];
  const std::unique_ptr<SampleSource> source = open_study_run(run, job.robot);
  RunFile file = standard_columns(path, source->channels(), log_joints(job.robot));
  file.label = run.file.label;
  write_csv(*source, file, log_joints(job.robot));
  run.file = file;
  run.simulation.reset();
}

bool parse(int argc, char** argv, bool& json, int& repeats) {
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--json") == 0)
      json = true;
    else if (std::strcmp(argv[k], "--repeats") == 0 && k + 1 < argc)
      repeats = std::atoi(argv[++k]);
    else
      return false;
  }
  return repeats > 0;
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  int repeats = 15;
  if (!parse(argc, argv, json, repeats)) {
    fmt::print(stderr, "usage: stages_bench [--json] [--repeats N]\n");
    return 2;
  }
  try {
    const TemporaryFolder folder("steelyard-stages");
    PandaJob job = panda_job();
    if (job.study.runs[0].simulation) write_log(job, folder.path() + "/log.csv");
    const Times times = measure(job, repeats);
    json ? print_json(times, job) : print_table(times, job);
    return times.difference < 1e-9 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "stages_bench: {}\n", error.what());
    return 4;
  }
}
