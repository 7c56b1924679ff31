#include "identify/kept_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "identify/extra_columns.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using Counts = std::vector<Index>;  // one per row of the plan

std::string joint_name(const Setup& setup, std::size_t row) {
  return log_joints(setup.robot)[static_cast<std::size_t>(setup.plan.rows[row].i)].name;
}

// Columns that no other joint's row has.
Counts own_columns(const Plan& plan) {
  std::vector<int> uses(plan.columns.size(), 0);
  for (const Row& row : plan.rows)
    for (const int column : row.columns) ++uses[static_cast<std::size_t>(column)];
  Counts own;
  for (const Row& row : plan.rows)
    own.push_back(std::count_if(row.columns.begin(), row.columns.end(),
                                [&](int column) { return uses[static_cast<std::size_t>(column)] == 1; }));
  return own;
}

bool is_enough(const Counts& rows, const Counts& own) {
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (rows[r] <= own[r]) return false;
  return true;
}

double velocity_limit(const PrepareOptions& prepare, int joint) {
  const VectorXd& limits = prepare.velocity_below;
  if (limits.size() == 0) return 0;
  return limits[limits.size() == 1 ? 0 : joint];
}

// What took the rows, as the study has it.
std::string causes(const Setup& setup, int joint) {
  std::string text;
  if (const double limit = velocity_limit(setup.prepare, joint); limit > 0)
    text = fmt::format("`reject: {{velocity_below: {:.4g}}}` leaves out slower samples", limit);
  if (setup.prepare.decimation > 1)
    text +=
        fmt::format("{}one sample in {} is taken", text.empty() ? "" : ", and ", setup.prepare.decimation);
  return text.empty() ? "" : "; " + text;
}

Finding lost_joint(const Setup& setup, std::size_t row, Index rows, Index own) {
  const int joint = setup.plan.rows[row].i;
  return make_finding(
      "joint-without-rows", joint_name(setup, row),
      rows == 0
          ? fmt::format("no row of this joint is left{}", causes(setup, joint))
          : fmt::format("{} rows of this joint are left for the {} parameters that only it identifies{}",
                        rows, own, causes(setup, joint)));
}

// Signs that were not recovered also leave a joint without rows, and are reported separately.
bool has_no_segments(const std::vector<Finding>& of_signs, const std::string& joint) {
  return std::any_of(of_signs.begin(), of_signs.end(), [&](const Finding& finding) {
    return is(finding, "no-segments") && finding.joint == joint;
  });
}

std::vector<Finding> lost_joints(const Setup& setup, const Counts& rows, const Counts& own,
                                 const std::vector<Finding>& of_signs = {}) {
  std::vector<Finding> findings;
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (rows[r] <= own[r] && !has_no_segments(of_signs, joint_name(setup, r)))
      findings.push_back(lost_joint(setup, r, rows[r], own[r]));
  return findings;
}

[[noreturn]] void refuse(const Setup& setup) {
  std::string names;
  for (std::size_t r = 0; r < setup.plan.rows.size(); ++r) names += (r ? ", " : "") + joint_name(setup, r);
  throw InputError(
      {fmt::format("there is no row to estimate from: none is left of {}{}", names, causes(setup, 0)),
       {setup.study().path, 0, 0, ""},
       "at least one row",
       "lower `velocity_below` and `decimate` under `prepare`, or use a longer or faster run"});
}

Index rows_at_rest(const FoldPass& pass, std::size_t row) {
  return pass.rest ? pass.rest->total()[row].rows() : 0;
}

double kept_rows(const FoldPass& pass) {
  return static_cast<double>(
      std::max<Index>(1, std::accumulate(pass.kept.begin(), pass.kept.end(), Index{0})));
}

// The fold without what a drive does in motion: at rest its columns are noise of the encoder alone.
Fold at_rest(const Fold& fold, const std::string& joint) {
  MatrixXd R = fold.depth() > 0 ? fold.R() : MatrixXd();
  for (const char* stem : {"Ia", "fv", "fc"})
    if (const Index k = fold.layout().find(stem + joint); k >= 0 && R.size() > 0) R.col(k).setZero();
  return R.size() > 0 ? fold_of_triangle(fold.shared_layout(), R, fold.rows(), fold.block()) : fold;
}

// Rows of a joint at standstill as its other rows, block by block. `joint`: its number, where the run is fitted.
void join_rest(std::size_t row, const std::optional<std::string>& joint, FoldPass& pass) {
  if (!pass.rest) return;
  std::vector<FoldBlock> moving = pass.folds.blocks(), rest = pass.rest->blocks();
  for (std::size_t b = 0; b < moving.size(); ++b)
    for (auto part : {&FoldBlock::core, &FoldBlock::gap})
      if (!(moving[b].*part).empty()) {
        Fold& from = (rest[b].*part)[row];
        Fold& to = (moving[b].*part)[row];
        to.merge(from);
        if (joint) to = at_rest(to, *joint);
        pass.kept_share *= 1 + static_cast<double>(from.rows()) / kept_rows(pass);
        pass.kept[row] += from.rows();
        from = Fold(from.shared_layout());
      }
  const Index slots = pass.folds.slots(), per_block = pass.folds.slots_per_block();
  pass.folds = FoldSet(std::move(moving), slots, per_block);
  pass.rest = FoldSet(std::move(rest), slots, per_block);
}

// Adds the rows that a pass over the run would keep. Joints that never move keep theirs: standstill takes all rows of none.
void add_rows(const Plan& plan, PreparedRun& run, const Counts& own, Counts& rows) {
  const Preparation& preparation = run.preparation();
  const VectorXd& limits = preparation.velocity_below;
  if (limits.size() == 0 || limits.maxCoeff() <= 0) {
    for (Index& count : rows) count += preparation.decimation.count();
    return;
  }
  run.rewind();
  for (RawChunk raw; !is_enough(rows, own) && run.read(raw);) {
    PreparedChunk chunk = run.prepare(std::move(raw));
    raw = {};
    SampleBlock& block = chunk.samples;
    double* velocity = block.row(block.find(channel::kVelocity));
    // Behind the filter of the columns, as rows are rejected (fold/pass.hpp).
    if (preparation.column_filter)
      filter_zero_phase(*preparation.column_filter, velocity, block.size(), block.joints(), block.stride(),
                        chunk.chunk.ends);
    for (const Index sample : preparation.decimation.kept(chunk.chunk.core))
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const Index j = plan.rows[r].i;
        rows[r] += std::abs(velocity[j * block.stride() + sample - chunk.chunk.halo.begin]) >= limits[j];
      }
  }
}

}  // namespace

std::vector<Finding> missing_rows(const Setup& setup, const Runs& opened) {
  const Counts own = own_columns(setup.plan);
  Counts rows(own.size(), 0);
  bool any = false;
  for (const OpenRun& run : opened) {
    if (!run.is_fit() || is_enough(rows, own)) continue;
    if (run.run->unsigned_effort) return {};  // which rows are left is known with their signs
    any = any || run.prepared || run.folds;
    if (run.prepared) add_rows(setup.plan, *run.prepared, own, rows);
    if (!run.folds || run.folds->kept.size() != rows.size()) continue;
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r] += run.folds->kept[r];
  }
  if (!any) return {};
  if (std::accumulate(rows.begin(), rows.end(), Index{0}) == 0) refuse(setup);
  return lost_joints(setup, rows, own);
}

std::vector<Finding> keep_still_joints(const Setup& setup, std::vector<RunRows>& runs) {
  const Counts own = own_columns(setup.plan);
  std::vector<Finding> findings;
  for (std::size_t r = 0; r < own.size(); ++r) {
    Index moving = 0, resting = 0;
    for (const RunRows& run : runs) {
      if (!run.is_fit()) continue;
      moving += run.folds.kept[r];
      resting += rows_at_rest(run.folds, r);
    }
    if (moving > own[r] || resting == 0) continue;
    const std::string stem = offset_stem(setup, r), joint = stem.substr(2, stem.size() - 3);
    for (RunRows& run : runs) join_rest(r, run.is_fit() ? std::optional(joint) : std::nullopt, run.folds);
    findings.push_back(make_finding(
        "fitted-at-standstill", joint_name(setup, r),
        fmt::format("the joint moves in {} rows of the runs that are fitted, and stands still in {}", moving,
                    resting)));
  }
  return findings;
}

std::vector<Finding> missing_rows(const Setup& setup, const std::vector<RunRows>& runs,
                                  const std::vector<Finding>& of_signs) {
  const Counts own = own_columns(setup.plan);
  Counts fitted(own.size(), 0);
  bool fits = false;
  std::vector<Finding> findings;
  for (const RunRows& run : runs) {
    const Counts& rows = run.folds.kept;
    fits = fits || run.is_fit();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (run.is_fit()) {
        fitted[r] += rows[r];
      } else if (rows[r] == 0 && rows_at_rest(run.folds, r) == 0 &&
                 !has_no_segments(of_signs, joint_name(setup, r))) {
        Finding finding = lost_joint(setup, r, 0, own[r]);
        finding.severity = Severity::warning;
        finding.evidence = fmt::format("run '{}': {}", run.label(), finding.evidence);
        findings.push_back(std::move(finding));
      }
    }
  }
  if (fits) {
    if (std::accumulate(fitted.begin(), fitted.end(), Index{0}) == 0) refuse(setup);
    std::vector<Finding> lost = lost_joints(setup, fitted, own, of_signs);
    findings.insert(findings.begin(), lost.begin(), lost.end());
  }
  return findings;
}

}  // namespace steelyard
