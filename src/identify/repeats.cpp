#include "identify/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "steelyard/doctor/motion.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Two recordings differ by their noise, 1e-4 of the effort and more; the same one, exported with other digits
// or folded by another processor, does not.
constexpr double kSameRows = 1e-6;

bool is_fit(const StudyRun& run) {
  return run.file.label.role == RunRole::fit;
}

CoarseRun to_coarse(const FoldedRun& run) {
  CoarseRun coarse;
  coarse.label = run.label;
  coarse.step = run.motion->step;
  coarse.q = run.motion->position;
  coarse.stamps =
      VectorXd::LinSpaced(coarse.q.rows(), 0, coarse.step * static_cast<double>(coarse.q.rows() - 1));
  return coarse;
}

bool is_comparable(const Study& study) {
  return study.runs.size() > 1 && std::any_of(study.runs.begin(), study.runs.end(), is_fit) &&
         std::any_of(study.runs.begin(), study.runs.end(), [](const StudyRun& run) { return !!run.folded; });
}

// RᵀR of every row of the plan.
std::vector<MatrixXd> grams_of(const RunRows& run) {
  std::vector<MatrixXd> grams;
  for (const Fold& fold : run.folds.folds.total()) grams.emplace_back(fold.R().transpose() * fold.R());
  return grams;
}

bool has_same_rows(const RunRows& a, const RunRows& b) {
  if (a.folds.samples != b.folds.samples || a.folds.kept != b.folds.kept) return false;
  if (std::all_of(a.folds.kept.begin(), a.folds.kept.end(), [](Index rows) { return rows == 0; }))
    return false;
  const std::vector<MatrixXd> p = grams_of(a), q = grams_of(b);
  for (std::size_t r = 0; r < p.size(); ++r)
    if (p[r].rows() != q[r].rows() || (p[r] - q[r]).norm() > kSameRows * p[r].norm()) return false;
  return true;
}

}  // namespace

std::vector<Repeat> repeated_folds(
    const Study& study, const std::function<std::optional<CoarseRun>(std::size_t run)>& log_motion) {
  std::vector<Repeat> repeats;
  if (!is_comparable(study)) return repeats;
  std::vector<std::optional<CoarseRun>> motions;
  for (std::size_t r = 0; r < study.runs.size(); ++r) {
    const StudyRun& run = study.runs[r];
    if (!run.folded) {
      motions.push_back(log_motion(r));
    } else if (run.folded->motion) {
      motions.emplace_back(to_coarse(*run.folded));
    } else {
      motions.emplace_back();
      repeats.push_back(
          {r, "",
           make_finding("motion-unknown", run.file.label.label,
                        "its folds do not contain the motion: whether another run repeats it is unknown")});
    }
  }
  for (std::size_t b = 1; b < study.runs.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      const StudyRun &first = study.runs[a], &second = study.runs[b];
      if ((!first.folded && !second.folded) || !motions[a] || !motions[b]) continue;
      if (motions[a]->joints() != motions[b]->joints()) continue;
      const double mismatch = match_motions(*motions[a], *motions[b]).mismatch;
      if (mismatch > kSameMotion) continue;
      const bool swapped = first_repeats(first.file.label, second.file.label);
      const RunLabel &repeat = (swapped ? first : second).file.label,
                     &original = (swapped ? second : first).file.label;
      repeats.push_back({swapped ? a : b, original.label, repeated_motion(repeat, original, mismatch)});
    }
  return repeats;
}

SameRows same_rows(const std::vector<RunRows>& runs) {
  SameRows out;
  out.original.resize(runs.size());
  for (std::size_t b = 1; b < runs.size(); ++b)
    for (std::size_t a = 0; a < b; ++a) {
      if (!runs[a].is_fit() && !runs[b].is_fit()) continue;
      if (!has_same_rows(runs[a], runs[b])) continue;
      const bool both = runs[a].is_fit() && runs[b].is_fit();
      const std::size_t again = both || runs[a].is_fit() ? b : a;
      const std::string& label = runs[again].label();
      const std::string& original = out.original[again] = runs[again == b ? a : b].label();
      out.findings.push_back(
          both ? make_finding("same-log", label,
                              fmt::format("its rows are identical to those of run '{}': they count twice, "
                                          "and all standard deviations are too small",
                                          original))
               : make_finding("fitted-run", label,
                              fmt::format("the model is fitted to this very log (run '{}'): predicting it "
                                          "proves nothing",
                                          original)));
      break;  // one original is enough
    }
  return out;
}

}  // namespace steelyard
