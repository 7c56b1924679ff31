// The model behind a table of g(q) and M(q), as a result has it (reverse/, docs/reverse.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct ReverseComponent {
  std::string name;  // "g2", "M31"; a joint for torques
  std::int64_t count = 0;
  double mean_square = 0;
  double largest = 0;
  double scale = 0;  // RMS of the entries themselves
};

// Errors of the model on one set of configurations, or of its torques on a run; of a reference's coefficients
// on the training set.
struct ReverseErrors {
  std::string label;
  std::string role;  // "training", "validation", "loaded", "torque", "reference"
  std::int64_t configurations = 0;
  double relative = 0;
  std::vector<ReverseComponent> components;
};

struct ReverseCoefficient {
  std::string name;
  std::string expression;
  double value = 0;
  std::optional<double> sigma;
};

// One of the fits: gravity alone, inertia alone, both.
struct ReversePart {
  std::string rows;
  std::int64_t unknowns = 0;
  std::int64_t rank = 0;
  std::optional<double> condition;
  std::optional<double> condition_scaled;
  double relative = 0;
  std::vector<ReverseCoefficient> coefficients;
};

struct ReverseTilt {
  double angle = 0;  // [rad]
  double sigma = 0;
  Vector3 rotation = Vector3::Zero();
  Vector3 gravity = Vector3::Zero();
};

struct ReverseKinematics {
  std::string axes;  // "base", "tool"
  Vector3 offset = Vector3::Zero();
  double angular = 0;
  double linear = 0;
};

// Factor between gravity and inertia (reverse/examine.hpp).
struct ReverseGravityScale {
  double scale = 1;
  double apart = 0;
  double together = 0;
};

struct ReverseMass {
  std::string from;  // lead of the base parameter
  double coefficient = 0;
  double mass = 0;
  std::optional<double> sigma;
};

struct ReverseParameter {
  std::string name;  // "m", "mx", …
  double value = 0;
  std::optional<double> sigma;
};

struct ReversePayload {
  std::string link;
  std::vector<ReverseParameter> parameters;  // those that are seen
  std::vector<ReverseMass> masses;
  double unexplained = 0;
};

// How good the configurations are, beside random ones of the same number.
struct ReverseDesign {
  std::int64_t least = 0;               // configurations that would show everything
  std::optional<double> efficiency;     // (det / median random det)^(1/p)
  std::optional<double> mean_variance;  // over that of the median random set
};

// Coefficients that others found, by lead; ours are the result's base.
struct ReverseReference {
  std::string label;
  std::vector<ReverseParameter> values;
};

struct ReverseSummary {
  std::string source;
  std::vector<ReversePart> parts;
  std::vector<ReverseErrors> errors;
  std::optional<ReverseTilt> tilt;
  std::optional<ReverseKinematics> kinematics;
  std::optional<ReverseGravityScale> gravity_scale;
  std::optional<double> skew_symmetry;  // largest |xᵀ(Ṁ − 2S)x| / (|x|² |M| |q̇|)
  std::optional<ReversePayload> payload;
  std::optional<ReverseDesign> design;
  std::optional<ReverseReference> reference;
  std::vector<std::string> unknown;  // standard parameters that no such table shows
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
