#include "signs/model_efforts.hpp"

#include <algorithm>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kModelTile = 192;

}  // namespace

void visit_rows(const Plan& plan, const SampleBlock& samples,
                const std::function<void(const RowTile&)>& visit) {
  const auto row = [&](std::string_view channel) { return samples.row(samples.find(channel)); };
  const double* q = row(channel::kPosition);
  const double* qd = row(channel::kVelocity);
  const double* qdd = row(channel::kAcceleration);
  const Index stride = tile_stride(kModelTile);
  std::vector<double> tile(static_cast<std::size_t>(stride * plan.stored_columns));
  for (Index begin = 0; begin < samples.size(); begin += kModelTile) {
    const Index count = std::min(kModelTile, samples.size() - begin);
    evaluate(plan, {q + begin, qd + begin, qdd + begin, samples.stride(), count}, tile.data(), stride);
    for (const Row& plan_row : plan.rows)
      visit({&plan_row, tile.data() + plan_row.offset * stride, stride, begin, count});
  }
}

VectorXd values_of_plan(const Plan& plan, const std::vector<std::string>& columns, const VectorXd& values) {
  VectorXd out = VectorXd::Zero(static_cast<Index>(plan.columns.size()));
  for (std::size_t c = 0; c < plan.columns.size(); ++c) {
    const auto found = std::find(columns.begin(), columns.end(), plan.columns[c]);
    if (found != columns.end()) out[static_cast<Index>(c)] = values[found - columns.begin()];
  }
  return out;
}

MatrixXd model_efforts(const Plan& plan, const SampleBlock& samples, const VectorXd& values) {
  MatrixXd out = MatrixXd::Zero(samples.size(), samples.joints());
  visit_rows(plan, samples, [&](const RowTile& tile) {
    auto efforts = out.col(tile.row->i).segment(tile.begin, tile.count);
    for (std::size_t c = 0; c < tile.row->columns.size(); ++c)
      efforts +=
          values[tile.row->columns[c]] *
          Eigen::Map<const Eigen::VectorXd>(tile.first + static_cast<Index>(c) * tile.stride, tile.count);
  });
  return out;
}

}  // namespace steelyard
