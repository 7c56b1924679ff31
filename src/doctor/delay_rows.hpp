// The rows that a delay is estimated from, as products of their columns: one pass over a run, in which the efforts are columns
// at 2K + 1 times, a node every `unit` seconds. The effort at any time t + δ between is a sum of eight of them,
//
//   τ(t + δ) = Σ_k u_k(δ) τ(t + k unit),        u: Lagrange's polynomials
//
// so that every fit at every delay of every joint follows from the products, block by block, without the log.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "steelyard/doctor/delay.hpp"

namespace steelyard::doctor {

// Of one run and joint.
struct DelayEquations {
  std::vector<Index> columns;  // of the model
  std::vector<Eigen::MatrixXd>
      blocks;  // products of these columns, then the efforts at all nodes, then the known effort
  std::vector<double> rows;  // of each block

  Index own() const { return static_cast<Index>(columns.size()); }
  Eigen::MatrixXd total() const;
};

struct DelayRunRows {
  std::vector<DelayEquations> joints;
  double unit = 0;      // [s] between two nodes
  Index reach = 0;      // K
  bool is_fit = false;  // other runs of its group may use it
  std::string group;    // runs with the same model
  std::string why_not;  // no rows; empty: there are some

  double longest() const { return static_cast<double>(reach - 1) * unit; }  // delay that can be told [s]
  // u(δ), and −1 of the known effort.
  Eigen::VectorXd nodes(double seconds) const;
};

struct DelayRows {
  std::vector<DelayRunRows> runs;
  Index parameters = 0;
};

DelayRows delay_rows(const Robot& robot, const std::vector<DelayedRun>& runs, const DelayOptions& options);

}  // namespace steelyard::doctor
