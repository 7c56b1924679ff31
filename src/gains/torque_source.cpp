#include "steelyard/gains/torque_source.hpp"

#include <utility>

#include "steelyard/log/forwarding_source.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// A source with the further channel torque = matrix · current.
class TorqueSource final : public ForwardingSource {
 public:
  TorqueSource(std::unique_ptr<SampleSource> source, MatrixXd matrix)
      : ForwardingSource(std::move(source)), matrix_(std::move(matrix)), channels_(source_->channels()) {
    channels_.emplace_back(channel::kTorque);
  }

  const std::vector<std::string>& channels() const override { return channels_; }

  void read(Index samples, SampleBlock& block) override {
    if (block.channels() == channels_) block = SampleBlock(source_->channels(), joints());
    source_->read(samples, block);
    const int current = block.find(channel::kCurrent);
    const int torque = block.add_channel(std::string(channel::kTorque));
    for (Index i = 0; i < matrix_.rows(); ++i) {
      double* to = block.row(torque, i);
      for (Index j = 0; j < matrix_.cols(); ++j) {
        if (matrix_(i, j) == 0) continue;
        const double* from = block.row(current, j);
        for (Index s = 0; s < block.size(); ++s) to[s] += matrix_(i, j) * from[s];
      }
    }
  }

 private:
  MatrixXd matrix_;
  std::vector<std::string> channels_;
};

// A source with its torques multiplied, joint by joint.
class ScaledSource final : public ForwardingSource {
 public:
  ScaledSource(std::unique_ptr<SampleSource> source, VectorXd factors)
      : ForwardingSource(std::move(source)), factors_(std::move(factors)) {}

  void read(Index samples, SampleBlock& block) override {
    source_->read(samples, block);
    const int torque = block.find(channel::kTorque);
    for (Index j = 0; j < joints(); ++j) {
      double* effort = block.row(torque, j);
      for (Index s = 0; s < block.size(); ++s) effort[s] *= factors_[j];
    }
  }

 private:
  VectorXd factors_;
};

}  // namespace

std::unique_ptr<SampleSource> with_torques(std::unique_ptr<SampleSource> source, MatrixXd matrix) {
  return std::make_unique<TorqueSource>(std::move(source), std::move(matrix));
}

std::unique_ptr<SampleSource> with_scaled_torques(std::unique_ptr<SampleSource> source, VectorXd factors) {
  return std::make_unique<ScaledSource>(std::move(source), std::move(factors));
}

}  // namespace steelyard
