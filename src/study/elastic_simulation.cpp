#include "steelyard/simulate/elastic.hpp"

#include "steelyard/log/forwarding_source.hpp"
#include "steelyard/study/simulation.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// The log of a simulation, which is not streamed: its motion is integrated at once.
class OwnedRun final : public ForwardingSource {
 public:
  explicit OwnedRun(Run run) : ForwardingSource(nullptr), run_(std::move(run)) { source_ = view_run(run_); }

 private:
  Run run_;
};

}  // namespace

std::unique_ptr<SampleSource> elastic_simulation(const SimulationSpec& spec, const Robot& robot,
                                                 const TrueParameters& parameters, const Trajectory& motion) {
  const ElasticSimulationSpec& springs = *spec.elastic;
  ElasticMotionOptions options;
  options.rate = spec.options.rate;
  options.samples = spec.options.samples;
  options.bandwidth = springs.bandwidth;
  options.link_noise = spec.options.position_noise;
  options.motor_noise = springs.motor_noise;
  options.relative_encoder_noise = springs.relative_encoder_noise;
  options.quantum = spec.options.quantum;
  options.effort_noise = spec.options.effort_noise;
  options.relative_effort_noise = spec.options.relative_effort_noise;
  options.elastic_torque_noise = springs.elastic_torque_noise;
  options.seed = spec.options.seed;
  const ElasticRobot elastic{parameters, springs.stiffness, springs.damping};
  return std::make_unique<OwnedRun>(
      elastic_log(elastic_motion(robot, elastic, motion, options), options, spec.options.label));
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
