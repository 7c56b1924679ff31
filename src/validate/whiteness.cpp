#include "steelyard/validate/whiteness.hpp"

#include "steelyard/core/error.hpp"
#include "steelyard/core/statistics.hpp"

namespace steelyard::inline STEELYARD_ABI {

Autocorrelation::Autocorrelation(Index average, Index lags)
    : average_(average),
      recent_(static_cast<std::size_t>(lags), 0.0),
      products_(static_cast<std::size_t>(lags), 0.0) {
  require(average >= 1 && lags >= 1, "autocorrelations have at least one lag");
}

void Autocorrelation::add(double residual) {
  pending_ += residual;
  if (++pending_count_ < average_) return;
  const double value = pending_ / static_cast<double>(average_);
  pending_ = 0;
  pending_count_ = 0;
  const Index lags = static_cast<Index>(recent_.size());
  for (Index k = 1; k <= lags && k <= samples_ - begin_; ++k)
    products_[static_cast<std::size_t>(k - 1)] +=
        value * recent_[static_cast<std::size_t>((samples_ - k) % lags)];
  recent_[static_cast<std::size_t>(samples_ % lags)] = value;
  squares_ += value * value;
  ++samples_;
}

void Autocorrelation::interrupt() {
  pending_ = 0;
  pending_count_ = 0;
  begin_ = samples_;
}

Whiteness Autocorrelation::whiteness() const {
  Whiteness result;
  result.samples = samples_;
  const Index lags = static_cast<Index>(recent_.size());
  // The χ² holds for runs much longer than the lags.
  if (samples_ < 5 * lags || squares_ <= 0) return result;
  const auto n = static_cast<double>(samples_);
  for (Index k = 1; k <= lags; ++k) {
    const double r = products_[static_cast<std::size_t>(k - 1)] / squares_;
    result.correlation.push_back(r);
    result.statistic += n * (n + 2) * r * r / (n - static_cast<double>(k));
  }
  result.p_value = 1 - chi_squared_cdf(result.statistic, static_cast<double>(lags));
  result.coloured = result.correlation.front() * result.correlation.front();
  return result;
}

}  // namespace steelyard
