// How the work grows: regressor and fold with joints (2 to 60), fold and estimate with samples, fold with
// threads.
//
//   growth_bench [--json] [--repeats N]
//
// Random chains with all ten columns a link, samples in memory. CPU time of one thread; with threads, wall
// time of the same folds in slots of 4096 samples. Medians and quartiles; exit code 1 when threads change a
// byte.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "clock.hpp"
#include "oracle/random_robot.hpp"
#include "statistics.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/fold/fold_set.hpp"
#include "steelyard/fold/samples.hpp"

namespace {

using namespace steelyard;

constexpr int kJoints[] = {2, 4, 7, 12, 20, 30, 45, 60};
constexpr Index kLengths[] = {1000, 10000, 100000, 1000000};
constexpr Index kSlot = 4096;
constexpr Index kThreadSamples = 64 * kSlot;

// A chain, its plan and random samples.
struct Job {
  Job(int joints, Index count) {
    oracle::Random random(17);
    robot = oracle::random_robot(17, {joints, false, 0, oracle::Geometry::modified_dh, false});
    plan = make_plan(robot);
    layouts = row_layouts(plan, robot);
    q.resize(count, joints), qd.resize(count, joints), qdd.resize(count, joints), tau.resize(count, joints);
    for (MatrixXd* channel : {&q, &qd, &qdd, &tau})
      for (Index j = 0; j < joints; ++j)
        for (Index s = 0; s < count; ++s) (*channel)(s, j) = random.uniform(-2, 2);
  }

  std::vector<Fold> fold(Index first, Index count) const {
    std::vector<Fold> folds;
    std::vector<RowInput> inputs;
    for (std::size_t r = 0; r < layouts.size(); ++r) {
      folds.emplace_back(layouts[r]);
      inputs.push_back({{tau.col(plan.rows[r].i).data() + first}, nullptr});
    }
    fold_samples(plan, {q.data() + first, qd.data() + first, qdd.data() + first, q.rows(), count}, inputs,
                 folds);
    return folds;
  }

  void evaluate_all() const {
    constexpr Index kTile = 64;
    const Index stride = tile_stride(kTile);
    std::vector<double> tile(static_cast<std::size_t>(stride * plan.stored_columns));
    for (Index first = 0; first + kTile <= q.rows(); first += kTile)
      evaluate(plan, {q.data() + first, qd.data() + first, qdd.data() + first, q.rows(), kTile}, tile.data(),
               stride);
  }

  Robot robot;
  Plan plan;
  std::vector<Layout> layouts;
  MatrixXd q, qd, qdd, tau;
};

template <typename Work>
Spread cpu_time(int repeats, double per, const Work& work) {
  std::vector<double> times;
  work();  // caches and pages
  for (int k = 0; k < repeats; ++k) {
    const double start = thread_nanoseconds();
    work();
    times.push_back((thread_nanoseconds() - start) / per);
  }
  return spread_of(times);
}

std::string as_json(const Spread& s) {
  return fmt::format("{{\"median\": {:.4g}, \"quartiles\": [{:.4g}, {:.4g}]}}", s.median, s.lower, s.upper);
}
std::string as_text(const Spread& s) {
  return fmt::format("{:.4g} ({:.4g}–{:.4g})", s.median, s.lower, s.upper);
}

// Folds in slots, merged on the fixed tree.
std::vector<Fold> fold_on(const Job& job, int threads) {
  FoldSet set(job.layouts);
  append_slots(set, job.q.rows() / kSlot, threads, [&](Index slot) {
    return FoldSlot{job.fold(slot * kSlot, kSlot), {}};
  });
  return set.total();
}

bool is_same(const std::vector<Fold>& a, const std::vector<Fold>& b) {
  for (std::size_t r = 0; r < a.size(); ++r)
    if (a[r].R() != b[r].R()) return false;
  return true;
}

struct Line {
  std::string kind;
  long number = 0;
  Spread first, second;
};

std::vector<Line> measure(int repeats, bool& same) {
  std::vector<Line> lines;
  for (const int joints : kJoints) {
    const Job job(joints, 512);
    const auto count = static_cast<double>(job.q.rows());
    lines.push_back({"joints", joints, cpu_time(repeats, count, [&] { job.evaluate_all(); }),
                     cpu_time(joints > 20 ? 3 : repeats, count, [&] { job.fold(0, job.q.rows()); })});
  }
  for (const Index length : kLengths) {
    const Job job(7, length);
    std::vector<Fold> folds;
    const Spread fold = cpu_time(length > 100000 ? 3 : repeats, 1e6, [&] { folds = job.fold(0, length); });
    lines.push_back({"samples", length, fold, cpu_time(repeats, 1e6, [&] { estimate(folds); })});
  }
  const Job job(7, kThreadSamples);
  const std::vector<Fold> reference = fold_on(job, 1);
  for (const int threads : {1, 2, 4}) {
    std::vector<double> times;
    for (int k = 0; k < repeats; ++k) {
      const auto start = std::chrono::steady_clock::now();
      same &= is_same(fold_on(job, threads), reference);
      times.push_back(
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    lines.push_back({"threads", threads, spread_of(times), {}});
  }
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  bool json = false;
  int repeats = 7;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--json") == 0) json = true;
    if (std::strcmp(argv[k], "--repeats") == 0 && k + 1 < argc) repeats = std::max(1, std::atoi(argv[++k]));
  }
  bool same = true;
  const std::vector<Line> lines = measure(repeats, same);
  if (json) {
    fmt::print("[");
    for (const Line& line : lines)
      fmt::print("{}\n {{\"kind\": \"{}\", \"number\": {}, \"first\": {}, \"second\": {}}}",
                 &line == &lines.front() ? "" : ",", line.kind, line.number, as_json(line.first),
                 as_json(line.second));
    fmt::print("\n]\n");
  } else {
    for (const Line& line : lines)
      fmt::print("{:8} {:8}  {}  {}\n", line.kind, line.number, as_text(line.first),
                 line.second.median > 0 ? as_text(line.second) : "");
    fmt::print(
        "joints: ns per sample of the regressor, and with the fold; samples: ms of the fold, and of the "
        "estimate; threads: ms, {} samples of 7 joints\n",
        kThreadSamples);
  }
  if (!same) fmt::print(stderr, "threads change the folds\n");
  return same ? 0 : 1;
}
