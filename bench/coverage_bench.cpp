// Coverage of intervals over simulated runs: `bench/coverage_bench [repetitions [words]]`, a thousand by
// default; with words only the cases whose names hold one of them.
//
// A line a case: share of intervals that hold the truth (mean over those that are given; of the worst
// parameter, where flags count as held), share of parameters flagged as biased by differentiation (mean,
// most), largest bias over standard deviation, effective rows. docs/uncertainty.md quotes them.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "identify/coverage_cases.hpp"

namespace {

using namespace steelyard;

struct NamedCase {
  std::string name;
  coverage::Case options;
};

void add_effort_noise(std::vector<NamedCase>& list, const coverage::Case& plain) {
  for (const double corner : {0.0, 5.0}) {
    const std::string noise = corner > 0 ? "5 Hz" : "white";
    coverage::Case options = plain;
    options.corner = corner;
    list.push_back({"panda, " + noise + ", bootstrap", options});
    options.options.method = IntervalMethod::classical;
    list.push_back({"panda, " + noise + ", classical", options});
    options = plain;
    options.corner = corner;
    options.arm = coverage::Arm::two_r;
    list.push_back({"two_r, " + noise + ", bootstrap", options});
  }
  coverage::Case ordinary = plain;
  ordinary.weighting = Weighting::none;
  list.push_back({"panda, white, bootstrap, OLS", ordinary});
  coverage::Case checked = plain;
  checked.bias_check = true;
  list.push_back({"panda, white, bias checked", checked});
}

// Flags at two cut-offs, and instruments where there is much to cure.
void add_encoder_noise(std::vector<NamedCase>& list, const coverage::Case& plain) {
  for (const auto& [arm, name] : {std::pair{coverage::Arm::panda, "panda"}, {coverage::Arm::two_r, "two_r"}})
    for (const double corner : {0.0, 5.0})
      for (const double encoder : {1e-5, 1e-4})
        for (const double cutoff : {10.0, 20.0}) {
          coverage::Case options = plain;
          options.arm = arm;
          options.corner = corner;
          options.encoder_noise = encoder;
          options.cutoff = cutoff;
          options.bias_check = true;
          const std::string noise = fmt::format("{}, {}, {:.0e} rad, {:.0f} Hz", name,
                                                corner > 0 ? "5 Hz" : "white", encoder, cutoff);
          list.push_back({noise + ", flags", options});
          options.bias_check = false;
          options.instruments = true;
          if (encoder > 5e-5) list.push_back({noise + ", IV", options});
        }
}

std::vector<NamedCase> cases(int repetitions) {
  std::vector<NamedCase> list;
  coverage::Case plain;
  plain.repetitions = repetitions;
  plain.options.bootstrap.replicates = 400;
  add_effort_noise(list, plain);
  add_encoder_noise(list, plain);
  return list;
}

bool is_wanted(const std::string& name, int words, char** first) {
  for (int k = 0; k < words; ++k)
    if (name.find(first[k]) != std::string::npos) return true;
  return words == 0;
}

// Processor time of the moments and a thousand replicates for one run.
void time_bootstrap() {
  const coverage::Case options;
  const coverage::Bench bench = coverage::make_bench(STEELYARD_SOURCE_DIR, options);
  const Run run = coverage::noisy_run(bench, options, 0);
  const coverage::Fitted fitted = coverage::fit(bench, options, view_run(run), options.cutoff);
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
  const int words = std::max(0, argc - 2);
  if (words == 0) time_bootstrap();
  fmt::print("{:<36} {:>7} {:>7} {:>9} {:>9} {:>7} {:>10}\n", "noise", "mean", "worst", "flagged", "most",
             "bias/σ", "rows");
  for (const NamedCase& item : cases(repetitions)) {
    if (!is_wanted(item.name, words, argv + 2)) continue;
    const coverage::Outcome out = coverage::run(STEELYARD_SOURCE_DIR, item.options);
    Index worst = 0;
    const double smallest = out.held_or_flagged.minCoeff(&worst);
    const double held = (out.held_or_flagged - out.flagged).sum() / (1 - out.flagged.array()).sum();
    fmt::print("{:<36} {:>6.1f}% {:>6.1f}% {:>8.1f}% {:>8.1f}% {:>7.2f} {:>5.0f}/{}  {} blocks, worst {}\n",
               item.name, 100 * held, 100 * smallest, 100 * out.flagged.mean(), 100 * out.flagged.maxCoeff(),
               out.bias.cwiseAbs().maxCoeff(), out.effective_rows, out.rows, out.blocks,
               out.names[static_cast<std::size_t>(worst)]);
    std::fflush(stdout);
  }
}
