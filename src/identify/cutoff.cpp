// Step of a study: the cut-off that predicts held-out raw efforts best, with `cutoff: auto`.
//
// For a candidate f, rows filtered at f of all groups of blocks but one are fitted, and predict the raw
// efforts of the group that is left out (kinematics filtered an octave above f, efforts as measured, nothing
// rejected). All candidates are scored on the same samples; groups follow the phase of a periodic motion.
// Only fit runs are used. 2, 5, 10 and 20 Hz are tested first, then the neighbours of the best on a finer
// grid until none is better. The lowest cut-off within a hundredth of the best score is taken: what is above
// it adds noise to accelerations and nothing to predictions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "identify/prior.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/cross_validation.hpp"
#include "steelyard/fold/slots.hpp"
#include "steelyard/identify/folded.hpp"
#include "steelyard/log/period.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::array kGrid = {0.5,  0.7,  1.0,  1.5,  2.0,  3.0,  5.0,  7.0,
                              10.0, 15.0, 20.0, 30.0, 50.0, 70.0, 100.0};
constexpr std::array kFirst = {2.0, 5.0, 10.0, 20.0};
constexpr int kGroups = 5;
constexpr Index kSlotsWanted = 20;    // of a run: a group is a few slots
constexpr Index kLongestSlot = 4096;  // samples
constexpr Index kScoredRows = 20000;  // raw samples of a run that are scored, at most twice as many
constexpr double kAsGood = 0.01;      // of the best score

struct CutoffRun {
  const StudyRun* run = nullptr;
  double rate = 0;  // [Hz]
  Index samples = 0;
  double period = 0;  // samples, 0: not periodic
  Index slot = 0;
  Index gap = 0;
};

struct CutoffTrial {
  double cutoff = 0;
  double score = 0;
  Index groups = 0;
};

PrepareOptions options_at(const Setup& setup, double cutoff) {
  PrepareOptions options = setup.prepare;
  const bool columns = options.column_filter.cutoff > 0;
  options.filter.cutoff = columns ? 2 * cutoff : cutoff;
  if (setup.study().cutoff.position) options.filter.cutoff = *setup.study().cutoff.position;
  if (columns) options.column_filter.cutoff = cutoff;
  return options;
}

Index memory_at(const PrepareOptions& options, double rate) {
  Index memory = 0;
  for (const FilterOptions& filter : {options.filter, options.column_filter})
    if (filter.cutoff > 0) memory += design_low_pass(filter.order, filter.cutoff, rate).memory;
  return memory;
}

// Filters below the Nyquist frequency, and at most half of every run trimmed.
bool is_possible(const Setup& setup, const std::vector<CutoffRun>& runs, double cutoff) {
  const PrepareOptions options = options_at(setup, cutoff);
  for (const CutoffRun& run : runs) {
    if (std::max(options.filter.cutoff, options.column_filter.cutoff) > 0.45 * run.rate) return false;
    if (4 * memory_at(options, run.rate) > run.samples) return false;
  }
  return true;
}

std::vector<CutoffRun> scan_runs(const Setup& setup) {
  std::vector<CutoffRun> runs;
  for (const StudyRun& run : setup.study().runs) {
    if (run.file.label.role != RunRole::fit) continue;
    PrepareOptions plain = setup.study().prepare;
    plain.filter.cutoff = plain.column_filter.cutoff = 0;
    plain.trim = 0;
    auto source = std::make_unique<WatchedSource>(open_source(setup, run));
    const WatchedSource& watched = *source;
    const PreparedRun prepared(std::move(source), run.file.label, plain);
    CutoffRun& out = runs.emplace_back();
    out.run = &run;
    out.rate = 1 / prepared.preparation().grid.step;
    out.samples = prepared.preparation().grid.samples;
    const CrossOptions cross = setup.study().cross.value_or(CrossOptions{});
    if (cross.by_phase) out.period = out.rate * (cross.period ? *cross.period : watched.period());
    out.slot = halved_slot(kLongestSlot, out.samples, kSlotsWanted, 1);
  }
  return runs;
}

std::vector<int> groups_of(const CutoffRun& run, const FoldPass& pass) {
  const Index count = static_cast<Index>(pass.folds.blocks().size());
  const auto length = static_cast<double>(run.slot * pass.folds.slots_per_block());
  if (run.period >= 2 * length && run.period < static_cast<double>(run.samples))
    return groups_by_phase(count, length, run.period, kGroups);
  return groups_by_index(count, kGroups);
}

// Folds of the blocks inside (or outside) a group; gaps go where both neighbours are.
void take(const std::vector<FoldBlock>& blocks, const std::vector<int>& groups, int group, bool inside,
          std::vector<Fold>& to) {
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if ((groups[b] == group) != inside) continue;
    to.insert(to.end(), blocks[b].core.begin(), blocks[b].core.end());
    if (b + 1 == blocks.size() || (groups[b + 1] == group) == inside)
      to.insert(to.end(), blocks[b].gap.begin(), blocks[b].gap.end());
  }
}

// The rows that are fitted, and the raw ones that are predicted.
struct Candidate {
  std::vector<std::vector<FoldBlock>> rows, raw;  // by run
  BlockGroups groups;
};

Candidate fold_candidate(const Setup& setup, const std::vector<CutoffRun>& runs, double cutoff) {
  Candidate out;
  for (const CutoffRun& run : runs) {
    PrepareOptions options = of_run(setup, *run.run, options_at(setup, cutoff));
    options.chunk_size = kAutomatic;
    PassOptions pass;
    pass.slot_samples = run.slot;
    pass.gap = memory_at(options, run.rate);  // what is fitted: as much as this cut-off leaves
    PreparedRun prepared(open_source(setup, *run.run), run.run->file.label, options);
    const FoldPass rows = fold_prepared(setup, *run.run, prepared, pass);
    options.column_filter.cutoff = 0;
    pass.gap = run.gap;  // what is predicted: the same for all
    options.velocity_below.resize(0);
    options.standstill.resize(0);
    options.decimation = std::max<Index>(1, run.samples / kScoredRows);
    options.trim = run.gap;
    PreparedRun unfiltered(open_source(setup, *run.run), run.run->file.label, options);
    const FoldPass raw = fold_prepared(setup, *run.run, unfiltered, pass);
    out.groups.push_back(groups_of(run, rows));
    out.rows.push_back(rows.folds.blocks());
    out.raw.push_back(raw.folds.blocks());
  }
  return out;
}

// Residual over effort, as the root of the mean square over units.
double relative(const std::vector<Residual>& parts) {
  std::map<std::string, std::pair<double, double>> by_unit;
  for (const Residual& part : parts) {
    by_unit[part.unit].first += part.norm * part.norm;
    by_unit[part.unit].second += part.effort * part.effort;
  }
  double sum = 0;
  for (const auto& [unit, squares] : by_unit) sum += squares.second > 0 ? squares.first / squares.second : 0;
  return by_unit.empty() ? 0 : std::sqrt(sum / static_cast<double>(by_unit.size()));
}

CutoffTrial score(const Setup& setup, const std::vector<CutoffRun>& runs, double cutoff) {
  const Candidate candidate = fold_candidate(setup, runs, cutoff);
  EstimateOptions options = setup.study().estimate;
  options.conditions = false;
  std::vector<Residual> held_out;
  CutoffTrial trial{cutoff, 0, 0};
  for (int group = 0; group < kGroups; ++group) {
    std::vector<Fold> training, test;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      take(candidate.rows[r], candidate.groups[r], group, false, training);
      take(candidate.raw[r], candidate.groups[r], group, true, test);
    }
    if (test.empty()) continue;
    const Estimate fit =
        estimate(training, options, prior_folds(setup.study(), setup.robot, setup.base, training));
    for (const Residual& part : residuals(test, fit.columns, fit.values).totals) held_out.push_back(part);
    ++trial.groups;
  }
  trial.score = relative(held_out);
  return trial;
}

const CutoffTrial& best_of(const std::vector<CutoffTrial>& trials) {
  return *std::min_element(trials.begin(), trials.end(),
                           [](const CutoffTrial& a, const CutoffTrial& b) { return a.score < b.score; });
}

// The next grid point next to the best one that has not been tested; 0 when there is none.
double next_candidate(const Setup& setup, const std::vector<CutoffRun>& runs,
                      const std::vector<CutoffTrial>& trials) {
  const double best = best_of(trials).cutoff;
  const auto at = std::find(kGrid.begin(), kGrid.end(), best) - kGrid.begin();
  for (const auto k : {at - 1, at + 1}) {
    if (k < 0 || k >= static_cast<std::ptrdiff_t>(kGrid.size())) continue;
    const double cutoff = kGrid[static_cast<std::size_t>(k)];
    const bool tried = std::any_of(trials.begin(), trials.end(),
                                   [&](const CutoffTrial& trial) { return trial.cutoff == cutoff; });
    if (!tried && is_possible(setup, runs, cutoff)) return cutoff;
  }
  return 0;
}

CutoffChoice explain(const std::vector<CutoffRun>& runs, std::vector<CutoffTrial> trials,
                     const CutoffTrial& chosen) {
  std::sort(trials.begin(), trials.end(),
            [](const CutoffTrial& a, const CutoffTrial& b) { return a.cutoff < b.cutoff; });
  CutoffChoice out;
  out.chosen = chosen.cutoff;
  out.passes = 1 + 4 * static_cast<int>(trials.size());  // one for the rates and periods, four per trial
  for (const CutoffTrial& trial : trials) out.candidates.push_back({trial.cutoff, trial.score});
  const bool periodic =
      std::any_of(runs.begin(), runs.end(), [](const CutoffRun& r) { return r.period > 0; });
  out.choice = fmt::format(
      "{} Hz: the lowest of {} cut-offs whose error on held-out raw efforts ({:.2f} %) is within 1 % of the "
      "best "
      "({:.2f} % at {} Hz); {} groups of blocks left out in turn{}, fit runs only, {} passes over them",
      chosen.cutoff, trials.size(), 100 * chosen.score, 100 * best_of(trials).score, best_of(trials).cutoff,
      chosen.groups, periodic ? " by the phase of the motion" : "", out.passes);
  return out;
}

// Those that are tried first, in their order.
std::vector<double> first_candidates(const Setup& setup, const std::vector<CutoffRun>& runs) {
  std::vector<double> first;
  for (const double cutoff : kFirst)
    if (is_possible(setup, runs, cutoff)) first.push_back(cutoff);
  if (first.empty())
    for (const double cutoff : kGrid)
      if (first.empty() && is_possible(setup, runs, cutoff)) first.push_back(cutoff);
  constexpr double kSlow = 2;  // [Hz]: hardly a motion
  for (const CutoffRun& run : runs)
    if (first.empty() && run.rate < kSlow)
      throw InputError({fmt::format("no cut-off fits: the stamps are {:.4g} s apart", 1 / run.rate),
                        {run.run->file.path, 0, 0, ""},
                        "runs that are sampled at twice the cut-off",
                        time_unit_remedy(1 / run.rate)});
  if (first.empty())
    throw InputError({"no cut-off fits the runs that are to be fitted",
                      {setup.study().path, 0, 0, ""},
                      "runs of at least four memories of the filter, sampled at twice its cut-off",
                      "give a cut-off, or use longer runs"});
  return first;
}

}  // namespace

Setup with_given_cutoff(Setup setup, double cutoff) {
  if (!setup.study().cutoff.automatic) return setup;
  if (has_folded_runs(setup.study()))
    take_cutoffs(first_folded(setup.study())->folded->prepare, setup.prepare);
  else
    setup.prepare = options_at(setup, cutoff);
  return setup;
}

double first_cutoff(const Setup& setup) {
  const std::vector<double> first = first_candidates(setup, scan_runs(setup));
  return first[(first.size() - 1) / 2];
}

Setup with_cutoff(Setup setup) {
  if (!setup.study().cutoff.automatic) return setup;
  if (has_folded_runs(setup.study())) return with_given_cutoff(std::move(setup), 0);
  std::vector<CutoffRun> runs =
      setup.clock().time("reading for the cut-off", [&] { return scan_runs(setup); });
  const std::vector<double> first = first_candidates(setup, runs);
  for (CutoffRun& run : runs)
    run.gap = std::min(run.slot, memory_at(options_at(setup, first.front()), run.rate));
  std::vector<CutoffTrial> trials;
  const auto attempt = [&](double cutoff) {
    trials.push_back(
        setup.clock().time(fmt::format("cut-off {} Hz", cutoff), [&] { return score(setup, runs, cutoff); }));
  };
  for (const double cutoff : first) attempt(cutoff);
  for (double cutoff = 0; (cutoff = next_candidate(setup, runs, trials)) > 0;) attempt(cutoff);
  const double limit = (1 + kAsGood) * best_of(trials).score;
  CutoffTrial chosen = best_of(trials);
  for (const CutoffTrial& trial : trials)
    if (trial.score <= limit && trial.cutoff < chosen.cutoff) chosen = trial;
  setup.prepare = options_at(setup, chosen.cutoff);
  setup.cutoff = explain(runs, trials, chosen);
  return setup;
}

}  // namespace steelyard
