#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/extra_columns.hpp"
#include "identify/folded_runs.hpp"
#include "identify/friction.hpp"
#include "identify/instrument.hpp"
#include "identify/signs.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/slots.hpp"
#include "steelyard/identify/folded.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Rows of a run are not finite or too large: reports the sample, not the column of the model.
[[noreturn]] void blame_samples(const Setup& setup, const StudyRun& run, Complaint complaint) {
  constexpr double kImpossible = 1e9;  // of any channel, in SI units
  const std::unique_ptr<SampleSource> source = open_source(setup, run);
  if (!complaint.place.file.empty()) throw InputError(complaint);
  complaint.place.file = source->name();
  const std::vector<LogJoint> joints = log_joints(setup.robot);
  SampleBlock block;
  Index samples = 0;
  for (source->read(4096, block); block.size() > 0; source->read(4096, block)) {
    for (std::size_t c = 0; c < block.channels().size(); ++c)
      for (Index j = 0; j < block.joints(); ++j)
        for (Index s = 0; s < block.size(); ++s) {
          const double value = block.row(static_cast<int>(c), j)[s];
          if (std::abs(value) <= kImpossible) continue;
          complaint.what =
              fmt::format("the {} of {} is {:.6g} in sample {}, at {:.6g} s", block.channels()[c],
                          joints[static_cast<std::size_t>(j)].name, value, samples + s + 1, block.time()[s]);
          complaint.limit = fmt::format("at most {:g} in SI units", kImpossible);
          complaint.remedy = "remove the sample: a lost message or a failed conversion wrote it";
          throw InputError(complaint);
        }
    samples += block.size();
  }
  throw InputError(complaint);
}

}  // namespace

std::vector<Layout> study_layouts(const Setup& setup) {
  LayoutOptions options;
  options.robot = setup.robot_hash;
  options.preparation = preparation_hash(prepare_text(setup.prepare), describe_columns(setup));
  return row_layouts(setup.plan, setup.robot, options);
}

FoldPass fold_prepared(const Setup& setup, const StudyRun& run, PreparedRun& prepared, PassOptions pass,
                       const std::shared_ptr<const InstrumentMotion>& instruments) {
  pass.threads = setup.threads();
  pass.extra = all_columns(setup, run);
  pass.known = known_efforts(setup, run);
  const Plan plan = plan_of_run(setup, run);
  if (instruments) pass.extra.push_back(instrument_columns(plan, pass.extra, instruments));
  return fold_run(prepared, plan, with_extra_columns(study_layouts(setup), pass.extra), pass);
}

namespace {

RunRows fold_samples_of(const Setup& setup, const OpenRun& run, const SignedRun* signs) {
  CoarsePositions positions(run.preparation().grid.samples, setup.plan.joints);
  PassOptions pass;
  const std::string stage = "folding " + run.label();
  pass.progress = [&](Index done, Index chunks) {
    setup.clock().report(stage, static_cast<double>(done) / static_cast<double>(std::max<Index>(1, chunks)));
  };
  pass.watch = [&](const PreparedChunk& chunk) { positions.watch(chunk); };
  pass.rest = true;
  const std::optional<CrossOptions>& cross = setup.study().cross;
  pass.slot_samples = slot_for_blocks(*run.prepared, cross ? cross->blocks : 0);
  std::optional<FoldPass> folds;
  try {
    folds = setup.clock().time(stage, [&] {
      return signs != nullptr ? fold_signed_run(setup, *signs, pass.slot_samples)
                              : fold_prepared(setup, *run.run, *run.prepared, pass);
    });
  } catch (const InputError& error) {
    blame_samples(setup, *run.run, error.complaint());
  }
  if (signs != nullptr)
    positions.watch(signs->samples);
  else
    positions.gather();
  return {&run, std::move(*folds), std::move(positions), 0, signs};
}

}  // namespace

std::vector<RunRows> fold_runs(const Setup& setup, Runs& runs, const SignedRuns& signs) {
  check_folded_layouts(setup, runs);
  std::vector<RunRows> rows;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    OpenRun& run = runs[r];
    if (!run.prepared) {
      rows.push_back({&run, *run.folds, {}, run.run->folded->period.value_or(0), nullptr});
      continue;
    }
    const SignedRun* own = r < signs.size() && signs[r] ? &*signs[r] : nullptr;
    try {
      rows.push_back(fold_samples_of(setup, run, own));
    } catch (const StampsDiffer&) {
      const bool watched = static_cast<bool>(run.signals);
      run = prepare_run(setup, *run.run, {watched, false});
      rows.push_back(fold_samples_of(setup, run, own));
    }
  }
  return rows;
}

Index append_blocks(const std::vector<FoldBlock>& blocks, Index first, std::vector<Fold>& folds) {
  for (const FoldBlock& block : blocks) {
    for (Fold& fold : block.all()) {
      fold.set_block(first);
      folds.push_back(std::move(fold));
    }
    ++first;
  }
  return first;
}

std::vector<Fold> fit_folds(const std::vector<RunRows>& runs) {
  std::vector<Fold> folds;
  Index number = 0;
  for (const RunRows& run : runs)
    if (run.is_fit()) number = append_blocks(run.folds.folds.blocks(), number, folds);
  return folds;
}

}  // namespace steelyard
