// Job A: given q, q̇, q̈, τ of the Panda's log, find 64 parameters. One thread, CPU time.
//
//   identify_bench [--json] [--repeats N] [--no-numpy]
//
//   ours      fold_samples (regressor and fold, tile by tile), then estimate
//   stacked   the matrix of all rows, filled by our own regressor, then LAPACK's dgelsd (of OpenBLAS, and of
//             netlib) or Eigen's HouseholderQR in place; allocating and filling are part of the job
//   NumPy     bench/numpy_identify.py: its own regressor, vectorised over samples, and numpy.linalg.lstsq
//
// Contestants take turns; medians and quartiles over the rounds. All must find the same parameters to 1e-6 of
// each one's value, otherwise the exit code is 1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "clock.hpp"
#include "numpy_script.hpp"
#include "panda_job.hpp"
#include "stacked.hpp"
#include "statistics.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/fold/samples.hpp"

namespace {

using namespace steelyard;

constexpr Index kTile = 192;
constexpr double kAgreement = 1e-6;
constexpr int kLoopSamples = 500;  // of the slow NumPy variant, scaled to all

struct Options {
  bool json = false;
  bool numpy = true;
  int repeats = 7;
};

struct Contestant {
  std::string name, key;
  double goal = 0;                 // wanted ratio; 0: none
  std::vector<double> times = {};  // ns
  double difference = 0;           // of a parameter, relative
};

std::vector<Fold> fold_all(const PandaJob& job, const GivenSamples& given) {
  std::vector<Fold> folds;
  std::vector<RowInput> inputs;
  for (std::size_t r = 0; r < job.layouts.size(); ++r) {
    folds.emplace_back(job.layouts[r]);
    inputs.push_back({{given.tau.col(job.plan.rows[r].i).data()}, nullptr});
  }
  fold_samples(job.plan, given.view(), inputs, folds);
  return folds;
}

// Values in the order of the plan's columns.
VectorXd ours(const PandaJob& job, const GivenSamples& given, bool conditions) {
  EstimateOptions options;
  options.conditions = conditions;
  const Estimate found = estimate(fold_all(job, given), options);
  VectorXd values(static_cast<Index>(job.plan.columns.size()));
  for (Index k = 0; k < values.size(); ++k)
    values[k] = found.values[found.find(job.plan.columns[static_cast<std::size_t>(k)])];
  return values;
}

struct Stack {
  MatrixXd A;
  VectorXd b;
};

// All rows, joint by joint, filled tile by tile.
Stack stack_rows(const PandaJob& job, const GivenSamples& given) {
  const Index samples = given.q.rows(), rows = static_cast<Index>(job.plan.rows.size());
  Stack stack{MatrixXd::Zero(samples * rows, static_cast<Index>(job.plan.columns.size())),
              VectorXd(samples * rows)};
  const Index stride = tile_stride(kTile);
  std::vector<double> tile(static_cast<std::size_t>(stride * job.plan.stored_columns));
  const Samples all = given.view();
  for (Index first = 0; first < samples; first += kTile) {
    const Index count = std::min(kTile, samples - first);
    evaluate(job.plan, {all.q + first, all.qd + first, all.qdd + first, all.stride, count}, tile.data(),
             stride);
    for (Index r = 0; r < rows; ++r) {
      const Row& row = job.plan.rows[static_cast<std::size_t>(r)];
      for (std::size_t k = 0; k < row.columns.size(); ++k)
        std::copy_n(tile.data() + (row.offset + static_cast<Index>(k)) * stride, count,
                    stack.A.col(row.columns[k]).data() + r * samples + first);
    }
  }
  for (Index r = 0; r < rows; ++r)
    stack.b.segment(r * samples, samples) = given.tau.col(job.plan.rows[static_cast<std::size_t>(r)].i);
  return stack;
}

double largest_difference(const VectorXd& a, const VectorXd& b) {
  return ((a - b).array() / a.array().abs()).abs().maxCoeff();
}

template <typename Work>
double timed(const Work& work) {
  const double start = thread_nanoseconds();
  work();
  return thread_nanoseconds() - start;
}

struct Measured {
  Contestant ours{"ours", "ours"};
  Contestant ours_conditions{"ours, with condition numbers", "ours_with_conditions"};
  Contestant eigen{"stacked, Eigen HouseholderQR", "eigen_householder_qr", 10};
  Contestant gelsd{"stacked, dgelsd of OpenBLAS", "dgelsd_openblas", 30};
  Contestant gelsd_reference{"stacked, dgelsd of netlib", "dgelsd_netlib", 30};
  Contestant numpy{"NumPy, vectorised", "numpy_vectorised", 50};
  Contestant loop{"NumPy, sample by sample", "numpy_loop"};
  double filling = 0;  // ns of a stack

  std::vector<const Contestant*> all() const {
    return {&ours, &ours_conditions, &eigen, &gelsd, &gelsd_reference, &numpy, &loop};
  }
};

using Solver = bool(double* A, double* b, int rows, int columns, double* x);

// One turn of a stacking contestant; no time when it cannot run here.
void take_turn(const PandaJob& job, const GivenSamples& given, const VectorXd& right, Solver* solver,
               Contestant& contestant) {
  VectorXd found(right.size());
  bool done = false;
  const double time = timed([&] {
    Stack stack = stack_rows(job, given);
    done = solver(stack.A.data(), stack.b.data(), static_cast<int>(stack.A.rows()),
                  static_cast<int>(stack.A.cols()), found.data());
  });
  if (!done) return;
  contestant.times.push_back(time);
  contestant.difference = std::max(contestant.difference, largest_difference(right, found));
}

void take_turn(const NumpyScript& script, const PandaJob& job, const VectorXd& right, Measured& m) {
  const bool first = m.loop.times.empty();
  const std::map<std::string, double> printed = script.run(first ? kLoopSamples : 0);
  if (printed.count("vectorised") == 0) return;
  m.numpy.times.push_back(1e9 * printed.at("vectorised"));
  if (first) m.loop.times.push_back(1e9 * printed.at("loop"));
  VectorXd found(right.size());
  for (Index k = 0; k < found.size(); ++k)
    found[k] = printed.at(job.plan.columns[static_cast<std::size_t>(k)]);
  m.numpy.difference = std::max(m.numpy.difference, largest_difference(right, found));
}

Measured measure(const PandaJob& job, const GivenSamples& given, const Options& options) {
  Measured m;
  const NumpyScript script(job, given);
  VectorXd values = ours(job, given, true);  // warm
  for (int round = 0; round < options.repeats; ++round) {
    for (int k = 0; k < 5; ++k) {
      m.ours.times.push_back(timed([&] { values = ours(job, given, false); }));
      m.ours_conditions.times.push_back(timed([&] { values = ours(job, given, true); }));
    }
    m.filling = timed([&] { stack_rows(job, given); });
    take_turn(job, given, values, solve_householder_qr, m.eigen);
    take_turn(job, given, values, solve_gelsd, m.gelsd);
    take_turn(job, given, values, solve_gelsd_reference, m.gelsd_reference);
    if (options.numpy) take_turn(script, job, values, m);
  }
  return m;
}

// Milliseconds of the regressor alone and of regressor and fold, for each instruction set.
void print_levels(const PandaJob& job, const GivenSamples& given, int repeats) {
  const IsaLevel before = isa_level();
  const auto samples = static_cast<double>(given.q.rows());
  fmt::print("\n{:<10}{:>24}{:>28}{:>24}\n", "level", "regressor, ns/sample", "regressor + fold, ns/sample",
             "to parameters, ms");
  for (const IsaLevel level : {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512}) {
    if (!is_available(level)) {
      fmt::print("{:<10}{:>24}\n", to_string(level), "not measured");
      continue;
    }
    set_isa_level(level);
    const Index stride = tile_stride(kTile);
    std::vector<double> tile(static_cast<std::size_t>(stride * job.plan.stored_columns));
    std::vector<double> regressor, folded, whole;
    for (int k = 0; k < 3 * repeats; ++k) {
      regressor.push_back(timed([&] {
        const Samples all = given.view();
        for (Index s = 0; s < all.count; s += kTile)
          evaluate(job.plan, {all.q + s, all.qd + s, all.qdd + s, all.stride, std::min(kTile, all.count - s)},
                   tile.data(), stride);
      }));
      folded.push_back(timed([&] { fold_all(job, given); }));
      whole.push_back(timed([&] { ours(job, given, false); }));
    }
    fmt::print("{:<10}{:>24.1f}{:>28.1f}{:>24.2f}\n", to_string(level), spread_of(regressor).median / samples,
               spread_of(folded).median / samples, spread_of(whole).median / 1e6);
  }
  set_isa_level(before);
}

void print_table(const Measured& m, const PandaJob& job, const GivenSamples& given) {
  fmt::print(
      "Job A, {}: {} samples x {} joints, {} columns, {}; ms of CPU time, one thread, median (quartiles)\n",
      job.data, given.q.rows(), job.plan.rows.size(), job.plan.columns.size(), to_string(isa_level()));
  fmt::print("LAPACK: {}; filling the stack takes {:.1f} ms of the stacked times\n\n", lapack_name(),
             m.filling / 1e6);
  fmt::print("{:<32}{:>28}{:>12}{:>8}{:>22}\n", "", "ms", "x ours", "goal", "largest difference");
  const double base = spread_of(m.ours.times).median;
  for (const Contestant* c : m.all()) {
    if (c->times.empty()) {
      fmt::print("{:<32}{:>28}\n", c->name, "not measured");
      continue;
    }
    const Spread s = spread_of(c->times);
    fmt::print("{:<32}{:>28}{:>11.1f}x{:>8}{:>22}\n", c->name,
               fmt::format("{:.2f} ({:.2f}-{:.2f})", s.median / 1e6, s.lower / 1e6, s.upper / 1e6),
               s.median / base, c->goal > 0 ? fmt::format("{:.0f}x", c->goal) : "",
               c->difference > 0 ? fmt::format("{:.1e}", c->difference) : "");
  }
  if (!m.loop.times.empty()) fmt::print("(sample by sample: {} samples, scaled to all)\n", kLoopSamples);
}

void print_json(const Measured& m, const PandaJob& job, const GivenSamples& given) {
  fmt::print(
      "{{\"job\": \"A\", \"data\": \"{}\", \"samples\": {}, \"columns\": {}, \"unit\": \"ms\", \"isa\": "
      "\"{}\"",
      job.data, given.q.rows(), job.plan.columns.size(), to_string(isa_level()));
  const double base = spread_of(m.ours.times).median;
  for (const Contestant* c : m.all()) {
    const Spread s = spread_of(c->times);
    if (c->times.empty()) {
      fmt::print(",\n  \"{}\": null", c->key);
      continue;
    }
    fmt::print(
        ",\n  \"{}\": {{\"median\": {:.3f}, \"quartiles\": [{:.3f}, {:.3f}], \"ratio\": {:.2f}, "
        "\"difference\": {:.2e}}}",
        c->key, s.median / 1e6, s.lower / 1e6, s.upper / 1e6, s.median / base, c->difference);
  }
  fmt::print("\n}}\n");
}

bool parse(int argc, char** argv, Options& options) {
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--json") == 0)
      options.json = true;
    else if (std::strcmp(argv[k], "--no-numpy") == 0)
      options.numpy = false;
    else if (std::strcmp(argv[k], "--repeats") == 0 && k + 1 < argc)
      options.repeats = std::atoi(argv[++k]);
    else
      return false;
  }
  return options.repeats > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fmt::print(stderr, "usage: identify_bench [--json] [--repeats N] [--no-numpy]\n");
    return 2;
  }
  try {
    const PandaJob job = panda_job();
    const GivenSamples given = given_samples(job);
    const Measured m = measure(job, given, options);
    if (options.json) {
      print_json(m, job, given);
    } else {
      print_table(m, job, given);
      print_levels(job, given, options.repeats);
    }
    for (const Contestant* c : m.all()) {
      if (c->difference <= kAgreement) continue;
      fmt::print(stderr, "identify_bench: {} finds other parameters\n", c->name);
      return 1;
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "identify_bench: {}\n", error.what());
    return 4;
  }
}
