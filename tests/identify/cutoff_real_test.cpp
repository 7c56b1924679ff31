// The automatic cut-off on the real logs, judged without the code that chooses it: rows are filtered at 2, 5,
// 10, 20 Hz and at the chosen cut-off, fitted without one phase of the motion, and predict the raw efforts of
// that phase sample by sample.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "identify/prior.hpp"
#include "oracle/data_folder.hpp"
#include "steelyard/estimate/cross_validation.hpp"
#include "steelyard/identify/folded.hpp"
#include "steelyard/log/period.hpp"

namespace steelyard {
namespace cutoff_real_test {

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

// The logs that have no example: too short or too coarse for a good model, fitted all the same.
Study poor_study(const std::string& name) {
  const std::string data = oracle::data_folder()->string(), tests = STEELYARD_SOURCE_DIR "/tests/doctor/";
  std::string text =
      "drives: {friction: [viscous, coulomb, offset]}\nestimate: {method: wls}\n"
      "prepare: {filter: {order: 4, cutoff: auto}, columns: filtered}\n";
  if (name == "kr300")
    text += "robot: " + tests + "kr300.yaml\nruns:\n  - file: " + data +
            "/kuka_kr300/kr300_250Hz.csv\n"
            "    columns: {time: t_s, position: \"q_mot{j}_deg\", velocity: \"dq_mot{j}_degps\", torque: "
            "\"tau_mot{j}_Nm\"}\n    units: {position: deg, velocity: deg/s, torque: N*m}\n"
            "    offset: {position: [0, -pi/2, pi/2, 0, 0, 0]}\n"
            "    scale: {torque: [1798/7, 1872/7, 757/3, 221, 5032/21, 206793/1340]}\n";
  else if (name == "tiago")
    text += "robot: " + tests + "tiago.yaml\nruns:\n  - file: " + data +
            "/tiago_figaroh/tiago_dynamic.csv\n"
            "    columns: {time: t_s, position: \"q_{name}_rad_or_m\", velocity: "
            "\"dq_{name}_radps_or_mps\", torque: \"effort_{name}_raw\"}\n"
            "    scale: {torque: [1, 13.6, 13.6, -8.7, -8.7, -20.5968, -20.5968, -20.5968]}\n";
  else
    text += "robot: " + data + "/kinova_gen3/gen3.urdf\nruns:\n  - file: " + data + "/kinova_gen3/gen3_" +
            name +
            "_1kHz.csv\n    columns: {time: t_s, position: \"q{j}_rad\", velocity: \"dq{j}_radps\", "
            "torque: \"tau_sensor{j}_Nm\"}\n";
  return read_study_text(text, tests + name + ".yaml");
}

Study study_of(const std::string& name) {
  return name.find('/') != std::string::npos ? example_study(name) : poor_study(name);
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

std::vector<PhasedRun> phased_runs(const Setup& setup) {
  std::vector<PhasedRun> out;
  for (const StudyRun& run : setup.study().runs) {
    if (run.file.label.role != RunRole::fit) continue;
    PhasedRun& own = out.emplace_back();
    own.run = &run;
    WatchedSource source(open_study_run(run, setup.robot));
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

PrepareOptions prepared_at(const Setup& setup, double cutoff) {
  PrepareOptions options = setup.prepare;
  options.filter.cutoff = 2 * cutoff;
  options.column_filter.cutoff = cutoff;
  return options;
}

std::vector<VectorXd> fit_without_phases(const Setup& setup, const std::vector<PhasedRun>& runs,
                                         double cutoff) {
  std::vector<std::vector<FoldBlock>> blocks;
  BlockGroups groups;
  for (const PhasedRun& run : runs) {
    PreparedRun prepared(open_study_run(*run.run, setup.robot), run.run->file.label,
                         prepared_at(setup, cutoff));
    PassOptions pass;
    pass.slot_samples = run.slot;
    const FoldPass found = fold_prepared(setup, *run.run, prepared, pass);
    EXPECT_EQ(found.folds.slots_per_block(), 1);
    blocks.push_back(found.folds.blocks());
    groups.push_back(run.phases);
    groups.back().resize(blocks.back().size());
  }
  const CrossValidation refits = cross_validate(blocks, groups, setup.study().estimate);
  std::vector<VectorXd> values;
  for (const VectorXd& refit : refits.values) {
    VectorXd& own = values.emplace_back(VectorXd::Zero(static_cast<Index>(setup.plan.columns.size())));
    for (std::size_t k = 0; k < setup.plan.columns.size(); ++k) {
      const auto at = std::find(refits.columns.begin(), refits.columns.end(), setup.plan.columns[k]);
      if (at != refits.columns.end()) own[static_cast<Index>(k)] = refit[at - refits.columns.begin()];
    }
  }
  return values;
}

// Squares of residuals and efforts by unit; ‖τ − τ̂‖ / ‖τ‖ as the root of the mean square over units.
struct ByUnit {
  std::map<std::string, std::pair<double, double>> squares;
  double relative() const {
    double sum = 0;
    for (const auto& [unit, own] : squares) sum += own.first / own.second;
    return std::sqrt(sum / static_cast<double>(squares.size()));
  }
};

void predict_run(const Setup& setup, const PhasedRun& run, double cutoff, const std::vector<VectorXd>& values,
                 ByUnit& out) {
  const std::vector<Layout> rows = row_layouts(setup.plan, setup.robot);
  PrepareOptions options = prepared_at(setup, cutoff);
  options.column_filter.cutoff = 0;
  options.velocity_below.resize(0);
  options.standstill.resize(0);
  PreparedRun prepared(open_study_run(*run.run, setup.robot), run.run->file.label, options);
  // The ends that every cut-off trims are left out: 1 s, of the shortest logs an eighth.
  const Index margin = std::min(static_cast<Index>(run.rate), run.samples / 8);
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
      const VectorXd error = torque - regressor(setup.plan, at(channel::kPosition, s),
                                                at(channel::kVelocity, s), at(channel::kAcceleration, s)) *
                                          values[static_cast<std::size_t>(run.phase_of(k))];
      for (Index j = 0; j < error.size(); ++j) {
        auto& [residual, effort] = out.squares[rows[static_cast<std::size_t>(j)].unit];
        residual += error[j] * error[j];
        effort += torque[j] * torque[j];
      }
    }
  }
}

// Over the raw efforts of the samples that every cut-off has. A run too short for the filter leaves no row:
// that cut-off cannot be taken.
double raw_error(const Setup& setup, const std::vector<PhasedRun>& runs, double cutoff) {
  try {
    const std::vector<VectorXd> values = fit_without_phases(setup, runs, cutoff);
    ByUnit squares;
    for (const PhasedRun& run : runs) predict_run(setup, run, cutoff, values, squares);
    return squares.relative();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no rows to estimate from"));
    EXPECT_LE(cutoff, 2);
    return kInfinity;
  }
}

struct Log {
  const char* study;
  double period;  // [s] of the motion, 0: it does not repeat within the run
};

class CutoffOnRealLogs : public testing::TestWithParam<Log> {};

TEST_P(CutoffOnRealLogs, PredictsHeldOutPhasesWithinFivePercentOfTheBest) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  Study study = study_of(GetParam().study);
  study.cutoff.automatic = true;
  const StudyOptions options;
  StudyClock clock(options);
  const steelyard::Setup setup = with_cutoff(open_robot({&study, &options, &clock}));
  const double chosen = setup.prepare.column_filter.cutoff;
  const std::vector<PhasedRun> runs = phased_runs(setup);
  // A fiftieth of a period is what a period found from a thousand positions may be off by.
  for (const PhasedRun& run : runs) EXPECT_NEAR(run.period, GetParam().period, 0.02 * GetParam().period);
  double best = kInfinity;
  std::cout << GetParam().study << ":";
  for (const double cutoff : {2.0, 5.0, 10.0, 20.0}) {
    const double error = raw_error(setup, runs, cutoff);
    std::cout << "  " << cutoff << " Hz " << 100 * error << " %";
    best = std::min(best, error);
  }
  const double error = raw_error(setup, runs, chosen);
  std::cout << "; chosen " << chosen << " Hz " << 100 * error << " %\n";
  EXPECT_LE(error, 1.05 * best) << setup.cutoff.choice;
  EXPECT_EQ(setup.cutoff.choice.find("by the phase") != std::string::npos, GetParam().period > 0);
  EXPECT_NE(setup.cutoff.choice.find("passes"), std::string::npos);
}

// The Panda's excitation has the base frequency 0.15 π rad/s.
INSTANTIATE_TEST_SUITE_P(Logs, CutoffOnRealLogs,
                         testing::Values(Log{"panda-identify/study.yaml", 40.0 / 3},
                                         Log{"ur10-real/linear.yaml", 0}, Log{"tx40-real/study.yaml", 0},
                                         Log{"lwr4-real/study.yaml", 0}, Log{"tiago", 0}, Log{"kr300", 0},
                                         Log{"RunTrajectory1", 0}, Log{"opti_traj_testing1", 0},
                                         Log{"opti_traj_testing2", 0}));

TEST(Period, OfAMotionIsFoundBetweenTheSamplesThatAreKept) {
  for (const double period : {97.0, 133.4, 250.7, 411.25}) {
    MatrixXd position(900, 2);
    for (Index s = 0; s < 900; ++s) {
      const double phase = 2 * M_PI * static_cast<double>(s) / period;
      position(s, 0) = std::sin(phase) + 0.3 * std::cos(5 * phase);
      position(s, 1) = std::cos(3 * phase);
    }
    // Steps of a twentieth; linear interpolation bends the valley by as much.
    EXPECT_NEAR(detect_period(position), period, 0.1) << period;
  }
}

TEST(Period, OfAMotionThatNeverRepeatsIsNone) {
  MatrixXd position(900, 1);
  for (Index s = 0; s < 900; ++s) {
    const double t = static_cast<double>(s) / 900;
    position(s, 0) = std::sin(20 * t + 30 * t * t);
  }
  EXPECT_EQ(detect_period(position), 0);
}

}  // namespace cutoff_real_test
}  // namespace steelyard
