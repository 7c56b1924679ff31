// A source made of another one: the same samples, unless a class states what it changes.
#pragma once

#include <utility>

#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

class ForwardingSource : public SampleSource {
 public:
  explicit ForwardingSource(std::unique_ptr<SampleSource> source) : source_(std::move(source)) {}

  const std::string& name() const override { return source_->name(); }
  const std::vector<std::string>& channels() const override { return source_->channels(); }
  Index joints() const override { return source_->joints(); }
  void rewind() override { source_->rewind(); }
  void read(Index samples, SampleBlock& block) override { source_->read(samples, block); }

 protected:
  std::unique_ptr<SampleSource> source_;
};

}  // namespace steelyard
