// Signs of |torque| logs: `bench/signs_bench WORD`, with trials [first last], gains [first last], many
// [runs], calibration [first last], speed; without words all of them.
//
// trials  random motions and noise with seeds first … last (1 … 100 by default, so that a table can be made
//         in pieces): trials with all segments right (a mixed one is wrong), proven feasible-optimal, means
// gains   the same with drive gains that are not known
// many    many runs as one problem: time, memory and the bound
// speed   from folds to certified signs, against Algorithm 1 of the published tree search as it is printed:
//         in every node a dense pseudo-inverse (line 12) and a parameter retrieval (line 13), and against
//         its pseudo-inverses alone; hypotheses a second of the beam
// docs/signs.md quotes them; public logs: scripts/signs-real.
#include <fmt/format.h>
#include <sys/resource.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "clock.hpp"
#include "signs/sign_cases.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/feasible/penalty.hpp"
#include "steelyard/feasible/reference.hpp"
#include "steelyard/signs/search.hpp"
#include "steelyard/signs/unknown_gains.hpp"

namespace {

using namespace steelyard;
using namespace steelyard::sign_cases;

struct NamedCase {
  const char* name;
  Case options;
};

std::vector<NamedCase> trial_cases() {
  std::vector<NamedCase> cases;
  const auto add = [&](const char* name, const char* robot, double noise, double coulomb) {
    Case options;
    options.robot = robot;
    options.noise = noise;
    options.coulomb = coulomb;
    options.segments.at_reversals = coulomb > 0;
    cases.push_back({name, options});
  };
  add("kr5, 1 %", "kr5", 0.01, 0);
  add("kr5, 5 %", "kr5", 0.05, 0);
  add("kr5, 10 %", "kr5", 0.1, 0);
  add("kr5, 20 %", "kr5", 0.2, 0);
  add("kr5, 30 %", "kr5", 0.3, 0);
  add("kr5, 5 %, Coulomb 0.1", "kr5", 0.05, 0.1);
  add("kr5, 5 %, Coulomb 0.3", "kr5", 0.05, 0.3);
  add("kr5, 5 %, Coulomb 0.6", "kr5", 0.05, 0.6);
  add("ur10, 5 %, Coulomb 0.3", "ur10", 0.05, 0.3);
  add("panda, 5 %, Coulomb 0.3", "panda", 0.05, 0.3);
  add("tx40, 5 %, Coulomb 0.3", "tx40", 0.05, 0.3);
  return cases;
}

void run_trials(std::uint64_t first, std::uint64_t last) {
  fmt::print("{:<26}{:>8}{:>8}{:>10}{:>10}{:>8}{:>8}{:>10}\n", "case", "trials", "right", "certified",
             "segments", "mixed", "kept", "ms");
  for (const NamedCase& named : trial_cases()) {
    const Bench bench = make_bench(STEELYARD_SOURCE_DIR, named.options.robot, named.options.coulomb > 0);
    Case options = named.options;
    // Robots without published inertias: uniform bodies of the links' size.
    if (options.robot != "kr5") {
      const Quantities quantities(bench.robot);
      options.standard = reference_bodies(bench.robot, quantities).x;
    }
    double right = 0, certified = 0, segments = 0, mixed = 0, kept = 0, seconds = 0, count = 0;
    for (std::uint64_t seed = first; seed <= last; ++seed, ++count) {
      const Trial trial = simulate_trial(bench, options, seed);
      const SegmentedRun run = detect_segments(trial.samples, trial.rate, options.segments);
      const std::vector<Fold> folds = fold_segments(bench.plan, bench.layouts, trial.samples, run);
      SignSearch search;
      const double begin = thread_nanoseconds();
      search = recover_signs(make_sign_problem(folds, run.segments, rms_weights(run)),
                             {&bench.robot, &bench.base, {}});
      seconds += (thread_nanoseconds() - begin) / 1e9;
      const Score result = score(trial.truth, run, search);
      right += result.wrong == 0;
      certified += search.proof == SignProof::feasible_optimal;
      segments += static_cast<double>(result.segments);
      mixed += result.mixed > 0;
      kept += result.kept;
    }
    fmt::print("{:<26}{:>8}{:>8}{:>10}{:>10.1f}{:>8}{:>7.1f}%{:>10.1f}\n", named.name, count, right,
               certified, segments / count, mixed, 100 * kept / count, 1e3 * seconds / count);
    std::fflush(stdout);
  }
}

constexpr double kCorrelation = 5;  // 50 Hz behind a filter of 5 Hz

// Segments by stated probability.
struct ProbabilityBins {
  static constexpr double kEdges[] = {0, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999, 1.1};
  static constexpr std::size_t kBins = std::size(kEdges) - 1;
  double count[kBins] = {}, right[kBins] = {}, stated[kBins] = {};

  void add(double probability, bool is_right) {
    std::size_t bin = 0;
    while (probability >= kEdges[bin + 1]) ++bin;
    count[bin] += 1;
    right[bin] += is_right;
    stated[bin] += probability;
  }
  void print() const {
    for (std::size_t b = 0; b < kBins; ++b)
      if (count[b] > 0)
        fmt::print("  stated {:.4f} on average: {:.4f} of {:.0f} segments right\n", stated[b] / count[b],
                   right[b] / count[b], count[b]);
  }
};

// Friction that the model does not have, at 5 % noise.
void run_calibration(std::uint64_t first, std::uint64_t last) {
  fmt::print("{:<26}{:>8}{:>10}{:>10}{:>10}{:>14}\n", "unmodelled friction", "trials", "segments", "decided",
             "right", "decided right");
  ProbabilityBins all;
  for (const double coulomb : {0.0, 0.15, 0.3, 0.6}) {
    ProbabilityBins bins;
    for (const char* robot : {"kr5", "ur10", "panda", "tx40", "lwr4"}) {
      const Bench bench = make_bench(STEELYARD_SOURCE_DIR, robot, false);
      Case options;
      options.segments = {};
      options.robot = robot;
      options.coulomb = coulomb;
      if (options.robot != "kr5") options.standard = reference_bodies(bench.robot, Quantities(bench.robot)).x;
      double segments = 0, decided = 0, right = 0, decided_right = 0, count = 0;
      for (std::uint64_t seed = first; seed <= last; ++seed, ++count) {
        const Trial trial = simulate_trial(bench, options, seed);
        const SegmentedRun run = detect_segments(trial.samples, trial.rate, options.segments);
        const std::vector<Fold> folds = fold_segments(bench.plan, bench.layouts, trial.samples, run);
        SignOptions search;
        search.correlation = run.band.correlation();
        const WeighedSearch found = recover_signs_reweighed(folds, run.segments, rms_weights(run),
                                                            {&bench.robot, &bench.base}, search, 2);
        for (std::size_t k = 0; k < run.segments.size(); ++k) {
          const SegmentSign& sign = found.search.segments[k];
          const bool is_right = true_sign(trial.truth, run.segments[k]) == sign.sign;
          bins.add(sign.probability, is_right);
          all.add(sign.probability, is_right);
          segments += 1;
          right += is_right;
          decided += sign.decided;
          decided_right += sign.decided && is_right;
        }
      }
      fmt::print("{:<26}{:>8}{:>10.1f}{:>9.1f}%{:>9.2f}%{:>13.2f}%\n", fmt::format("{}, {}", robot, coulomb),
                 count, segments / count, 100 * decided / segments, 100 * right / segments,
                 100 * decided_right / std::max(1.0, decided));
      std::fflush(stdout);
    }
    bins.print();
  }
  fmt::print("all\n");
  all.print();
}

// Gains of a case: within ±30 % of those assumed, or raw currents of drives like a TX-40's [N·m/A].
VectorXd gains_of(bool raw, std::uint64_t seed) {
  VectorXd gains(6);
  gains << 32.96, 32.48, 25.66, 11.52, 18.48, 7.68;
  if (raw) return gains;
  Random random(seed, "gains");
  for (Index j = 0; j < 6; ++j) gains[j] = random.uniform(0.7, 1.3);
  return gains;
}

void run_gains(std::uint64_t first, std::uint64_t last) {
  const Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", false);
  fmt::print("{:<26}{:>8}{:>8}{:>10}{:>12}{:>16}{:>22}\n", "kr5, 5 % noise", "trials", "right", "certified",
             "gains off", "ignored, right", "in interval of 95 %");
  for (const bool raw : {false, true}) {
    double right = 0, certified = 0, off = 0, ignored = 0, count = 0, inside = 0, intervals = 0;
    for (std::uint64_t seed = first; seed <= last; ++seed, ++count) {
      Case options;
      options.gains = gains_of(raw, seed);
      const Trial trial = simulate_trial(bench, options, seed);
      const SegmentedRun run = detect_segments(trial.samples, trial.rate);
      const std::vector<Fold> folds = fold_segments(bench.plan, bench.layouts, trial.samples, run);
      const SignProblem problem = make_sign_problem(folds, run.segments, rms_weights(run));
      const SignPhysics physics{&bench.robot, &bench.base, {}};
      const GainSearch found = recover_signs_and_gains(problem, physics);
      right += score(trial.truth, run, found.search).wrong == 0;
      certified += found.search.proof == SignProof::feasible_optimal;
      ignored += score(trial.truth, run, recover_signs(problem, physics)).wrong == 0;
      const GainEstimate refined = refine_gains(folds, problem, found, kCorrelation);
      for (Index j = 0; j < 6; ++j) {
        if (j == found.fixed) continue;
        const double truth = options.gains[j] / options.gains[found.fixed];
        inside += std::abs(refined.gains[j] - truth) <= 1.96 * refined.sigma[j];
        ++intervals;
      }
      const VectorXd ratio = refined.gains.cwiseQuotient(options.gains);
      off += (ratio / std::exp(ratio.array().log().mean()) - VectorXd::Ones(6)).norm() / std::sqrt(6.0);
    }
    fmt::print("{:<26}{:>8}{:>8}{:>10}{:>11.1f}%{:>16}{:>21.1f}%\n",
               raw ? "raw currents" : "gains within 30 %", count, right, certified, 100 * off / count,
               ignored, 100 * inside / intervals);
    std::fflush(stdout);
  }
}

void run_many(std::uint64_t runs) {
  const Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", false);
  std::vector<Fold> folds;
  std::vector<SignSegment> segments;
  VectorXd truth(0), weights = VectorXd::Zero(6);
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const Trial trial = simulate_trial(bench, {}, seed);
    const SegmentedRun run = detect_segments(trial.samples, trial.rate);
    for (Fold& fold : fold_segments(bench.plan, bench.layouts, trial.samples, run))
      folds.push_back(std::move(fold));
    for (const SignSegment& segment : run.segments) {
      segments.push_back(segment);
      truth.conservativeResize(truth.size() + 1);
      truth[truth.size() - 1] = true_sign(trial.truth, segment);
    }
    weights += rms_weights(run) / static_cast<double>(runs);
  }
  const double begin = thread_nanoseconds();
  const SignSearch search =
      recover_signs(make_sign_problem(folds, segments, weights), {&bench.robot, &bench.base, {}});
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(
      "{} runs, {} segments: {}, {} wrong, cost {:.6g}, bound {:.6g}, {} nodes, {} fits, {:.1f} s, "
      "peak memory {:.0f} MB\n",
      runs, segments.size(), to_string(search.proof), (search.signs.array() != truth.array()).count(),
      search.cost, search.lower_bound, search.nodes, search.fits, (thread_nanoseconds() - begin) / 1e9,
      static_cast<double>(usage.ru_maxrss) / 1024);
}

// Algorithm 1 as it reads: rows are stacked segment by segment, every node solves by a pseudo-inverse.
double published_seconds(const Bench& bench, const SampleBlock& samples, const SegmentedRun& run) {
  constexpr std::size_t kFirst = 5, kWidth = 5;
  std::vector<std::size_t> order(run.segments.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return run.segments[a].range.size() > run.segments[b].range.size();
  });
  const auto columns = static_cast<Index>(bench.plan.columns.size());
  const auto channel_row = [&](std::string_view name) { return samples.row(samples.find(name)); };
  const double begin = thread_nanoseconds();
  std::vector<std::vector<int>> kept = {{}};
  Eigen::MatrixXd Y(0, columns);
  std::vector<Eigen::VectorXd> efforts;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const SignSegment& segment = run.segments[order[k]];
    const Index old = Y.rows();
    Y.conservativeResize(old + segment.range.size(), columns);
    for (Index s = segment.range.begin; s < segment.range.end; ++s) {
      VectorXd q(6), qd(6), qdd(6);
      for (Index j = 0; j < 6; ++j) {
        q[j] = channel_row(channel::kPosition)[j * samples.stride() + s];
        qd[j] = channel_row(channel::kVelocity)[j * samples.stride() + s];
        qdd[j] = channel_row(channel::kAcceleration)[j * samples.stride() + s];
      }
      Y.row(old + s - segment.range.begin) = regressor(bench.plan, q, qd, qdd).row(segment.joint);
    }
    efforts.push_back(run.effort.col(segment.joint).segment(segment.range.begin, segment.range.size()));
    std::vector<std::vector<int>> children;
    for (const std::vector<int>& node : kept)
      for (const int sign : {1, -1}) {
        children.push_back(node);
        children.back().push_back(sign);
      }
    kept = std::move(children);
    if (k + 1 < kFirst) continue;
    std::vector<std::pair<double, std::size_t>> costs;
    for (std::size_t c = 0; c < kept.size(); ++c) {
      Eigen::VectorXd tau(Y.rows());
      Index at = 0;
      for (std::size_t i = 0; i < efforts.size(); ++i) {
        tau.segment(at, efforts[i].size()) = kept[c][i] * efforts[i];
        at += efforts[i].size();
      }
      const Eigen::JacobiSVD<Eigen::MatrixXd> svd(Y, Eigen::ComputeThinU | Eigen::ComputeThinV);
      const Eigen::VectorXd inverse = (svd.singularValues().array() > 1e-8 * svd.singularValues()[0])
                                          .select(svd.singularValues().cwiseMax(1e-300).cwiseInverse(), 0);
      const Eigen::MatrixXd pseudo_inverse = svd.matrixV() * inverse.asDiagonal() * svd.matrixU().transpose();
      costs.emplace_back((Y * (pseudo_inverse * tau) - tau).squaredNorm(), c);
    }
    std::sort(costs.begin(), costs.end());
    std::vector<std::vector<int>> best;
    for (std::size_t c = 0; c < std::min(kWidth, costs.size()); ++c) best.push_back(kept[costs[c].second]);
    kept = std::move(best);
  }
  return (thread_nanoseconds() - begin) / 1e9;
}

double retrieval_seconds(const Bench& bench, const SignProblem& problem, const SignSearch& search) {
  const Quantities quantities(bench.robot);
  const VectorXd found = problem.values(search.signs);
  VectorXd values(static_cast<Index>(bench.base.lead.size()));
  for (std::size_t k = 0; k < bench.base.lead.size(); ++k) {
    const std::string& lead = bench.base.columns[static_cast<std::size_t>(bench.base.lead[k])];
    const auto column = std::find(problem.columns.begin(), problem.columns.end(), lead);
    values[static_cast<Index>(k)] = found[column - problem.columns.begin()];
  }
  const Objective objective = coefficient_objective(values, bench.base, quantities);
  PenaltyOptions options;
  options.search = PenaltySearch::annealing;
  options.random_starts = 0;
  options.annealing.descend_at_end = false;
  const double begin = thread_nanoseconds();
  solve_penalty(objective, physical_constraints(bench.robot, quantities), bench.robot, options);
  return (thread_nanoseconds() - begin) / 1e9;
}

void run_speed() {
  const Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", false);
  const Trial trial = simulate_trial(bench, {}, 1);
  const SegmentedRun run = detect_segments(trial.samples, trial.rate);
  const std::vector<Fold> folds = fold_segments(bench.plan, bench.layouts, trial.samples, run);
  double best = 1e9, form = 1e9;
  SignSearch search;
  for (int k = 0; k < 20; ++k) {
    const double begin = thread_nanoseconds();
    const SignProblem problem = make_sign_problem(folds, run.segments, rms_weights(run));
    form = std::min(form, (thread_nanoseconds() - begin) / 1e9);
    search = recover_signs(problem, {&bench.robot, &bench.base, {}});
    best = std::min(best, (thread_nanoseconds() - begin) / 1e9);
  }
  fmt::print("folds to {} signs, {} segments: {:.1f} ms, {:.1f} of them for the form; {} nodes, {} fits\n",
             to_string(search.proof), run.segments.size(), 1e3 * best, 1e3 * form, search.nodes, search.fits);
  const SignProblem problem = make_sign_problem(folds, run.segments, rms_weights(run));
  const std::vector<int> known(run.segments.size(), 0);
  std::uint64_t hypotheses = 0;
  const double begin = thread_nanoseconds();
  widest_beam(problem.R_EE, known, 20000, &hypotheses);
  const double beam = (thread_nanoseconds() - begin) / 1e9;
  fmt::print("beam: {:.3g} hypotheses/s\n", static_cast<double>(hypotheses) / beam);
  const double published = published_seconds(bench, trial.samples, run);
  // Its line 13, the retrieval in every node, by annealing from one start as published; one is timed.
  const double nodes = 32 + 10 * (static_cast<double>(run.segments.size()) - 5);
  const double retrieval = retrieval_seconds(bench, problem, search);
  fmt::print(
      "Algorithm 1 as printed, a pseudo-inverse and a retrieval a node: {:.0f} s, {:.0f} times as long\n",
      published + nodes * retrieval, (published + nodes * retrieval) / best);
  fmt::print("  its {:.0f} pseudo-inverses alone: {:.1f} s, {:.0f} times as long; a retrieval: {:.2f} s\n",
             nodes, published, published / best, retrieval);
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "all";
  if (what == "speed" || what == "all") run_speed();
  const std::uint64_t first = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
  const std::uint64_t last = count > 3 ? std::strtoull(words[3], nullptr, 10) : 100;
  if (what == "many" || what == "all") run_many(count > 2 ? first : 56);
  if (what == "calibration" || what == "all") run_calibration(first, std::min(last, first + 9));
  if (what == "gains" || what == "all") run_gains(first, last);
  if (what == "trials" || what == "all") run_trials(first, last);
}
