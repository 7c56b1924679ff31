#include <algorithm>

#include "study/options_json.hpp"
#include "study/state.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// The largest halving of a chunk that gives at least as many slots as cross-validation wants blocks.
Index slot_for_blocks(const ChunkPlan& plan, int blocks) {
  Index size = plan.size;
  while (size % 2 == 0 && size * blocks > plan.samples) size /= 2;
  return size;
}

}  // namespace

void open_runs(StudyState& state) {
  state.runs.clear();
  for (const StudyRun& run : state.study.runs) {
    RunState& opened = state.runs.emplace_back();
    opened.run = &run;
    opened.prepared =
        std::make_unique<PreparedRun>(open_study_run(run, state.robot), run.file.label, state.prepare);
  }
}

void fold_runs(StudyState& state) {
  LayoutOptions layout_options;
  layout_options.robot = state.robot_hash;
  layout_options.preparation = preparation_hash(state.study);
  const std::vector<Layout> layouts = row_layouts(state.plan, state.robot, layout_options);
  for (RunState& run : state.runs) {
    PassOptions pass;
    pass.threads = state.options.threads;
    const std::string stage = "folding " + run.label();
    pass.progress = [&](Index done, Index chunks) {
      state.clock.report(stage, static_cast<double>(done) / static_cast<double>(std::max<Index>(1, chunks)));
    };
    if (state.study.cross)
      pass.slot_samples = slot_for_blocks(run.prepared->plan(), state.study.cross->blocks);
    run.folds = state.clock.time(stage, [&] { return fold_run(*run.prepared, state.plan, layouts, pass); });
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
