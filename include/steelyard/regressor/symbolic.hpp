// The dynamics of a robot as formulas: M(q), C(q, q̇), g(q) and the regressor Y(q, q̇, q̈) in its base parameters.
//
//   M q̈ + C q̇ + g = τ,     C by Christoffel's symbols,     Y π_b = τ with friction and rotor inertia
//
// Angles of parallel axes that follow each other are added up, cos(q2 + q3), products of their sines and cosines become
// sums; what several axes contribute stays a product. In this form every function has one sum, so that terms which cancel
// do cancel. A base parameter is written as its lead column: the others are in it (regressor/base.hpp).
//
// Texts are expressions of core/: variables q1 …, qd1 …, qdd1 …, the robot's named lengths, g and the leads. Angles between axes
// are numbers.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct SymbolicOptions {
  bool inertia = false;  // which of them are wanted
  bool coriolis = false;
  bool gravity = false;
  bool regressor = false;
  Index most_terms = 100000;  // of all of them together; more: InputError
};

struct SymbolicEntry {
  std::string text;
  std::string latex;
  Index terms = 0;
};

struct SymbolicSymbol {
  std::string name;
  double value = 0;
};

struct SymbolicDynamics {
  std::vector<SymbolicSymbol> symbols;  // lengths [m] and g [m/s²] that occur in the robot
  std::vector<std::string> leads;       // base parameters, in the order of the regressor's columns
  std::vector<std::vector<SymbolicEntry>> inertia;    // joints × joints
  std::vector<std::vector<SymbolicEntry>> coriolis;   // likewise
  std::vector<SymbolicEntry> gravity;                 // joints
  std::vector<std::vector<SymbolicEntry>> regressor;  // joints × leads
};

// Throws InputError for robots with mimic joints or a load column, and when there are too many terms.
SymbolicDynamics symbolic_dynamics(const Robot& robot, const BaseParameters& base,
                                   const SymbolicOptions& options);

}  // namespace steelyard
