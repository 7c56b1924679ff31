// A source that keeps some of the positions that are read through it, evenly spread, for finding the period
// of a motion without a pass of its own.
#pragma once

#include <memory>
#include <vector>

#include "steelyard/log/source.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

class WatchedSource : public SampleSource {
 public:
  explicit WatchedSource(std::unique_ptr<SampleSource> source);

  const std::string& name() const override { return source_->name(); }
  const std::vector<std::string>& channels() const override { return source_->channels(); }
  Index joints() const override { return source_->joints(); }
  void rewind() override;
  void read(Index samples, SampleBlock& block) override;

  // About a thousand samples × joints of the first pass.
  MatrixXd positions() const;
  Index step() const { return step_; }  // samples between them

 private:
  std::unique_ptr<SampleSource> source_;
  std::vector<double> kept_;  // joint by joint, sample by sample
  Index step_ = 1;
  Index next_ = 0;  // index of the next sample
  bool is_first_pass_ = true;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
