#include "study/read_elastic.hpp"

#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

ElasticSpec read_elastic_section(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(
      context, node, "elastic",
      {"equations", "joints", "encoder_delay", "deflection_offset", "least_snr", "level"});
  ElasticSpec spec;
  ElasticOptions& options = spec.options;
  if (const YamlNode* equations = fields.find("equations")) {
    constexpr ElasticEquations kEquations[] = {ElasticEquations::motors_and_links,
                                               ElasticEquations::elastic_torque, ElasticEquations::links};
    options.equations = kEquations[to_choice(context, *equations, "equations",
                                             {"motors_and_links", "elastic_torque", "links"})];
  }
  if (const YamlNode* joints = fields.find("joints"))
    for (const YamlNode& joint : to_list(context, *joints, "joints"))
      options.joints.push_back(to_text(context, joint, "joint"));
  if (const YamlNode* delay = fields.find("encoder_delay"))
    options.encoder_delay = to_bool(context, *delay, "encoder_delay");
  if (const YamlNode* offset = fields.find("deflection_offset"))
    options.deflection_offset = to_bool(context, *offset, "deflection_offset");
  if (const YamlNode* snr = fields.find("least_snr"))
    options.least_snr = to_number(context, *snr, "least_snr");
  if (const YamlNode* level = fields.find("level")) options.level = to_number(context, *level, "level");
  validate_at(context, node, options);
  return spec;
}

ElasticSimulationSpec read_elastic_simulation(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(
      context, node, "elastic",
      {"stiffness", "damping", "bandwidth", "motor_noise", "relative_encoder_noise", "elastic_torque_noise"});
  ElasticSimulationSpec spec;
  const auto list = [&](const char* key, VectorXd& target) {
    if (const YamlNode* given = fields.find(key)) {
      const std::vector<double> numbers = to_numbers(context, *given, key);
      target = Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()));
    }
  };
  fields.at("stiffness");
  list("stiffness", spec.stiffness);
  list("damping", spec.damping);
  list("motor_noise", spec.motor_noise);
  list("relative_encoder_noise", spec.relative_encoder_noise);
  list("elastic_torque_noise", spec.elastic_torque_noise);
  if (const YamlNode* bandwidth = fields.find("bandwidth"))
    spec.bandwidth = to_number(context, *bandwidth, "bandwidth");
  return spec;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
