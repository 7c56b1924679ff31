#include "feasible/cone_point.hpp"

#include <algorithm>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kMaxPolishes = 4;

double log_det(const SmallMatrix& matrix) {
  SmallMatrix L;
  lower_root(matrix, L);
  return 2 * L.diagonal().array().log().sum();
}

}  // namespace

ConePoint::ConePoint(const ConeProgram& program)
    : program_(program), size_slope_(program.T.transpose() * program.size) {
  for (const Block& block : program.blocks) blocks.emplace_back(block);
}

void ConePoint::set_multipliers() {
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    ScaledBlock& block = blocks[b];
    const double target = std::max(program_.weights[b], mu);
    const SmallMatrix inverse = small_inverse(block.S);
    block.Z = 0.5 * target * (inverse + inverse.transpose());
  }
  if (program_.ball) {
    const double norm = ball.s.tail(ball.s.size() - 1).norm();
    ball.z = -mu / ((ball.s[0] - norm) * (ball.s[0] + norm)) * ball.s;
    ball.z[0] *= -1;
  }
}

bool ConePoint::move_to(const Eigen::VectorXd& at) {
  y = at;
  x = program_.columns(y);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blocks[b].S = program_.blocks[b].constant + blocks[b].direction(x);
    if (blocks[b].size() == 1 ? !(blocks[b].S(0, 0) > 0) : !is_positive(blocks[b].S)) return false;
  }
  if (program_.ball) {
    ball.s = program_.ball->G * y + program_.ball->g;
    if (!(ball.s[0] > ball.s.tail(ball.s.size() - 1).norm())) return false;
  }
  return x.allFinite();
}

bool ConePoint::rescale() {
  for (ScaledBlock& block : blocks)
    if (!block.rescale()) return false;
  return !program_.ball || ball.rescale();
}

double ConePoint::objective() const {
  double out = program_.constant + program_.linear.dot(y) + y.head(program_.seen).squaredNorm();
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (program_.weights[b] > 0) out -= program_.weights[b] * log_det(blocks[b].S);
  return out;
}

Eigen::VectorXd ConePoint::residual(double t) const {
  Eigen::VectorXd by_x = Eigen::VectorXd::Zero(x.size());
  for (const ScaledBlock& block : blocks) block.add_slopes(block.Z, -1, by_x);
  if (std::isfinite(weight)) by_x += weight * program_.soft.cwiseProduct(x - program_.soft_centre);
  Eigen::VectorXd out = program_.linear + t * size_slope_ + program_.T.transpose() * by_x;
  out.head(program_.seen) += 2 * y.head(program_.seen);
  if (program_.ball) out -= program_.ball->G.transpose() * ball.z;
  return out;
}

Eigen::VectorXd ConePoint::uncovered() const {
  Eigen::VectorXd rest = residual(centre);
  if (std::isfinite(weight))
    rest -= weight * (program_.T.transpose() * program_.soft.cwiseProduct(x - program_.soft_centre));
  return rest;
}

double ConePoint::uncovered_gap(const Eigen::VectorXd& rest) const {
  const Index seen = program_.seen, unseen = rest.size() - seen;
  return rest.head(seen).squaredNorm() / 4 + rest.tail(unseen).cwiseAbs().dot(program_.spread.tail(unseen));
}

double ConePoint::covered_gap() const {
  double gap = program_.ball ? ball.complementarity() : 0;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const ScaledBlock& block = blocks[b];
    gap += block.complementarity();
    const double w = program_.weights[b];
    if (w > 0) gap -= w * (log_det(block.S) + log_det(SmallMatrix(block.Z / w)) + block.size());
  }
  return gap + centre * std::max(0.0, program_.max_size - program_.size.dot(x));
}

double ConePoint::certificate_gap() const {
  return covered_gap() + uncovered_gap(uncovered());
}

void ConePoint::polish(ConeHessian& hessian) {
  std::vector<SmallMatrix> roots, before;
  for (const ScaledBlock& block : blocks) {
    SmallMatrix L;
    if (!lower_root(block.Z, L)) return;
    roots.push_back(L.transpose());
    before.push_back(block.Z);
  }
  if (!hessian.factorize_blocks(
          blocks, [&](std::size_t b) -> const SmallMatrix& { return roots[b]; }, 1e-12))
    return;
  const double gap_before = certificate_gap();
  for (int round = 0; round < kMaxPolishes; ++round) {
    const Eigen::VectorXd dx = program_.T * hessian.solve(uncovered());
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      blocks[b].Z += SmallMatrix(before[b] * blocks[b].direction(dx) * before[b]);
    }
  }
  bool better = certificate_gap() < gap_before;
  for (const ScaledBlock& block : blocks) better = better && is_positive(block.Z);
  if (better) return;
  for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b].Z = before[b];
}

}  // namespace steelyard
