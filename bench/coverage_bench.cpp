// Coverage of intervals over simulated runs: `bench/coverage_bench [repetitions]`, a thousand by default.
//
// A line a case: share of intervals that hold the truth (mean over those that are given; of the worst
// parameter, where flags count as held), share of parameters flagged as biased by differentiation (mean,
// most), largest bias over deviation, effective rows. docs/uncertainty.md quotes them.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "../tests/study/coverage_cases.hpp"

namespace {

using namespace steelyard;

struct NamedCase {
  const char* name;
  coverage::Case options;
};

std::vector<NamedCase> cases(int repetitions) {
  coverage::Case white;
  white.repetitions = repetitions;
  coverage::Case coloured = white;
  coloured.corner = 5;
  coverage::Case classical = white;
  classical.options.method = IntervalMethod::classical;
  coverage::Case classical_coloured = coloured;
  classical_coloured.options.method = IntervalMethod::classical;
  coverage::Case checked = white;
  checked.bias_check = true;
  coverage::Case fine = checked, coarse = checked, coarse20 = checked;
  fine.encoder_noise = 1e-5;
  coarse.encoder_noise = 1e-4;
  coarse20.encoder_noise = 1e-4;
  coarse20.cutoff = 20;
  coverage::Case ordinary = white;
  ordinary.weighting = Weighting::none;
  return {{"white, bootstrap", white},
          {"5 Hz, bootstrap", coloured},
          {"white, bootstrap, OLS", ordinary},
          {"white, classical", classical},
          {"5 Hz, classical", classical_coloured},
          {"white, bias check", checked},
          {"encoder 1e-5 rad", fine},
          {"encoder 1e-4 rad", coarse},
          {"encoder 1e-4 rad, 20 Hz", coarse20}};
}

// Processor time of the moments and a thousand replicates for one run.
void time_bootstrap() {
  const coverage::Case options;
  const coverage::Bench bench = coverage::make_bench(STEELYARD_SOURCE_DIR, options);
  const coverage::Fitted fitted =
      coverage::fit(bench, options, coverage::noisy_run(bench, options, 0), options.cutoff);
  constexpr int kTimes = 10;
  const std::clock_t begin = std::clock();
  Index blocks = 0;
  for (int k = 0; k < kTimes; ++k) blocks = bootstrap(block_moments(fitted.folds, fitted.estimate)).blocks;
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / kTimes;
  fmt::print("1000 replicates over {} blocks of {} parameters: {:.0f} ms\n\n", blocks,
             fitted.estimate.values.size(), 1e3 * seconds);
}

}  // namespace

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 1000;
  time_bootstrap();
  fmt::print("{:<26} {:>7} {:>7} {:>9} {:>9} {:>7} {:>10}\n", "noise", "mean", "worst", "flagged", "most",
             "bias/σ", "rows");
  for (const NamedCase& item : cases(repetitions)) {
    const coverage::Outcome out = coverage::run(STEELYARD_SOURCE_DIR, item.options);
    Index worst = 0;
    const double least = out.held_or_flagged.minCoeff(&worst);
    const double held = (out.held_or_flagged - out.flagged).sum() / (1 - out.flagged.array()).sum();
    fmt::print("{:<26} {:>6.1f}% {:>6.1f}% {:>8.1f}% {:>8.1f}% {:>7.2f} {:>5.0f}/{}  {} blocks, worst {}\n",
               item.name, 100 * held, 100 * least, 100 * out.flagged.mean(), 100 * out.flagged.maxCoeff(),
               out.bias.cwiseAbs().maxCoeff(), out.effective_rows, out.rows, out.blocks,
               out.names[static_cast<std::size_t>(worst)]);
    std::fflush(stdout);
  }
}
