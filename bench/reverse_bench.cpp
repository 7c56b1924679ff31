// Where to ask for g(q) and M(q): chosen configurations beside random sets of the same size (median of 51).
//
//   gain      (det chosen / det random)^(1/p), p base parameters
//   ceiling   the same against the information of one configuration, mean over 5000 random ones: what is
//             left of the gain when random sets are large
//   variance  mean variance of the coefficients, chosen over random
//
// Prints the table of docs/reverse.md; ends with 1 when a chosen set is worse than the median random one, or
// saves less than half the variance with three configurations or less than 20 % with ten. `--large` goes on
// to 200 configurations.
#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "reverse/cases.hpp"
#include "statistics.hpp"

namespace steelyard {
namespace {

constexpr std::uint64_t kRandomSets = 51;
constexpr Index kManyRandom = 5000;

struct RandomSets {
  double log_det = 0, variance = 0, rank = 0;  // medians
};

RandomSets random_sets(const Robot& robot, const BaseParameters& base, Index count) {
  std::vector<double> log_det, variance, rank;
  for (std::uint64_t k = 1; k <= kRandomSets; ++k) {
    const ConfigurationSet set = measure(robot, base, random_configurations(robot, count, {}, k));
    log_det.push_back(set.log_det);
    variance.push_back(set.mean_variance);
    rank.push_back(static_cast<double>(set.rank));
  }
  return {spread_of(log_det).median, spread_of(variance).median, spread_of(rank).median};
}

double share_allowed(Index count) {
  return count == 3 ? 0.5 : count == 10 ? 0.8 : 1;
}

bool compare(const Robot& robot, const char* name, const std::vector<Index>& counts) {
  BaseOptions options;
  options.rows = RowSet::gravity_inertia;
  options.expressions = false;
  const BaseParameters base = base_parameters(robot, options);
  const auto unknowns = static_cast<double>(base.rank);
  const auto per_configuration = [&](double log_det, Index count) {
    return log_det / unknowns - std::log(static_cast<double>(count));
  };
  const ConfigurationSet many =
      measure(robot, base, random_configurations(robot, kManyRandom, {}, kRandomSets + 1));
  bool held = true;
  for (const Index count : counts) {
    ConfigurationOptions wanted;
    wanted.count = count;
    const ConfigurationSet best = best_configurations(robot, base, wanted);
    const RandomSets random = random_sets(robot, base, count);
    held &= static_cast<double>(best.rank) >= random.rank;
    if (best.rank < base.rank) {
      fmt::print("| {} | {} | {} of {} | | | |\n", name, count, best.rank, base.rank);
      continue;
    }
    const double gain = std::exp((best.log_det - random.log_det) / unknowns);
    const double ceiling =
        std::exp(per_configuration(best.log_det, count) - per_configuration(many.log_det, kManyRandom));
    const double share = best.mean_variance / random.variance;
    held &= gain >= 1 && share <= share_allowed(count);
    fmt::print("| {} | {} | {} of {} | {:.3f} | {:.3f} | {:.2f} |\n", name, count, best.rank, base.rank, gain,
               ceiling, share);
  }
  return held;
}

}  // namespace
}  // namespace steelyard

int main(int argc, char** argv) {
  std::vector<steelyard::Index> counts = {2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 35, 40};
  if (argc > 1 && std::string_view(argv[1]) == "--large") counts.insert(counts.end(), {50, 100, 200});
  fmt::print(
      "| robot | configurations | shown | gain | ceiling | variance |\n|---|---:|---:|---:|---:|---:|\n");
  bool held = true;
  for (const auto& [file, name] : {std::pair{"lwr4", "LWR-IV"}, {"panda", "Panda"}})
    held &= steelyard::compare(steelyard::named(file), name, counts);
  fmt::print("{}\n", held ? "no chosen set is worse than the median random set of its size"
                          : "a chosen set is worse than it should be");
  return held ? 0 : 1;
}
