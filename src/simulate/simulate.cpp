#include "steelyard/simulate/simulate.hpp"

#include <algorithm>
#include <utility>

namespace steelyard::inline STEELYARD_ABI {
namespace {

class SimulatedSource : public SampleSource {
 public:
  explicit SimulatedSource(Simulator simulator) : simulator_(std::move(simulator)) {}

  const std::string& name() const override { return simulator_.options().label.label; }
  const std::vector<std::string>& channels() const override { return simulator_.channels(); }
  Index joints() const override { return simulator_.joints(); }
  void rewind() override { next_ = 0; }
  void read(Index samples, SampleBlock& block) override {
    const Index count = std::min(samples, simulator_.size() - next_);
    simulator_.read(next_, count, block);
    next_ += count;
  }

 private:
  Simulator simulator_;
  Index next_ = 0;
};

}  // namespace

Run simulate(const Robot& robot, const TrueParameters& parameters, const Trajectory& trajectory,
             const SimulateOptions& options) {
  const Simulator simulator(robot, parameters, trajectory, options);
  Run run{options.label, {}};
  simulator.read(0, simulator.size(), run.samples);
  return run;
}

std::unique_ptr<SampleSource> simulated_source(Simulator simulator) {
  return std::make_unique<SimulatedSource>(std::move(simulator));
}

}  // namespace steelyard
