#include "steelyard/log/decimating_filter.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "log/filter/block_sums_kernel.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using Complex = std::complex<long double>;

// Poles of the Butterworth prototype; s and its conjugate one after the other, a real one last.
std::vector<Complex> prototype(int order) {
  std::vector<Complex> s;
  for (int i = 0; i < order / 2; ++i) {
    const long double theta = (2 * i + 1) * std::numbers::pi_v<long double> / (2 * order);
    s.emplace_back(-std::sin(theta), std::cos(theta));
    s.push_back(std::conj(s.back()));
  }
  if (order % 2 == 1) s.emplace_back(-1.0L, 0.0L);
  return s;
}

// Residue of H(z) H(1/z) at p_i, z = (1 + g s) / (1 − g s). It is taken in s, where differences of poles do
// not cancel: H = Π_j −s_j / (s − s_j), 1/z is −s, and dz/ds = 2 g / (1 − g s)².
Complex residue(const std::vector<Complex>& s, std::size_t i, long double g) {
  Complex value = -s[i];
  for (std::size_t j = 0; j < s.size(); ++j) {
    value *= -s[j] / (-s[i] - s[j]);
    if (j != i) value *= -s[j] / (s[i] - s[j]);
  }
  return value * 2.0L * g / ((1.0L - g * s[i]) * (1.0L - g * s[i]));
}

}  // namespace

DecimatingFilter decimating_filter(const LowPass& filter, Index factor) {
  require(factor >= 1, "a decimation keeps every sample or fewer");
  const long double g =
      std::tan(std::numbers::pi_v<long double> * static_cast<long double>(filter.cutoff) / filter.rate);
  const std::vector<Complex> s = prototype(filter.order);
  DecimatingFilter out;
  out.factor = factor;
  out.weights = filter.order;
  out.width = (2 * out.weights + 7) / 8 * 8;
  out.table.assign(static_cast<std::size_t>(factor * out.width), 0.0);
  double* behind = out.table.data();
  double* ahead = behind + out.weights;
  long double own = 1;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i].imag() < 0) continue;  // its conjugate stands for both
    DecimatingFilter::Pole& pole = out.poles.emplace_back();
    pole.is_pair = s[i].imag() > 0;
    const Complex p = (1.0L + g * s[i]) / (1.0L - g * s[i]), r = residue(s, i, g);
    const long double both = pole.is_pair ? 2 : 1;
    pole.step = std::complex<double>(std::pow(p, static_cast<int>(factor)));
    pole.steady = std::complex<double>(1.0L / (1.0L - p));
    pole.behind = std::complex<double>(both * r);
    pole.ahead = std::complex<double>(both * r / p);
    own -= both * (2.0L * r / (1.0L - p) + r / p).real();
    Complex power = 1;
    for (Index j = 0; j < factor; ++j, power *= p) {
      double* row[2] = {ahead + j * out.width, behind + (factor - 1 - j) * out.width};
      for (double* weight : row) {
        weight[0] = static_cast<double>(power.real());
        if (pole.is_pair) weight[1] = static_cast<double>(power.imag());
      }
    }
    ahead += pole.is_pair ? 2 : 1;
    behind += pole.is_pair ? 2 : 1;
  }
  out.own = static_cast<double>(own);
  return out;
}

void block_sums(const DecimatingFilter& filter, const double* x, Index columns, Index stride, Index blocks,
                double* to) {
  const auto sum = kernels::block_sum();
  for (Index b = 0; b < blocks; ++b, to += filter.sums() * columns) {
    const double* block = x + b * filter.factor;
    for (Index c = 0; c < columns; c += kernels::kSumColumns) {
      const Index some = std::min(kernels::kSumColumns, columns - c);
      sum({filter.table.data(), filter.width, 2 * filter.weights, filter.factor},
          {block + c * stride, stride, some}, to + c, columns);
    }
    for (Index c = 0; c < columns; ++c) to[2 * filter.weights * columns + c] = block[c * stride];
  }
}

namespace {

using Eigen::ArrayXd;
using States = Eigen::Map<const ArrayXd>;  // vectors of what stands beside each other, column by column

// state ← sum + step · state, for all columns; the parts of a pair are one below the other.
void advance(const DecimatingFilter::Pole& pole, Index columns, const double* state, double* sum) {
  const double re = pole.step.real(), im = pole.step.imag();
  const States x(state, columns);
  Eigen::Map<ArrayXd> real(sum, columns);
  if (!pole.is_pair) {
    real += re * x;
    return;
  }
  const States y(state + columns, columns);
  Eigen::Map<ArrayXd> imaginary(sum + columns, columns);
  real += re * x - im * y;
  imaginary += im * x + re * y;
}

// Block's sums become states: U behind the block, V' at its first sample.
void walk(const DecimatingFilter& filter, Index columns, const double* state, double* sum) {
  for (const DecimatingFilter::Pole& pole : filter.poles) {
    advance(pole, columns, state, sum);
    state += (pole.is_pair ? 2 : 1) * columns;
    sum += (pole.is_pair ? 2 : 1) * columns;
  }
}

std::vector<double> steady_state(const DecimatingFilter& filter, const double* x, Index columns) {
  std::vector<double> state;
  for (const DecimatingFilter::Pole& pole : filter.poles) {
    for (Index c = 0; c < columns; ++c) state.push_back(pole.steady.real() * x[c]);
    for (Index c = 0; c < columns && pole.is_pair; ++c) state.push_back(pole.steady.imag() * x[c]);
  }
  return state;
}

// y += Re(factor · state)
void add_part(const DecimatingFilter& filter, std::complex<double> DecimatingFilter::Pole::*factor,
              Index columns, const double* state, ArrayXd& y) {
  for (const DecimatingFilter::Pole& pole : filter.poles) {
    const double re = (pole.*factor).real(), im = (pole.*factor).imag();
    y += re * States(state, columns);
    state += columns;
    if (!pole.is_pair) continue;
    y -= im * States(state, columns);
    state += columns;
  }
}

}  // namespace

void filtered_from_sums(const DecimatingFilter& filter, double* sums, const double* last, Index columns,
                        Index blocks, Index first, Index count, double* to, Index stride) {
  require(first >= 0 && count >= 0 && first + count <= blocks, "kept samples are first samples of blocks");
  const Index width = filter.sums() * columns, half = filter.weights * columns;
  const auto first_sample = [&](Index b) { return sums + b * width + 2 * half; };
  const std::vector<double> before = steady_state(filter, first_sample(0), columns),
                            after = steady_state(filter, last, columns);
  for (Index b = 0; b < blocks; ++b)
    walk(filter, columns, b == 0 ? before.data() : sums + (b - 1) * width, sums + b * width);
  for (Index b = blocks - 1; b >= first; --b)
    walk(filter, columns, b == blocks - 1 ? after.data() : sums + (b + 1) * width + half,
         sums + b * width + half);
  ArrayXd y(columns);
  for (Index k = 0; k < count; ++k) {
    const Index b = first + k;
    y = filter.own * States(first_sample(b), columns);
    add_part(filter, &DecimatingFilter::Pole::behind, columns,
             b == 0 ? before.data() : sums + (b - 1) * width, y);
    add_part(filter, &DecimatingFilter::Pole::ahead, columns, sums + b * width + half, y);
    for (Index c = 0; c < columns; ++c) to[c * stride + k] = y(c);
  }
}

}  // namespace steelyard
