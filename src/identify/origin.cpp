#include "identify/origin.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kWeakestPull = 1e-12;  // of the largest stiffness: what rounding leaves of the efforts' own
// A body with less than a tenth of the reference in some direction is held there by being a body: its stiffness goes
// with the square.
constexpr double kThin = 100;
constexpr double kHeld = 1e4;  // stiffness of an active constraint, over that of all else along it

using Ten = Eigen::Matrix<double, 10, 10>;

// Second derivatives of log-det divergence at a body: tr(P⁻¹ E_k P⁻¹ E_l).
Ten divergence_at(const Vector10& body) {
  const Eigen::Matrix4d inverse = Inertia::from_standard(body).pseudo_inertia().inverse();
  std::vector<Eigen::Matrix4d> parts;
  for (int k = 0; k < 10; ++k)
    parts.push_back(inverse * Eigen::Matrix4d(Inertia::from_standard(Vector10::Unit(k)).pseudo_inertia()));
  Ten out;
  for (int k = 0; k < 10; ++k)
    for (int l = 0; l < 10; ++l)
      out(k, l) = (parts[static_cast<std::size_t>(k)] * parts[static_cast<std::size_t>(l)]).trace();
  return out;
}

bool is_body(const Vector10& body) {
  const Eigen::VectorXd values = symmetric_eigenvalues(Inertia::from_standard(body).pseudo_inertia());
  return values.minCoeff() > 1e-12 * values.maxCoeff();
}

struct Stiffness {
  Eigen::MatrixXd measured, chosen, inferred;
};

// Coordinates: columns of links so that G of the reference is one, others so that the efforts' part is.
Eigen::MatrixXd natural_units(const FeasibleModel& feasible, int links, const Eigen::MatrixXd& H) {
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(H.rows(), H.cols());
  for (int link = 0; link < links; ++link) {
    const Index at = Index{10} * link;
    const SymmetricEigen eigen = symmetric_eigen(divergence_at(feasible.reference.x.segment<10>(at)));
    T.block(at, at, 10, 10) = eigen.vectors *
                              eigen.values.cwiseMax(1e-300).cwiseSqrt().cwiseInverse().asDiagonal() *
                              eigen.vectors.transpose();
  }
  for (Index k = Index{10} * links; k < H.rows(); ++k) T(k, k) = H(k, k) > 0 ? 1 / std::sqrt(H(k, k)) : 1;
  return T;
}

// The pull of one link in its coordinates, and what it is stiffer where the body is thin.
void add_pull_of(const Vector10& body, const Eigen::MatrixXd& T, Index at, double weight, Stiffness& out) {
  if (!is_body(body)) {
    out.chosen.block(at, at, 10, 10).diagonal().array() += weight;
    return;
  }
  const Eigen::MatrixXd own = T.block(at, at, 10, 10);
  const SymmetricEigen eigen = symmetric_eigen(own.transpose() * divergence_at(body) * own);
  const Eigen::VectorXd reference = eigen.values.cwiseMin(kThin).cwiseMax(0),
                        beyond = eigen.values - reference;
  const Eigen::MatrixXd& V = eigen.vectors;
  out.chosen.block(at, at, 10, 10) += weight * V * reference.asDiagonal() * V.transpose();
  out.inferred.block(at, at, 10, 10) += weight * V * beyond.cwiseMax(0).asDiagonal() * V.transpose();
}

void add_active(const Robot& robot, const FeasibleModel& feasible, const Eigen::MatrixXd& T, Stiffness& out) {
  const Quantities quantities(robot, feasible.columns);
  const Retrieval& retrieval = feasible.retrieval;
  const Eigen::MatrixXd rest = out.measured + out.chosen;
  for (std::size_t c = 0; c < retrieval.constraints.size() && c < feasible.constraints.size(); ++c) {
    if (!retrieval.constraints[c].active) continue;
    const ConstraintValues at = evaluate(feasible.constraints[c], quantities, retrieval.x, true);
    const double limit = at.values.minCoeff() + 1e-3 * (at.values.maxCoeff() - at.values.minCoeff());
    for (Index k = 0; k < at.values.size(); ++k) {
      if (at.values[k] > limit) continue;
      const Eigen::VectorXd normal = T.transpose() * at.gradients.row(k).transpose();
      const double square = normal.squaredNorm();
      if (!(square > 0)) continue;
      const double along = normal.dot(rest * normal) / square;
      out.inferred += kHeld * along / square * normal * normal.transpose();
    }
  }
}

double weight_of(const FeasibleModel& feasible, int link) {
  for (const BodyPull& pull : feasible.objective.pulls)
    if (pull.link == link) return pull.weight;
  return 0;
}

}  // namespace

std::vector<LinkOrigin> link_origins(const Robot& robot, const FeasibleModel& feasible) {
  const Objective& objective = feasible.objective;
  const VectorXd& x = feasible.retrieval.x;
  const int links = robot.size();
  if (x.size() == 0 || objective.R.rows() == 0 || feasible.reference.x.size() != x.size()) return {};
  const Eigen::MatrixXd rows = objective.R.topRows(std::min(feasible.data_rows, objective.R.rows()));
  const Eigen::MatrixXd H = 2 * rows.transpose() * rows;
  const Eigen::MatrixXd T = natural_units(feasible, links, H);
  const Index n = x.size();
  Stiffness parts{T.transpose() * H * T, Eigen::MatrixXd::Zero(n, n), Eigen::MatrixXd::Zero(n, n)};
  const double least = kWeakestPull * parts.measured.diagonal().maxCoeff();
  for (int link = 0; link < links; ++link)
    add_pull_of(x.segment<10>(Index{10} * link), T, Index{10} * link,
                std::max(least, weight_of(feasible, link)), parts);
  for (Index k = Index{10} * links; k < n; ++k) parts.chosen(k, k) += least;
  add_active(robot, feasible, T, parts);
  const SymmetricEigen eigen = symmetric_eigen(parts.measured + parts.chosen + parts.inferred);
  const Eigen::VectorXd scale = eigen.values.cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd root = eigen.vectors * scale.asDiagonal() * eigen.vectors.transpose();
  const auto shares = [&](const Eigen::MatrixXd& part) {
    return Eigen::VectorXd((root * part * root).diagonal());
  };
  const Eigen::VectorXd measured = shares(parts.measured), inferred = shares(parts.inferred);
  std::vector<LinkOrigin> out;
  for (int link = 0; link < links; ++link) {
    LinkOrigin own;
    own.measured = std::clamp(measured.segment(Index{10} * link, 10).mean(), 0.0, 1.0);
    own.inferred = std::clamp(inferred.segment(Index{10} * link, 10).mean(), 0.0, 1 - own.measured);
    own.chosen = 1 - own.measured - own.inferred;
    out.push_back(own);
  }
  return out;
}

}  // namespace steelyard
