// From samples to tiles: workspaces, padding and the rows of mimic joints.
#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "regressor/program.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/regressor/gear_loads.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using simd::kLanes;
using simd::Size;

constexpr Index kChunk = 64;             // samples of a mimic robot's joint tile
constexpr std::size_t kOnStack = 24576;  // bytes; a robot of ten joints fits

struct FreeAligned {
  void operator()(double* p) const { ::operator delete (p, std::align_val_t{64}); }
};
using AlignedBuffer = std::unique_ptr<double, FreeAligned>;

AlignedBuffer aligned_buffer(std::size_t doubles) {
  return AlignedBuffer(static_cast<double*>(::operator new (doubles * sizeof(double), std::align_val_t{64})));
}

void run(const kernels::Program& program, const simd::Call& call) {
  const simd::Table& table = kernel_table(call.count);
  switch (program.kind) {
    case RowKind::torque:
      return table.torque(program.view, call);
    case RowKind::gravity:
      return table.gravity(program.view, call);
    case RowKind::inertia:
      return table.inertia(program.view, call);
  }
}

// A last group of at most half the width goes through the narrower kernels.
void run_all(const kernels::Program& program, simd::Call& call) {
  const Size count = call.count, rest = count % kLanes;
  if (count > kLanes && rest > 0 && rest <= kLanes / 2) {
    call.count = count - rest;
    run(program, call);
    for (const double** channel : {&call.q, &call.qd, &call.qdd}) {
      if (*channel) *channel += call.count;
    }
    call.tile += call.count;
    call.count = rest;
  }
  run(program, call);
}

void run_joints(const kernels::Program& program, const Samples& samples, double* tile, Index column_stride) {
  const simd::View& view = program.view;
  const std::size_t bytes = sizeof(double) * kLanes * static_cast<std::size_t>(simd::workspace_vectors(view));
  const bool still = program.kind != RowKind::torque;
  simd::Call call;
  call.q = samples.q;
  call.qd = still ? nullptr : samples.qd;
  call.qdd = still ? nullptr : samples.qdd;
  call.stride = samples.stride;
  call.count = samples.count;
  call.tile = tile;
  call.column_stride = column_stride;
  if (bytes <= kOnStack) {
    alignas(64) double workspace[kOnStack / sizeof(double)];
    call.workspace = workspace;
    run_all(program, call);
  } else {
    const AlignedBuffer workspace = aligned_buffer(bytes / sizeof(double));
    call.workspace = workspace.get();
    run_all(program, call);
  }
}

// x_all = matrix · x (+ offset) for samples first … first + count.
void expand(const Coordinates& coordinates, bool with_offset, const double* x, Index stride, Index first,
            Index count, double* all) {
  for (Index i = 0; i < coordinates.matrix.rows(); ++i) {
    double* to = all + i * kChunk;
    std::fill(to, to + count, with_offset ? coordinates.offset[i] : 0.0);
    for (Index a = 0; a < coordinates.matrix.cols(); ++a) {
      const double ratio = coordinates.matrix(i, a);
      if (ratio == 0) continue;
      for (Index s = 0; s < count; ++s) to[s] += ratio * x[a * stride + first + s];
    }
  }
}

void mix(const std::vector<kernels::Mix>& mixes, const double* joints, Index count, double* tile,
         Index column_stride) {
  int written = -1;
  for (const kernels::Mix& m : mixes) {
    const double* from = joints + m.source * kChunk;
    double* to = tile + m.target * column_stride;
    if (m.target == written) {
      for (Index s = 0; s < count; ++s) to[s] += m.factor * from[s];
    } else {
      for (Index s = 0; s < count; ++s) to[s] = m.factor * from[s];
    }
    written = m.target;
  }
}

void run_mimic(const kernels::Program& program, const Samples& samples, double* tile, Index column_stride) {
  const Index n = program.coordinates.matrix.rows();
  const AlignedBuffer all = aligned_buffer(static_cast<std::size_t>(3 * n * kChunk));
  const AlignedBuffer joints = aligned_buffer(static_cast<std::size_t>(program.joint_columns * kChunk));
  double* channels[3] = {all.get(), all.get() + n * kChunk, all.get() + 2 * n * kChunk};
  const bool still = program.kind != RowKind::torque;
  for (Index first = 0; first < samples.count; first += kChunk) {
    const Index count = std::min(kChunk, samples.count - first);
    expand(program.coordinates, true, samples.q, samples.stride, first, count, channels[0]);
    if (!still) {
      expand(program.coordinates, false, samples.qd, samples.stride, first, count, channels[1]);
      expand(program.coordinates, false, samples.qdd, samples.stride, first, count, channels[2]);
    }
    run_joints(program, {channels[0], channels[1], channels[2], kChunk, count}, joints.get(), kChunk);
    mix(program.mixes, joints.get(), count, tile + first, column_stride);
  }
}

}  // namespace

Index tile_stride(Index count) {
  constexpr Index kLine = 8;  // doubles in a cache line
  const Index lines = (count + kLine - 1) / kLine;
  return kLine * (lines % 2 == 1 ? lines : lines + 1);
}

void evaluate(const Plan& plan, const Samples& samples, double* tile, Index column_stride) {
  const kernels::Program& program = *plan.program;
  if (samples.count <= 0 || plan.stored_columns == 0) return;
  require(column_stride >= (samples.count + kLanes - 1) / kLanes * kLanes, "a tile column holds all lanes");
  require(samples.q != nullptr && samples.stride >= samples.count, "samples have positions");
  require(program.kind != RowKind::torque || (samples.qd && samples.qdd), "torque rows need all derivatives");
  if (program.mixes.empty()) {
    run_joints(program, samples, tile, column_stride);
  } else {
    run_mimic(program, samples, tile, column_stride);
  }
  if (plan.gears) apply_gears(plan, samples, tile, column_stride);
}

MatrixXd regressor(const Plan& plan, const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  const bool still = plan.program->kind != RowKind::torque;
  require(q.size() == plan.joints, "one position per coordinate");
  require(still || (qd.size() == plan.joints && qdd.size() == plan.joints), "one derivative per coordinate");
  MatrixXd tile(kLanes, plan.stored_columns);
  evaluate(plan, {q.data(), still ? nullptr : qd.data(), still ? nullptr : qdd.data(), 1, 1}, tile.data(),
           kLanes);
  MatrixXd Y = MatrixXd::Zero(static_cast<Index>(plan.rows.size()), static_cast<Index>(plan.columns.size()));
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    const Row& row = plan.rows[r];
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      Y(static_cast<Index>(r), row.columns[k]) = tile(0, row.offset + static_cast<Index>(k));
    }
  }
  return Y;
}

}  // namespace steelyard
