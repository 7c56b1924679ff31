#include "low_pass_kernel.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace kernels {
namespace {

#define STEELYARD_INLINE inline __attribute__((always_inline))

template <int Bytes>
struct Vector {
  typedef double type __attribute__((vector_size(Bytes), may_alias));
  typedef double unaligned __attribute__((vector_size(Bytes), may_alias, aligned(8)));
  typedef long long index __attribute__((vector_size(Bytes)));
};

// Sections of two poles, one behind the other, over Count vectors of lanes beginning at `lane`. The states
// stay in registers, and while one section waits for its own last sample the other computes.
template <int Bytes, int Count, int Sections>
STEELYARD_INLINE void two_poles(const LowPassSection* c, double* state, double* first, Index step,
                                Index samples, int lane) {
  using V = typename Vector<Bytes>::type;
  constexpr int kWidth = Bytes / static_cast<int>(sizeof(double));
  V s1[Sections][Count], s2[Sections][Count];
  for (int k = 0; k < Sections; ++k) {
    for (int v = 0; v < Count; ++v) {
      s1[k][v] = *reinterpret_cast<V*>(state + 2 * kLanes * k + lane + v * kWidth);
      s2[k][v] = *reinterpret_cast<V*>(state + 2 * kLanes * k + kLanes + lane + v * kWidth);
    }
  }
  for (Index i = 0; i < samples; ++i) {
    double* row = first + i * step + lane;
    for (int v = 0; v < Count; ++v) {
      V& value = *reinterpret_cast<V*>(row + v * kWidth);
      V x = value;
      for (int k = 0; k < Sections; ++k) {
        const V e = x - s2[k][v];
        const V d = c[k].a2 * s1[k][v] + c[k].a3 * e;
        const V half = c[k].a1 * s1[k][v] + c[k].a2 * e;
        x = s2[k][v] + d;
        s2[k][v] = s2[k][v] + (d + d);
        s1[k][v] = (half + half) - s1[k][v];
      }
      value = x;
    }
  }
  for (int k = 0; k < Sections; ++k) {
    for (int v = 0; v < Count; ++v) {
      *reinterpret_cast<V*>(state + 2 * kLanes * k + lane + v * kWidth) = s1[k][v];
      *reinterpret_cast<V*>(state + 2 * kLanes * k + kLanes + lane + v * kWidth) = s2[k][v];
    }
  }
}

template <int Bytes, int Count>
STEELYARD_INLINE void one_pole(const LowPassSection& c, double* state, double* first, Index step,
                               Index samples, int lane) {
  using V = typename Vector<Bytes>::type;
  constexpr int kWidth = Bytes / static_cast<int>(sizeof(double));
  V s[Count];
  for (int v = 0; v < Count; ++v) s[v] = *reinterpret_cast<V*>(state + kLanes + lane + v * kWidth);
  for (Index i = 0; i < samples; ++i) {
    double* row = first + i * step + lane;
    for (int v = 0; v < Count; ++v) {
      V& x = *reinterpret_cast<V*>(row + v * kWidth);
      const V d = c.a1 * (x - s[v]);
      x = s[v] + d;
      s[v] = s[v] + (d + d);
    }
  }
  for (int v = 0; v < Count; ++v) *reinterpret_cast<V*>(state + kLanes + lane + v * kWidth) = s[v];
}

#if defined(__clang__) || __GNUC__ >= 12
#define STEELYARD_SHUFFLE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define STEELYARD_SHUFFLE(a, b, i, j, k, l) __builtin_shuffle(a, b, Vector<32>::index{i, j, k, l})
#endif

// to[column][row] = from[row][column] for 4 × 4 numbers.
STEELYARD_INLINE void transpose4(const double* from, Index from_stride, double* to, Index to_stride) {
  using V = Vector<32>::unaligned;
  const V a = *reinterpret_cast<const V*>(from), b = *reinterpret_cast<const V*>(from + from_stride);
  const V c = *reinterpret_cast<const V*>(from + 2 * from_stride);
  const V d = *reinterpret_cast<const V*>(from + 3 * from_stride);
  const V ab0 = STEELYARD_SHUFFLE(a, b, 0, 4, 2, 6), ab1 = STEELYARD_SHUFFLE(a, b, 1, 5, 3, 7);
  const V cd0 = STEELYARD_SHUFFLE(c, d, 0, 4, 2, 6), cd1 = STEELYARD_SHUFFLE(c, d, 1, 5, 3, 7);
  *reinterpret_cast<V*>(to) = STEELYARD_SHUFFLE(ab0, cd0, 0, 1, 4, 5);
  *reinterpret_cast<V*>(to + to_stride) = STEELYARD_SHUFFLE(ab1, cd1, 0, 1, 4, 5);
  *reinterpret_cast<V*>(to + 2 * to_stride) = STEELYARD_SHUFFLE(ab0, cd0, 2, 3, 6, 7);
  *reinterpret_cast<V*>(to + 3 * to_stride) = STEELYARD_SHUFFLE(ab1, cd1, 2, 3, 6, 7);
}

// to[column][row] = from[row][column], any size.
template <int Bytes>
STEELYARD_INLINE void transpose(const double* from, Index from_stride, Index rows, Index columns, double* to,
                                Index to_stride) {
  // Without 32-byte registers plain moves are faster than the shuffles.
  const Index whole_rows = Bytes < 32 ? 0 : rows - rows % 4, whole_columns = columns - columns % 4;
  for (Index r = 0; r < whole_rows; r += 4) {
    for (Index c = 0; c < whole_columns; c += 4) {
      transpose4(from + r * from_stride + c, from_stride, to + c * to_stride + r, to_stride);
    }
  }
  for (Index r = 0; r < rows; ++r) {
    for (Index c = r < whole_rows ? whole_columns : 0; c < columns; ++c) {
      to[c * to_stride + r] = from[r * from_stride + c];
    }
  }
}

template <int Bytes, int Count>
STEELYARD_INLINE void run(const LowPassSection* sections, int count, double* state, const Block& block) {
  constexpr int kGroup = Count * Bytes / static_cast<int>(sizeof(double));
  alignas(64) double tile[kTileRows * kLanes];
  const int used = (block.lanes + kGroup - 1) / kGroup * kGroup;  // lanes that are computed
  for (int lane = block.lanes; lane < used; ++lane)
    for (Index i = 0; i < block.rows; ++i) tile[i * kLanes + lane] = 0;
  transpose<Bytes>(block.data, block.stride, block.lanes, block.rows, tile, kLanes);
  const bool forward = block.direction == Direction::forward;
  double* first = forward ? tile : tile + (block.rows - 1) * kLanes;
  const Index step = forward ? kLanes : -kLanes;
  for (int lane = 0; lane < used; lane += kGroup) {
    for (int k = 0; k < count;) {
      double* own = state + 2 * kLanes * k;
      if (sections[k].a3 == 0) {
        one_pole<Bytes, Count>(sections[k++], own, first, step, block.rows, lane);
      } else if (k + 1 < count) {  // a section with one pole comes first
        two_poles<Bytes, Count, 2>(sections + k, own, first, step, block.rows, lane);
        k += 2;
      } else {
        two_poles<Bytes, Count, 1>(sections + k++, own, first, step, block.rows, lane);
      }
    }
  }
  transpose<Bytes>(tile, kLanes, block.rows, block.lanes, block.data, block.stride);
}

void run_baseline(const LowPassSection* sections, int count, double* state, const Block& block) {
  run<16, 2>(sections, count, state, block);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void run_avx2(const LowPassSection* sections, int count, double* state,
                                              const Block& block) {
  run<32, 2>(sections, count, state, block);
}
#endif

}  // namespace

std::vector<BlockFilter> available_block_filters() {
  std::vector<BlockFilter> filters = {run_baseline};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) filters.push_back(run_avx2);
#endif
  return filters;
}

BlockFilter block_filter() {
  static const BlockFilter best = available_block_filters().back();
  return best;
}

}  // namespace kernels
}  // namespace STEELYARD_ABI
}  // namespace steelyard
