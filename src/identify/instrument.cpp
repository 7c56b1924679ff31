#include "identify/instrument.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "identify/estimators.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/log/differences.hpp"
#include "steelyard/log/low_pass.hpp"
#include "steelyard/regressor/gear_loads.hpp"
#include "steelyard/simulate/closed_loop.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kReferenceShare = 0.4;
constexpr int kReferenceOrder = 4;
constexpr int kDifferenceOrder = 6;
constexpr Index kInstrumentTile = 192;

// "fv12" with the stem "fv": 12; 0 when it is another column.
int number_behind(const std::string& column, const std::string& stem) {
  if (column.compare(0, stem.size(), stem) != 0 || column.size() == stem.size()) return 0;
  const std::string digits = column.substr(stem.size());
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })
             ? std::stoi(digits)
             : 0;
}

void set_drive_value(const std::string& column, double value, const Robot& robot, TrueParameters& out) {
  if (const int j = number_behind(column, "Ia"))
    out.drives[static_cast<std::size_t>(j - 1)].rotor_inertia = value;
  if (const int j = number_behind(column, "fv"))
    out.drives[static_cast<std::size_t>(j - 1)].friction.viscous = value;
  if (const int j = number_behind(column, "fc"))
    out.drives[static_cast<std::size_t>(j - 1)].friction.coulomb = std::max(0.0, value);
  if (const int j = number_behind(column, "fo"))
    out.drives[static_cast<std::size_t>(j - 1)].friction.offset = value;
  for (std::size_t p = 0; p < robot.pairs.size(); ++p) {
    const int partner = robot.pairs[p].partner + 1;
    if (number_behind(column, "Iam") == partner) out.pairs[p].rotor_inertia = value;
    if (number_behind(column, "fvm") == partner) out.pairs[p].viscous = value;
    if (number_behind(column, "fcm") == partner) out.pairs[p].coulomb = std::max(0.0, value);
  }
}

// Samples [first, first + count) of the run as the simulation has them, for columns that are functions of a
// block.
SampleBlock simulated_block(const SampleBlock& block, Index first, Index count,
                            const InstrumentMotion& motion, Index begin) {
  SampleBlock out(block.channels(), block.joints());
  out.append(block, first, count);
  const std::pair<std::string_view, const MatrixXd*> parts[] = {{channel::kPosition, &motion.q},
                                                                {channel::kVelocity, &motion.qd},
                                                                {channel::kAcceleration, &motion.qdd}};
  for (const auto& [name, values] : parts) {
    const int c = out.find(name);
    require(c >= 0, "prepared samples have position, velocity and acceleration");
    for (Index j = 0; j < out.joints(); ++j) std::copy_n(values->col(j).data() + begin, count, out.row(c, j));
  }
  return out;
}

void fill_plan_columns(const Plan& plan, const InstrumentMotion& motion, Index begin, Index count,
                       double* const* out) {
  const Index stride = tile_stride(kInstrumentTile);
  std::vector<double> tile(static_cast<std::size_t>(stride * plan.stored_columns));
  for (Index done = 0; done < count; done += kInstrumentTile) {
    const Index part = std::min(kInstrumentTile, count - done), at = begin + done;
    evaluate(plan,
             {motion.q.data() + at, motion.qd.data() + at, motion.qdd.data() + at, motion.q.rows(), part},
             tile.data(), stride);
    std::size_t next = 0;
    for (const Row& row : plan.rows) {
      for (std::size_t k = 0; k < row.columns.size(); ++k)
        std::copy_n(tile.data() + (row.offset + static_cast<Index>(k)) * stride, part, out[next++] + done);
    }
  }
}

}  // namespace

double reference_cutoff(const Preparation& preparation, const InstrumentSpec& spec) {
  if (spec.cutoff > 0) return spec.cutoff;
  double lowest = 0.1 / preparation.grid.step * 0.625;
  for (const auto& filter : {preparation.filter, preparation.column_filter})
    if (filter) lowest = std::min(lowest, filter->cutoff);
  return kReferenceShare * lowest;
}

InstrumentMotion reference_motion(PreparedRun& run, double cutoff) {
  InstrumentMotion out;
  out.grid = run.preparation().grid;
  const Index samples = run.plan().samples;
  run.rewind();
  for (RawChunk raw; run.read(raw); raw = {}) {
    const PreparedChunk chunk = run.prepare(std::move(raw));
    const SampleBlock& block = chunk.samples;
    if (out.q.size() == 0) out.q.resize(samples, block.joints());
    const int position = block.find(channel::kPosition);
    const Range core = chunk.chunk.core;
    for (Index j = 0; j < block.joints(); ++j)
      std::copy_n(block.row(position, j) + core.begin - chunk.chunk.halo.begin, core.size(),
                  out.q.col(j).data() + core.begin);
  }
  const LowPass filter = design_low_pass(kReferenceOrder, cutoff, 1 / out.grid.step);
  filter_zero_phase(filter, out.q.data(), samples, out.q.cols(), samples);
  out.qd.resizeLike(out.q);
  out.qdd.resizeLike(out.q);
  differentiate(1, kDifferenceOrder, out.q.data(), samples, out.q.cols(), samples, out.grid.step,
                out.qd.data(), samples);
  differentiate(2, kDifferenceOrder, out.q.data(), samples, out.q.cols(), samples, out.grid.step,
                out.qdd.data(), samples);
  return out;
}

TrueParameters simulation_parameters(const Robot& robot, const Plan& plan, const VectorXd& values) {
  TrueParameters out;
  const std::vector<std::string> names = standard_parameter_names(robot);
  out.standard = VectorXd::Zero(static_cast<Index>(names.size()));
  out.drives.resize(robot.joints.size());
  out.pairs.resize(robot.pairs.size());
  for (std::size_t k = 0; k < plan.columns.size(); ++k) {
    const double value = values[static_cast<Index>(k)];
    const auto at = std::find(names.begin(), names.end(), plan.columns[k]);
    if (at != names.end())
      out.standard[at - names.begin()] = value;
    else
      set_drive_value(plan.columns[k], value, robot, out);
  }
  if (!plan.gears) return out;
  const std::vector<int> joints = coordinates(robot).joints;
  for (const GearLoad& gear : plan.gears->gears) {
    const Index i = plan.rows[static_cast<std::size_t>(gear.row)].i;
    Friction& friction = out.drives[static_cast<std::size_t>(joints[static_cast<std::size_t>(i)])].friction;
    friction.load_driving = gear.driving, friction.load_driven = gear.driven;
    friction.load_velocity = gear.velocity;
    friction.load_mean = gear.mean, friction.load_peak = gear.peak,
    friction.load_peak_velocity = gear.peak_velocity;
  }
  return out;
}

TrueParameters simulation_parameters(const Setup& setup, const Estimate& estimate) {
  TrueParameters out = simulation_parameters(setup.robot, setup.plan, values_for(setup.plan, estimate));
  for (std::size_t k = 0; k < setup.friction.models.size(); ++k) {
    const FrictionModel& model = setup.friction.models[k];
    const int number = setup.friction.joints[k].number;
    Friction& friction = out.drives[static_cast<std::size_t>(number - 1)].friction;
    const auto height = [&](const char* stem) {
      const Index found = estimate.find(stem + std::to_string(number));
      return found < 0 ? 0 : std::max(0.0, estimate.values[found]);
    };
    friction.coulomb_positive = height("fp"), friction.coulomb_negative = height("fn");
    friction.sigmoid_height = height("fh");
    friction.sigmoid_slope = model.slope, friction.sigmoid_shift = model.shift;
    friction.stribeck = height("fs"), friction.stribeck_velocity = model.velocity;
  }
  return out;
}

InstrumentMotion follow(const Robot& robot, const TrueParameters& parameters,
                        const InstrumentMotion& reference, double bandwidth) {
  SampledMotion motion;
  const Index samples = reference.q.rows();
  motion.time.resize(samples);
  for (Index s = 0; s < samples; ++s) motion.time[s] = static_cast<double>(s) * reference.grid.step;
  motion.q = reference.q, motion.qd = reference.qd, motion.qdd = reference.qdd;
  ClosedLoopOptions options;
  options.rate = 1 / reference.grid.step;
  options.samples = samples;
  options.bandwidth = std::min(bandwidth, 0.05 * options.rate);
  InstrumentMotion out = reference;
  try {
    const ClosedLoopMotion found = closed_loop(robot, parameters, Trajectory(motion), options);
    out.q = found.q, out.qd = found.qd, out.qdd = found.qdd;
    out.simulated = true;
    out.worst_error = found.worst_error.maxCoeff();
  } catch (const InputError&) {
    out.simulated = false;  // parameters that cannot be simulated: the reference is used
  }
  return out;
}

ExtraColumns instrument_columns(const Plan& plan, const std::vector<ExtraColumns>& extra,
                                std::shared_ptr<const InstrumentMotion> motion) {
  ExtraColumns out;
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    for (const int c : plan.rows[r].columns)
      out.columns.push_back(
          {instrument_name(plan.columns[static_cast<std::size_t>(c)]), static_cast<Index>(r)});
  }
  const std::size_t own = out.columns.size();
  for (const ExtraColumns& group : extra) {
    for (const ExtraColumn& column : group.columns)
      out.columns.push_back({instrument_name(column.name), column.row});
  }
  out.fill = [plan, extra, own, motion = std::move(motion)](const SampleBlock& block, Index first,
                                                            Index count, double* const* to) {
    const Index begin = std::llround((block.time()[first] - motion->grid.start) / motion->grid.step);
    require(begin >= 0 && begin + count <= motion->q.rows(), "instruments cover the run");
    fill_plan_columns(plan, *motion, begin, count, to);
    if (extra.empty()) return;
    const SampleBlock simulated = simulated_block(block, first, count, *motion, begin);
    std::size_t next = own;
    for (const ExtraColumns& group : extra) {
      group.fill(simulated, 0, count, to + next);
      next += group.columns.size();
    }
  };
  return out;
}

}  // namespace steelyard
