// Cross-validation over blocks: groups of blocks are held out in turn, the parameters are estimated from the
// others, and the residuals of those left out are added up. Brute force, but from folds: a refit costs no
// pass over the log.
//
// The caller chooses the groups: by index (neighbouring blocks together), or by phase (the blocks
// at one phase of a periodic motion together; otherwise what is held out is still in the training data). A
// gap between two blocks of which only one is trained on is in neither part.
#pragma once

#include <functional>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/fold/fold_set.hpp"

namespace steelyard::inline STEELYARD_ABI {

// groups[run][block]: the group of each block, counted from 0; −1: always trained on, never tested.
using BlockGroups = std::vector<std::vector<int>>;

// `blocks` blocks cut into at most `groups` runs of neighbours of nearly equal length.
std::vector<int> groups_by_index(Index blocks, int groups);

// Blocks at the same phase of a motion together: block b covers samples [b · block_samples, (b + 1) ·
// block_samples) of a motion with a period of `period` samples. The phase of the block's middle decides.
// Throws InputError when there are fewer than two blocks a period.
std::vector<int> groups_by_phase(Index blocks, double block_samples, double period, int groups);

// Folds to train on: one per layout, which costs little for each of many groups; or one per block, for estimates with
// weights by block.
enum class Training { merged, by_block };
Training training_of(const EstimateOptions& options);

// The rows with and without one group.
struct HeldOutPart {
  int group = 0;
  std::vector<Fold> training, tested;
};
// Throws InputError for groups that do not fit the blocks, and for fewer than two groups.
std::vector<HeldOutPart> held_out_parts(const std::vector<std::vector<FoldBlock>>& runs,
                                        const BlockGroups& groups, Training training);

// Residuals of several parts as those of all their rows.
std::vector<Residual> added_by_row(const std::vector<std::vector<Residual>>& parts);

struct CrossValidation {
  Index groups = 0;  // that were left out
  std::vector<Residual> per_row;
  std::vector<Residual> totals;  // one per unit
  std::vector<VectorXd> values;  // of each refit, in the order of `columns`
  std::vector<std::string> columns;
  std::vector<EstimateStatus> status;  // of each refit
};

// Runs are sets with the same effort columns. Throws InputError for groups that do not fit the blocks, and
// for fewer than two groups.
CrossValidation cross_validate(const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups,
                               const EstimateOptions& options = {}, std::span<const Fold> priors = {});

// The same for any fit (a feasible one): from the training folds to columns and their values.
struct FittedColumns {
  std::vector<std::string> columns;
  VectorXd values;
  EstimateStatus status = EstimateStatus::solved;
};
using FitFunction = std::function<FittedColumns(std::span<const Fold> training)>;
CrossValidation cross_validate(const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups,
                               const FitFunction& fit, Training kind);

// The same where what is fitted is not what is predicted: rows with instruments, or with weights of their
// own. `training` has the blocks of `tested`.
CrossValidation cross_validate(const std::vector<std::vector<FoldBlock>>& training,
                               const std::vector<std::vector<FoldBlock>>& tested, const BlockGroups& groups,
                               const FitFunction& fit, Training kind);

}  // namespace steelyard
