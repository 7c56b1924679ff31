#include "steelyard/simulate/elastic.hpp"

#include "steelyard/log/source.hpp"
#include "steelyard/study/simulation.hpp"

namespace steelyard::inline STEELYARD_ABI {

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
  // In memory, unlike other sources: the motion is integrated at once.
  return view_run(std::make_shared<const Run>(
      elastic_log(elastic_motion(robot, elastic, motion, options), options, spec.options.label)));
}

}  // namespace steelyard
