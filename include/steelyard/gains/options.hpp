// Methods for drive gains, and loads that were fixed to the tool (docs/gains.md).
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/inertia.hpp"

namespace steelyard::inline STEELYARD_ABI {

// tls_rows: total least squares as printed, rows weighted and columns as they are.
enum class GainMethod { ls, wls, tls, prediction_error, feasible, tls_rows };
const char* to_string(GainMethod method);

enum class RowSide { joint, motor };
const char* to_string(RowSide side);

// Loads at the tool: which of the ten parameters are known, and how accurately.
//
//   m, mx, my, mz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz      in the tool frame, J about its origin
//   (robot/inertia.hpp)
//
// A parameter is unknown, known exactly (σ = 0), or known with a standard deviation. The mass of a load sets
// the scale of all gains and is taken as it was weighed: its standard deviation goes into that of the
// results. Other parameters with a standard deviation are estimated, with what is known of them as a prior.
// Columns are named after parameter and load: "mx_plate".

struct LoadParameter {
  std::optional<double> value;
  double sigma = 0;

  bool is_known() const { return value.has_value(); }
};

struct Load {
  std::string name;
  std::array<LoadParameter, kParametersPerLink> parameters;

  Index known_count() const;
  // Taken as given: exact ones, and the mass.
  bool is_fixed(int parameter) const;
  // Fixed parameters with their values, zero for the others.
  Vector10 fixed_values() const;
};

Load unknown_load(const std::string& name);
Load weighed_load(const std::string& name, double mass, double sigma = 0);
Load known_load(const std::string& name, const Inertia& body);

// "m_plate" … "Jzz_plate".
std::vector<std::string> load_columns(const std::string& load);

// Throws InputError for names that are empty or come twice, masses that are not positive, standard deviations
// below zero, numbers that are not finite, and ten known parameters that are physically impossible.
void validate(std::span<const Load> loads);

}  // namespace steelyard
