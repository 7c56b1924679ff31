#include "identify/band.hpp"

#include <algorithm>
#include <cmath>

#include "identify/signs.hpp"
#include "identify/summary.hpp"
#include "steelyard/validate/spectrum.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Rows of the unit that most joints have, as in all totals.
std::vector<int> usual_joints(const Setup& setup) {
  const std::vector<LogJoint> joints = log_joints(setup.robot);
  std::vector<int> revolute, prismatic;
  for (const Row& row : setup.plan.rows)
    (joints[static_cast<std::size_t>(row.i)].kind == JointKind::revolute ? revolute : prismatic)
        .push_back(row.i);
  return revolute.size() >= prismatic.size() ? revolute : prismatic;
}

// Of the efforts of one run: one pass, without a filter.
std::optional<double> band_of(PreparedRun& run, const std::vector<int>& joints) {
  constexpr Index kApart = 2;  // long segments: what changes slowly is not the mean
  const UniformGrid& grid = run.preparation().grid;
  std::vector<Welch> efforts(joints.size(), Welch(1 / grid.step, grid.samples, kApart));
  run.rewind();
  for (RawChunk raw; run.read(raw);) {
    const int torque = raw.samples.find(channel::kTorque);
    require(torque >= 0, "raw chunk without torque");
    const Index first = raw.chunk.core.begin - raw.range.begin;
    const Index count = raw.chunk.core.end - raw.chunk.core.begin;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const double* effort = raw.samples.row(torque, joints[k]) + first;
      for (Index s = 0; s < count; ++s)
        if (is_bridged(run.preparation(), raw.chunk.core.begin + s))
          efforts[k].interrupt();
        else
          efforts[k].add(effort[s]);
    }
    raw = {};
  }
  std::vector<Spectrum> spectra;
  for (const Welch& effort : efforts) spectra.push_back(effort.spectrum());
  return occupied_band(spectra);
}

// The widest of the fit runs' bands.
std::optional<double> band_of(const Setup& setup, const Runs& runs) {
  std::optional<double> band;
  const std::vector<int> joints = usual_joints(setup);
  for (const OpenRun& run : runs) {
    if (!run.is_fit()) continue;
    if (const std::optional<double> own = band_of(*run.prepared, joints))
      band = std::max(band.value_or(0), *own);
  }
  return band;
}

double share_at_band(const Setup& setup, const std::vector<Fold>& folds, const Estimate& estimate) {
  return residual_summary(residuals(folds, estimate.columns, estimate.values).per_row, setup.plan,
                          setup.robot)
      .prepared;
}

void score_rows(const Setup& setup, const std::vector<RunRows>& runs, const Estimate& estimate,
                std::optional<double>& fitted, std::vector<double>& by_run) {
  if (const std::vector<Fold> folds = fit_folds(runs); !folds.empty())
    fitted = share_at_band(setup, folds, estimate);
  for (const RunRows& run : runs) by_run.push_back(share_at_band(setup, run.folds.folds.total(), estimate));
}

bool has_signed_samples(const Runs& runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [](const OpenRun& run) { return run.prepared != nullptr && !run.run->unsigned_effort; });
}

// Half an octave above the band, so that the filters leave it as it is (94 % at its end); as far as the rates allow,
// positions being filtered an octave above.
double passing(double band, const Runs& runs) {
  double cutoff = std::sqrt(2.0) * band;
  for (const OpenRun& run : runs) cutoff = std::min(cutoff, 0.45 / (2 * run.preparation().grid.step));
  return cutoff;
}

BandScore score_at(const Setup& setup, double band, const Runs& runs, const Estimate& estimate,
                   const std::optional<FeasibleModel>& feasible) {
  BandScore out;
  out.band = band;
  const double cutoff = setup.prepare.column_filter.cutoff > 0 ? setup.prepare.column_filter.cutoff
                                                               : setup.prepare.filter.cutoff;
  const double wider = passing(band, runs);
  if (band <= cutoff || wider <= cutoff) return out;
  const Setup wide = with_given_cutoff(setup, wider);
  Runs opened = open_runs(wide);
  const std::vector<RunRows> rows = fold_runs(wide, opened, {});
  for (const OpenRun& run : opened)
    if (run.is_fit()) out.passes = std::max(out.passes, run.prepared->passes());
  score_rows(wide, rows, estimate, out.fitted, out.runs);
  if (feasible && feasible->retrieval.x.size() > 0)
    score_rows(wide, rows, with_feasible_values(setup, estimate, *feasible), out.fitted_links, out.links);
  return out;
}

}  // namespace

BandScore score_at_band(const Setup& setup, const Runs& runs, const Estimate& estimate,
                        const std::optional<FeasibleModel>& feasible) {
  if (!setup.study().cutoff.automatic || !has_signed_samples(runs)) return {};
  const std::optional<double> band =
      setup.clock().time("band of the efforts", [&] { return band_of(setup, runs); });
  BandScore out = band ? score_at(setup, *band, runs, estimate, feasible) : BandScore();
  ++out.passes;
  return out;
}

BandScore score_at_band_of(const Result& model, const Setup& setup, const Runs& runs,
                           const Estimate& estimate, const std::optional<FeasibleModel>& feasible) {
  if (!model.preparation.band || !setup.study().cutoff.automatic || !has_signed_samples(runs)) return {};
  return score_at(setup, *model.preparation.band, runs, estimate, feasible);
}

}  // namespace steelyard
