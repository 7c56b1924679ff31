#include "steelyard/gains/errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/log/encoder_noise.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kFrequencies = 2000;

// Samples of a run as they enter the rows.
SampleBlock states_block(Index joints, Index count) {
  return SampleBlock(
      {std::string(channel::kPosition), std::string(channel::kVelocity), std::string(channel::kAcceleration),
       std::string(channel::kCurrent), std::string(channel::kMoving)},
      joints, count);
}

constexpr Index kMovingRow = 4;
constexpr double kMostlyMoving = 0.5;

// 1 where the fold keeps the joint's rows: neither at standstill nor slower than the limit.
bool has_row(const PreparedChunk& chunk, const Preparation& preparation, Index joint, Index sample) {
  if (preparation.standstill.half > 0)
    return chunk.samples.row(chunk.samples.find(channel::kMoving), joint)[sample] > kMostlyMoving;
  const VectorXd& limits = preparation.velocity_below;
  if (limits.size() == 0) return true;
  const double limit = limits[limits.size() == 1 ? 0 : joint];
  return std::abs(chunk.samples.row(chunk.samples.find(channel::kVelocity), joint)[sample]) >= limit;
}

// Every `step`-th core sample of a chunk.
void take_states(const PreparedChunk& chunk, const Preparation& preparation, Index step,
                 SampleBlock& states) {
  const Range core = chunk.chunk.core;
  const Index joints = states.joints();
  for (Index s = (core.begin + step - 1) / step * step; s < core.end; s += step) {
    const Index to = states.size();
    states.resize(to + 1);
    for (Index c = 0; c < 3; ++c) {
      const int from = chunk.samples.find(states.channels()[static_cast<std::size_t>(c)]);
      for (Index j = 0; j < joints; ++j)
        states.row(c, j)[to] = chunk.samples.row(from, j)[s - chunk.chunk.halo.begin];
    }
    for (Index j = 0; j < joints; ++j)
      states.row(kMovingRow, j)[to] = has_row(chunk, preparation, j, s - chunk.chunk.halo.begin) ? 1 : 0;
  }
}

// Median over chunks of the noise of a channel.
class NoiseOfChannel {
 public:
  NoiseOfChannel(std::string_view name, Index joints)
      : name_(name), found_(static_cast<std::size_t>(joints)) {}

  void add(const SampleBlock& block) {
    const int channel = block.find(name_);
    if (channel < 0) return;
    for (std::size_t j = 0; j < found_.size(); ++j)
      found_[j].push_back(white_noise(block.row(channel, static_cast<Index>(j)), block.size()));
  }

  VectorXd median() {
    VectorXd out = VectorXd::Zero(static_cast<Index>(found_.size()));
    for (std::size_t j = 0; j < found_.size(); ++j) {
      std::vector<double>& list = found_[j];
      if (list.empty()) continue;
      std::nth_element(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2), list.end());
      out[static_cast<Index>(j)] = list[list.size() / 2];
    }
    return out;
  }

 private:
  std::string_view name_;
  std::vector<std::vector<double>> found_;
};

SampleBlock disturbed(const SampleBlock& states, const FilteredNoise& noise, std::uint64_t seed) {
  SampleBlock out = states;
  const std::array<const VectorXd*, 4> sigma = {&noise.position, &noise.velocity, &noise.acceleration,
                                                &noise.current};
  for (Index s = 0; s < states.size(); ++s) {
    Random random(seed, "errors of columns", static_cast<std::uint64_t>(s));
    for (std::size_t c = 0; c < sigma.size(); ++c)
      for (Index j = 0; j < states.joints(); ++j)
        out.row(static_cast<Index>(c), j)[s] += random.normal(0, (*sigma[c])[j]);
  }
  return out;
}

// All stored columns of the plan, then the extra ones.
MatrixXd all_columns_of(const CurrentRows& rows, const SampleBlock& block) {
  const Index count = block.size(), stride = tile_stride(count);
  MatrixXd tile(stride, rows.plan.stored_columns);
  const Samples samples{block.row(0), block.row(1), block.row(2), block.stride(), count};
  evaluate(rows.plan, samples, tile.data(), stride);
  const MatrixXd extra = evaluate_columns(rows.extra, block, 0, count);
  MatrixXd out(count, tile.cols() + extra.cols());
  out << tile.topRows(count), extra;
  return out;
}

// Columns of Coulomb friction, own and of pairs.
bool is_jump(const std::string& column) {
  return column.rfind("fc", 0) == 0;
}

Fold error_fold(const Layout& layout, const MatrixXd& errors, bool jumps) {
  MatrixXd own = errors;
  for (Index k = 0; k < own.cols(); ++k)
    if (is_jump(layout.name(k)) != jumps) own.col(k).setZero();
  Fold fold = fold_rows(layout, own);
  fold.scale(1 / std::sqrt(static_cast<double>(own.rows())));
  return fold;
}

// The samples in which the row's joint has a row; one of zeros when there are none.
MatrixXd kept_rows_of(const MatrixXd& all, const double* moving) {
  MatrixXd kept =
      MatrixXd::Zero(std::max<Index>(1, std::count(moving, moving + all.rows(), 1.0)), all.cols());
  Index next = 0;
  for (Index s = 0; s < all.rows(); ++s)
    if (moving[s] > 0) kept.row(next++) = all.row(s);
  return kept;
}

RowErrors error_rows(const CurrentRows& rows, const SampleBlock& states, const SampleBlock& noisy) {
  const MatrixXd difference = all_columns_of(rows, noisy) - all_columns_of(rows, states);
  RowErrors errors;
  for (std::size_t r = 0; r < rows.plan.rows.size(); ++r) {
    const Row& row = rows.plan.rows[r];
    MatrixXd own = MatrixXd::Zero(states.size(), rows.layouts[r].size());
    const auto count = static_cast<Index>(row.columns.size());
    own.leftCols(count) = difference.middleCols(row.offset, count);
    Index next = count, at = rows.plan.stored_columns;
    for (const ExtraColumns& extra : rows.extra) {
      for (const ExtraColumn& column : extra.columns) {
        if (column.row == static_cast<Index>(r)) own.col(next++) = difference.col(at);
        ++at;
      }
    }
    for (Index s = 0; s < states.size(); ++s) own(s, next) = noisy.row(3, row.i)[s] - states.row(3, row.i)[s];
    own = kept_rows_of(own, states.row(kMovingRow, row.i));
    errors.smooth.push_back(error_fold(rows.layouts[r], own, false));
    errors.jumps.push_back(error_fold(rows.layouts[r], own, true));
  }
  return errors;
}

}  // namespace

FilteredNoise filtered_noise(const SignalNoise& noise, const Preparation& preparation) {
  const double T = preparation.grid.step, rate = 1 / T;
  double position = 0, velocity = 0, acceleration = 0, current = 0, from_velocity = 0, as_velocity = 0;
  for (int k = 0; k < kFrequencies; ++k) {
    const double f = (k + 0.5) / (2.0 * kFrequencies) * rate, w = 2 * std::numbers::pi * f * T;
    const auto power = [&](const std::optional<LowPass>& filter) {
      return filter ? std::pow(magnitude(*filter, f), 4) : 1.0;
    };
    const double columns = power(preparation.column_filter), both = columns * power(preparation.filter);
    const double first = std::sin(w) / T, second = (2 - 2 * std::cos(w)) / (T * T);
    current += columns / kFrequencies;
    position += both / kFrequencies;
    velocity += both * first * first / kFrequencies;
    acceleration += both * second * second / kFrequencies;
    as_velocity += both / kFrequencies;
    from_velocity += both * first * first / kFrequencies;
  }
  FilteredNoise out;
  out.current = std::sqrt(current) * noise.current;
  out.position = std::sqrt(position) * noise.position;
  const bool measured = preparation.velocity_is_measured;
  out.velocity = measured ? VectorXd(std::sqrt(as_velocity) * noise.velocity)
                          : VectorXd(std::sqrt(velocity) * noise.position);
  out.acceleration = measured ? VectorXd(std::sqrt(from_velocity) * noise.velocity)
                              : VectorXd(std::sqrt(acceleration) * noise.position);
  return out;
}

RunErrors run_errors(PreparedRun& run, const CurrentRows& rows, const ErrorOptions& options) {
  const Index joints = rows.plan.joints;
  const Index step = std::max<Index>(1, run.plan().samples / std::max<Index>(1, options.samples));
  SampleBlock states = states_block(joints, 0);
  NoiseOfChannel position(channel::kPosition, joints), velocity(channel::kVelocity, joints),
      current(channel::kCurrent, joints);
  run.rewind();
  RawChunk raw;
  while (run.read(raw)) {
    for (NoiseOfChannel* noise : {&position, &velocity, &current}) noise->add(raw.samples);
    take_states(run.prepare(std::move(raw)), run.preparation(), step, states);
    raw = RawChunk();
  }
  states.pack();
  RunErrors errors;
  errors.noise = {position.median(), velocity.median(), current.median()};
  errors.filtered = filtered_noise(errors.noise, run.preparation());
  errors.rows = error_rows(rows, states, disturbed(states, errors.filtered, options.seed));
  return errors;
}

}  // namespace steelyard
