#include "feasible/cone_hessian.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <map>

namespace steelyard {
inline namespace STEELYARD_ABI {

ConeHessian::ConeHessian(const ConeProgram& program) : program_(program) {
  group_blocks();
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
  add_blocks(blocks, scaling_of);
  hessian_.diagonal().array() += more * hessian_.diagonal().maxCoeff();
  llt_.compute(hessian_);
  return llt_.info() == Eigen::Success;
}

bool ConeHessian::factorize(const std::vector<ScaledBlock>& blocks, const ScaledBall& ball, double weight) {
  add_blocks(blocks, [&](std::size_t b) -> const SmallMatrix& { return blocks[b].scaling(); });
  for (Index i = 0; i < program_.seen; ++i) hessian_(i, i) += 2;
  for (Index k = 0; k < program_.soft.size(); ++k)
    if (program_.soft[k] > 0)
      hessian_.selfadjointView<Eigen::Lower>().rankUpdate(program_.T.row(k).transpose(),
                                                          weight * program_.soft[k]);
  if (program_.ball) add_ball(ball);
  llt_.compute(hessian_);
  // Stiff and soft directions may differ by more than rounding allows: a little more on the diagonal, which
  // refinement takes back.
  const Eigen::VectorXd diagonal = hessian_.diagonal();
  for (double more = 1e-15; llt_.info() != Eigen::Success && more < 1e-7; more *= 10) {
    hessian_.diagonal() = (1 + more) * diagonal;
    llt_.compute(hessian_);
  }
  return llt_.info() == Eigen::Success;
}

void ConeHessian::add_blocks(const std::vector<ScaledBlock>& blocks, const ScalingOf& scaling_of) {
  const Index n = program_.T.cols();
  roots_.resize(root_rows_, n);
  Index row = 0;
  for (const Group& group : groups_) {
    const auto count = static_cast<Index>(group.columns.size());
    Eigen::MatrixXd U = Eigen::MatrixXd::Zero(group.rows, count);
    Eigen::MatrixXd part;
    Index at = 0;
    for (std::size_t i = 0; i < group.blocks.size(); ++i) {
      const ScaledBlock& block = blocks[group.blocks[i]];
      part.resize(block.rows(), static_cast<Index>(group.places[i].size()));
      block.root(scaling_of(group.blocks[i]), part);
      for (std::size_t k = 0; k < group.places[i].size(); ++k)
        U.block(at, group.places[i][k], block.rows(), 1) = part.col(static_cast<Index>(k));
      at += block.rows();
    }
    if (group.rows > count) {
      const Eigen::HouseholderQR<Eigen::MatrixXd> qr(U);
      U = qr.matrixQR().topRows(count).triangularView<Eigen::Upper>();
    }
    roots_.middleRows(row, U.rows()).noalias() = U * group.T;
    row += U.rows();
  }
  hessian_.setZero(n, n);
  hessian_.selfadjointView<Eigen::Lower>().rankUpdate(roots_.transpose());
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

}  // namespace STEELYARD_ABI
}  // namespace steelyard
