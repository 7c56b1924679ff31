#include "steelyard/log/source.hpp"
#include "steelyard/simulate/closed_loop.hpp"
#include "steelyard/study/simulation.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::unique_ptr<SampleSource> driven_simulation(const SimulationSpec& spec, const Robot& robot,
                                                const TrueParameters& parameters, const Trajectory& efforts) {
  ClosedLoopOptions options;
  options.control = Control::effort;
  options.rate = spec.options.rate;
  options.samples = spec.options.samples;
  options.position_noise = spec.options.position_noise;
  options.quantum = spec.options.quantum;
  options.effort_noise = spec.options.effort_noise;
  options.seed = spec.options.seed;
  if (spec.start.size() > 0) {
    const VectorXd rest = VectorXd::Zero(spec.start.size());
    options.start = JointState{spec.start, rest, rest};
  }
  // In memory, unlike other sources: the motion is integrated at once.
  return view_run(std::make_shared<const Run>(
      closed_loop_log(closed_loop(robot, parameters, efforts, options), options, spec.options.label)));
}

}  // namespace steelyard
