// One robot as C99: a header and a source that need nothing but sin, cos and exp of <math.h>, and what extra
// columns call.
//
// Straight-line code without loops, branches on data, allocation or state: every call does the same work
// (hard real time, usable from many threads). The robot's numbers are folded in; terms that are zero for this
// robot do not appear. Functions, with <p> the given prefix and N coordinates:
//   <p>_inverse_dynamics(q, qd, qdd, tau)   rigid bodies, rotors, friction, extra columns
//   <p>_mass_matrix(q, M)                   N·N by rows, rotors included
//   <p>_coriolis(q, qd, c)                  S(q, q̇) q̇
//   <p>_gravity(q, g)
//   <p>_friction(qd, tau)                   of velocities alone
//   <p>_load_friction(q, qd, qdd, tau)      what gears take of their load; where they do
//   <p>_rest_band(q, low, high)             efforts between which the robot stays at rest
//   <p>_regressor(q, qd, qdd, Y)            N·B by rows; tau = Y · <p>_parameters + nonlinear friction
// The base regressor is there when base columns are given.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/expression.hpp"
#include "steelyard/export/model.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct CCode {
  std::string header;
  std::string source;
};

// An extra column of the regressor: `expression` of q, qd, qdd of coordinate `row` and q1, qd1, qdd1, q2, …
// of all coordinates, as export_variables() names them. Its effort is part of inverse_dynamics and of the
// regressor and of the rest bands, not of the mass matrix, gravity, Coriolis terms and friction; the C code calls the same
// functions.
struct CColumn {
  std::string name;
  Index row = 0;
  double value = 0;
  Expression expression;
};
std::vector<std::string> export_variables(Index coordinates);
VectorXd column_effort(const std::vector<CColumn>& columns, const ExportState& state);
// What they add to the ends of the rest bands: their effort at rest, with the sign that their joint's velocity would take.
RestBands column_rest(const std::vector<CColumn>& columns, const VectorXd& q);

struct COptions {
  std::string prefix = "robot";         // of all names; a C identifier
  std::string header_name = "robot.h";  // as the source includes it
  std::vector<std::string> columns;     // base columns by machine name: lead columns, drives included
  VectorXd values;                      // their values
  std::vector<CColumn> extra;           // behind them
};

// Throws InputError for a prefix that is not a C identifier, columns the robot does not have, and Stribeck
// exponents other than 1 and 2 (C code would need pow).
CCode to_c(const ExportModel& model, const COptions& options);

// Compiles the code with the machine's C compiler (`cc`, or $CC), calls every function at `states`, and
// returns the largest difference from the library over the largest effort, inertia or Coriolis term. Throws
// MachineError when there is no compiler, InternalError when the code does not compile.
double check_c(const CCode& code, const ExportModel& model, const COptions& options,
               const std::vector<ExportState>& states);

}  // namespace steelyard
