// Products of a tile's columns, and columns made of others.

STEELYARD_INLINE void add_block(const GramCall& call, Size i, Size j, int rows, const double* sum) {
  for (int v = 0; v < rows; ++v) {
    double* row = call.gram + (i + v) * call.stride + j;
    for (int k = 0; k < 4; ++k) row[k] += sum[v * kPanel + k];
  }
}

// Entries (i, j), j ≥ i, of the Gram matrix grow by xᵢᵀ xⱼ; four columns at a time.
void add_gram(const GramCall& call) {
  double sum[4 * kPanel];
  for (Size first = 0; first < call.size; first += 4) {
    own_dots(call.columns + first, call.samples, sum);
    add_block(call, first, first, 4, sum);
    for (Size i = first; i < first + 4; i += kRowBlock) {
      for (Size j = first + 4; j < call.size; j += 4) {
        if (call.size - j > 2)
          dots<4>(call.columns + i, call.columns + j, call.samples, sum);
        else
          dots<2>(call.columns + i, call.columns + j, call.samples, sum);
        add_block(call, i, j, kRowBlock, sum);
      }
    }
  }
}

template <int Groups>
STEELYARD_INLINE void subtract_groups(const SubtractCall& call, Size s) {
  constexpr int kVectors = Groups * kPasses;
  V rest[kVectors];
#pragma GCC unroll 8
  for (int p = 0; p < kVectors; ++p) rest[p] = load(call.target + s + p * kWidth);
  for (Size k = 0; k < call.count; ++k) {
    const V factor = all(call.factors[k]);
#pragma GCC unroll 8
    for (int p = 0; p < kVectors; ++p)
      rest[p] = fnma(factor, load(call.columns[k] + s + p * kWidth), rest[p]);
  }
#pragma GCC unroll 8
  for (int p = 0; p < kVectors; ++p) store(call.target + s + p * kWidth, rest[p]);
}

// target −= Σ_k factors[k] columns[k]; several groups of lanes at a time, since each sum waits for itself.
void subtract(const SubtractCall& call) {
  constexpr int kGroups = STEELYARD_LANES == 8 ? 8 : STEELYARD_LANES / 2;
  Size s = 0;
  for (; s + kGroups * kPanel <= call.samples; s += kGroups * kPanel) subtract_groups<kGroups>(call, s);
  for (; s < call.samples; s += kPanel) subtract_groups<1>(call, s);
}
