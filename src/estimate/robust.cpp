#include "steelyard/estimate/robust.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kMedianToSigma = 1.482602218505602;  // 1 / Φ⁻¹(3/4)

double huber_weight(double u, const RobustOptions& options) {
  const double size = std::abs(u);
  if (size > options.far) return 0;
  return size <= options.huber ? 1 : options.huber / size;
}

}  // namespace

void RobustOptions::validate() const {
  const auto refuse = [](const char* name, double value, const char* limit) {
    throw InputError({fmt::format("robust option {} is {}", name, value), {}, limit, ""});
  };
  if (!(huber > 0)) refuse("huber", huber, "a positive number");
  if (!(far > huber)) refuse("far", far, "above huber");
  if (max_passes < 2) refuse("max_passes", max_passes, "at least 2");
  if (!(tolerance > 0)) refuse("tolerance", tolerance, "a positive number");
}

ResidualCounts::ResidualCounts(const std::vector<std::string>& rows) : rows_(rows) {
  for (std::size_t r = 0; r < rows.size(); ++r) bins_.push_back(std::make_unique<Bins>());
}

double ResidualCounts::middle(int bin) {
  return std::exp2((bin + 0.5) / kPerOctave - 0.5 * kBins / kPerOctave);
}

void ResidualCounts::add(Index row, double residual) {
  const double place = (std::log2(std::abs(residual)) + 0.5 * kBins / kPerOctave) * kPerOctave;
  const int bin = place > 0 ? static_cast<int>(std::min(place, kBins - 1.0)) : 0;  // log2(0) is −∞
  (*bins_[static_cast<std::size_t>(row)])[static_cast<std::size_t>(bin)].fetch_add(1,
                                                                                   std::memory_order_relaxed);
}

// Expectations over the rows that have weight: those beyond `far` are in no fold.
std::vector<RowScale> ResidualCounts::scales(const std::vector<double>& sigma,
                                             const RobustOptions& options) const {
  std::vector<RowScale> out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    RowScale& scale = out.emplace_back();
    scale.row = rows_[r];
    for (const auto& count : *bins_[r]) scale.rows += static_cast<Index>(count.load());
    Index below = 0;
    double weights = 0, weighted = 0, psi = 0, slope = 0, used = 0;
    for (int b = 0; b < kBins; ++b) {
      const auto count = static_cast<Index>((*bins_[r])[static_cast<std::size_t>(b)].load());
      if (count == 0) continue;
      if (2 * below < scale.rows && 2 * (below + count) >= scale.rows)
        scale.sigma = kMedianToSigma * middle(b);
      below += count;
      if (sigma.empty() || !(sigma[r] > 0)) continue;
      const double u = middle(b) / sigma[r], w = huber_weight(u, options), n = static_cast<double>(count);
      if (w < 1) scale.reduced += count;
      if (w == 0) {
        scale.far += count;
        continue;
      }
      used += n, weights += n * w, weighted += n * w * u * u, psi += n * w * w * u * u;
      if (w == 1) slope += n;
    }
    if (weighted > 0 && slope > 0) scale.variance = weights * used * psi / (slope * slope * weighted);
  }
  return out;
}

RowWeigher::RowWeigher(const std::vector<Layout>& layouts, const std::vector<std::string>& columns,
                       const VectorXd& values, std::vector<double> sigma, const RobustOptions& options,
                       ResidualCounts& counts)
    : sigma_(std::move(sigma)), options_(options), counts_(counts) {
  options.validate();
  require(static_cast<Index>(columns.size()) == values.size(), "one value per column");
  require(sigma_.empty() || sigma_.size() == layouts.size(), "one standard deviation per row");
  for (const Layout& layout : layouts) {
    require(layout.efforts.size() == 1, "weights of rows need one effort column");
    VectorXd& own = values_.emplace_back(VectorXd::Zero(static_cast<Index>(layout.columns.size())));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto at = std::find(layout.columns.begin(), layout.columns.end(), columns[k]);
      if (at != layout.columns.end()) own[at - layout.columns.begin()] = values[static_cast<Index>(k)];
    }
  }
}

void RowWeigher::weigh(Index row, std::span<const double* const> columns, Index count,
                       const std::uint8_t* mask, double* weight) const {
  const VectorXd& values = values_[static_cast<std::size_t>(row)];
  require(static_cast<Index>(columns.size()) == values.size() + 1, "columns of the row and its effort");
  const double sigma = sigma_.empty() ? 0 : sigma_[static_cast<std::size_t>(row)];
  for (Index s = 0; s < count; ++s) {
    weight[s] = 1;
    if (mask != nullptr && mask[s] == 0) continue;
    double residual = columns.back()[s];
    for (Index k = 0; k < values.size(); ++k) residual -= values[k] * columns[static_cast<std::size_t>(k)][s];
    counts_.add(row, residual);
    if (sigma > 0) weight[s] = std::sqrt(huber_weight(residual / sigma, options_));
  }
}

void correct_deviations(const std::vector<RowScale>& scales, Estimate& estimate) {
  double factor = 0, rows = 0;
  for (const RowScale& scale : scales) {
    const auto n = static_cast<double>(scale.rows - scale.far);
    factor += n * scale.variance, rows += n;
  }
  if (!(rows > 0)) return;
  estimate.covariance *= factor / rows;
  estimate.sigma *= std::sqrt(factor / rows);
  estimate.relative_sigma *= std::sqrt(factor / rows);
}

}  // namespace steelyard
