// Two recordings folded to small triangles, kept in a file, merged and fitted again: 05_fold_merge_refit ROBOT
#include <cstdio>
#include <exception>

#include "recording.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"

// Every row kind (joint) of a run as one fold.
std::vector<steelyard::Fold> folds_of(const steelyard::FoldedRun& run) {
  std::vector<std::vector<steelyard::Fold>> blocks;
  for (const steelyard::FoldBlock& block : run.blocks) blocks.push_back(block.all());
  return steelyard::merge_tree(blocks);
}

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: %s ROBOT.yaml|ROBOT.urdf\n", argv[0]), 2;
  steelyard::Study study;
  study.robot = steelyard::read_robot(argv[1]).robot;
  study.drives.viscous = study.drives.coulomb = true;
  study.prepare.filter = study.prepare.column_filter = {4, 10};
  for (int day = 1; day <= 2; ++day) {
    const Recording log = record(*study.robot, day);
    study.runs.push_back(steelyard::run_from_arrays("day " + std::to_string(day), log.time, log.q, log.tau));
  }
  steelyard::write_fold_file(steelyard::fold_study(study), "days.fold");
  const std::vector<steelyard::FoldedRun> days = steelyard::read_fold_file("days.fold");  // the logs may go

  std::vector<steelyard::Fold> both = folds_of(days[0]);
  const std::vector<steelyard::Fold> second = folds_of(days[1]);
  const steelyard::EstimateOptions options{steelyard::Weighting::by_row_iterated};
  const steelyard::Estimate one_day = steelyard::estimate(both, options);
  for (std::size_t row = 0; row < both.size(); ++row) both[row].merge(second[row]);
  const steelyard::Estimate two_days = steelyard::estimate(both, options);

  int better = 0;
  for (std::size_t k = 0; k < two_days.columns.size(); ++k) {
    const double before = one_day.sigma[k], after = two_days.sigma[k];
    std::printf("%-6s %9.4f +- %.4f   one day: +- %.4f\n", two_days.columns[k].c_str(), two_days.values[k],
                after, before);
    better += after < before;
  }
  std::printf("%td rows of two days; %d of %zu parameters are known better than after one\n", two_days.rows,
              better, two_days.columns.size());
  return 2 * better > static_cast<int>(two_days.columns.size()) ? 0 : 1;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 2;
}
