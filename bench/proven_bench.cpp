// What is provably known, over many simulated robots: 200 with 2 % noise and 200 without, of one to three
// joints, all standard parameters and centres of mass; and 200 random sets of constraints, each conflict
// judged by the definition. Fails when fewer than 95 % of the noisy intervals or not all of the noise-free
// ones hold the truth, inner and outer ends differ by more than 1e-5, or a conflict set is not irreducible.
//
//   proven_bench [CASES]
#include <fmt/format.h>

#include <cstdlib>

#include "clock.hpp"
#include "feasible/random_conflict.hpp"
#include "feasible/simulated_robot.hpp"

using namespace steelyard;
using namespace steelyard::feasible_test;

namespace {

bool intervals_of(const char* label, int cases, double noise, double min_share) {
  IntervalCounts counts;
  const double before = thread_nanoseconds();
  for (int seed = 1; seed <= cases; ++seed)
    check_intervals(simulate(static_cast<std::uint64_t>(seed), 1 + seed % 3, noise), counts);
  const double share = static_cast<double>(counts.inside) / counts.asked;
  fmt::print(
      "{:<12}{:>4} robots {:>6} intervals  truth inside {:.2f} %  inner to outer at most {:.1e} ({})  "
      "{} open ends  {:.1f} s\n",
      label, cases, counts.asked, 100 * share, counts.worst, counts.worst_name, counts.infinite_ends,
      1e-9 * (thread_nanoseconds() - before));
  return share >= min_share && counts.worst <= 1e-5;
}

bool conflicts_of(int cases) {
  int conflicts = 0, wrong = 0;
  std::size_t members = 0;
  const double before = thread_nanoseconds();
  for (int seed = 1; seed <= cases; ++seed) {
    const ConflictCase wanted = random_conflict(static_cast<std::uint64_t>(seed));
    const Conflict conflict = find_conflict(wanted.constraints, wanted.problem.robot);
    if (conflict.feasible) continue;
    ++conflicts;
    members += conflict.members.size();
    std::string complaint = judge_conflict(wanted, conflict);
    if (complaint.empty() && !(conflict.irreducible && conflict.violation > 0)) complaint = "not proven";
    if (complaint.empty()) continue;
    ++wrong;
    fmt::print("case {}: {}\n", seed, complaint);
  }
  fmt::print(
      "conflicts   {:>4} cases, {} infeasible with {:.1f} members each, {} not irreducible  {:.1f} s\n",
      cases, conflicts, static_cast<double>(members) / std::max(1, conflicts), wrong,
      1e-9 * (thread_nanoseconds() - before));
  return wrong == 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int cases = argc > 1 ? std::atoi(argv[1]) : 200;
  if (cases < 1) {
    fmt::print(stderr, "usage: proven_bench [CASES]\n");
    return 2;
  }
  bool good = intervals_of("2 % noise", cases, 0.02, 0.95);
  good = intervals_of("no noise", cases, 0, 1) && good;
  good = conflicts_of(cases) && good;
  return good ? 0 : 1;
}
