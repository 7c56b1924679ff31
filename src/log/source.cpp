#include "steelyard/log/source.hpp"

#include <algorithm>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/log/forwarding_source.hpp"
#include "steelyard/log/transmission.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

class MemorySource : public SampleSource {
 public:
  explicit MemorySource(std::shared_ptr<const Run> run) : run_(std::move(run)) {}

  const std::string& name() const override { return run_->label.label; }
  const std::vector<std::string>& channels() const override { return run_->samples.channels(); }
  Index joints() const override { return run_->samples.joints(); }
  void rewind() override { next_ = 0; }

  void read(Index samples, SampleBlock& block) override {
    const Index count = std::min(samples, run_->samples.size() - next_);
    if (block.channels() != channels() || block.joints() != joints())
      block = SampleBlock(channels(), joints());
    block.resize(0);
    block.append(run_->samples, next_, count);
    next_ += count;
  }

 private:
  std::shared_ptr<const Run> run_;
  Index next_ = 0;
};

class JointSideSource : public ForwardingSource {
 public:
  JointSideSource(std::unique_ptr<SampleSource> source, const Transmission& transmission)
      : ForwardingSource(std::move(source)), transmission_(transmission) {
    SampleBlock empty(source_->channels(), source_->joints());
    to_joint_side(transmission_, empty);
    channels_ = empty.channels();
  }

  const std::vector<std::string>& channels() const override { return channels_; }

  void read(Index samples, SampleBlock& block) override {
    // The names of the block that was filled last would otherwise make the source allocate a new one.
    if (block.channels() == channels_) {
      for (std::size_t c = 0; c < channels_.size(); ++c)
        block.rename(static_cast<Index>(c), source_->channels()[c]);
    }
    source_->read(samples, block);
    to_joint_side(transmission_, block);
  }

 private:
  Transmission transmission_;
  std::vector<std::string> channels_;
};

}  // namespace

std::unique_ptr<SampleSource> view_run(const Run& run) {
  return view_run(std::shared_ptr<const Run>(std::shared_ptr<const Run>(), &run));  // owns nothing
}

std::unique_ptr<SampleSource> view_run(std::shared_ptr<const Run> run) {
  return std::make_unique<MemorySource>(std::move(run));
}

std::unique_ptr<SampleSource> on_joint_side(std::unique_ptr<SampleSource> source,
                                            const Transmission& transmission) {
  return std::make_unique<JointSideSource>(std::move(source), transmission);
}

SampleBlock read_all(SampleSource& source) {
  SampleBlock all(source.channels(), source.joints());
  SampleBlock block;
  source.rewind();
  for (source.read(4096, block); block.size() > 0; source.read(4096, block))
    all.append(block, 0, block.size());
  all.pack();
  return all;
}

Run read_run(const RunFile& file, const std::vector<LogJoint>& joints) {
  const auto source = open_run(file, joints);
  return {file.label, read_all(*source)};
}

}  // namespace steelyard
