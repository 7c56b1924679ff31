#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/extra_columns.hpp"
#include "identify/folded.hpp"
#include "identify/friction.hpp"
#include "identify/gains.hpp"
#include "identify/instrument.hpp"
#include "identify/signs.hpp"
#include "identify/state.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/slots.hpp"
#include "steelyard/log/period.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// Rows of a run are not finite or too large: says at which sample, not in which column of the model.
[[noreturn]] void blame_samples(const StudyState& state, const StudyRun& run, Complaint complaint) {
  constexpr double kImpossible = 1e9;  // of any channel, in SI units
  const std::unique_ptr<SampleSource> source = open_source(state, run);
  if (!complaint.place.file.empty()) throw InputError(complaint);
  complaint.place.file = source->name();
  const std::vector<LogJoint> joints = log_joints(state.robot);
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

void open_runs(StudyState& state) {
  state.runs.clear();
  if (state.study.runs.empty())
    throw InputError({"the study has no runs",
                      {state.study.path, 0, 0, ""},
                      "at least one with the role 'fit'",
                      "add `runs:`; a motion for them: `steelyard excite`"});
  for (const StudyRun& run : state.study.runs) {
    RunState& opened = state.runs.emplace_back();
    opened.run = &run;
    open_run_state(state, opened);
  }
}

void open_run_state(const StudyState& state, RunState& run) {
  if (run.run->folded) {
    open_folded_run(state, run);
    return;
  }
  std::unique_ptr<SampleSource> source = open_source(state, *run.run);
  if (state.watch_signals) {
    SignalWatch watch = watch_signals(std::move(source), log_joints(state.robot));
    source = std::move(watch.source);
    run.signals = std::move(watch.scan);
  }
  PrepareOptions prepare = state.prepare;
  prepare.presume_uniform = state.presume_uniform;
  run.prepared = std::make_unique<PreparedRun>(std::move(source), run.run->file.label, prepare);
}

std::vector<Layout> study_layouts(const StudyState& state) {
  LayoutOptions options;
  options.robot = state.robot_hash;
  options.preparation = preparation_hash(prepare_text(state.prepare), describe_columns(state));
  return row_layouts(state.plan, state.robot, options);
}

FoldPass fold_prepared(const StudyState& state, const StudyRun& run, PreparedRun& prepared, PassOptions pass,
                       const std::shared_ptr<const InstrumentMotion>& instruments) {
  pass.threads = state.options.threads;
  pass.extra = all_columns(state, run);
  pass.known = known_efforts(state, run);
  if (instruments) pass.extra.push_back(instrument_columns(state.plan, pass.extra, instruments));
  return fold_run(prepared, state.plan, with_extra_columns(study_layouts(state), pass.extra), pass);
}

namespace {

void fold_samples_of(StudyState& state, RunState& run) {
  PassOptions pass;
  const std::string stage = "folding " + run.label();
  pass.progress = [&](Index done, Index chunks) {
    state.clock.report(stage, static_cast<double>(done) / static_cast<double>(std::max<Index>(1, chunks)));
  };
  std::optional<CoarsePositions> positions;
  if (state.find_periods) {
    positions.emplace(run.prepared->preparation().grid.samples, state.plan.joints);
    pass.watch = [&](const PreparedChunk& chunk) { positions->watch(chunk); };
  }
  pass.slot_samples = slot_for_blocks(*run.prepared, state.study.cross ? state.study.cross->blocks : 0);
  try {
    run.folds = state.clock.time(stage, [&] {
      return run.signs ? fold_signed_run(state, run, pass.slot_samples)
                       : fold_prepared(state, *run.run, *run.prepared, pass);
    });
  } catch (const InputError& error) {
    blame_samples(state, *run.run, error.complaint());
  }
  if (!positions) return;
  if (run.signs) {
    positions->watch(run.signs->samples);
  } else {
    positions->gather();
    run.period = positions->period();
  }
  run.motion = positions->motion(run.preparation().grid.step);
}

}  // namespace

void fold_runs(StudyState& state) {
  check_folded_layouts(state);
  for (RunState& run : state.runs) {
    if (!run.prepared) continue;
    try {
      fold_samples_of(state, run);
    } catch (const StampsDiffer&) {
      state.presume_uniform = false;
      open_run_state(state, run);
      fold_samples_of(state, run);
    }
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
