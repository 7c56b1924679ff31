#include "feasible/problem.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/feasible/reference.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Solutions of the equalities in scaled columns: particular + basis ξ, basis orthonormal.
void eliminate(const std::vector<EqualityRow>& equalities, SeenUnseen& out) {
  const Index n = out.scale.size(), rows = static_cast<Index>(equalities.size());
  out.particular = Eigen::VectorXd::Zero(n);
  out.basis = Eigen::MatrixXd::Identity(n, n);
  if (rows == 0) return;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(rows, n);
  Eigen::VectorXd b(rows);
  for (Index i = 0; i < rows; ++i) {
    const EqualityRow& row = equalities[static_cast<std::size_t>(i)];
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      A(i, row.columns[k]) += row.coefficients[k] * out.scale[row.columns[k]];
    b[i] = row.value;
  }
  out.particular = ShortestSolution(A).solve(b);
  out.equality_residual = b - A * out.particular;
  out.consistent = out.equality_residual.norm() <= 1e-10 * (1 + b.norm());
  const PivotedQr qr(A.transpose(), 1e-12);
  out.basis = qr.Q().rightCols(n - qr.rank());
}

// Nearly singular references (a published link as flat as a disk) would put ordinary bodies out of reach, and
// a divergence from them would hold the fit back: no scaled second moment counts as less than this share of
// the largest.
constexpr double kRoundness = 1e-3;

SmallMatrix rounded(const SmallMatrix& P) {
  const auto eigen = small_eigen(P);
  const SmallVector values = eigen.values.cwiseMax(kRoundness * eigen.values[P.rows() - 1]);
  return eigen.vectors * values.asDiagonal() * eigen.vectors.transpose();
}

// The vanishing divergence: log det blocks and the trace, and soft rows for what has no body.
void add_centre(FeasibleProblem& problem, double reach) {
  ConeProgram& program = problem.program;
  const Quantities& quantities = problem.quantities;
  Eigen::VectorXd trace = Eigen::VectorXd::Zero(quantities.size());
  program.soft = problem.scales.columns.cwiseAbs2().cwiseInverse();
  program.soft_centre = problem.reference;
  for (int link = 0; link < quantities.links(); ++link) {
    if (!problem.cones.bodies[static_cast<std::size_t>(link)]) continue;
    ++problem.bodies;
    Block block = body_block(link, 0, 1, problem.scales.size[link], problem.scales.mass[link]);
    const SmallMatrix P = rounded(block.at(problem.reference));
    const SmallMatrix inverse = small_inverse(P);
    problem.identity_size += inverse.trace();
    problem.round_size += spectral_norm(P) * inverse.trace();
    for (std::size_t k = 0; k < block.columns.size(); ++k) {
      trace[block.columns[k]] = inverse.cwiseProduct(block.parts[k]).sum();
      program.soft[block.columns[k]] = 0;
    }
    program.blocks.push_back(std::move(block));
    program.weights.push_back(kCentre);
  }
  program.size = trace;
  program.max_size = reach * 4 * std::max(1, problem.bodies);
}

}  // namespace

Eigen::VectorXd SeenUnseen::locate(const Eigen::VectorXd& at) const {
  const Eigen::VectorXd xi = basis.transpose() * (at.cwiseQuotient(scale) - particular);
  return forward * xi - shift;
}

SeenUnseen separate(const Eigen::MatrixXd& R, const Eigen::VectorXd& z, double constant,
                    const std::vector<EqualityRow>& equalities, const Eigen::VectorXd& scale,
                    double rank_tolerance) {
  SeenUnseen out;
  out.scale = scale;
  eliminate(equalities, out);
  const Eigen::MatrixXd map = scale.asDiagonal() * out.basis;
  const Eigen::VectorXd target = z - R * scale.cwiseProduct(out.particular);
  const Index n = map.cols();
  if (R.rows() == 0) {
    out.T = map;
    out.origin = scale.cwiseProduct(out.particular);
    out.forward = Eigen::MatrixXd::Identity(n, n);
    out.shift = Eigen::VectorXd::Zero(n);
    out.rest = constant;
    return out;
  }
  const PivotedQr qr(R * map);
  const Eigen::MatrixXd triangle = qr.R(R.rows());
  const Eigen::VectorXd turned = qr.adjoint_times(target);
  const Index max_rank = std::min(triangle.rows(), n);
  while (out.seen < max_rank &&
         std::abs(triangle(out.seen, out.seen)) > rank_tolerance * std::abs(triangle(0, 0)))
    ++out.seen;
  const Index r = out.seen;
  out.rest = constant + turned.tail(turned.size() - r).squaredNorm();
  const Eigen::MatrixXd permutation = qr.permutation() * Eigen::MatrixXd::Identity(n, n);
  // ξ = Π (ξ₁, v), R₁ ξ₁ + R₂ v = u + ẑ.
  const auto R1 = triangle.topLeftCorner(r, r).triangularView<Eigen::Upper>();
  Eigen::MatrixXd inner = Eigen::MatrixXd::Zero(n, n);
  if (r > 0) inner.topLeftCorner(r, r) = R1.solve(Eigen::MatrixXd::Identity(r, r));
  if (r > 0 && r < n)  // Eigen may not solve for nothing
    inner.topRightCorner(r, n - r) = -R1.solve(Eigen::MatrixXd(triangle.block(0, r, r, n - r)));
  inner.bottomRightCorner(n - r, n - r).setIdentity();
  out.T = map * permutation * inner;
  out.origin = scale.cwiseProduct(out.particular) + out.T.leftCols(r) * turned.head(r);
  Eigen::MatrixXd direct = Eigen::MatrixXd::Identity(n, n);
  direct.topRows(r) = triangle.topRows(r);
  out.forward = direct * permutation.transpose();
  out.shift = Eigen::VectorXd::Zero(n);
  out.shift.head(r) = turned.head(r);
  return out;
}

FeasibleProblem make_problem(const std::vector<std::string>& columns, const Eigen::MatrixXd& R,
                             const Eigen::VectorXd& z, double constant,
                             const std::vector<Constraint>& constraints, const Robot& robot,
                             const ConvexOptions& options) {
  options.validate();
  FeasibleProblem out{Quantities(robot, columns), {}, {}, {}, {}, {}, 0, 0, 0};
  if (!columns.empty() && columns != out.quantities.columns())
    throw InputError({"the columns of the objective are not the robot's standard ones followed by others",
                      {},
                      "",
                      "create it with torque_objective or coefficient_objective"});
  if (R.cols() != out.quantities.size() || R.rows() != z.size() || !R.allFinite() || !z.allFinite())
    throw InputError({"the objective's R and z do not fit its columns, or are not finite", {}, "", ""});
  validate(constraints, out.quantities);
  out.reference =
      options.reference.size() > 0 ? options.reference : reference_bodies(robot, out.quantities).x;
  if (out.reference.size() != out.quantities.size())
    throw InputError({"the reference has " + std::to_string(out.reference.size()) + " entries",
                      {},
                      "one per column: " + std::to_string(out.quantities.size()),
                      ""});
  for (int link = 0; link < out.quantities.links(); ++link)
    if (!is_body(Inertia::from_standard(out.reference.segment<10>(Index{10} * link))))
      throw InputError({"the reference of link " + std::to_string(link + 1) + " is not a possible body",
                        {},
                        "a positive definite pseudo-inertia",
                        ""});
  out.scales = make_scales(out.quantities, out.reference);
  out.cones = make_cones(constraints, out.quantities, out.scales);
  out.coordinates =
      separate(R, z, constant, out.cones.equalities, out.scales.columns, options.rank_tolerance);
  ConeProgram& program = out.program;
  program.origin = out.coordinates.origin;
  program.T = out.coordinates.T;
  program.link_columns = out.quantities.standard_count();
  program.seen = out.coordinates.seen;
  program.linear = Eigen::VectorXd::Zero(program.T.cols());
  program.constant = out.coordinates.rest;
  program.blocks = out.cones.blocks;
  program.weights.assign(program.blocks.size(), 0);
  program.spread = Eigen::VectorXd::Constant(program.T.cols(), options.reach);
  add_centre(out, options.reach);
  return out;
}

}  // namespace steelyard
