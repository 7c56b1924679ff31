#include "study/cutoff_period.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr std::size_t kMostKept = 2000;  // samples; every other one is dropped beyond

}  // namespace

WatchedSource::WatchedSource(std::unique_ptr<SampleSource> source) : source_(std::move(source)) {}

void WatchedSource::rewind() {
  if (next_ > 0) is_first_pass_ = false;
  source_->rewind();
}

void WatchedSource::read(Index samples, SampleBlock& block) {
  source_->read(samples, block);
  const int position = block.find(channel::kPosition);
  if (!is_first_pass_ || position < 0) return;
  const auto joints = static_cast<std::size_t>(block.joints());
  for (Index s = 0; s < block.size(); ++s, ++next_) {
    if (next_ % step_ != 0) continue;
    for (Index j = 0; j < block.joints(); ++j) kept_.push_back(block.row(position, j)[s]);
    if (kept_.size() < kMostKept * joints) continue;
    std::vector<double> half;
    for (std::size_t k = 0; k < kMostKept; k += 2)
      for (std::size_t j = 0; j < joints; ++j) half.push_back(kept_[k * joints + j]);
    kept_ = std::move(half);
    step_ *= 2;
  }
}

MatrixXd WatchedSource::positions() const {
  const Index joints = source_->joints();
  if (joints == 0) return {};
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      kept_.data(), static_cast<Index>(kept_.size()) / joints, joints);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
