// Sections `elastic` of a study and of a simulated run.
#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {

void describe(Fields& f, ElasticSpec& spec) {
  ElasticOptions& options = spec.options;
  f.choice({"equations", "", "that match the signals of the log"}, options.equations,
           {{"motors_and_links", ElasticEquations::motors_and_links},
            {"elastic_torque", ElasticEquations::elastic_torque},
            {"links", ElasticEquations::links}});
  f.texts({"joints", "", "that have springs; none: all. The others are stiff"}, options.joints);
  f.flag({"encoder_delay", "", "each link encoder may have a delay"}, options.encoder_delay);
  f.flag({"deflection_offset", "", "a constant deflection of each joint"}, options.deflection_offset);
  f.number({"min_snr", "", "deflection over its noise below which a spring is taken as stiff"},
           options.min_snr, from_to(0, 1e9, "10 is typical"));
  f.number({"level", "", "of the intervals"}, options.level, inside(0, 1, "0.95 is typical"));
  f.check([&] { options.validate(); });
}

void describe(Fields& f, ElasticSimulationSpec& spec) {
  const Allowed positive = at_least(0);
  f.numbers(required({"stiffness", "N m/rad, N/m", "of the springs, one for all joints or one per joint"}),
            spec.stiffness, above(0));
  f.numbers({"damping", "N m s/rad, N s/m", "of the springs"}, spec.damping, positive);
  f.number({"bandwidth", "Hz", "of the control"}, spec.bandwidth, above_to(0, 1e6, "5 is typical"));
  f.numbers({"motor_noise", "rad, m", "standard deviation of the motor encoders"}, spec.motor_noise,
            positive);
  f.numbers({"relative_encoder_noise", "", "of both encoders, as share of the RMS deflection"},
            spec.relative_encoder_noise, positive);
  f.numbers(acts_only("with `equations: elastic_torque`",
                      {"elastic_torque_noise", "N m, N", "standard deviation of the torque sensors"}),
            spec.elastic_torque_noise, positive);
}

}  // namespace steelyard
