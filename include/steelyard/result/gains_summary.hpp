// `gains` and `payloads` of a result: drive gains by method, loads in the tool frame.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// A number with what is known of its error.
struct UncertainValue {
  double value = 0;
  std::optional<double> sigma;
  std::optional<double> sigma_classical;
  std::optional<std::pair<double, double>> interval;
};

struct GainValue {
  std::string joint;
  std::string status;                  // "identified", "prior", "not_identifiable", "given"
  std::optional<UncertainValue> gain;  // absent when it is not identifiable
};

struct GainMethodSummary {
  std::string method;  // "ls", "wls", "tls", "prediction_error", "feasible", "given"
  bool converged = true;
  std::optional<double> residual;  // of the currents, rms over the joints' relative ones
  std::optional<double> held_out;  // the same for blocks that were left out
  std::optional<double> gap;       // tls: ratio of the two smallest singular values
  std::optional<int> essential;    // base parameters that were left
  std::vector<GainValue> joints;
};

struct DriftSummary {
  std::string run;
  std::string joint;
  double change = 0;  // of the current that the same torque takes
  double sigma = 0;
};

struct GainsSummary {
  std::string used;  // method whose gains gave the torques
  int columns = 0;   // unknowns and the scale
  std::vector<GainMethodSummary> methods;
  std::vector<DriftSummary> drift;  // significant ones
};

struct PayloadSummary {
  std::string name;
  std::string run;                                   // that it was identified from
  std::map<std::string, UncertainValue> parameters;  // m, mx … Jzz in the tool frame
  std::optional<double> known_mass;
  double mass_sigma_noise = 0;  // parts of the mass's deviation
  double mass_sigma_gains = 0;
  bool gains_dominate = false;
  // The nearest body that can exist; absent when there is none.
  std::optional<double> mass;
  Vector3 com = Vector3::Zero();
  Vector6 inertia_com = Vector6::Zero();
  Vector6 inertia_origin = Vector6::Zero();
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
