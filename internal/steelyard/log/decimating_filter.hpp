// The zero-phase low-pass at every D-th sample only, inside a run.
//
// Forward and backward passes together have the impulse response (poles p_i of one pass, residues r_i of
// H(z) H(1/z) at them)
//   h_m = Σ_i r_i p_i^(|m|−1),  m ≠ 0,        h_0 = 1 − 2 Σ_i r_i / (1 − p_i)       (gain one at frequency 0)
// so that the filtered value is a sum over what was and what comes,
//   y_k = h_0 x_k + Σ_i r_i (U_k + V_k),    U_k = Σ_{m≥1} p^(m−1) x_{k−m},    V_k = Σ_{m≥1} p^(m−1) x_{k+m}
// and from one kept sample to the next both take one step:
//   U_{k+D} = p^D U_k + Σ_{j<D} p^(D−1−j) x_{k+j},        V_k likewise from V_{k+D}.
// The sums over a block of D samples are 2 × order products of known weights with each column: no recurrence
// from sample to sample, nothing written back, and samples may be forgotten block by block.
//
// The values are those of filter_zero_phase to some 1e-14 of the signal where at least `halo` samples of the
// array are on both sides; it knows nothing of the ends of a run, where that one reflects.
#pragma once

#include <complex>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/low_pass.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct DecimatingFilter {
  // A real pole, or one of a pair (both count: residue and weight are doubled).
  struct Pole {
    bool is_pair = false;
    std::complex<double> step;    // p^D
    std::complex<double> steady;  // 1 / (1 − p): U and V' of a constant
    std::complex<double> behind;  // of U_k in y_k
    std::complex<double> ahead;   // of V'_k = x_k + p V_k in y_k
  };

  Index factor = 1;   // D
  Index weights = 0;  // real ones per direction: the order
  Index width = 0;    // of the table: twice as many, rounded up to eight
  double own = 0;     // of x_k in y_k
  std::vector<Pole> poles;
  std::vector<double> table;  // [sample of a block][behind, then ahead, then zeros]

  // Numbers that block_sums leaves per column: the sums, and the block's first sample.
  Index sums() const { return 2 * weights + 1; }
};

DecimatingFilter decimating_filter(const LowPass& filter, Index factor);

// Sums of `blocks` blocks of D samples each; column c is x[c * stride …]. Sum i of column c in block b goes
// to to[(b * sums() + i) * columns + c]. The same bytes on every processor.
void block_sums(const DecimatingFilter& filter, const double* x, Index columns, Index stride, Index blocks,
                double* to);

// Filtered values at the first samples of blocks [first, first + count) of `blocks` in a row; column c goes
// to to[c * stride …]. `sums` are those of block_sums and are used up; behind the last block every column
// stays at its value in `last`.
void filtered_from_sums(const DecimatingFilter& filter, double* sums, const double* last, Index columns,
                        Index blocks, Index first, Index count, double* to, Index stride);

}  // namespace steelyard
