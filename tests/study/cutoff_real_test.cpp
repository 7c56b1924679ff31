// The automatic cut-off on the real logs, judged without the code that chooses it: rows are filtered at 2, 5,
// 10, 20 Hz and at the chosen cut-off, fitted without one phase of the motion, and predict the raw efforts of
// that phase sample by sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "oracle/data_folder.hpp"
#include "steelyard/estimate/cross_validation.hpp"
#include "study/period.hpp"
#include "study/prior.hpp"
#include "study/state.hpp"

namespace steelyard {
namespace {

constexpr int kPhases = 5;
constexpr Index kPredicted = 1500;  // samples of a run, about

Study example_study(const std::string& name) {
  ::setenv("STEELYARD_DATA", oracle::data_folder()->c_str(), 1);
  Study study = read_study(std::string(STEELYARD_SOURCE_DIR) + "/examples/" + name);
  study.cutoff.position.reset();
  study.prepare.decimation = kAutomatic;
  study.prepare.column_filter.cutoff = study.prepare.filter.cutoff;
  return study;
}

// A fit run: its rate, its slots of a twentieth of the run or less, the phase of every slot.
struct PhasedRun {
  const StudyRun* run = nullptr;
  double rate = 0;
  Index samples = 0, slot = 0;
  double period = 0;  // [s], 0: none
  std::vector<int> phases;
  int phase_of(Index sample) const { return phases[static_cast<std::size_t>(sample / slot)]; }
};

std::vector<PhasedRun> phased_runs(const StudyState& state) {
  std::vector<PhasedRun> out;
  for (const StudyRun& run : state.study.runs) {
    if (run.file.label.role != RunRole::fit) continue;
    PhasedRun& own = out.emplace_back();
    own.run = &run;
    WatchedSource source(open_study_run(run, state.robot));
    const UniformGrid grid = uniform_grid(scan_time(source));
    own.rate = 1 / grid.step;
    own.samples = grid.samples;
    own.period = source.period();
    for (own.slot = 1; 40 * own.slot <= own.samples && own.slot < 4096;) own.slot *= 2;
    const Index slots = (own.samples + own.slot - 1) / own.slot;
    own.phases = own.period > 0
                     ? groups_by_phase(slots, static_cast<double>(own.slot), own.period * own.rate, kPhases)
                     : groups_by_index(slots, kPhases);
  }
  return out;
}

PrepareOptions prepared_at(const StudyState& state, double cutoff) {
  PrepareOptions options = state.study.prepare;
  options.filter.cutoff = 2 * cutoff;
  options.column_filter.cutoff = cutoff;
  return options;
}

std::vector<VectorXd> fit_without_phases(const StudyState& state, const std::vector<PhasedRun>& runs,
                                         double cutoff) {
  std::vector<std::vector<FoldBlock>> blocks;
  BlockGroups groups;
  for (const PhasedRun& run : runs) {
    PreparedRun prepared(open_study_run(*run.run, state.robot), run.run->file.label,
                         prepared_at(state, cutoff));
    PassOptions pass;
    pass.slot_samples = run.slot;
    const FoldPass found = fold_prepared(state, *run.run, prepared, pass);
    EXPECT_EQ(found.folds.slots_per_block(), 1);
    blocks.push_back(found.folds.blocks());
    groups.push_back(run.phases);
    groups.back().resize(blocks.back().size());
  }
  const CrossValidation refits = cross_validate(blocks, groups, state.study.estimate);
  std::vector<VectorXd> values;
  for (const VectorXd& refit : refits.values) {
    VectorXd& own = values.emplace_back(VectorXd::Zero(static_cast<Index>(state.plan.columns.size())));
    for (std::size_t k = 0; k < state.plan.columns.size(); ++k) {
      const auto at = std::find(refits.columns.begin(), refits.columns.end(), state.plan.columns[k]);
      if (at != refits.columns.end()) own[static_cast<Index>(k)] = refit[at - refits.columns.begin()];
    }
  }
  return values;
}

// ‖τ − τ̂‖ / ‖τ‖ over raw efforts of the samples that every cut-off has: the ends that 2 Hz trims are left
// out.
double raw_error(const StudyState& state, const std::vector<PhasedRun>& runs, double cutoff) {
  const std::vector<VectorXd> values = fit_without_phases(state, runs, cutoff);
  double residual = 0, effort = 0;
  for (const PhasedRun& run : runs) {
    PrepareOptions options = prepared_at(state, cutoff);
    options.column_filter.cutoff = 0;
    options.velocity_below.resize(0);
    PreparedRun prepared(open_study_run(*run.run, state.robot), run.run->file.label, options);
    const auto margin = static_cast<Index>(run.rate);  // 1 s
    const Index every = std::max<Index>(1, run.samples / kPredicted);
    prepared.rewind();
    for (RawChunk raw; prepared.read(raw); raw = {}) {
      const PreparedChunk chunk = prepared.prepare(std::move(raw));
      const SampleBlock& block = chunk.samples;
      const auto at = [&](std::string_view channel, Index s) {
        VectorXd x(block.joints());
        for (Index j = 0; j < x.size(); ++j) x[j] = block.row(block.find(channel), j)[s];
        return x;
      };
      for (Index k = chunk.chunk.core.begin; k < chunk.chunk.core.end; ++k) {
        if (k % every != 0 || k < margin || k >= run.samples - margin) continue;
        const Index s = k - chunk.chunk.halo.begin;
        const VectorXd torque = at(channel::kTorque, s);
        const VectorXd error = torque - regressor(state.plan, at(channel::kPosition, s),
                                                  at(channel::kVelocity, s), at(channel::kAcceleration, s)) *
                                            values[static_cast<std::size_t>(run.phase_of(k))];
        residual += error.squaredNorm();
        effort += torque.squaredNorm();
      }
    }
  }
  return std::sqrt(residual / effort);
}

struct Log {
  const char* study;
  double period;  // [s] of the motion, 0: it does not repeat within the run
};

class CutoffOnRealLogs : public testing::TestWithParam<Log> {};

TEST_P(CutoffOnRealLogs, PredictsHeldOutPhasesWithinFivePercentOfTheBest) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  Study study = example_study(GetParam().study);
  study.cutoff.automatic = true;
  const StudyOptions options;
  StudyState state(study, options);
  open_robot(state);
  choose_cutoff(state);
  const double chosen = state.prepare.column_filter.cutoff;
  const std::vector<PhasedRun> runs = phased_runs(state);
  // A fiftieth of a period is what a period found from a thousand positions may be off by.
  for (const PhasedRun& run : runs) EXPECT_NEAR(run.period, GetParam().period, 0.02 * GetParam().period);
  double best = kInfinity;
  std::cout << GetParam().study << ":";
  for (const double cutoff : {2.0, 5.0, 10.0, 20.0}) {
    const double error = raw_error(state, runs, cutoff);
    std::cout << "  " << cutoff << " Hz " << 100 * error << " %";
    best = std::min(best, error);
  }
  const double error = raw_error(state, runs, chosen);
  std::cout << "; chosen " << chosen << " Hz " << 100 * error << " %\n";
  EXPECT_LE(error, 1.05 * best) << state.result.preparation.choice;
  EXPECT_EQ(state.result.preparation.choice.find("by the phase") != std::string::npos, GetParam().period > 0);
  EXPECT_NE(state.result.preparation.choice.find("passes"), std::string::npos);
}

// The Panda's excitation has the base frequency 0.15 π rad/s.
INSTANTIATE_TEST_SUITE_P(Logs, CutoffOnRealLogs,
                         testing::Values(Log{"panda-identify/study.yaml", 40.0 / 3},
                                         Log{"ur10-real/linear.yaml", 0}, Log{"tx40-real/study.yaml", 0},
                                         Log{"lwr4-real/study.yaml", 0}));

TEST(Period, OfAMotionIsFoundBetweenTheSamplesThatAreKept) {
  for (const double period : {97.0, 133.4, 250.7, 411.25}) {
    MatrixXd position(900, 2);
    for (Index s = 0; s < 900; ++s) {
      const double phase = 2 * M_PI * static_cast<double>(s) / period;
      position(s, 0) = std::sin(phase) + 0.3 * std::cos(5 * phase);
      position(s, 1) = std::cos(3 * phase);
    }
    // Steps of a twentieth; linear interpolation bends the valley by as much.
    EXPECT_NEAR(find_period(position), period, 0.1) << period;
  }
}

TEST(Period, OfAMotionThatNeverRepeatsIsNone) {
  MatrixXd position(900, 1);
  for (Index s = 0; s < 900; ++s) {
    const double t = static_cast<double>(s) / 900;
    position(s, 0) = std::sin(20 * t + 30 * t * t);
  }
  EXPECT_EQ(find_period(position), 0);
}

}  // namespace
}  // namespace steelyard
