#include "identify/sign_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "identify/sign_model.hpp"
#include "steelyard/core/finding.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

SegmentSummary summarize_segment(const SignSegment& segment, const SegmentSign& sign,
                                 const UniformGrid& grid) {
  SegmentSummary row;
  row.from = segment.range.begin;
  row.to = segment.range.end;
  row.start = grid.time(segment.range.begin);
  row.end = grid.time(segment.range.end);
  row.sign = sign.sign;
  if (std::isfinite(sign.confidence)) row.confidence = sign.confidence;
  row.decided = sign.decided;
  if (segment.sign == 0) row.probability = sign.probability;
  if (sign.group >= 0) row.group = static_cast<int>(sign.group) + 1;
  return row;
}

SignGroup summarize_group(const SignGroupFlip& flip, const std::vector<SegmentSummary>& segments) {
  SignGroup group;
  for (const Index k : flip.segments) {
    const std::string& joint = segments[static_cast<std::size_t>(k)].joint;
    if (std::find(group.joints.begin(), group.joints.end(), joint) == group.joints.end())
      group.joints.push_back(joint);
  }
  group.segments = static_cast<int>(flip.segments.size());
  group.probability = flip.probability;
  group.evidence = fmt::format(
      "with all these signs reversed the model fits worse by {:.2g} standard deviations of its own errors; "
      "segments of "
      "{} that are left out are predicted to {:.0f} % of their effort",
      flip.deviations, group.joints.size() == 1 ? "this joint" : "these joints", 100 * flip.misfit);
  return group;
}

}  // namespace

SignsSummary summarize_signs(const Setup& setup, const Runs& runs, const SignedRuns& signed_runs,
                             const WeighedSearch& found, Index samples) {
  const SignSearch& search = found.search;
  SignsSummary signs;
  signs.certified = to_string(search.proof);
  signs.cost = search.cost;
  signs.lower_bound = search.lower_bound;
  signs.nodes = static_cast<std::int64_t>(search.nodes);
  signs.fits = search.fits;
  const std::vector<std::string> names = sign_joint_names(setup.robot);
  double kept = 0, decided = 0;
  std::size_t k = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!signed_runs[r]) continue;
    for (const SignSegment& segment : signed_runs[r]->segmented.segments) {
      const SegmentSign& sign = search.segments[k++];
      SegmentSummary& row =
          signs.segments.emplace_back(summarize_segment(segment, sign, runs[r].prepared->preparation().grid));
      row.run = runs[r].label();
      row.joint = names[static_cast<std::size_t>(segment.joint)];
      kept += static_cast<double>(segment.range.size());
      if (sign.decided) decided += static_cast<double>(segment.range.size());
    }
  }
  for (const SignGroupFlip& flip : search.groups)
    signs.groups.push_back(summarize_group(flip, signs.segments));
  signs.kept_share = kept / static_cast<double>(std::max<Index>(1, samples));
  signs.decided_share = kept > 0 ? decided / kept : 0;
  return signs;
}

SignTree summarize_tree(const TreeOptions& options, const TreeSearch& found, const VectorXd& signs) {
  SignTree tree;
  tree.node_cost = to_string(options.cost);
  tree.order = to_string(options.order);
  tree.retrieval = options.penalty ? "penalty" : "convex";
  tree.s0 = found.start;
  tree.w = options.width;
  tree.nodes = static_cast<std::int64_t>(found.nodes);
  tree.cost = found.cost;
  tree.differs = static_cast<int>((found.signs.array() != signs.array()).count());
  tree.significant = found.significant;
  for (const TreeLevel& level : found.levels) {
    SignTreeLevel& row = tree.levels.emplace_back();
    row.segment = static_cast<int>(found.order[static_cast<std::size_t>(level.segments - 1)]) + 1;
    for (const TreeNode& node : level.nodes) row.nodes.push_back({node.cost, node.parent + 1, node.sign});
  }
  return tree;
}

std::vector<Finding> sign_findings(const SignsSummary& signs) {
  std::vector<Finding> findings;
  std::map<std::string, std::pair<int, int>> undecided;  // by joint: alone, in groups
  for (const SegmentSummary& segment : signs.segments)
    if (!segment.decided)
      ++(segment.group ? undecided[segment.joint].second : undecided[segment.joint].first);
  for (const auto& [joint, count] : undecided) {
    const auto& [alone, grouped] = count;
    std::string text;
    if (alone > 0)
      text = fmt::format("{} {} of this joint may have the other sign", alone,
                         alone == 1 ? "segment" : "segments");
    if (grouped > 0)
      text += fmt::format("{}{} {} of this joint may all have the other sign together", alone > 0 ? "; " : "",
                          grouped, grouped == 1 ? "segment" : "segments");
    findings.push_back(make_finding("undecided-signs", joint, text));
  }
  if (!signs.segments.empty() &&
      std::none_of(signs.segments.begin(), signs.segments.end(),
                   [](const SegmentSummary& segment) { return segment.decided; })) {
    findings.push_back(make_finding("undecided-signs", "", "no segment of any joint is decided"));
    findings.back().severity = Severity::error;
  }
  if (signs.certified == "not-searched") return findings;
  if (signs.certified != "feasible-optimal")
    findings.push_back(
        make_finding("signs-not-proven", "",
                     fmt::format("{}: cost {:.4g}, no pattern is below {:.4g}, {} nodes and {} fits",
                                 signs.certified, signs.cost, signs.lower_bound, signs.nodes, signs.fits)));
  return findings;
}

}  // namespace steelyard
