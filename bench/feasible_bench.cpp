// The convex feasible fit of a Panda (70 inertial and 21 friction parameters, boxes on m and c) against DSDP
// on the same problem in the same run. Fails when DSDP finds a better value, or converges to another one.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "clock.hpp"
#include "statistics.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/feasible/convex.hpp"
#include "steelyard/feasible/intervals.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/robot/read.hpp"
#ifdef STEELYARD_HAS_DSDP
#include "dsdp_reference.hpp"
#endif

using namespace steelyard;

namespace {

struct PandaFit {
  Robot robot;
  Quantities quantities{Robot{}};
  Objective objective;
  std::vector<Constraint> constraints;
};

// 4000 random samples with 2 % noise, as the triangular factor of [Y | τ].
PandaFit panda_fit() {
  PandaFit out;
  out.robot = read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/panda.yaml").robot;
  for (Joint& joint : out.robot.joints) joint.drive = {true, true, true, false};
  const Plan plan = make_plan(out.robot);
  out.quantities = Quantities(out.robot, plan.columns);
  VectorXd truth = VectorXd::Constant(out.quantities.size(), 0.5);
  truth.head(70) = standard_parameters(out.robot);
  Random random(1, "feasible bench");
  const auto uniform = [&](double reach) {
    VectorXd values(7);
    for (double& value : values) value = random.uniform(-reach, reach);
    return values;
  };
  constexpr int kSamples = 4000;
  MatrixXd rows(Index{kSamples} * 7, out.quantities.size() + 1);
  for (int s = 0; s < kSamples; ++s) {
    const VectorXd q = uniform(3), qd = uniform(2), qdd = uniform(5);
    rows.block(Index{s} * 7, 0, 7, out.quantities.size()) = regressor(plan, q, qd, qdd);
  }
  VectorXd tau = rows.leftCols(out.quantities.size()) * truth;
  const double size = tau.norm() / std::sqrt(static_cast<double>(tau.size()));
  for (Index i = 0; i < tau.size(); ++i) tau[i] += 0.035 * size * random.uniform(-1, 1);
  rows.col(rows.cols() - 1) = tau;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(rows);
  const MatrixXd triangle = qr.matrixQR().topRows(rows.cols()).triangularView<Eigen::Upper>();
  const Index n = out.quantities.size();
  out.objective.columns = out.quantities.columns();
  out.objective.R = triangle.topLeftCorner(n, n);
  out.objective.z = triangle.col(n).head(n);
  out.objective.constant = triangle(n, n) * triangle(n, n);
  out.constraints = physical_constraints(out.robot, out.quantities, {0, true, true, false});
  for (int link = 0; link < 7; ++link)
    for (const ParameterBound& bound : out.robot.joints[static_cast<std::size_t>(link)].bounds)
      if (bound.parameter[0] == 'm' || bound.parameter[0] == 'c') {
        const std::string name = bound.parameter + std::to_string(link + 1);
        out.constraints.push_back({"bound " + name, Bound{name, bound.lower, bound.upper}, {}});
      }
  return out;
}

#ifdef STEELYARD_HAS_DSDP
// The same rows by hand: drives not negative, boxes on m, c as mc − c m.
void linear_rows(const PandaFit& fit, Eigen::MatrixXd& A, Eigen::VectorXd& b) {
  std::vector<Eigen::VectorXd> rows;
  std::vector<double> constants;
  const auto add = [&](Index column, double sign, Index mass, double at_mass, double constant) {
    Eigen::VectorXd a = Eigen::VectorXd::Zero(fit.quantities.size());
    a[column] = sign;
    if (mass >= 0) a[mass] += at_mass;
    rows.push_back(a);
    constants.push_back(constant);
  };
  for (const Constraint& constraint : fit.constraints) {
    const auto* bound = std::get_if<Bound>(&constraint.form);
    if (bound == nullptr) continue;
    const Quantity quantity = fit.quantities.find(bound->quantity);
    if (quantity.kind == QuantityKind::linear) {
      if (std::isfinite(bound->lower)) add(quantity.column, 1, -1, 0, -bound->lower);
      if (std::isfinite(bound->upper)) add(quantity.column, -1, -1, 0, bound->upper);
    } else {
      const Index mass = Index{10} * quantity.link, column = mass + 1 + quantity.entry;
      add(column, 1, mass, -bound->lower, 0);
      add(column, -1, mass, bound->upper, 0);
    }
  }
  A.resize(static_cast<Index>(rows.size()), fit.quantities.size());
  b.resize(A.rows());
  for (Index i = 0; i < A.rows(); ++i) {
    A.row(i) = rows[static_cast<std::size_t>(i)];
    b[i] = constants[static_cast<std::size_t>(i)];
  }
}

#endif

// Median time of a fit to this gap, and the last solution.
double fit_seconds(const PandaFit& fit, double gap, ConvexSolution& found) {
  ConvexOptions options;
  options.gap = gap;
  std::vector<double> times;
  for (int k = 0; k < 21; ++k) {
    const double before = thread_nanoseconds();
    found = solve_convex(fit.objective, fit.constraints, fit.robot, options);
    times.push_back(1e-9 * (thread_nanoseconds() - before));
  }
  return spread_of(times).median;
}

#ifdef STEELYARD_HAS_DSDP
bool compare_with_dsdp(const PandaFit& fit, double ours, double seconds) {
  Eigen::MatrixXd A, R = fit.objective.R;
  Eigen::VectorXd b;
  linear_rows(fit, A, b);
  const double scale = std::sqrt(fit.objective.effort());
  R /= scale;
  const Eigen::VectorXd z = fit.objective.z / scale;
  DsdpProblem problem;
  problem.columns = static_cast<int>(R.cols());
  problem.links = 7;
  problem.squares = static_cast<int>(R.rows());
  problem.R = R.data(), problem.z = z.data();
  problem.rows = static_cast<int>(A.rows());
  problem.A = A.data(), problem.b = b.data();
  std::vector<double> times;
  DsdpAnswer answer;
  for (int k = 0; k < 3; ++k) {
    const double before = thread_nanoseconds();
    answer = solve_with_dsdp(problem);
    times.push_back(1e-9 * (thread_nanoseconds() - before));
  }
  const double theirs = answer.value * scale * scale + fit.objective.constant;
  const double median = spread_of(times).median;
  std::printf("DSDP 5.8        %8.2f ms  value %.9g%s\n", 1e3 * median, theirs,
              answer.solved ? "" : "  not converged");
  const double apart = std::abs(theirs - ours) / ours;
  std::printf("ratio           %8.1f     difference %.2g of the value\n", median / seconds, apart);
  // DSDP stops before its tolerance of 1e-8, so that equal accuracy means ours proven no better than what it
  // reached.
  ConvexSolution rough;
  const double quick = fit_seconds(fit, std::max(apart, 1e-7), rough);
  std::printf("at equal gaps   %8.1f     ours in %.2f ms, proven to %.1e\n", median / quick, 1e3 * quick,
              rough.gap);
  // A solver that gave up may be above our value, never below.
  return ours <= theirs + 1e-6 * ours && (!answer.solved || theirs - ours <= 1e-5 * ours);
}
#endif

}  // namespace

int main() {
  const PandaFit fit = panda_fit();
  ConvexSolution found;
  const double median = fit_seconds(fit, ConvexOptions().gap, found);
  std::printf("Panda, %d parameters, %zu constraints\n", static_cast<int>(fit.quantities.size()),
              fit.constraints.size());
  std::printf("steelyard       %8.2f ms  value %.9g  gap %.1e  %d steps (%s)\n", 1e3 * median, found.value,
              found.gap, found.iterations, to_string(found.status));
  ProvenOptions how;
  how.allowance = 3.84 * found.value / (4000.0 * 7);
  how.points = false;
  const double before = thread_nanoseconds();
  const auto intervals =
      proven_intervals(fit.objective, fit.constraints, fit.robot, all_functionals(fit.quantities), how);
  std::printf("%zu intervals   %8.1f ms\n", intervals.size(), 1e-6 * (thread_nanoseconds() - before));
  bool good = found.status == ConvexStatus::solved;
#ifdef STEELYARD_HAS_DSDP
  good = compare_with_dsdp(fit, found.value, median) && good;
#else
  std::printf("DSDP is not installed (package libdsdp-dev): not compared\n");
#endif
  return good ? 0 : 1;
}
