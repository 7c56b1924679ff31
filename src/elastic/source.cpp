// Positions of stiff joints are those of their motors.
#include <algorithm>
#include <utility>

#include "steelyard/elastic/elastic.hpp"
#include "steelyard/log/forwarding_source.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

class StiffJoints final : public ForwardingSource {
 public:
  StiffJoints(std::unique_ptr<SampleSource> source, std::vector<bool> is_elastic)
      : ForwardingSource(std::move(source)), is_elastic_(std::move(is_elastic)) {}

  void read(Index samples, SampleBlock& block) override {
    source_->read(samples, block);
    const int theta = block.find(channel::kTheta), q = block.find(channel::kPosition);
    for (std::size_t j = 0; j < is_elastic_.size(); ++j)
      if (!is_elastic_[j])
        std::copy_n(block.row(theta, static_cast<Index>(j)), block.size(),
                    block.row(q, static_cast<Index>(j)));
  }

 private:
  std::vector<bool> is_elastic_;
};

}  // namespace

std::unique_ptr<SampleSource> elastic_source(std::unique_ptr<SampleSource> source,
                                             const ElasticModel& model) {
  const bool all = std::all_of(model.is_elastic.begin(), model.is_elastic.end(), [](bool it) { return it; });
  if (all || !model.has_theta) return source;
  return std::make_unique<StiffJoints>(std::move(source), model.is_elastic);
}

}  // namespace steelyard
