// Intervals of studies with currents: base parameters carry the errors of gains and loads.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "gains/tx40_case.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace gains_coverage_test {
namespace {

struct Tally {
  int held = 0, count = 0;
  double share() const { return count > 0 ? static_cast<double>(held) / count : 0; }
  void add(const std::optional<std::pair<double, double>>& interval, double truth) {
    if (!interval) return;
    ++count;
    held += interval->first <= truth && truth <= interval->second;
  }
};

double truth_of(const BaseValue& value, const std::map<std::string, double>& base) {
  double sum = 0;
  for (const auto& [name, factor] : value.terms)
    if (const auto found = base.find(name); found != base.end()) sum += factor * found->second;
  return sum;
}

Study study_of(const tx40::Bench& bench, std::uint64_t draw) {
  Study study;
  study.robot = bench.robot();
  study.drives = {true, true, true, true};
  study.prepare = bench.preparation();
  study.estimate.weighting = Weighting::by_row;
  study.intervals.replicates = 100;
  study.cross.reset();
  study.gains.emplace();
  study.gains->methods = {GainMethod::prediction_error};
  study.payloads = {weighed_load("heavy", tx40::kHeavy, 0.01), unknown_load("light")};
  std::uint64_t number = 0;
  for (const char* load : {"", "heavy", "light"}) {
    ++number;
    Run run = bench.simulate(load, number, 3 * draw + number);
    study.runs.push_back(run_from_samples(run.label.label, run));
    study.runs.back().file.label.payload = load;
  }
  return study;
}

// Draws; STEELYARD_DRAWS=400: the numbers of docs/gains.md.
int draws() {
  const char* wanted = std::getenv("STEELYARD_DRAWS");
  return wanted ? std::atoi(wanted) : 3;
}

struct Kinds {
  Tally base, gains, loads;
};

Kinds tally(const tx40::Bench& bench) {
  const std::map<std::string, double> truth = tx40::true_base();
  Kinds out;
  for (int draw = 0; draw < draws(); ++draw) {
    const Result result = run_study(study_of(bench, 50 + static_cast<std::uint64_t>(draw))).result;
    for (const BaseValue& value : result.base) out.base.add(value.interval, truth_of(value, truth));
    for (std::size_t j = 0; j < 6; ++j)
      if (const auto& gain = result.gains->methods[0].joints[j].gain)
        out.gains.add(gain->interval, tx40::true_gains()[static_cast<Index>(j)]);
    for (const PayloadSummary& load : result.payloads) {
      const Vector10 body = (load.name == "heavy" ? tx40::heavy_body() : tx40::light_body()).to_standard();
      for (std::size_t k = 0; k < kParameterStems.size(); ++k)
        out.loads.add(load.parameters.at(kParameterStems[k]).interval, body[static_cast<Index>(k)]);
    }
  }
  return out;
}

// 95 %, less and more what the counts of so few draws scatter: values of a draw share the errors of its gains. `least`
// and `most` of many draws.
void expect_intervals_hold(const char* motions, const Kinds& found, double least, double most) {
  const bool few = draws() < 50;
  for (const auto& [name, kind] :
       {std::pair{"base", found.base}, {"gains", found.gains}, {"loads", found.loads}}) {
    std::printf("%s, %s: %d of %d (%.1f %%)\n", motions, name, kind.held, kind.count, 100 * kind.share());
    EXPECT_GT(kind.count, 0) << name;
    EXPECT_GE(kind.share(), few ? 0.8 : least) << name;
    EXPECT_LE(kind.share(), few ? 1 : most) << name;
  }
}

TEST(GainsCoverage, IntervalsOfStudiesWithCurrentsHoldOnFourierMotions) {
  expect_intervals_hold("Fourier", tally(tx40::Bench()), 0.92, 0.99);
}

// Joints reverse at every point: flips of Coulomb columns are in the intervals of gains, with more than they do, and not
// in those of the base parameters (docs/gains.md has the numbers).
TEST(GainsCoverage, IntervalsOfStudiesWithCurrentsNearlyHoldOnPointMotions) {
  tx40::Setting setting;
  setting.motion = tx40::point_motion;
  setting.standstill = VectorXd::Constant(6, 0.01);  // as studies with Coulomb friction have it
  expect_intervals_hold("points", tally(tx40::Bench(setting)), 0.88, 1);
}

}  // namespace
}  // namespace gains_coverage_test
}  // namespace steelyard
