#include "signs/model_efforts.hpp"

#include <algorithm>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kModelTile = 192;

}  // namespace

void visit_rows(const RowColumns& of, const SampleBlock& samples,
                const std::function<void(const RowTile&)>& visit) {
  const Plan& plan = *of.plan;
  const auto row = [&](std::string_view channel) { return samples.row(samples.find(channel)); };
  const double* q = row(channel::kPosition);
  const double* qd = row(channel::kVelocity);
  const double* qdd = row(channel::kAcceleration);
  const Index stride = tile_stride(kModelTile);
  std::vector<double> tile(static_cast<std::size_t>(stride * plan.stored_columns));
  for (Index begin = 0; begin < samples.size(); begin += kModelTile) {
    const Index count = std::min(kModelTile, samples.size() - begin);
    evaluate(plan, {q + begin, qd + begin, qdd + begin, samples.stride(), count}, tile.data(), stride);
    const MatrixXd further = evaluate_columns(of.extra, samples, begin, count);
    for (std::size_t r = 0; r < plan.rows.size(); ++r) {
      RowTile own{r, plan.rows[r].i, {}, begin, count};
      for (std::size_t c = 0; c < plan.rows[r].columns.size(); ++c)
        own.columns.push_back(tile.data() + (plan.rows[r].offset + static_cast<Index>(c)) * stride);
      Index k = 0;
      for (const ExtraColumns& extra : of.extra)
        for (const ExtraColumn& column : extra.columns) {
          if (column.row == static_cast<Index>(r)) own.columns.push_back(further.col(k).data());
          ++k;
        }
      visit(own);
    }
  }
}

RowValues row_values(const RowColumns& of, const std::vector<std::string>& columns, const VectorXd& values) {
  RowValues out;
  for (std::size_t r = 0; r < of.plan->rows.size(); ++r) {
    std::vector<std::string> names;
    for (const int c : of.plan->rows[r].columns)
      names.push_back(of.plan->columns[static_cast<std::size_t>(c)]);
    for (const ExtraColumns& extra : of.extra)
      for (const ExtraColumn& column : extra.columns)
        if (column.row == static_cast<Index>(r)) names.push_back(column.name);
    VectorXd& own = out.emplace_back(VectorXd::Zero(static_cast<Index>(names.size())));
    for (std::size_t c = 0; c < names.size(); ++c)
      if (const auto found = std::find(columns.begin(), columns.end(), names[c]); found != columns.end())
        own[static_cast<Index>(c)] = values[found - columns.begin()];
  }
  return out;
}

MatrixXd model_efforts(const RowColumns& of, const SampleBlock& samples, const RowValues& values) {
  MatrixXd out = MatrixXd::Zero(samples.size(), samples.joints());
  visit_rows(of, samples, [&](const RowTile& tile) {
    auto efforts = out.col(tile.joint).segment(tile.begin, tile.count);
    for (std::size_t c = 0; c < tile.columns.size(); ++c)
      efforts += values[tile.row][static_cast<Index>(c)] *
                 Eigen::Map<const Eigen::VectorXd>(tile.columns[c], tile.count);
  });
  return out;
}

}  // namespace steelyard
