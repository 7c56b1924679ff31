// Phase one: min s with F_k(x) + s 1 ⪰ 0, started at the reference, stopped as soon as s is well below zero.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "feasible/problem.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kDeepEnough = 0.1;   // of the reference's own size
constexpr double kResolution = 1e-9;  // violations below are not told from none

double smallest_slack(const ConeProgram& program, const Eigen::VectorXd& y) {
  const VectorXd x = program.columns(y);
  double out = kInfinity;
  for (const Block& block : program.blocks) {
    const Eigen::SelfAdjointEigenSolver<SmallMatrix> solver(block.at(x), Eigen::EigenvaluesOnly);
    out = std::min(out, solver.eigenvalues()[0]);
  }
  return out;
}

ConeProgram with_slack(const ConeProgram& program) {
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
  Block below;  // s ≥ −1
  below.constant = SmallMatrix::Constant(1, 1, 1);
  below.columns = {rows};
  below.parts = {SmallMatrix::Constant(1, 1, 1)};
  out.blocks.push_back(below);
  out.weights.push_back(0);
  const auto longer = [](Eigen::VectorXd& v, double last) {
    v.conservativeResize(v.size() + 1);
    v[v.size() - 1] = last;
  };
  longer(out.size, 0);
  longer(out.soft, 0);
  longer(out.soft_centre, 0);
  longer(out.spread, 1);
  return out;
}

}  // namespace

void loosen(ConeProgram& program, double amount) {
  for (Block& block : program.blocks) block.constant.diagonal().array() += amount;
}

InteriorPoint find_interior(const FeasibleProblem& problem, int most_iterations) {
  InteriorPoint out;
  out.y = problem.coordinates.locate(problem.reference);
  out.violation = -smallest_slack(problem.program, out.y);
  if (problem.coordinates.consistent && out.violation < -1e-3) return out;
  // Phase one does not care for the data: all directions alike, in scaled columns.
  const SeenUnseen plain = separate(Eigen::MatrixXd(0, problem.quantities.size()), Eigen::VectorXd(0), 0,
                                    problem.cones.equalities, problem.scales.columns, 1e-10);
  ConeProgram program = problem.program;
  program.origin = plain.origin;
  program.T = plain.T;
  program.spread.setConstant(program.T.cols(), problem.program.most_size);
  program = with_slack(program);
  Eigen::VectorXd start(program.T.cols());
  start << plain.locate(problem.reference), std::max(0.0, out.violation) * 1.5 + 0.1;
  ConeOptions options;
  options.absolute = kResolution;
  options.stop_below = -kDeepEnough;
  options.share_below = 0.5;
  options.settle = false;
  options.most_iterations = most_iterations;
  const ConeResult result = solve_cone_program(program, start, options);
  out.iterations = result.iterations;
  out.violation = result.value;
  out.proven_violation = result.lower;
  out.Z = result.Z;
  out.Z.pop_back();  // that of s ≥ −1
  out.y = problem.coordinates.locate(result.x.head(problem.quantities.size()));
  using Kind = InteriorPoint::Kind;
  const bool deep = out.violation < -kResolution;
  out.kind = !problem.coordinates.consistent || out.proven_violation > 0 ? Kind::none
             : deep                                                      ? Kind::found
                                                                         : Kind::thin;
  return out;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
