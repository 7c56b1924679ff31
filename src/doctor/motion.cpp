#include "steelyard/doctor/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kPoints = 400;  // over the longer run

// Positions at multiples of `step` from the run's beginning, by straight lines.
Eigen::MatrixXd sampled(const CoarseRun& run, double step) {
  const Index count = 1 + static_cast<Index>((run.stamps[run.size() - 1] - run.stamps[0]) / step);
  Eigen::MatrixXd out(count, run.joints());
  Index at = 0;
  for (Index k = 0; k < count; ++k) {
    const double time = run.stamps[0] + static_cast<double>(k) * step;
    while (at + 2 < run.size() && run.stamps[at + 1] <= time) ++at;
    const double share = (time - run.stamps[at]) / (run.stamps[at + 1] - run.stamps[at]);
    out.row(k) = (1 - share) * run.q.row(at) + share * run.q.row(at + 1);
  }
  return out;
}

}  // namespace

MotionMatch match_motions(const CoarseRun& a, const CoarseRun& b) {
  require(a.joints() == b.joints(), "two runs are of different robots");
  MotionMatch match{kInfinity, 0};
  if (a.size() < 8 || b.size() < 8) return match;
  const double longest = std::max(a.stamps[a.size() - 1] - a.stamps[0], b.stamps[b.size() - 1] - b.stamps[0]);
  const double step = longest / static_cast<double>(kPoints);
  const Eigen::MatrixXd p = sampled(a, step), q = sampled(b, step);
  const Eigen::VectorXd deviation =
      ((p.rowwise() - p.colwise().mean()).colwise().squaredNorm() / static_cast<double>(p.rows()))
          .cwiseSqrt();
  const Index min_overlap = std::max<Index>(4, std::min(p.rows(), q.rows()) / 2);
  for (Index shift = min_overlap - q.rows(); shift <= p.rows() - min_overlap; ++shift) {
    const Index first = std::max<Index>(0, shift), last = std::min(p.rows(), q.rows() + shift);
    double worst = deviation.maxCoeff() > 0 ? 0 : kInfinity;
    for (Index j = 0; j < p.cols() && worst < match.mismatch; ++j) {
      if (deviation[j] <= 1e-3 * deviation.maxCoeff()) continue;
      const double rms =
          std::sqrt((p.col(j).segment(first, last - first) - q.col(j).segment(first - shift, last - first))
                        .squaredNorm() /
                    static_cast<double>(last - first));
      worst = std::max(worst, rms / deviation[j]);
    }
    if (worst < match.mismatch) match = {worst, static_cast<double>(shift) * step};
  }
  return match;
}

bool first_repeats(const RunLabel& first, const RunLabel& second) {
  return first.role == RunRole::validate && second.role != RunRole::validate;
}

Finding repeated_motion(const RunLabel& repeat, const RunLabel& original, double mismatch) {
  const bool fresh = repeat.role != original.role;
  Finding finding = make_finding(
      "repeated-motion", repeat.label,
      fmt::format("it repeats the motion of run '{}' to {:.1f} % of the motion's standard deviation{}",
                  original.label, 100 * mismatch,
                  fresh ? ": predicting it says little about other motions" : ""));
  if (!fresh) finding.severity = Severity::note;
  return finding;
}

}  // namespace steelyard
