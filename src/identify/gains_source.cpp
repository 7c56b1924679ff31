// Currents to torques on the way in, and the efforts of loads.
#include <algorithm>

#include "identify/gains.hpp"
#include "identify/sign_gains.hpp"
#include "identify/state.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/gains/torque_source.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// Gains that are found with the signs hold for all currents, and for the efforts of runs without signs.
std::unique_ptr<SampleSource> with_sign_gains(const StudyState& state, const StudyRun& run,
                                              std::unique_ptr<SampleSource> source) {
  const VectorXd gains = gains_of_signs(state);
  const std::vector<std::string>& channels = source->channels();
  if (std::find(channels.begin(), channels.end(), channel::kCurrent) != channels.end())
    return with_torques(std::move(source), MatrixXd(gains.asDiagonal()));
  if (!run.unsigned_effort) return source;
  return with_scaled_torques(std::move(source), gains);
}

}  // namespace

std::unique_ptr<SampleSource> open_source(const StudyState& state, const StudyRun& run) {
  std::unique_ptr<SampleSource> source = open_study_run(run, state.robot);
  if (state.study.signs.gains) return with_sign_gains(state, run, std::move(source));
  if (!state.gains) return source;
  return with_torques(std::move(source), state.gains->rows.mix * state.gains->values.asDiagonal());
}

std::vector<ExtraColumns> load_efforts(const StudyState& state, const StudyRun& run) {
  const std::string& name = run.file.label.payload;
  if (!state.gains || name.empty()) return {};
  const auto found = state.gains->loads.find(name);
  require(found != state.gains->loads.end(), "the load of a run has values");
  const CurrentRows& rows = state.gains->rows;
  PlanOptions options;
  options.wanted = rows.tool;
  options.drives = false;
  const Plan plan = make_plan(state.robot, options);
  const VectorXd values = rows.load_to_link * found->second;
  ExtraColumns extra;
  for (std::size_t r = 0; r < plan.rows.size(); ++r)
    extra.columns.push_back({"load " + name, static_cast<Index>(r)});
  extra.fill = [plan, values](const SampleBlock& block, Index first, Index count, double* const* out) {
    const Index stride = tile_stride(count);
    MatrixXd tile(stride, plan.stored_columns);
    const Samples samples{block.row(block.find(channel::kPosition)) + first,
                          block.row(block.find(channel::kVelocity)) + first,
                          block.row(block.find(channel::kAcceleration)) + first, block.stride(), count};
    evaluate(plan, samples, tile.data(), stride);
    for (std::size_t r = 0; r < plan.rows.size(); ++r) {
      const Row& row = plan.rows[r];
      Eigen::Map<VectorXd> effort(out[r], count);
      effort.setZero();
      for (std::size_t k = 0; k < row.columns.size(); ++k)
        effort += values[row.columns[k]] * tile.col(row.offset + static_cast<Index>(k)).head(count);
    }
  };
  return {extra};
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
