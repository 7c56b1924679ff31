// Rows of a robot whose efforts are motor currents, through any rigid transmission.
//
//   u_j = g_j v_j            effort of drive j at its joint: gain times current
//   τ = mix · u              mix = Nᵀ diag(N)⁻¹ with q_motor = N (q − zero); the unit matrix without one
//   joint row i:   Σ_j mix_ij g_j v_j = Y_i π
//   motor row j:   g_j v_j = Σ_i unmix_ji Y_i π,      unmix = mix⁻¹
//
// For a wrist whose motor 6 is coupled to joint 5 the joint rows are τ5 = g5 v5 + g6 v6, τ6 = g6 v6,
// the motor rows g5 v5 = τ5 − τ6, g6 v6 = τ6. Rows are mixed after the fold: the fold of row i also holds the
// columns of the rows it is mixed with ("Jxx6@6", row 6's) and the other motors' currents ("v6").
//
// Loads stand in the columns of the tool link: which run carries which load, and which of its parameters are
// known, is decided after the fold as well. A gain is negative when motor and joint count against each other.
//
// Columns beside the plan's (forms of friction, expressions, offsets of a run) are unknowns like the leads;
// known efforts are one column with the coefficient 1, kKnownEffort. Gears that take of their load are in the
// plan, whose signs depend on what the run carries.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/layout.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/gains/options.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/regressor/gear_loads.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr const char* kKnownEffort = "known effort";

struct CurrentRows {
  Plan plan;                        // leads of the base and the ten of the tool link, the run's gears
  std::vector<Layout> layouts;      // one per row
  std::vector<ExtraColumns> extra;  // of the coupled rows
  MatrixXd mix;
  MatrixXd unmix;
  std::vector<std::string> joints;  // names, one per row
  std::vector<std::string> gains;   // "g1" …
  std::vector<std::string> leads;   // base parameters, then the further columns
  std::vector<std::string> tool;    // the ten of the tool link, in order
  MatrixXd load_to_link;
  std::vector<std::vector<std::string>> further;  // columns beside the plan's, by row
  std::vector<std::vector<std::string>> known;    // columns of known efforts, by row
};

struct CurrentRowOptions {
  bool ignore_coupling = false;  // every motor drives its own joint alone
  std::string preparation;       // hash, for the layouts
  std::vector<ExtraColumns> further;
  std::vector<ExtraColumns> known;
  std::vector<GearLoad> gears;
  std::map<std::string, double> load_values;  // of links' columns, whose loads give the gears their signs
};

// Throws InputError for a transmission whose diagonal has a zero.
CurrentRows current_rows(const Robot& robot, const BaseParameters& base,
                         const CurrentRowOptions& options = {});

// One pass over a run that has the channel "current". Throws InputError when it has none, or another number
// of joints.
FoldPass fold_currents(PreparedRun& run, const CurrentRows& rows, PassOptions options = {});

// The fold of a row as one equation: columns are leads, and the ten of `load` (empty: none); efforts are the
// gains', each with its current.
Fold sided_fold(const CurrentRows& rows, Index row, const Fold& fold, const std::string& load, RowSide side);

}  // namespace steelyard
