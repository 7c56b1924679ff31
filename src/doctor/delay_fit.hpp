// Least squares with the efforts of every joint at its own time:
//
//   F(δ, π) = Σ_j w_j ‖τ_j(t + δ_j) − τ_known − Y_j π‖²,        w_j one over joint j's own residual
//
// π that is best at given δ is linear in the nodes v of delay_rows.hpp, and with H = Σ w YᵀY what remains is a quadratic form,
//
//   F(δ) = v(δ)ᵀ Q v(δ) − 2 lᵀ v(δ) + c,        Q = diag(w EᵀE) − Bᵀ H⁻¹ B,  B = w YᵀE
//
// of the joints of one run; l and c of a fitted run come from the other runs of its group that are fitted, at their own delays. A ridge of 1e-9 of each column's square keeps
// columns finite that depend on others.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "doctor/delay_rows.hpp"

namespace steelyard::doctor {

using RunDelays = Eigen::VectorXd;  // [s] per joint

// F of one joint's delay, the others given.
struct DelayParabola {
  Eigen::MatrixXd Q;
  Eigen::VectorXd l;
  double at(const Eigen::VectorXd& v) const { return v.dot(Q * v) - 2 * l.dot(v); }
};

class DelayFit {
 public:
  explicit DelayFit(const DelayRows& rows);

  const std::vector<RunDelays>& delays() const { return delays_; }
  void set_delays(std::size_t run, const RunDelays& delays) { delays_[run] = delays; }

  // Weights from what is left at these delays; three iterations.
  void weigh();

  // F of a run's joints, without one of its blocks (−1: with all).
  class OfRun {
   public:
    // One delay of all joints, or one of each; starting from the best of a grid where `start` is empty.
    RunDelays common(std::optional<double> start = {}) const;
    RunDelays each(RunDelays start) const;
    double F(const RunDelays& delays) const;
    Eigen::VectorXd parameters(const RunDelays& delays) const;  // π
   private:
    friend class DelayFit;
    DelayParabola of_all() const;
    DelayParabola of_one(Index joint, const RunDelays& others) const;
    const DelayRunRows* run_ = nullptr;
    Index width_ = 0;        // nodes and the known effort
    Eigen::MatrixXd Q_, M_;  // M = H⁻¹ B
    Eigen::VectorXd l_, m_;  // m = H⁻¹ b of the other runs
  };
  OfRun of_run(std::size_t run, Index without = -1) const;

  // Σ over a block's rows of (τ − Yπ)², joint by joint.
  Eigen::VectorXd left(std::size_t run, std::size_t block, const RunDelays& delays,
                       const Eigen::VectorXd& parameters) const;
  const Eigen::MatrixXd& weights() const { return weights_; }  // run × joint

 private:
  bool helps(std::size_t other, std::size_t run) const;
  const DelayRows& rows_;
  std::vector<std::vector<Eigen::MatrixXd>> totals_;  // products of all blocks, by run and joint
  std::vector<RunDelays> delays_;
  Eigen::MatrixXd weights_;
};

}  // namespace steelyard::doctor
