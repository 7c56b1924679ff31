// Currents to torques on the way in, and the efforts of loads.
#include <algorithm>

#include "identify/gains.hpp"
#include "identify/sign_gains.hpp"
#include "identify/sign_model.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/gains/torque_source.hpp"
#include "steelyard/identify/runs.hpp"
#include "steelyard/log/forwarding_source.hpp"
#include "steelyard/regressor/gear_loads.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Gains identified with the signs hold for all currents, and for the efforts of runs without signs.
std::unique_ptr<SampleSource> with_sign_gains(const Setup& setup, const StudyRun& run,
                                              std::unique_ptr<SampleSource> source) {
  const VectorXd gains = gains_of_signs(setup);
  const std::vector<std::string>& channels = source->channels();
  if (std::find(channels.begin(), channels.end(), channel::kCurrent) != channels.end())
    return with_torques(std::move(source), MatrixXd(gains.asDiagonal()));
  if (!run.unsigned_effort) return source;
  return with_scaled_torques(std::move(source), gains);
}

// |motor torque| is positive behind a gear that turns the other way as well.
std::unique_ptr<SampleSource> with_positive_gears(const Setup& setup, const StudyRun& run,
                                                  std::unique_ptr<SampleSource> source) {
  const MatrixXd& ratios = setup.robot.transmission.matrix;
  const std::string motor = std::string(channel::kMotor) + std::string(channel::kTorque);
  if (!run.unsigned_effort || ratios.size() == 0 || !has_channel(run, motor)) return source;
  const std::vector<std::string> names = sign_joint_names(setup.robot);
  const std::vector<std::string>& with_sign = setup.study().signs.with_sign;
  VectorXd turned = VectorXd::Ones(ratios.rows());
  for (Index j = 0; j < turned.size(); ++j)
    if (ratios(j, j) < 0 &&
        std::find(with_sign.begin(), with_sign.end(), names[static_cast<std::size_t>(j)]) == with_sign.end())
      turned[j] = -1;
  return (turned.array() > 0).all() ? std::move(source) : with_scaled_torques(std::move(source), turned);
}

// Motions: torques of zero where a log has none.
class MotionSource : public ForwardingSource {
 public:
  explicit MotionSource(std::unique_ptr<SampleSource> source)
      : ForwardingSource(std::move(source)), channels_(source_->channels()) {
    channels_.emplace_back(channel::kTorque);
  }

  const std::vector<std::string>& channels() const override { return channels_; }

  void read(Index samples, SampleBlock& block) override {
    source_->read(samples, motion_);
    block = motion_;
    const Index torque = block.add_channel(std::string(channel::kTorque));
    for (Index j = 0; j < block.joints(); ++j) std::fill_n(block.row(torque, j), block.size(), 0.0);
  }

 private:
  std::vector<std::string> channels_;
  SampleBlock motion_;
};

std::unique_ptr<SampleSource> with_some_torque(std::unique_ptr<SampleSource> source) {
  const std::vector<std::string>& channels = source->channels();
  if (std::find(channels.begin(), channels.end(), channel::kTorque) != channels.end()) return source;
  return std::make_unique<MotionSource>(std::move(source));
}

}  // namespace

std::unique_ptr<SampleSource> open_source(const Setup& setup, const StudyRun& run) {
  std::unique_ptr<SampleSource> source = with_positive_gears(setup, run, open_study_run(run, setup.robot));
  if (setup.motions_only) return with_some_torque(std::move(source));
  if (setup.study().signs.gains) return with_sign_gains(setup, run, std::move(source));
  if (!setup.gains) return source;
  return with_torques(std::move(source), setup.gains->rows.mix * setup.gains->values.asDiagonal());
}

VectorXd payload_values(const Setup& setup, const StudyRun& run) {
  const std::string& name = run.file.label.payload;
  if (!setup.gains || name.empty()) return {};
  const auto found = setup.gains->loads.find(name);
  require(found != setup.gains->loads.end(), "the load of a run has values");
  const VectorXd of_link = setup.gains->rows.load_to_link * found->second;
  const std::vector<std::string>& tool = setup.gains->rows.tool;
  VectorXd standard = VectorXd::Zero(static_cast<Index>(setup.base.columns.size()));
  for (std::size_t k = 0; k < setup.base.columns.size(); ++k)
    if (const auto at = std::find(tool.begin(), tool.end(), setup.base.columns[k]); at != tool.end())
      standard[static_cast<Index>(k)] = of_link[at - tool.begin()];
  const VectorXd base = setup.base.K * standard;
  VectorXd values = VectorXd::Zero(static_cast<Index>(setup.plan.columns.size()));
  for (std::size_t k = 0; k < setup.base.base.size(); ++k)
    if (const auto at =
            std::find(setup.plan.columns.begin(), setup.plan.columns.end(), setup.base.base[k].lead);
        at != setup.plan.columns.end())
      values[at - setup.plan.columns.begin()] = base[static_cast<Index>(k)];
  return values;
}

std::vector<ExtraColumns> load_efforts(const Setup& setup, const StudyRun& run, const Plan& plan) {
  const VectorXd values = payload_values(setup, run);
  if (values.size() == 0) return {};
  ExtraColumns extra;
  for (std::size_t r = 0; r < plan.rows.size(); ++r)
    extra.columns.push_back({"load " + run.file.label.payload, static_cast<Index>(r)});
  extra.fill = [plan, values](const SampleBlock& block, Index first, Index count, double* const* out) {
    const Index stride = tile_stride(count);
    MatrixXd tile(stride, plan.stored_columns);
    const Samples samples{block.row(block.find(channel::kPosition)) + first,
                          block.row(block.find(channel::kVelocity)) + first,
                          block.row(block.find(channel::kAcceleration)) + first, block.stride(), count};
    evaluate(plan, samples, tile.data(), stride);
    for (std::size_t r = 0; r < plan.rows.size(); ++r)
      row_load(plan, r, values, tile.data(), stride, count, out[r]);
  };
  return {extra};
}

}  // namespace steelyard
