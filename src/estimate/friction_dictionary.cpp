#include "estimate/friction_dictionary.hpp"

#include <fmt/format.h>

#include <cmath>

#include "estimate/friction_point.hpp"
#include "steelyard/estimate/friction_choice.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSlowest = 0.01;                                     // v_1 over the fastest velocity
constexpr double kWidestPeak = friction_limits::kWidestBump;          // vs_8, likewise
constexpr double kWidestLoadPeak = friction_limits::kWidestLoadPeak;  // vm_8, likewise

}  // namespace

std::string tanh_name(int number, int k) {
  return fmt::format("ft{}.{}", number, k + 1);
}

std::string peak_name(int number, int k) {
  return fmt::format("fe{}.{}", number, k + 1);
}

std::string load_name(int number, int k) {
  return fmt::format("fl{}.{}", number, k + 1);
}
std::string driven_name(int number, int k) {
  return fmt::format("fb{}.{}", number, k + 1);
}

std::string load_peak_name(int number, int k) {
  return fmt::format("fq{}.{}", number, k + 1);
}

double dictionary_velocity(const FrictionJoint& joint, int k) {
  return joint.fastest * std::pow(kSlowest, 1 - static_cast<double>(k) / (kDictionarySize - 1));
}

double dictionary_peak(const FrictionJoint& joint, int k) {
  const double place = static_cast<double>(k) / (kDictionarySize - 1);
  return joint.fastest * std::pow(kSlowest, 1 - place) * std::pow(kWidestPeak, place);
}

double dictionary_load_peak(const FrictionJoint& joint, int k) {
  const double place = static_cast<double>(k) / (kDictionarySize - 1);
  return joint.fastest * std::pow(kSlowest, 1 - place) * std::pow(kWidestLoadPeak, place);
}

std::vector<ExtraColumns> dictionary_columns(const std::vector<FrictionJoint>& joints) {
  std::vector<ExtraColumns> list;
  for (const FrictionJoint& joint : joints) {
    ExtraColumns extra;
    for (int k = 0; k < kDictionarySize; ++k)
      extra.columns.push_back({tanh_name(joint.number, k), joint.row});
    for (int k = 0; k < kDictionarySize; ++k)
      extra.columns.push_back({peak_name(joint.number, k), joint.row});
    extra.fill = [joint](const SampleBlock& block, Index first, Index count, double* const* out) {
      const double* qd = block.row(block.find(channel::kVelocity), joint.channel) + first;
      for (int k = 0; k < kDictionarySize; ++k) {
        const double v = dictionary_velocity(joint, k);
        FrictionModel peak = friction_model(FrictionForm::stribeck);
        peak.velocity = dictionary_peak(joint, k);
        for (Index s = 0; s < count; ++s) {
          out[k][s] = std::tanh(qd[s] / v);
          out[kDictionarySize + k][s] = friction_shape(peak, qd[s]).value;
        }
      }
    };
    list.push_back(std::move(extra));
  }
  return list;
}

ExtraColumns load_dictionary(const std::vector<FrictionJoint>& joints, const GearOutput& output) {
  std::vector<LoadColumns> list;
  for (const FrictionJoint& joint : joints) {
    LoadColumns own{joint, {}, {}};
    std::vector<double> velocities;  // of the smooth signs; 0: the sign itself
    for (int k = -1; k < kDictionarySize; ++k) {
      own.names.push_back(load_name(joint.number, k));
      own.names.push_back(driven_name(joint.number, k));
      velocities.push_back(k < 0 ? 0 : dictionary_velocity(joint, k));
    }
    for (int k = 0; k < kDictionarySize; ++k) own.names.push_back(load_peak_name(joint.number, k));
    own.fill = [velocities, joint](const double* load, const double* qd, Index count, double* const* out) {
      for (std::size_t k = 0; k < velocities.size(); ++k)
        for (Index s = 0; s < count; ++s) {
          const double S = smooth_sign(velocities[k], qd[s]), lost = S * std::abs(load[s]);
          out[2 * k][s] = lost;
          out[2 * k + 1][s] = S * load[s] > 0 ? 0 : lost;
        }
      for (int k = 0; k < kDictionarySize; ++k) {
        double* peak = out[2 * velocities.size() + static_cast<std::size_t>(k)];
        const double velocity = dictionary_load_peak(joint, k);
        for (Index s = 0; s < count; ++s)
          peak[s] = smooth_sign(0, qd[s]) * std::abs(load[s]) * stribeck_decay(velocity, qd[s]);
      }
    };
    list.push_back(std::move(own));
  }
  return load_columns(output, std::move(list));
}

}  // namespace steelyard
