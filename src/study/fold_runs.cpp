#include <algorithm>

#include "steelyard/core/error.hpp"
#include "steelyard/core/sha256.hpp"
#include "steelyard/fold/slots.hpp"
#include "study/extra_columns.hpp"
#include "study/folded.hpp"
#include "study/friction.hpp"
#include "study/gains.hpp"
#include "study/instrument.hpp"
#include "study/options_json.hpp"
#include "study/period.hpp"
#include "study/signs.hpp"
#include "study/state.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
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
    if (run.folded)
      open_folded_run(state, opened);
    else
      opened.prepared = std::make_unique<PreparedRun>(open_source(state, run), run.file.label, state.prepare);
  }
}

std::vector<Layout> study_layouts(const StudyState& state) {
  LayoutOptions options;
  options.robot = state.robot_hash;
  options.preparation = preparation_hash(state.prepare);
  if (const std::string columns = describe_columns(state); !columns.empty())
    options.preparation = sha256(options.preparation + columns);
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

void fold_runs(StudyState& state) {
  check_folded_layouts(state);
  for (RunState& run : state.runs) {
    if (!run.prepared) continue;
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
    run.folds = state.clock.time(stage, [&] {
      return run.signs ? fold_signed_run(state, run, pass.slot_samples)
                       : fold_prepared(state, *run.run, *run.prepared, pass);
    });
    if (positions && !run.signs) run.period = positions->period();
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
