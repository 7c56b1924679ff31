// All robots of a fleet at one choice of the healthy ones: the fleet's parameters, the scatter, chances.
#pragma once

#include <vector>

#include "fleet/causes.hpp"
#include "fleet/scatter.hpp"
#include "steelyard/core/abi.hpp"
#include "steelyard/fleet/compare.hpp"

namespace steelyard::inline STEELYARD_ABI {

using Robots = std::vector<std::size_t>;

// The fleet's parameters.
struct Pool {
  VectorXd values, sigma;
};

// Everything about the robots at one choice of the healthy ones.
struct Round {
  Pool pool;
  Scatter scatter;
  Robots healthy;
  std::vector<Suspect> suspects;
  std::vector<Reduced> robots;  // of members
  std::vector<double> chances;  // of members: the smallest over all causes, times their number
};

// Examines `members` repeatedly with different healthy ones among them.
class Examiner {
 public:
  Examiner(const FleetInput& input, const std::vector<OwnFit>& fits, const Robots& members, int threads)
      : input_(input), fits_(fits), members_(members), threads_(threads) {}

  Round examine(const Robots& healthy);

 private:
  Index parameters() const { return static_cast<Index>(input_.columns.size()); }
  Scatter scatter_of(const Robots& robots) const;
  std::vector<Reduced> reduced(const Robots& robots, const MatrixXd& T_inverse) const;

  const FleetInput& input_;
  const std::vector<OwnFit>& fits_;
  const Robots& members_;
  int threads_;
  std::vector<MatrixXd> products_;
  VectorXd start_;
};

}  // namespace steelyard
