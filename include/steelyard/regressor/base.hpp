// Base parameters: the combinations of standard parameters that motion can identify.
//
// The regressor's columns are linearly dependent over all motions: Y = Y_L K with Y_L the independent
// ("lead") columns and K = [1 B] up to the order of columns, so that
//   τ = Y π = Y_L (K π),   π_b = K π   (the papers' dynamic coefficients).
// Rank: pivoted QR of Y on random samples within the limits, columns that are below 1e-10 of their natural
// scale (powers of the robot's length, not their own norm) taken out first. The gap is the ratio of the last
// kept to the first dropped pivot; a gap under 1e3 is `ambiguous`: both candidate ranks are in the result and
// nothing is chosen. Lead columns are found by going through the columns in a fixed order (inertias of all
// links from the first to the last, then first moments, masses, drives, payload) and keeping each one that is
// independent of those kept before: what can be expressed by an earlier one never leads. This is the order of
// the published tables.
//
// Expressions: every entry of K is sought as Σ rational × monomial in named lengths × sin/cos of named fixed
// angles, the monomial's degree given by the units (a mass enters an inertia with length²). Angles within
// 1e-4 rad of a multiple of π/2 count as such in expressions only, and are listed in `snapped`: numbers and
// rank are those of the robot as given, and a column that leads only because such an angle is a little off
// has no expression. Expressions are verified at other lengths and angles; an entry without a short form
// keeps its number and is marked exact = false.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Which rows are measured; `gravity_inertia`: both, in one consistent base.
enum class RowSet { torque, gravity, inertia, gravity_inertia };
const char* to_string(RowSet rows);

// Ten more columns for a load at the tool, in the tool frame: `m_load` … `Jzz_load`.
enum class PayloadRuns { none, loaded_only, unloaded_and_loaded };

struct BaseOptions {
  RowSet rows = RowSet::torque;
  bool drives = true;  // drive and coupled columns that the robot declares
  PayloadRuns payload = PayloadRuns::none;
  std::vector<std::string> zero;  // parameters known to be zero, by machine name: their columns are left out
  bool expressions = true;
  std::uint64_t seed = 1;
};

struct BaseTerm {
  std::string parameter;   // machine name
  double coefficient = 0;  // number at the robot's own geometry
  std::string symbolic;    // "a2^2 + d4^2", "0" where snapped angles make it vanish; empty: no short form
};

struct BaseParameter {
  std::string lead;             // machine name of the lead column
  std::vector<BaseTerm> terms;  // lead first, then in column order
  std::vector<BaseTerm>
      vanishing;           // zero at this robot's lengths only (a4^2 - a5^2 with a5 = -a4); not printed
  std::string expression;  // "J2xx - J2yy + a2^2 (m2 + m3)"
  std::string latex;
  bool exact = false;  // every coefficient has a verified short form
};

struct SnappedAngle {
  std::string name;
  double value = 0;       // rad, as given
  int quarter_turns = 0;  // what expressions take it for, in units of π/2
};

struct BaseParameters {
  std::vector<std::string> columns;
  bool ambiguous = false;  // no clear gap; `rank` and `other_rank` are the two candidates
  int rank = 0;
  int other_rank = 0;
  double gap = 0;         // last kept over first dropped pivot (over rounding noise when nothing is dropped)
  int inertial_rank = 0;  // the same without drive and payload columns
  std::vector<int> lead;  // indices into columns, ascending by the order of the published tables
  MatrixXd K;             // rank × columns: π_b = K π
  std::vector<BaseParameter> base;
  std::vector<std::string> unseen;  // columns that are zero for every motion
  std::vector<SnappedAngle> snapped;
};

BaseParameters base_parameters(const Robot& robot, const BaseOptions& options = {});

// One line of text: identifiable alone, only in combination (with which base parameters), or not at all and
// why.
struct Identifiability {
  std::string parameter;
  enum class Kind { alone, combined, unseen } kind = Kind::unseen;
  std::string why;
};
std::vector<Identifiability> identifiability(const Robot& robot, const BaseParameters& base);

}  // namespace steelyard
