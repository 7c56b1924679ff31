// Phase one: min s with F_k(x) + s 1 ⪰ 0, started at the reference, stopped as soon as s is well below zero.
#include <algorithm>
#include <cmath>

#include "feasible/problem.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kDeepEnough = 0.1;   // of the reference's own size
constexpr double kResolution = 1e-9;  // violations below are indistinguishable from none

double smallest_slack(const ConeProgram& program, const Eigen::VectorXd& y) {
  const VectorXd x = program.columns(y);
  double out = kInfinity;
  for (const Block& block : program.blocks) out = std::min(out, small_eigenvalues(block.at(x))[0]);
  return out;
}

// constant + a·x̂ ≥ 0
void add_row(ConeProgram& program, double constant, const Eigen::VectorXd& a) {
  Block block;
  block.constant = SmallMatrix::Constant(1, 1, constant);
  for (Index k = 0; k < a.size(); ++k) {
    if (a[k] == 0) continue;
    block.columns.push_back(k);
    block.parts.push_back(SmallMatrix::Constant(1, 1, a[k]));
  }
  program.blocks.push_back(std::move(block));
  program.weights.push_back(0);
}

ConeProgram with_slack(const ConeProgram& program, double identity_size) {
  ConeProgram out = program;
  const Index n = program.T.cols(), rows = program.T.rows();
  out.origin.conservativeResize(rows + 1);
  out.origin[rows] = 0;
  out.T = Eigen::MatrixXd::Zero(rows + 1, n + 1);
  out.T.topLeftCorner(rows, n) = program.T;
  out.T(rows, n) = 1;
  out.seen = 0;
  out.constant = 0;
  out.linear = Eigen::VectorXd::Unit(n + 1, n);
  for (Block& block : out.blocks) {
    block.columns.push_back(rows);
    block.parts.push_back(SmallMatrix::Identity(block.size(), block.size()));
  }
  const auto longer = [](Eigen::VectorXd& v, double last) {
    v.conservativeResize(v.size() + 1);
    v[v.size() - 1] = last;
  };
  longer(out.size, identity_size);  // of P + s 1, which is what is kept positive
  longer(out.soft, 0);
  longer(out.soft_centre, 0);
  longer(out.spread, 1);
  add_row(out, 1, Eigen::VectorXd::Unit(rows + 1, rows));  // s ≥ −1
  return out;
}

}  // namespace

void loosen(ConeProgram& program, double amount) {
  for (Block& block : program.blocks) block.constant.diagonal().array() += amount;
}

InteriorPoint compute_interior(const FeasibleProblem& problem, int max_iterations) {
  InteriorPoint out;
  out.y = problem.coordinates.locate(problem.reference);
  out.violation = -smallest_slack(problem.program, out.y);
  if (!problem.coordinates.consistent) {
    out.kind = InteriorPoint::Kind::none;
    for (const Block& block : problem.program.blocks)
      out.Z.push_back(SmallMatrix::Zero(block.size(), block.size()));
    return out;
  }
  if (out.violation < -1e-3) return out;
  // Phase one ignores the data: all directions alike, in scaled columns.
  const SeenUnseen plain = separate(Eigen::MatrixXd(0, problem.quantities.size()), Eigen::VectorXd(0), 0,
                                    problem.cones.equalities, problem.scales.columns, 1e-10);
  ConeProgram program = problem.program;
  program.origin = plain.origin;
  program.T = plain.T;
  program.spread.setConstant(program.T.cols(), problem.program.max_size);
  program = with_slack(program, problem.identity_size);
  Eigen::VectorXd start(program.T.cols());
  start << plain.locate(problem.reference), std::max(0.0, out.violation) * 1.5 + 0.1;
  // Within reach: otherwise unbounded bodies may approach what no body satisfies.
  program.max_size = std::max(program.max_size, 10 * program.size.dot(program.columns(start)));
  if (problem.bodies > 0) add_row(program, 1, -program.size / program.max_size);
  ConeOptions options;
  options.absolute = kResolution;
  options.stop_below = -kDeepEnough;
  options.share = 0.1;
  options.settle = false;
  options.max_iterations = max_iterations;
  const ConeResult result = solve_cone_program(program, start, options);
  out.iterations = result.iterations;
  out.violation = result.value;
  out.proven_violation = result.lower;
  out.Z = result.Z;
  out.Z.resize(problem.program.blocks.size());  // without those of the phase's own rows
  out.y = problem.coordinates.locate(result.x.head(problem.quantities.size()));
  using Kind = InteriorPoint::Kind;
  const bool deep = out.violation < -kResolution;
  out.kind = out.proven_violation > 0 ? Kind::none : deep ? Kind::found : Kind::thin;
  return out;
}

}  // namespace steelyard
