// The information form of a fold: G = AᵀA is summed tile by tile, R is its Cholesky factor. Half the work of
// reflections, but the error of ‖R v‖² is about ε ‖Ĝ⁻¹‖ of itself (Ĝ: G with columns of norm one) where
// reflections make an error of some ε. So it is used only
//
//   for long calls      a probe of 192 samples, spread over all of them, is folded by reflections first
//   after a change of   columns that nearly depend on earlier ones (the effort nearly always does, and some
//   columns             columns of a single row do exactly) are replaced sample by sample by what is left,
//                         a'_k = a_k − Σ_j c_kj a_j,   c from the probe,
//                       and R = R' C⁻¹ afterwards: dependence costs no digits
//   when the factor     trace Ĝ'⁻¹ ≤ 5e4. Sums of tiles are added in two levels and the factor is taken in
//   says so             long double; rounding then leaves ‖E‖ < 2e-15 in Ĝ' = R̂ᵀR̂ + E, so that ‖R v‖² is
//                       right to 2e-15 · 5e4 = 1e-10 of itself for every v. Otherwise the rows are folded
//                       again, by reflections.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "fold/aligned.hpp"
#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr Index kShortestInformation =
    4096;                                       // samples of a call; below, the probe would cost too much
inline constexpr double kLargestInverse = 5e4;  // of trace Ĝ'⁻¹

class Information {
 public:
  Information() = default;  // not usable

  // `probe` has some rows of the fold to come.
  explicit Information(const Fold& probe);

  // False: the probe is too short or its columns depend on one another in more ways than can be removed.
  bool usable() const { return usable_; }

  // As Fold::consume: columns are overwritten, samples past `count` up to a multiple of eight are zero.
  void add(std::span<double* const> columns, Index count, Index valid);

  // R, size × size; nothing when it would not be as accurate as promised, or G is not finite.
  std::optional<MatrixXd> factor();
  Index rows() const { return rows_; }

 private:
  struct Replaced {
    Index column = 0;
    std::vector<Index> from;
    std::vector<double> factors;
  };
  bool replace_weak(const MatrixXd& R);
  void flush();

  bool usable_ = false;
  Index size_ = 0;
  Index stride_ = 0;
  Index rows_ = 0;
  Index tiles_ = 0;                 // in part_
  std::vector<Replaced> replaced_;  // ascending
  std::vector<double> part_, total_;
  std::vector<double> zeros_;
};

}  // namespace steelyard
