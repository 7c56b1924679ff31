// The offset of a joint on one run, all other parameters fixed:
//
//   e = Y π − τ on the joint's rows, a = the column of the offset (1, filtered)      δ = − Σ a e / Σ a²
//
// from folds: R gives Σ a e and Σ a². The standard deviation of δ is that of the same from every block of the run, so
// that model errors count, which are larger than noise; the model's own is added. A difference matters where it is
// significant and makes more than a tenth of the joint's error: √(1 + ¼) with δ of half the remaining error.
#include "identify/offsets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/extra_columns.hpp"
#include "identify/summary.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSignificant = 4;  // standard deviations
constexpr double kMatters = 0.5;    // of the root mean square of what remains
constexpr Index kFewestBlocks = 4;  // that give a standard deviation

struct OffsetSums {
  double aa = 0, ae = 0, ee = 0;
  double rows = 0;

  double shift() const { return -ae / aa; }
  double remaining() const { return std::max(0.0, ee - ae * ae / aa); }
};

// `stem`: "fo3@", of the offset fo3 or of those of single runs, which add up to 1 in a run that was not fitted.
OffsetSums offset_sums(const std::vector<Fold>& folds, const std::string& row, const std::string& stem,
                       const Estimate& estimate) {
  OffsetSums sums;
  for (const Fold& fold : folds) {
    if (fold.layout().row != row || fold.depth() == 0) continue;
    const std::vector<std::string>& columns = fold.layout().columns;
    const auto count = static_cast<Index>(columns.size());
    VectorXd values = VectorXd::Zero(count), one = VectorXd::Zero(count);
    for (Index k = 0; k < count; ++k) {
      const std::string& column = columns[static_cast<std::size_t>(k)];
      if (const Index at = estimate.find(column); at >= 0) values[k] = estimate.values[at];
      if (is_offset(column, stem)) one[k] = 1;
    }
    const MatrixXd R = fold.R();
    const VectorXd a = R.leftCols(count) * one, e = R.leftCols(count) * values - R.col(count);
    sums.aa += a.squaredNorm(), sums.ae += a.dot(e), sums.ee += e.squaredNorm();
    sums.rows += static_cast<double>(fold.rows());
  }
  return sums;
}

// Of the shift over the whole run, from its scatter between blocks.
std::optional<double> shift_sigma(const std::vector<OffsetSums>& blocks, const OffsetSums& all) {
  double sum = 0;
  Index count = 0;
  for (const OffsetSums& block : blocks) {
    if (!(block.aa > 0)) continue;
    const double share = block.aa / all.aa, apart = block.shift() - all.shift();
    sum += share * share * apart * apart;
    ++count;
  }
  if (count < kFewestBlocks) return std::nullopt;
  return std::sqrt(sum * static_cast<double>(count) / static_cast<double>(count - 1));
}

// Of the model, and its variance; of offsets of single runs the mean.
std::pair<double, double> model_offset(const std::vector<BaseValue>& model, const std::string& stem) {
  double value = 0, variance = 0, count = 0;
  for (const BaseValue& own : model) {
    if (!is_offset(own.name, stem)) continue;
    const double sigma = own.sigma.value_or(0);
    value += own.value, variance += sigma * sigma, ++count;
  }
  if (count == 0) return {0, 0};
  return {value / count, variance / (count * count)};
}

std::string percent_of(double part, double whole) {
  return whole > 0 ? fmt::format("{:.3g} %", 100 * std::sqrt(part / whole)) : "all";
}

Finding differing_offset(const std::string& run, const OffsetRefit& joint, const OffsetSums& sums,
                         double effort) {
  return make_finding(
      "offset-differs", joint.name,
      fmt::format(
          "run '{}': offset {:.3g} instead of {:.3g}, ± {:.2g}; {} of the joint's effort is unexplained, {} "
          "with this offset",
          run, joint.refitted, joint.model, *joint.sigma, percent_of(sums.ee, effort * effort),
          percent_of(sums.remaining(), effort * effort)));
}

}  // namespace

std::vector<Finding> refit_offsets(const Setup& setup, const RunRows& run, const Estimate& estimate,
                                   const std::vector<BaseValue>& model, RunValidation& validation) {
  std::vector<Finding> findings;
  if (run.is_fit() || run.signs != nullptr || run.run->run->unsigned_effort) return findings;
  const std::vector<Fold> all = run.folds.folds.total();
  const std::vector<FoldBlock> blocks = run.folds.folds.blocks();
  const std::vector<LogJoint> joints = log_joints(setup.robot);
  std::vector<Residual> rows = residuals(all, estimate.columns, estimate.values).per_row;
  for (std::size_t r = 0; r < setup.plan.rows.size(); ++r) {
    const std::string& name = joints[static_cast<std::size_t>(setup.plan.rows[r].i)].name;
    const Residual* found = find_row(rows, name);
    if (found == nullptr) continue;
    Residual& row = rows[static_cast<std::size_t>(found - rows.data())];
    const std::string stem = offset_stem(setup, r);
    const OffsetSums sums = offset_sums(all, row.row, stem, estimate);
    if (!(sums.aa > 0)) continue;
    const auto [value, variance] = model_offset(model, stem);
    OffsetRefit joint{name, value, value + sums.shift(), {}};
    std::vector<OffsetSums> parts;
    for (const FoldBlock& block : blocks) parts.push_back(offset_sums(block.core, row.row, stem, estimate));
    if (const auto sigma = shift_sigma(parts, sums)) joint.sigma = std::sqrt(*sigma * *sigma + variance);
    const double limit = kMatters * std::sqrt(sums.remaining() / std::max(1.0, sums.rows));
    const double apart = std::abs(sums.shift());
    joint.differs = joint.sigma && apart > kSignificant * *joint.sigma && apart > limit;
    if (joint.differs) findings.push_back(differing_offset(validation.run, joint, sums, row.effort));
    row.norm = std::sqrt(sums.remaining());
    row.rms = row.rows > 0 ? row.norm / std::sqrt(static_cast<double>(row.rows)) : 0;
    row.relative = row.effort > 0 ? row.norm / row.effort : 0;
    validation.offsets.push_back(std::move(joint));
  }
  if (!validation.offsets.empty())
    validation.refitted_offsets = residual_summary(rows, setup.plan, setup.robot);
  return findings;
}

}  // namespace steelyard
