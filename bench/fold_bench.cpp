// From samples to parameters: a Panda with 43 base and 21 friction columns, seven joints.
//
//   fold_bench ROBOT.yaml [--samples N] [--repeats N]
//
// One thread, CPU time, best of the repeats. "Stacked": the same regressor written into one matrix of all
// rows, solved by Eigen's HouseholderQR or LAPACK's dgelsd; their times do not include making the regressor.
#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "clock.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/fold/samples.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/read.hpp"

#ifdef STEELYARD_HAS_LAPACK
extern "C" void dgelsd_(const int* m, const int* n, const int* nrhs, double* a, const int* lda, double* b,
                        const int* ldb, double* s, const double* rcond, int* rank, double* work,
                        const int* lwork, int* iwork, int* info);
#endif

namespace {

using namespace steelyard;

struct Log {
  MatrixXd q, qd, qdd, tau;
  Samples samples() const { return {q.data(), qd.data(), qdd.data(), q.rows(), q.rows()}; }
};

struct Job {
  Plan plan;
  std::vector<Layout> layouts;
  Log log;
};

// A sum of sines a joint, and efforts of made-up parameters with noise.
Job make_job(const std::string& file, Index samples) {
  Robot robot = read_robot(file).robot;
  for (Joint& joint : robot.joints) joint.drive = {true, true, true, false};
  BaseOptions base_options;
  base_options.expressions = false;
  Job job;
  PlanOptions options;
  for (const BaseParameter& base : base_parameters(robot, base_options).base)
    options.wanted.push_back(base.lead);
  job.plan = make_plan(robot, options);
  job.layouts = row_layouts(job.plan, robot);
  const Index joints = job.plan.joints;
  Log& log = job.log;
  log.q = log.qd = log.qdd = log.tau = MatrixXd::Zero(samples, joints);
  Random random(1, "fold bench");
  for (Index j = 0; j < joints; ++j) {
    for (int k = 1; k <= 5; ++k) {
      const double w = 0.6 * k, a = random.normal() / w, phase = random.uniform(0, 6);
      for (Index s = 0; s < samples; ++s) {
        const double x = w * 1e-3 * static_cast<double>(s) + phase;
        log.q(s, j) += a * std::sin(x);
        log.qd(s, j) += a * w * std::cos(x);
        log.qdd(s, j) -= a * w * w * std::sin(x);
      }
    }
  }
  for (Index j = 0; j < joints; ++j) {
    for (Index s = 0; s < samples; ++s)
      log.tau(s, j) = 5 * log.q(s, j) + log.qd(s, j) + 0.1 * random.normal();
  }
  return job;
}

double best_of(int repeats, const std::function<void()>& action) {
  double best = 1e300;
  for (int k = 0; k < repeats; ++k) {
    const double start = thread_nanoseconds();
    action();
    best = std::min(best, thread_nanoseconds() - start);
  }
  return best;
}

std::vector<Fold> fold_all(const Job& job) {
  std::vector<Fold> folds;
  std::vector<RowInput> inputs;
  for (std::size_t r = 0; r < job.layouts.size(); ++r) {
    folds.emplace_back(job.layouts[r]);
    inputs.push_back({{job.log.tau.col(static_cast<Index>(r)).data()}, nullptr});
  }
  fold_samples(job.plan, job.log.samples(), inputs, folds);
  return folds;
}

double evaluate_only(const Job& job, int repeats) {
  constexpr Index kTile = 192;
  const Index stride = tile_stride(kTile);
  std::vector<double> tile(static_cast<std::size_t>(stride * job.plan.stored_columns + 8));
  return best_of(repeats, [&] {
    for (Index s = 0; s < job.log.q.rows(); s += kTile) {
      const Samples all = job.log.samples();
      evaluate(job.plan, {all.q + s, all.qd + s, all.qdd + s, all.stride, std::min(kTile, all.count - s)},
               tile.data(), stride);
    }
  });
}

void stack(const Job& job, MatrixXd& Y, VectorXd& tau) {
  const Index samples = job.log.q.rows(), stride = tile_stride(samples);
  std::vector<double> tile(static_cast<std::size_t>(stride * job.plan.stored_columns));
  evaluate(job.plan, job.log.samples(), tile.data(), stride);
  const auto rows = static_cast<Index>(job.plan.rows.size());
  Y = MatrixXd::Zero(rows * samples, static_cast<Index>(job.plan.columns.size()));
  tau.resize(rows * samples);
  for (Index r = 0; r < rows; ++r) {
    const Row& row = job.plan.rows[static_cast<std::size_t>(r)];
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      std::copy_n(tile.data() + (row.offset + static_cast<Index>(k)) * stride, samples,
                  Y.col(row.columns[k]).data() + r * samples);
    }
    tau.segment(r * samples, samples) = job.log.tau.col(r);
  }
}

#ifdef STEELYARD_HAS_LAPACK
VectorXd gelsd(MatrixXd A, VectorXd b) {
  const int m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols()), one = 1, query = -1;
  const double rcond = 1e-12;
  std::vector<double> s(static_cast<std::size_t>(n)), work(1);
  std::vector<int> iwork(static_cast<std::size_t>(64 * n));
  int rank = 0, info = 0;
  dgelsd_(&m, &n, &one, A.data(), &m, b.data(), &m, s.data(), &rcond, &rank, work.data(), &query,
          iwork.data(), &info);
  const int size = static_cast<int>(work[0]);
  work.resize(static_cast<std::size_t>(size));
  dgelsd_(&m, &n, &one, A.data(), &m, b.data(), &m, s.data(), &rcond, &rank, work.data(), &size, iwork.data(),
          &info);
  return b.head(n);
}
#endif

void compare_with_stacking(const Job& job, double ours, const VectorXd& values,
                           const std::vector<std::string>& columns) {
  MatrixXd Y;
  VectorXd tau, x;
  stack(job, Y, tau);
  const auto report = [&](const char* name, double time) {
    double difference = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto place =
          std::find(job.plan.columns.begin(), job.plan.columns.end(), columns[k]) - job.plan.columns.begin();
      difference = std::max(difference, std::abs(values[static_cast<Index>(k)] - x[place]));
    }
    fmt::print("{:<34}{:>10.2f} ms   {:>6.1f} x ours   largest difference {:.1e}\n", name, time / 1e6,
               time / ours, difference / x.cwiseAbs().maxCoeff());
  };
  report("stacked, Eigen HouseholderQR", best_of(2, [&] { x = Y.householderQr().solve(tau); }));
#ifdef STEELYARD_HAS_LAPACK
  report("stacked, LAPACK dgelsd", best_of(2, [&] { x = gelsd(Y, tau); }));
#endif
}

}  // namespace

int main(int argc, char** argv) {
  std::string file = STEELYARD_SOURCE_DIR "/robots/panda.yaml";
  Index samples = 20544;
  int repeats = 9;
  for (int k = 1; k < argc; ++k) {
    if (!std::strcmp(argv[k], "--samples") && k + 1 < argc)
      samples = std::atol(argv[++k]);
    else if (!std::strcmp(argv[k], "--repeats") && k + 1 < argc)
      repeats = std::atoi(argv[++k]);
    else
      file = argv[k];
  }
  const Job job = make_job(file, samples);
  fmt::print("{} samples, {} rows, {} columns ({} stored)\n", samples, job.plan.rows.size(),
             job.plan.columns.size(), job.plan.stored_columns);
  const auto per_sample = [&](double time) { return time / static_cast<double>(samples); };
  double ours = 0;
  Estimate found;
  for (const IsaLevel level : {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512}) {
    if (!is_available(level)) continue;
    set_isa_level(level);
    const double regressor = evaluate_only(job, repeats);
    std::vector<Fold> folds;
    const double folded = best_of(repeats, [&] { folds = fold_all(job); });
    EstimateOptions quick;
    quick.conditions = false;
    const double solved = best_of(repeats, [&] { found = estimate(folds, quick); });
    const double conditioned = best_of(repeats, [&] { found = estimate(folds); });
    ours = folded + solved;
    fmt::print(
        "{:<9} regressor {:.0f} ns/sample, with fold {:.0f} ns/sample, solve {:.2f} ms, with condition "
        "numbers "
        "{:.2f} ms; samples to parameters {:.2f} ms\n",
        to_string(level), per_sample(regressor), per_sample(folded), solved / 1e6, conditioned / 1e6,
        ours / 1e6);
  }
  fmt::print("{}\n", found.brief());
  compare_with_stacking(job, ours, found.values, found.columns);
}
