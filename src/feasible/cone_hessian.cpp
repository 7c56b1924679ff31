#include "feasible/cone_hessian.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace steelyard::inline STEELYARD_ABI {
namespace {

// R of U = Q R in the place of U, by reflections; more rows than columns.
void make_triangular(Eigen::MatrixXd& U) {
  for (Index k = 0; k < U.cols(); ++k) {
    const Index rows = U.rows() - k;
    auto v = U.col(k).tail(rows);
    const double norm = v.norm();
    if (norm == 0) continue;
    const double pivot = v[0] > 0 ? -norm : norm;
    v[0] -= pivot;  // no cancellation
    const double factor = -1 / (pivot * v[0]);
    for (Index j = k + 1; j < U.cols(); ++j) {
      auto other = U.col(j).tail(rows);
      other -= factor * v.dot(other) * v;
    }
    v.setZero();
    v[0] = pivot;
  }
}

}  // namespace

ConeHessian::ConeHessian(const ConeProgram& program) : program_(program) {
  group_blocks();
  has_soft_ = program.soft.maxCoeff() > 0;
  if (has_soft_) soft_gram_ = program.T.transpose() * program.soft.asDiagonal() * program.T;
  if (program.ball) ball_gram_ = program.ball->G.transpose() * program.ball->G;
}

void ConeHessian::group_blocks() {
  std::map<Index, std::size_t> by_link;
  for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
    const Block& block = program_.blocks[b];
    // The link all columns belong to; columns past the links' (a phase's own variable) go with any.
    Index link = -1;
    bool single = !block.columns.empty();
    for (const Index column : block.columns) {
      if (column >= program_.link_columns) continue;
      const Index own = column / kParametersPerLink;
      single = single && (link < 0 || own == link);
      link = own;
    }
    std::size_t at = groups_.size();
    if (single && link >= 0) at = by_link.try_emplace(link, groups_.size()).first->second;
    if (at == groups_.size()) groups_.emplace_back();
    Group& group = groups_[at];
    std::vector<Index> places;
    for (const Index column : block.columns) {
      auto known = std::find(group.columns.begin(), group.columns.end(), column);
      if (known == group.columns.end()) known = group.columns.insert(group.columns.end(), column);
      places.push_back(known - group.columns.begin());
    }
    group.blocks.push_back(b);
    group.places.push_back(std::move(places));
    group.rows += block.size() * (block.size() + 1) / 2;
  }
  for (Group& group : groups_) {
    group.T.resize(static_cast<Index>(group.columns.size()), program_.T.cols());
    for (std::size_t k = 0; k < group.columns.size(); ++k)
      group.T.row(static_cast<Index>(k)) = program_.T.row(group.columns[k]);
  }
  for (const Group& group : groups_)
    root_rows_ += std::min(group.rows, static_cast<Index>(group.columns.size()));
}

bool ConeHessian::factorize_blocks(const std::vector<ScaledBlock>& blocks, const ScalingOf& scaling_of,
                                   double more) {
  by_roots_ = false;
  make_roots(blocks, scaling_of);
  hessian_.setZero(program_.T.cols(), program_.T.cols());
  hessian_.selfadjointView<Eigen::Lower>().rankUpdate(roots_.transpose());
  hessian_.diagonal().array() += more * hessian_.diagonal().maxCoeff();
  llt_.compute(hessian_);
  return llt_.is_positive();
}

bool ConeHessian::factorize(const std::vector<ScaledBlock>& blocks, const ScaledBall& ball, double weight,
                            bool by_roots) {
  by_roots_ = by_roots;
  make_roots(blocks, [&](std::size_t b) -> const SmallMatrix& { return blocks[b].scaling(); });
  if (by_roots) return factorize_roots(ball, weight);
  hessian_.setZero(program_.T.cols(), program_.T.cols());
  hessian_.selfadjointView<Eigen::Lower>().rankUpdate(roots_.transpose());
  for (Index i = 0; i < program_.seen; ++i) hessian_(i, i) += 2;
  if (has_soft_) hessian_.triangularView<Eigen::Lower>() += weight * soft_gram_;
  if (program_.ball) add_ball(ball);
  llt_.compute(hessian_);
  // Stiff and soft directions may differ by more than rounding allows: a small diagonal term, which
  // refinement corrects.
  const Eigen::VectorXd diagonal = hessian_.diagonal();
  for (double more = 1e-15; !llt_.is_positive() && more < 1e-7; more *= 10) {
    hessian_.diagonal() = (1 + more) * diagonal;
    llt_.compute(hessian_);
  }
  return llt_.is_positive();
}

void ConeHessian::make_roots(const std::vector<ScaledBlock>& blocks, const ScalingOf& scaling_of) {
  const Index n = program_.T.cols();
  roots_.resize(root_rows_, n);
  Index row = 0;
  for (const Group& group : groups_) {
    const auto count = static_cast<Index>(group.columns.size());
    small_root_.setZero(group.rows, count);
    Index at = 0;
    for (std::size_t i = 0; i < group.blocks.size(); ++i) {
      const ScaledBlock& block = blocks[group.blocks[i]];
      block.root(scaling_of(group.blocks[i]), at, group.places[i], small_root_);
      at += block.rows();
    }
    const Index kept = std::min(group.rows, count);
    if (group.rows > count) make_triangular(small_root_);
    roots_.middleRows(row, kept).noalias() = small_root_.topRows(kept) * group.T;
    row += kept;
  }
}

// R of all roots, one below the other: RᵀR is H, and the error of R is that of the roots, not of their
// squares.
bool ConeHessian::factorize_roots(const ScaledBall& ball, double weight) {
  const Index n = program_.T.cols(), soft = has_soft_ ? program_.T.rows() : 0;
  const Index round = program_.ball ? program_.ball->G.rows() : 0;
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(root_rows_ + program_.seen + soft + round + n, n);
  all.topRows(root_rows_) = roots_;
  Index row = root_rows_;
  for (Index i = 0; i < program_.seen; ++i) all(row++, i) = std::sqrt(2.0);
  if (has_soft_) all.middleRows(row, soft) = (weight * program_.soft).cwiseSqrt().asDiagonal() * program_.T;
  row += soft;
  for (Index k = 0; k < n && round > 0; ++k)
    all.block(row, k, round, 1) = ball.times_inverse(program_.ball->G.col(k));
  qr_.compute(all);
  const double smallest = 1e-15 * std::abs(qr_.packed()(0, 0));
  for (Index i = 0; i < n; ++i)
    if (!(std::abs(qr_.packed()(i, i)) > smallest)) return false;
  return true;
}

Eigen::VectorXd ConeHessian::solve(const Eigen::VectorXd& rhs) const {
  if (!by_roots_) return llt_.solve(rhs);
  const auto R = qr_.packed().topRows(rhs.size()).triangularView<Eigen::Upper>();
  Eigen::VectorXd out = qr_.permutation().transpose() * rhs;
  R.transpose().solveInPlace(out);
  R.solveInPlace(out);
  return qr_.permutation() * out;
}

void ConeHessian::add_ball(const ScaledBall& ball) {
  const Eigen::VectorXd q = ball.q();
  Eigen::VectorXd mirrored = -q;
  mirrored[0] = q[0];
  const Eigen::VectorXd g = program_.ball->G.transpose() * q;
  const Eigen::VectorXd f = program_.ball->G.transpose() * mirrored;
  const double b2 = ball.beta() * ball.beta();
  hessian_ += ball_gram_ / b2;
  // 4|q|² g gᵀ − 2 (g fᵀ + f gᵀ)
  hessian_.noalias() += (4 * q.squaredNorm() / b2) * g * g.transpose();
  hessian_.noalias() -= (2 / b2) * g * f.transpose();
  hessian_.noalias() -= (2 / b2) * f * g.transpose();
}

}  // namespace steelyard
