// The batched torque regressor of a 7-joint Panda against one inverse dynamics call of KDL.
//
//   regressor_bench [--json] [--tile SAMPLES] [--repeats N]
//
// One thread, CPU time. Ours and KDL's runs alternate, so that a change of the processor's speed meets both;
// the median of the repeats is reported with its quartiles. Samples differ from call to call. "Share of peak"
// counts the arithmetic of the textbook recursion (2540 flops a sample) against measured independent
// multiply-adds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "clock.hpp"
#include "fma_peak.hpp"
#include "kdl_reference.hpp"
#include "panda_robot.hpp"
#include "statistics.hpp"
#include "steelyard/regressor/plan.hpp"

namespace {

using namespace steelyard;

constexpr double kFlops = 2540;
constexpr IsaLevel kLevels[] = {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512};

struct Options {
  bool json = false;
  Index tile = 16;
  int repeats = 101;
};

struct Result {
  IsaLevel level = IsaLevel::baseline;
  bool measured = false;
  Spread batch, single, kdl;  // ns
  double peak = 0;            // flops per ns
  double error = 0;           // against KDL's efforts, relative
};

struct FreeAligned {
  void operator()(double* p) const { ::operator delete (p, std::align_val_t{64}); }
};

// Tile, samples and the two contestants.
struct Bench {
  Robot robot = panda_robot();
  Plan plan = make_plan(robot);
  KdlReference kdl;
  Index tile_samples, stride, count;
  MatrixXd q, qd, qdd;
  std::unique_ptr<double, FreeAligned> tile;
  double checksum = 0;

  explicit Bench(Index tile_size)
      : tile_samples(tile_size),
        stride(tile_stride(tile_size)),
        count(std::max<Index>(1, 960 / tile_size) * tile_size) {
    q.resize(count, 7), qd.resize(count, 7), qdd.resize(count, 7);
    for (Index s = 0; s < count; ++s) {
      for (Index j = 0; j < 7; ++j) {
        const double phase = 0.01 * static_cast<double>(s) * static_cast<double>(j + 1);
        q(s, j) = 2 * std::sin(phase + 0.3 * static_cast<double>(j));
        qd(s, j) = std::cos(1.3 * phase);
        qdd(s, j) = 3 * std::sin(0.7 * phase + 1);
      }
    }
    const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(stride * plan.stored_columns);
    tile.reset(static_cast<double*>(::operator new (bytes, std::align_val_t{64})));
  }

  // ns per sample
  double batch() {
    const double start = thread_nanoseconds();
    for (Index s = 0; s < count; s += tile_samples) {
      evaluate(plan, {&q(s, 0), &qd(s, 0), &qdd(s, 0), count, tile_samples}, tile.get(), stride);
    }
    const double time = thread_nanoseconds() - start;
    checksum += tile.get()[0];
    return time / static_cast<double>(count);
  }
  double single() {
    const double start = thread_nanoseconds();
    for (Index s = 0; s < count; ++s)
      evaluate(plan, {&q(s, 0), &qd(s, 0), &qdd(s, 0), count, 1}, tile.get(), 8);
    const double time = thread_nanoseconds() - start;
    checksum += tile.get()[0];
    return time / static_cast<double>(count);
  }
  double reference() {
    double tau[7];
    const double start = thread_nanoseconds();
    for (Index s = 0; s < count; ++s) {
      kdl.torque(&q(s, 0), &qd(s, 0), &qdd(s, 0), count, tau);
      checksum += tau[0];
    }
    return (thread_nanoseconds() - start) / static_cast<double>(count);
  }
  // Both compute the same torque: largest difference over the largest torque.
  double error() {
    const VectorXd parameters = standard_parameters(robot);
    double worst = 0, size = 0;
    for (Index s = 0; s < count; s += 37) {
      VectorXd tau(7);
      kdl.torque(&q(s, 0), &qd(s, 0), &qdd(s, 0), count, tau.data());
      const VectorXd ours = regressor(plan, q.row(s), qd.row(s), qdd.row(s)) * parameters;
      worst = std::max(worst, (ours - tau).cwiseAbs().maxCoeff());
      size = std::max(size, tau.cwiseAbs().maxCoeff());
    }
    return worst / size;
  }
};

Result measure(Bench& bench, IsaLevel level, int repeats) {
  Result result;
  result.level = level;
  result.measured = is_available(level);
  if (!result.measured) return result;
  set_isa_level(level);
  result.error = bench.error();
  result.peak = fma_peak(level);
  std::vector<double> batch, single, kdl;
  for (int k = -3; k < repeats; ++k) {  // three rounds to warm up
    const double b = bench.batch(), r = bench.reference(), s = bench.single();
    if (k < 0) continue;
    batch.push_back(b), kdl.push_back(r), single.push_back(s);
  }
  result.batch = spread_of(batch);
  result.single = spread_of(single);
  result.kdl = spread_of(kdl);
  return result;
}

std::string with_quartiles(const Spread& s) {
  return fmt::format("{:.1f} ({:.1f}-{:.1f})", s.median, s.lower, s.upper);
}

void print_table(const std::vector<Result>& results, const Bench& bench) {
  fmt::print(
      "7-joint Panda, torque regressor, {} stored columns, tiles of {} samples; ns per sample, median "
      "(quartiles)\n\n",
      bench.plan.stored_columns, bench.tile_samples);
  fmt::print("{:<10}{:>22}{:>8}{:>22}{:>8}{:>26}{:>12}{:>10}\n", "level", "batch", "ratio", "single", "ratio",
             "KDL RNE call", "peak share", "error");
  for (const Result& r : results) {
    if (!r.measured) {
      fmt::print("{:<10}{:>22}\n", to_string(r.level), "not measured");
      continue;
    }
    const std::string share =
        r.peak > 0 ? fmt::format("{:.0f} %", 100 * kFlops / r.batch.median / r.peak) : "-";
    fmt::print("{:<10}{:>22}{:>7.1f}x{:>22}{:>7.1f}x{:>26}{:>12}{:>10.1e}\n", to_string(r.level),
               with_quartiles(r.batch), r.kdl.median / r.batch.median, with_quartiles(r.single),
               r.kdl.median / r.single.median, with_quartiles(r.kdl), share, r.error);
  }
}

void print_json(const std::vector<Result>& results, const Bench& bench) {
  const auto spread = [](const Spread& s) {
    return fmt::format("{{\"median\": {:.2f}, \"quartiles\": [{:.2f}, {:.2f}]}}", s.median, s.lower, s.upper);
  };
  fmt::print(
      "{{\"robot\": \"panda\", \"stored_columns\": {}, \"tile\": {}, \"unit\": \"ns per sample\", "
      "\"levels\": [",
      bench.plan.stored_columns, bench.tile_samples);
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Result& r = results[k];
    fmt::print("{}\n  {{\"level\": \"{}\", \"measured\": {}", k ? "," : "", to_string(r.level), r.measured);
    if (r.measured) {
      fmt::print(
          ", \"batch\": {}, \"single\": {}, \"kdl\": {}, \"batch_ratio\": {:.2f}, \"single_ratio\": {:.2f}, "
          "\"peak_flops_per_ns\": {:.2f}, \"peak_share\": {:.3f}, \"error\": {:.2e}",
          spread(r.batch), spread(r.single), spread(r.kdl), r.kdl.median / r.batch.median,
          r.kdl.median / r.single.median, r.peak, r.peak > 0 ? kFlops / r.batch.median / r.peak : 0, r.error);
    }
    fmt::print("}}");
  }
  fmt::print("\n]}}\n");
}

bool parse(int argc, char** argv, Options& options) {
  for (int k = 1; k < argc; ++k) {
    const bool value = k + 1 < argc;
    if (std::strcmp(argv[k], "--json") == 0) {
      options.json = true;
    } else if (std::strcmp(argv[k], "--tile") == 0 && value) {
      options.tile = std::atol(argv[++k]);
    } else if (std::strcmp(argv[k], "--repeats") == 0 && value) {
      options.repeats = std::atoi(argv[++k]);
    } else {
      return false;
    }
  }
  return options.tile > 0 && options.repeats > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fmt::print(stderr, "usage: regressor_bench [--json] [--tile SAMPLES] [--repeats N]\n");
    return 2;
  }
  Bench bench(options.tile);
  std::vector<Result> results;
  for (const IsaLevel level : kLevels) results.push_back(measure(bench, level, options.repeats));
  options.json ? print_json(results, bench) : print_table(results, bench);
  // Numbers of a wrong computation are worth nothing.
  const bool right =
      std::all_of(results.begin(), results.end(), [](const Result& r) { return r.error < 1e-13; });
  return right && std::isfinite(bench.checksum) ? 0 : 1;
}
