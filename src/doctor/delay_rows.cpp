#include "doctor/delay_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "steelyard/core/error.hpp"
#include "steelyard/doctor/trial.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/fold/slots.hpp"

namespace steelyard::doctor {
namespace {

constexpr double kDelayCutoff = 10;     // [Hz] of the rows, at most
constexpr double kShareOfRate = 0.11;   // and of the rate of the log
constexpr double kNodesPerPeriod = 8;   // of the cut-off
constexpr double kLongestDelay = 0.06;  // [s] that is looked for, at least
constexpr double kRowsPerPeriod = 4;    // of the cut-off
constexpr double kDelaySmear = 0.3;     // periods of the cut-off around reversals that are left out
constexpr double kSlowJoint = 0.15;     // of a joint's rms velocity: slower rows are left out
constexpr double kFrictionFades = 0.3;  // of a joint's rms velocity: friction that fades with it
constexpr Index kDelayBlocks = 16;
constexpr double kSmoothed = 0.012;                   // [s] on each side, of positions that tell reversals
constexpr double kDelayWays[] = {0.002, 0.01, 0.05};  // of a joint's range, over which friction builds up
constexpr int kLagrangePoints = 8;

std::string lag_name(std::size_t k) {
  return fmt::format("lag{}", k + 1);
}
std::string node_name(Index k) {
  return fmt::format("effort@{}", k);
}

// The head of a run, with positions, efforts and what known efforts are made of, and how its joints move.
struct DelayLog {
  Run run;
  VectorXd speed;  // rms per joint
};

// z of friction that builds up over a displacement, dz/dq = (sign q̇ − z)/way.
void build_up(const std::vector<double>& q, double way, double* z) {
  double now = 0;
  z[0] = 0;
  for (std::size_t s = 1; s < q.size(); ++s) {
    const double step = q[s] - q[s - 1];
    const double sign = step > 0 ? 1 : step < 0 ? -1 : 0;
    if (way > 0) now = sign + (now - sign) * std::exp(-std::abs(step) / way);
    z[s] = now;
  }
}

std::vector<double> smoothed(const double* x, Index samples, Index half) {
  std::vector<double> sums(static_cast<std::size_t>(samples) + 1, 0.0),
      out(static_cast<std::size_t>(samples));
  for (Index s = 0; s < samples; ++s)
    sums[static_cast<std::size_t>(s) + 1] = sums[static_cast<std::size_t>(s)] + (x[s] - x[0]);
  for (Index s = 0; s < samples; ++s) {
    const Index own = std::min({half, s, samples - 1 - s});
    out[static_cast<std::size_t>(s)] =
        x[0] + (sums[static_cast<std::size_t>(s + own + 1)] - sums[static_cast<std::size_t>(s - own)]) /
                   static_cast<double>(2 * own + 1);
  }
  return out;
}

void copy_channel(const SampleBlock& from, std::string_view name, SampleBlock& to) {
  const int a = from.find(name), b = to.find(name);
  for (Index j = 0; j < to.joints(); ++j) std::copy_n(from.row(a, j), from.size(), to.row(b, j));
}

SampleBlock read_head(SampleSource& source, Index most) {
  SampleBlock all(source.channels(), source.joints()), piece;
  while (all.size() < most) {
    source.read(std::min<Index>(4096, most - all.size()), piece);
    if (piece.size() == 0) break;
    all.append(piece, 0, piece.size());
  }
  return all;
}

DelayLog read_delay_log(const DelayedRun& run, const DelayOptions& options) {
  const std::unique_ptr<SampleSource> source = run.open();
  const SampleBlock all = read_head(*source, options.samples);
  std::vector<std::string> names = {std::string(channel::kPosition), options.effort};
  for (const std::string& name : names)
    if (all.find(name) < 0)
      throw InputError({"the run has no channel '" + name + "'", {source->name(), 0, 0, {}}, {}, {}});
  for (const std::string& name : options.also)
    if (all.find(name) >= 0) names.push_back(name);
  const std::vector<std::string> logged = names;
  for (std::size_t k = 0; k < std::size(kDelayWays); ++k) names.push_back(lag_name(k));
  const Index n = all.size(), joints = all.joints();
  if (n < 2) throw InputError({"the run has no samples", {source->name(), 0, 0, {}}, {}, {}});
  DelayLog log{{run.label, SampleBlock(names, joints, n)}, VectorXd::Zero(joints)};
  SampleBlock& out = log.run.samples;
  std::copy_n(all.time(), n, out.time());
  for (const std::string& name : logged) copy_channel(all, name, out);
  const double duration = all.time()[n - 1] - all.time()[0];
  const double step = duration / static_cast<double>(n - 1);
  const Index half = std::max<Index>(1, std::lround(kSmoothed / step));
  for (Index j = 0; j < joints; ++j) {
    const std::vector<double> q = smoothed(out.row(0, j), n, half);
    const auto [low, high] = std::minmax_element(q.begin(), q.end());
    double squares = 0;
    for (std::size_t s = 1; s < q.size(); ++s) squares += (q[s] - q[s - 1]) * (q[s] - q[s - 1]);
    log.speed[j] = std::sqrt(squares / step / duration);
    for (std::size_t k = 0; k < std::size(kDelayWays); ++k)
      build_up(q, kDelayWays[k] * (*high - *low), out.row(out.find(lag_name(k)), j));
  }
  return log;
}

struct DelayPlan {
  Plan plan;
  const Robot& robot;
  const DelayOptions& options;
};

// Friction and offset of the run, which may be others than those of other runs.
std::vector<ExtraColumns> nuisance_columns(const Plan& plan, const DelayLog& log, std::size_t number) {
  std::vector<ExtraColumns> out;
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    const Index joint = plan.rows[r].i;
    const auto add = [&](const std::string& name, auto fill) {
      out.push_back(
          extra_column(fmt::format("{}:{}:{}", name, joint, number), static_cast<Index>(r), std::move(fill)));
    };
    for (std::size_t k = 0; k < std::size(kDelayWays); ++k)
      add(lag_name(k),
          [joint, name = lag_name(k)](const SampleBlock& block, Index first, Index count, double* to) {
            std::copy_n(block.row(block.find(name), joint) + first, count, to);
          });
    const double fades = std::max(kFrictionFades * log.speed[joint], 1e-12);
    add("fades", [joint, fades](const SampleBlock& block, Index first, Index count, double* to) {
      const double* v = block.row(block.find(channel::kVelocity), joint) + first;
      for (Index s = 0; s < count; ++s)
        to[s] = (v[s] > 0 ? 1 : v[s] < 0 ? -1 : 0) * std::exp(-std::abs(v[s]) / fades);
    });
    add("viscous", [joint](const SampleBlock& block, Index first, Index count, double* to) {
      std::copy_n(block.row(block.find(channel::kVelocity), joint) + first, count, to);
    });
    add("offset", [](const SampleBlock&, Index, Index count, double* to) { std::fill_n(to, count, 1.0); });
  }
  return out;
}

// The known efforts of each joint as one column.
void add_known(const Plan& plan, const std::vector<ExtraColumns>& known, std::vector<ExtraColumns>& out) {
  for (std::size_t r = 0; r < plan.rows.size(); ++r)
    out.push_back(extra_column(
        "known", static_cast<Index>(r),
        [joint = plan.rows[r].i, known](const SampleBlock& block, Index first, Index count, double* to) {
          std::fill_n(to, count, 0.0);
          const MatrixXd values = evaluate_columns(known, block, first, count);
          Index k = 0;
          for (const ExtraColumns& part : known)
            for (const ExtraColumn& column : part.columns) {
              if (column.row == joint)
                for (Index s = 0; s < count; ++s) to[s] += values(s, k);
              ++k;
            }
        }));
}

std::vector<ExtraColumns> by_row(const Plan& plan, std::vector<ExtraColumns> list) {
  for (ExtraColumns& extra : list)
    for (ExtraColumn& column : extra.columns)
      for (std::size_t r = 0; r < plan.rows.size(); ++r)
        if (plan.rows[r].i == column.row) {
          column.row = static_cast<Index>(r);
          break;
        }
  return list;
}

// Rows near a reversal have no weight: |q̇| ≤ smear |q̈|, of the row's own joint.
WeighRows away_from_reversals(const std::vector<Layout>& layouts, const Plan& plan, double smear) {
  std::vector<std::pair<Index, Index>> places;  // of q̇ and q̈ among a row's columns
  for (std::size_t r = 0; r < layouts.size(); ++r) {
    const std::string number = std::to_string(plan.rows[r].i + 1);
    places.emplace_back(layouts[r].find("fv" + number), layouts[r].find("Ia" + number));
  }
  return [places, smear](Index row, std::span<const double* const> columns, Index count, const std::uint8_t*,
                         double* weight) {
    const auto [v, a] = places[static_cast<std::size_t>(row)];
    for (Index s = 0; s < count; ++s)
      weight[s] = v < 0 || a < 0 ||
                  std::abs(columns[static_cast<std::size_t>(v)][s]) >
                      smear * std::abs(columns[static_cast<std::size_t>(a)][s]);
  };
}

Eigen::MatrixXd gram_of(const Fold& fold, const std::vector<Index>& order) {
  const Eigen::MatrixXd R = fold.R();
  const Eigen::MatrixXd all = R.transpose() * R;
  const auto n = static_cast<Index>(order.size());
  Eigen::MatrixXd out(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      out(i, j) = all(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
  return out;
}

PrepareOptions delay_preparation(const DelayLog& log, const DelayOptions& options, DelayRunRows& rows) {
  const TimeScan time = scan_time(*view_run(log.run));
  const double rate = 1 / uniform_grid(time).step;
  const double cutoff = std::min(kDelayCutoff, kShareOfRate * rate);
  rows.unit = 1 / (kNodesPerPeriod * cutoff);
  rows.reach = 1 + static_cast<Index>(std::ceil(std::max(kLongestDelay, 1.5 / rate) / rows.unit - 1e-9));
  rows.reach = std::max<Index>(rows.reach, kLagrangePoints / 2);
  PrepareOptions prepare;
  prepare.filter = {4, 2 * cutoff};
  prepare.column_filter = {4, cutoff};
  prepare.filtered = {std::string(channel::kPosition)};
  prepare.measured_velocity = false;
  prepare.decimation = std::max<Index>(1, static_cast<Index>(rate / (kRowsPerPeriod * cutoff)));
  prepare.velocity_below = kSlowJoint * log.speed;
  for (double& limit : prepare.velocity_below)
    if (limit <= 0) limit = 1e9;  // a joint that stands still gives no rows
  for (Index k = -rows.reach; k <= rows.reach; ++k)
    prepare.shifts.push_back({options.effort, node_name(k),
                              VectorXd::Constant(log.speed.size(), static_cast<double>(k) * rows.unit)});
  return prepare;
}

DelayRunRows rows_of(const DelayPlan& plan, const DelayedRun& run, std::size_t number,
                     std::map<std::string, Index>& parameters) {
  DelayRunRows out;
  out.is_fit = run.label.role == RunRole::fit;
  out.group = run.label.payload;
  const DelayLog log = read_delay_log(run, plan.options);
  const PrepareOptions prepare = delay_preparation(log, plan.options, out);
  PreparedRun prepared(view_run(log.run), run.label, prepare);
  PassOptions pass;
  pass.threads = plan.options.threads;
  pass.effort_channels.clear();
  LayoutOptions layout;
  layout.efforts.clear();
  for (Index k = -out.reach; k <= out.reach; ++k) pass.effort_channels.push_back(node_name(k));
  layout.efforts = pass.effort_channels;
  layout.effort_units.assign(layout.efforts.size(), "1");
  pass.extra = by_row(plan.plan, run.extra);
  for (ExtraColumns& columns : nuisance_columns(plan.plan, log, number))
    pass.extra.push_back(std::move(columns));
  if (!run.known.empty()) add_known(plan.plan, run.known, pass.extra);
  const std::vector<Layout> layouts =
      with_extra_columns(row_layouts(plan.plan, plan.robot, layout), pass.extra);
  pass.weigh = away_from_reversals(layouts, plan.plan, kDelaySmear / prepare.column_filter.cutoff);
  pass.gap = 0;
  pass.slot_samples = halved_slot(prepared.plan().size, prepared.plan().samples, kDelayBlocks, 1);
  const FoldPass folds = fold_run(prepared, plan.plan, layouts, pass);
  for (const Layout& own : layouts) {
    DelayEquations& joint = out.joints.emplace_back();
    std::vector<Index> order;
    for (std::size_t c = 0; c < own.columns.size(); ++c) {
      if (own.columns[c] == "known") continue;
      order.push_back(static_cast<Index>(c));
      joint.columns.push_back(
          parameters.try_emplace(own.columns[c], static_cast<Index>(parameters.size())).first->second);
    }
    for (std::size_t e = 0; e < own.efforts.size(); ++e)
      order.push_back(static_cast<Index>(own.columns.size() + e));
    if (!run.known.empty()) order.push_back(own.find("known"));
    const std::size_t r = out.joints.size() - 1;
    for (const FoldBlock& block : folds.folds.blocks()) {
      Eigen::MatrixXd gram = gram_of(block.core[r], order);
      if (run.known.empty())
        gram.conservativeResizeLike(Eigen::MatrixXd::Zero(gram.rows() + 1, gram.cols() + 1));
      joint.blocks.push_back(std::move(gram));
      joint.rows.push_back(static_cast<double>(block.core[r].rows()));
    }
  }
  return out;
}

}  // namespace

Eigen::MatrixXd DelayEquations::total() const {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(blocks.front().rows(), blocks.front().cols());
  for (const Eigen::MatrixXd& block : blocks) sum += block;
  return sum;
}

Eigen::VectorXd DelayRunRows::nodes(double seconds) const {
  const double at = seconds / unit;
  const Index first = std::clamp<Index>(static_cast<Index>(std::floor(at)) - kLagrangePoints / 2 + 1, -reach,
                                        reach + 1 - kLagrangePoints);
  Eigen::VectorXd out = Eigen::VectorXd::Zero(2 * reach + 2);
  for (int i = 0; i < kLagrangePoints; ++i) {
    double w = 1;
    for (int k = 0; k < kLagrangePoints; ++k)
      if (k != i) w *= (at - static_cast<double>(first + k)) / static_cast<double>(i - k);
    out[first + i + reach] = w;
  }
  out[2 * reach + 1] = -1;
  return out;
}

DelayRows delay_rows(const Robot& robot, const std::vector<DelayedRun>& runs, const DelayOptions& options) {
  Robot with_drives = robot;
  for (Joint& joint : with_drives.joints) joint.drive = {true, true, false, true};
  PlanOptions wanted;
  const std::vector<std::string> links = standard_parameter_names(with_drives);
  for (const std::string& name : make_plan(with_drives).columns)
    if (std::find(links.begin(), links.end(), name) == links.end()) wanted.wanted.push_back(name);
  const std::vector<std::string> of_links = general_columns(robot);
  wanted.wanted.insert(wanted.wanted.end(), of_links.begin(), of_links.end());
  const DelayPlan plan{make_plan(with_drives, wanted), with_drives, options};
  DelayRows out;
  std::map<std::string, Index> parameters;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    try {
      out.runs.push_back(rows_of(plan, runs[r], r, parameters));
    } catch (const InputError& error) {
      out.runs.emplace_back().why_not = error.complaint().what;
    }
  }
  out.parameters = static_cast<Index>(parameters.size());
  return out;
}

}  // namespace steelyard::doctor
