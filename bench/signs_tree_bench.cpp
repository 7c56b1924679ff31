// The published tree search beside the exact one on the same logs of |torque|:
//   bench/signs_tree_bench [trials [cost [first [noise]]]]
// cost: phi1, phi2, residual, "residual + phi1" or all (convex fits in the nodes of all but one); first: the
// first seed; noise in %, all of them when it is left out. With these the table can be made in pieces.
//
// A simulated KR5 with random motions and noise of 1 … 30 % of RMS before the absolute value, s0 = w = 5.
// Trials with all segments right (a mixed one counts as wrong), by cost and order of the tree, then the share
// of segments that is right. docs/signs.md quotes it.
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "signs/sign_cases.hpp"
#include "steelyard/signs/tree.hpp"

namespace {

using namespace steelyard;
using namespace steelyard::sign_cases;

constexpr SegmentOrder kOrders[] = {SegmentOrder::longest, SegmentOrder::distal, SegmentOrder::time,
                                    SegmentOrder::informative};

struct Tally {
  int trials = 0, right = 0;
  double segments = 0, right_segments = 0;

  void add(const SampleBlock& truth, const SegmentedRun& run, const VectorXd& signs) {
    int wrong = 0;
    for (std::size_t k = 0; k < run.segments.size(); ++k)
      wrong += true_sign(truth, run.segments[k]) != static_cast<int>(signs[static_cast<Index>(k)]);
    ++trials;
    right += wrong == 0;
    segments += static_cast<double>(run.segments.size());
    right_segments += static_cast<double>(run.segments.size()) - wrong;
  }
  std::string cell() const {
    return fmt::format("{} ({:.1f} %)", right, 100 * right_segments / std::max(1.0, segments));
  }
};

struct Method {
  bool exact = false;
  TreeOptions tree;
};

std::vector<Method> methods(const std::string& wanted) {
  std::vector<Method> out(1);
  out[0].exact = true;
  for (const NodeCost cost :
       {NodeCost::residual, NodeCost::torque, NodeCost::residual_and_retrieval, NodeCost::retrieval}) {
    if (wanted != "all" && wanted != to_string(cost)) continue;
    for (const SegmentOrder order : kOrders) {
      Method method;
      method.tree.cost = cost;
      method.tree.order = order;
      out.push_back(method);
    }
  }
  return out;
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t trials = count > 1 ? std::strtoull(words[1], nullptr, 10) : 10;
  const std::string cost = count > 2 ? words[2] : "all";
  const std::uint64_t first = count > 3 ? std::strtoull(words[3], nullptr, 10) : 1;
  std::vector<double> noises = {0.01, 0.05, 0.1, 0.2, 0.3};
  if (count > 4) noises = {std::strtod(words[4], nullptr) / 100};
  const Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", false);
  const SignPhysics physics{&bench.robot, &bench.base, {}};
  fmt::print("all segments right of {} trials (share of segments right)\n{:<34}", trials, "method");
  for (const double noise : noises) fmt::print("{:>16}", fmt::format("{:.0f} % noise", 100 * noise));
  fmt::print("\n");
  for (const Method& method : methods(cost)) {
    fmt::print("{:<34}", method.exact ? std::string("exact")
                                      : fmt::format("tree, {}, {} first", to_string(method.tree.cost),
                                                    to_string(method.tree.order)));
    for (const double noise : noises) {
      Case options;
      options.noise = noise;
      Tally tally;
      for (std::uint64_t seed = first; seed < first + trials; ++seed) {
        const Trial trial = simulate_trial(bench, options, seed);
        const SegmentedRun run = detect_segments(trial.samples, trial.rate);
        const std::vector<Fold> folds = fold_segments(bench.plan, bench.layouts, trial.samples, run);
        const VectorXd weights = rms_weights(run);
        tally.add(trial.truth, run,
                  method.exact ? recover_signs(make_sign_problem(folds, run.segments, weights), physics).signs
                               : search_tree(folds, run.segments, weights, physics, method.tree).signs);
      }
      fmt::print("{:>16}", tally.cell());
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
}
