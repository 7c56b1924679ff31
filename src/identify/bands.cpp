#include "identify/bands.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/estimate/cross_validation.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kBandGroups = 10;

// √ of the mean of Y Σ Yᵀ over the rows of a kind: tr(R Σ Rᵀ) / rows from its folds.
double parameter_rms(const Fit& fit, const MatrixXd& covariance, const std::string& row) {
  double sum = 0;
  Index rows = 0;
  for (const Fold& fold : fit.folds) {
    if (fold.layout().row != row || fold.depth() == 0) continue;
    std::vector<Index> own, places;
    for (std::size_t k = 0; k < fold.layout().columns.size(); ++k)
      if (const Index at = fit.estimated.find(fold.layout().columns[k]); at >= 0) {
        own.push_back(static_cast<Index>(k));
        places.push_back(at);
      }
    const MatrixXd Y = fold.columns()(Eigen::all, own);
    const MatrixXd own_covariance = covariance(places, places);
    sum += (Y * own_covariance).cwiseProduct(Y).sum();
    rows += fold.rows();
  }
  return rows > 0 ? std::sqrt(std::max(0.0, sum) / static_cast<double>(rows)) : 0;
}

}  // namespace

BandCounter::BandCounter(const Setup& setup, const Folded& folded, const Fit& fit, const Uncertainty& spread)
    : plan_(setup.plan) {
  std::vector<std::vector<FoldBlock>> blocks;
  BlockGroups groups;
  for (const RunRows& run : folded.runs) {
    Groups& own = runs_.emplace_back();
    if (!run.is_fit()) continue;
    blocks.push_back(run.folds.folds.blocks());
    own.of_block = groups_by_index(static_cast<Index>(blocks.back().size()), kBandGroups);
    own.block_samples = run.folds.slot_samples * run.folds.folds.slots_per_block();
    groups.push_back(own.of_block);
  }
  int largest = 0;
  for (const std::vector<int>& run : groups)
    largest = std::max(largest, *std::max_element(run.begin(), run.end()));
  if (largest > 0) {
    const CrossValidation refits = cross_validate_estimator(setup, fit, blocks, groups);
    for (const VectorXd& values : refits.values) {
      VectorXd& moved = moved_.emplace_back(VectorXd::Zero(static_cast<Index>(plan_.columns.size())));
      for (std::size_t k = 0; k < plan_.columns.size(); ++k) {
        const auto at = std::find(refits.columns.begin(), refits.columns.end(), plan_.columns[k]);
        const Index final = fit.estimated.find(plan_.columns[k]);
        if (at == refits.columns.end() || final < 0) continue;
        moved[static_cast<Index>(k)] = values[at - refits.columns.begin()] - fit.estimated.values[final];
      }
    }
  }
  held_out_.assign(plan_.rows.size(), std::vector<ErrorCounts>(std::max<std::size_t>(1, moved_.size())));
  by_run_.assign(runs_.size(), std::vector<ErrorCounts>(plan_.rows.size()));
  const bool known = spread.intervals.covariance.size() > 0;
  for (const Residual& residual : fit.estimated.per_row)
    parameter_part_.push_back(known ? parameter_rms(fit, spread.intervals.covariance, residual.row) : 0);
  parameter_part_.resize(plan_.rows.size(), 0);
}

void BandCounter::begin(std::size_t run) {
  run_ = run;
}

void BandCounter::add(const ErrorTile& tile) {
  const auto r = static_cast<std::size_t>(tile.row);
  const Groups& groups = runs_[run_];
  if (groups.of_block.empty() || moved_.empty()) {
    for (Index s = 0; s < tile.count; ++s) by_run_[run_][r].add(tile.errors[s]);
    return;
  }
  const Row& own = plan_.rows[r];
  for (Index s = 0; s < tile.count; ++s) {
    const auto block = static_cast<std::size_t>((tile.first + s) / groups.block_samples);
    const int group = groups.of_block[std::min(block, groups.of_block.size() - 1)];
    const VectorXd& moved = moved_[static_cast<std::size_t>(group)];
    double error = tile.errors[s];
    for (std::size_t k = 0; k < own.columns.size(); ++k)
      error -= moved[own.columns[k]] * tile.columns[(own.offset + static_cast<Index>(k)) * tile.stride + s];
    held_out_[r][static_cast<std::size_t>(group)].add(error);
    by_run_[run_][r].add(error);
  }
}

std::vector<JointBand> BandCounter::bands(const std::vector<std::string>& joints, double level) const {
  std::vector<JointBand> out;
  if (moved_.empty()) return out;  // nothing could be held out
  for (std::size_t r = 0; r < held_out_.size(); ++r) {
    const Band band = calibrate_band(held_out_[r], level);
    out.push_back({joints[r], band.half_width, parameter_part_[r], band.coverage});
  }
  return out;
}

std::vector<double> BandCounter::coverage(std::size_t run, const std::vector<JointBand>& bands) const {
  std::vector<double> out;
  for (std::size_t r = 0; r < bands.size(); ++r)
    out.push_back(by_run_[run][r].share_within(bands[r].half_width));
  return out;
}

}  // namespace steelyard
