#include "steelyard/log/resample.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/log/forwarding_source.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kPoints = 4;

// Value at a grid point = Σ weight[i] · value[first + i].
struct Stencil {
  Index first = 0;
  std::array<double, kPoints> weight{};
};

// Lagrange weights of `points` stamps at time t.
std::array<double, kPoints> lagrange(const double* stamps, int points, double t) {
  std::array<double, kPoints> weight{};
  for (int i = 0; i < points; ++i) {
    double w = 1;
    for (int k = 0; k < points; ++k) {
      if (k != i) w *= (t - stamps[k]) / (stamps[i] - stamps[k]);
    }
    weight[i] = w;
  }
  return weight;
}

// Stencil for time t in the interval [stamp i, stamp i + 1]; false when stamps that it needs have not been
// read yet.
bool find_stencil(const ResampleInput& in, Interpolation method, Index i, double t, Stencil& stencil) {
  const double* stamps = in.stamps;
  const bool linear = method == Interpolation::linear || stamps[i + 1] - stamps[i] > in.gap;
  const int points = linear ? 2 : static_cast<int>(std::min<Index>(kPoints, in.run_samples));
  const Index run_first =
      std::clamp<Index>(in.stamps_begin + i - (points > 2 ? 1 : 0), 0, in.run_samples - points);
  stencil.first = run_first - in.stamps_begin;
  require(stencil.first >= 0, "stamps before the grid point are missing");
  if (stencil.first + points > in.samples) return false;
  stencil.weight = lagrange(stamps + stencil.first, points, t);
  return true;
}

}  // namespace

Index resample(const ResampleInput& in, const UniformGrid& grid, Index first, Index count, double* out,
               Index out_stride) {
  std::vector<Stencil> stencils;
  Index i = 0;
  for (Index k = first; k < std::min(first + count, grid.samples); ++k) {
    // Rounding may put the last point behind the last stamp: the run still ends there.
    const bool complete = in.stamps_begin + in.samples == in.run_samples;
    const double t = complete ? std::min(grid.time(k), in.stamps[in.samples - 1]) : grid.time(k);
    while (i + 2 < in.samples && in.stamps[i + 1] < t) ++i;
    if (in.samples < 2 || in.stamps[i + 1] < t) break;
    Stencil stencil;
    if (!find_stencil(in, grid.interpolation, i, t, stencil)) break;
    stencils.push_back(stencil);
  }
  for (Index r = 0; r < in.rows; ++r) {
    const double* from = in.values + r * in.stride;
    double* to = out + r * out_stride;
    for (std::size_t k = 0; k < stencils.size(); ++k) {
      const Stencil& s = stencils[k];
      double sum = 0;
      for (int p = 0; p < kPoints; ++p) {
        if (s.weight[p] != 0) sum += s.weight[p] * from[s.first + p];
      }
      to[k] = sum;
    }
  }
  return static_cast<Index>(stencils.size());
}

namespace {

class GridSource : public ForwardingSource {
 public:
  GridSource(std::unique_ptr<SampleSource> source, const TimeScan& scan, const UniformGrid& grid)
      : ForwardingSource(std::move(source)),
        scan_(scan),
        grid_(grid),
        window_(source_->channels(), source_->joints()) {
    source_->rewind();
  }

  void rewind() override {
    source_->rewind();
    window_.resize(0);
    window_begin_ = 0;
    next_ = 0;
  }

  void read(Index samples, SampleBlock& block) override {
    if (grid_.interpolation == Interpolation::none) {
      source_->read(samples, block);
      require(block.size() <= grid_.samples - next_, "a source gave more samples than before");
    } else {
      interpolate(samples, block);
    }
    for (Index i = 0; i < block.size(); ++i) block.time()[i] = grid_.time(next_ + i);
    next_ += block.size();
  }

 private:
  void interpolate(Index samples, SampleBlock& block) {
    if (block.channels() != channels() || block.joints() != joints())
      block = SampleBlock(channels(), joints());
    const Index wanted = std::min(samples, grid_.samples - next_);
    block.resize(wanted);
    Index filled = 0;
    while (filled < wanted) {
      const ResampleInput input{
          window_.time(), window_.size(), window_begin_,    scan_.samples,
          window_.data(), window_.rows(), window_.stride(), kGapFactor * scan_.median_step};
      filled +=
          resample(input, grid_, next_ + filled, wanted - filled, block.data() + filled, block.stride());
      if (filled == wanted) break;
      drop_used(grid_.time(next_ + filled));
      source_->read(4096, piece_);
      require(piece_.size() > 0, "a source gave fewer samples than before");
      window_.append(piece_, 0, piece_.size());
    }
  }

  // Keeps the stencil of time t and of all later times: three stamps before the interval, four at the run's
  // end.
  void drop_used(double t) {
    const double* stamps = window_.time();
    const Index before = std::lower_bound(stamps, stamps + window_.size(), t) - stamps;
    const Index dropped = std::max<Index>(0, before - kPoints);
    window_.drop_front(dropped);
    window_begin_ += dropped;
  }

  TimeScan scan_;
  UniformGrid grid_;
  SampleBlock window_;  // samples of the source around the next grid point
  SampleBlock piece_;
  Index window_begin_ = 0;
  Index next_ = 0;
};

}  // namespace

std::unique_ptr<SampleSource> on_grid(std::unique_ptr<SampleSource> source, const TimeScan& scan,
                                      const UniformGrid& grid) {
  return std::make_unique<GridSource>(std::move(source), scan, grid);
}

}  // namespace steelyard
