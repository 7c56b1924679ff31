#include "feasible/cone_program.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>

#include "feasible/scaling.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr int kMostRefinements = 4;

// Blocks that touch the same few columns: their Hessian is made small first and mapped to y once.
struct BlockGroup {
  std::vector<Index> columns;
  std::vector<std::size_t> blocks;
  std::vector<std::vector<Index>> places;  // per block: its columns within the group's
  Eigen::MatrixXd T;                       // rows of T
  Index rows = 0;                          // of all roots
};

std::vector<BlockGroup> make_groups(const ConeProgram& program) {
  std::map<Index, std::size_t> by_link;
  std::vector<BlockGroup> groups;
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    const Block& block = program.blocks[b];
    // The link all columns belong to; columns past the links' (a phase's own variable) go with any.
    Index link = -1;
    bool single = !block.columns.empty();
    for (const Index column : block.columns) {
      if (column >= program.link_columns) continue;
      const Index own = column / kParametersPerLink;
      single = single && (link < 0 || own == link);
      link = own;
    }
    std::size_t at = groups.size();
    if (single && link >= 0) at = by_link.try_emplace(link, groups.size()).first->second;
    if (at == groups.size()) groups.emplace_back();
    BlockGroup& group = groups[at];
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
  for (BlockGroup& group : groups) {
    group.T.resize(static_cast<Index>(group.columns.size()), program.T.cols());
    for (std::size_t k = 0; k < group.columns.size(); ++k)
      group.T.row(static_cast<Index>(k)) = program.T.row(group.columns[k]);
  }
  return groups;
}

class Method {
 public:
  Method(const ConeProgram& program, const ConeOptions& options)
      : program_(program), options_(options), groups_(make_groups(program)) {
    for (const Block& block : program.blocks) blocks_.emplace_back(block);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (program.weights[b] <= 0) degree_ += blocks_[b].size();
      has_centre_ = has_centre_ || program.weights[b] == kCentre;
    }
    has_centre_ = has_centre_ || program.soft.maxCoeff() > 0;
    size_slope_ = program.T.transpose() * program.size;
    if (program.ball) {
      degree_ += 1;
      ball_gram_ = program.ball->G.transpose() * program.ball->G;
    }
    for (const BlockGroup& group : groups_)
      root_rows_ += std::min(group.rows, static_cast<Index>(group.columns.size()));
  }

  ConeResult run(const Eigen::VectorXd& start) {
    begin(start);
    ConeResult best;
    double best_gap = kInfinity;
    int fruitless = 0;
    for (int iteration = 0; iteration <= options_.most_iterations; ++iteration) {
      const double value = objective();
      const double wanted = options_.relative * std::abs(value) + options_.absolute;
      double gap = certificate_gap();
      if (gap > wanted && covered_gap() < 0.5 * wanted) {
        polish();
        gap = certificate_gap();
      }
      const bool settled = !options_.settle || !has_centre_ || mu_ <= 0.1 * weight_;
      const bool met = gap <= wanted;
      const bool enough = value < options_.stop_below;
      if (gap < best_gap || met || enough) {
        fruitless = gap < 0.9 * best_gap ? 0 : fruitless + 1;
        best_gap = gap;
        keep(best, value, gap, met);
      } else {
        ++fruitless;
      }
      best.iterations = iteration;
      if ((met && settled) || enough || gap < options_.share * std::abs(value) || fruitless > 12) break;
      weight_ = std::min(weight_, 0.25 * wanted / std::max(program_.most_size, 1.0));
      if (!step()) break;
    }
    return best;
  }

 private:
  void begin(const Eigen::VectorXd& start) {
    y_ = start;
    require(move_to(y_), "a cone program starts inside its constraints");
    const double value = objective();
    mu_ = std::max(std::abs(value), options_.relative * std::abs(value) + options_.absolute) /
          std::max(1.0, degree_);
    if (program_.seen == 0) mu_ = linear_path();
    weight_ = kInfinity;
    set_multipliers();
    centre_ = mu_;
  }

  // First path parameter of a linear objective g: the size of g in the barrier's own metric, so that the
  // first Newton step is about as long as the barrier's ellipsoid.
  double linear_path() {
    mu_ = weight_ = 1;
    set_multipliers();
    for (ScaledBlock& block : blocks_) block.rescale();
    if (program_.ball) ball_.rescale();
    if (!factorize()) return 1;
    return std::max(std::sqrt(program_.linear.dot(llt_.solve(program_.linear))), options_.absolute);
  }

  // Z = μ S⁻¹
  void set_multipliers() {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      ScaledBlock& block = blocks_[b];
      const double target = program_.weights[b] > 0 ? program_.weights[b] : mu_;
      const SmallMatrix inverse = block.S.llt().solve(SmallMatrix::Identity(block.size(), block.size()));
      block.Z = 0.5 * target * (inverse + inverse.transpose());
    }
    if (program_.ball) {
      const double norm = ball_.s.tail(ball_.s.size() - 1).norm();
      ball_.z = -mu_ / ((ball_.s[0] - norm) * (ball_.s[0] + norm)) * ball_.s;
      ball_.z[0] *= -1;
    }
  }

  // Slacks at y; false when one is not positive definite.
  bool move_to(const Eigen::VectorXd& y) {
    x_ = program_.columns(y);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      blocks_[b].S = program_.blocks[b].at(x_);
      if (blocks_[b].size() == 1 ? !(blocks_[b].S(0, 0) > 0) : blocks_[b].S.llt().info() != Eigen::Success)
        return false;
    }
    if (program_.ball) {
      ball_.s = program_.ball->G * y + program_.ball->g;
      if (!(ball_.s[0] > ball_.s.tail(ball_.s.size() - 1).norm())) return false;
    }
    return x_.allFinite();
  }

  static double log_det(const SmallMatrix& matrix) {
    const SmallMatrix L = matrix.llt().matrixL();
    return 2 * L.diagonal().array().log().sum();
  }

  double objective() const {
    double out = program_.constant + program_.linear.dot(y_) + y_.head(program_.seen).squaredNorm();
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      if (program_.weights[b] > 0) out -= program_.weights[b] * log_det(blocks_[b].S);
    return out;
  }

  // Gradient of the objective's smooth part and of size, minus that of the multipliers.
  Eigen::VectorXd residual(double t) const {
    Eigen::VectorXd by_x = Eigen::VectorXd::Zero(x_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (std::size_t k = 0; k < program_.blocks[b].columns.size(); ++k)
        by_x[program_.blocks[b].columns[k]] -= blocks_[b].slope(k, blocks_[b].Z);
    if (std::isfinite(weight_)) by_x += weight_ * program_.soft.cwiseProduct(x_ - program_.soft_centre);
    Eigen::VectorXd out = program_.linear + t * size_slope_ + program_.T.transpose() * by_x;
    out.head(program_.seen) += 2 * y_.head(program_.seen);
    if (program_.ball) out -= program_.ball->G.transpose() * ball_.z;
    return out;
  }

  // What is left of the objective's gradient after the multipliers and size.
  Eigen::VectorXd uncovered() const {
    Eigen::VectorXd rest = residual(centre_);
    if (std::isfinite(weight_))
      rest -= weight_ * (program_.T.transpose() * program_.soft.cwiseProduct(x_ - program_.soft_centre));
    return rest;
  }

  double uncovered_gap(const Eigen::VectorXd& rest) const {
    const double far = 2 * y_.head(program_.seen).norm();
    double gap = 0;
    for (Index i = 0; i < rest.size(); ++i)
      gap += std::abs(rest[i]) * (program_.spread[i] < 0 ? far : program_.spread[i]);
    return gap;
  }

  double covered_gap() const {
    double gap = program_.ball ? ball_.complementarity() : 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const ScaledBlock& block = blocks_[b];
      gap += block.complementarity();
      const double w = program_.weights[b];
      if (w > 0) gap -= w * (log_det(block.S) + log_det(SmallMatrix(block.Z / w)) + block.size());
    }
    return gap + centre_ * std::max(0.0, program_.most_size - program_.size.dot(x_));
  }

  double certificate_gap() const { return covered_gap() + uncovered_gap(uncovered()); }

  // Multipliers near the present ones that leave less of the gradient: ΔZ = Z F(Tλ) Z with the smallest λ
  // that covers it. In this metric large multipliers move and small ones stay, so that the rounding errors of
  // Newton steps near the end (which are in the large ones) can be removed.
  void polish() {
    std::vector<SmallMatrix> roots, before;
    for (const ScaledBlock& block : blocks_) {
      const Eigen::LLT<SmallMatrix> llt(block.Z);
      if (llt.info() != Eigen::Success) return;
      roots.push_back(SmallMatrix(llt.matrixU()));
      before.push_back(block.Z);
    }
    add_blocks([&](std::size_t b) -> const SmallMatrix& { return roots[b]; });
    hessian_.diagonal().array() += 1e-12 * hessian_.diagonal().maxCoeff();
    llt_.compute(hessian_);
    if (llt_.info() != Eigen::Success) return;
    const double gap_before = certificate_gap();
    for (int round = 0; round < kMostRefinements; ++round) {
      const Eigen::VectorXd dx = program_.T * llt_.solve(uncovered());
      for (std::size_t b = 0; b < blocks_.size(); ++b) {
        SmallMatrix step = SmallMatrix::Zero(blocks_[b].size(), blocks_[b].size());
        const Block& block = program_.blocks[b];
        for (std::size_t k = 0; k < block.columns.size(); ++k) step += dx[block.columns[k]] * block.parts[k];
        blocks_[b].Z += SmallMatrix(before[b] * step * before[b]);
      }
    }
    bool better = certificate_gap() < gap_before;
    for (const ScaledBlock& block : blocks_) better = better && block.Z.llt().info() == Eigen::Success;
    if (better) return;
    for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].Z = before[b];
  }

  void keep(ConeResult& best, double value, double gap, bool met) const {
    best.y = y_;
    best.x = x_;
    best.Z.clear();
    for (const ScaledBlock& block : blocks_) best.Z.push_back(block.Z);
    best.value = value;
    best.lower = value - gap;
    best.weight = centre_;
    best.ball_multiplier = program_.ball ? ball_.z[0] : 0;
    best.reached = met;
  }

  // hessian_ = Σ over the blocks of Tᵀ F*(AᵀA F(T ·) AᵀA), lower half; A of block b by scaling_of(b).
  template <class Scaling>
  void add_blocks(const Scaling& scaling_of) {
    const Index n = y_.size();
    roots_.resize(root_rows_, n);
    Index row = 0;
    for (const BlockGroup& group : groups_) {
      const auto count = static_cast<Index>(group.columns.size());
      Eigen::MatrixXd U = Eigen::MatrixXd::Zero(group.rows, count);
      Eigen::MatrixXd part;
      Index at = 0;
      for (std::size_t i = 0; i < group.blocks.size(); ++i) {
        const ScaledBlock& block = blocks_[group.blocks[i]];
        part.resize(block.rows(), static_cast<Index>(group.places[i].size()));
        block.root(scaling_of(group.blocks[i]), part);
        for (std::size_t k = 0; k < group.places[i].size(); ++k)
          U.block(at, group.places[i][k], block.rows(), 1) = part.col(static_cast<Index>(k));
        at += block.rows();
      }
      if (group.rows > count) {
        const Eigen::HouseholderQR<Eigen::MatrixXd> qr(U);
        U = qr.matrixQR().topRows(count).template triangularView<Eigen::Upper>();
      }
      roots_.middleRows(row, U.rows()).noalias() = U * group.T;
      row += U.rows();
    }
    hessian_.setZero(n, n);
    hessian_.selfadjointView<Eigen::Lower>().rankUpdate(roots_.transpose());
  }

  // Hessian of the quadratic part and of all cones, and its factor.
  bool factorize() {
    add_blocks([&](std::size_t b) -> const SmallMatrix& { return blocks_[b].scaling(); });
    for (Index i = 0; i < program_.seen; ++i) hessian_(i, i) += 2;
    for (Index k = 0; k < program_.soft.size(); ++k)
      if (program_.soft[k] > 0)
        hessian_.selfadjointView<Eigen::Lower>().rankUpdate(program_.T.row(k).transpose(),
                                                            weight_ * program_.soft[k]);
    if (program_.ball) add_ball();
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

  void add_ball() {
    const Eigen::VectorXd q = ball_.q();
    Eigen::VectorXd mirrored = -q;
    mirrored[0] = q[0];
    const Eigen::VectorXd g = program_.ball->G.transpose() * q;
    const Eigen::VectorXd f = program_.ball->G.transpose() * mirrored;
    const double b2 = ball_.beta() * ball_.beta();
    hessian_ += ball_gram_ / b2;
    // 4|q|² g gᵀ − 2 (g fᵀ + f gᵀ)
    hessian_.noalias() += (4 * q.squaredNorm() / b2) * g * g.transpose();
    hessian_.noalias() -= (2 / b2) * g * f.transpose();
    hessian_.noalias() -= (2 / b2) * f * g.transpose();
  }

  double target_of(std::size_t b, double target) const {
    const double w = program_.weights[b];
    return w > 0 ? w : w == kCentre ? std::max(target, weight_) : target;
  }

  // t never rises again: each change of it is a new residual.
  double centre_target(double target) const { return std::min(centre_, std::max(target, weight_)); }

  // One Newton solve with the path parameter `target`.
  void solve(double target, bool corrected) {
    const double t = centre_target(target);
    Eigen::VectorXd by_x = Eigen::VectorXd::Zero(x_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const SmallMatrix pull = blocks_[b].pull(target_of(b, target), corrected);
      for (std::size_t k = 0; k < program_.blocks[b].columns.size(); ++k)
        by_x[program_.blocks[b].columns[k]] += blocks_[b].slope(k, pull);
    }
    const Eigen::VectorXd residual_now = residual(t);
    Eigen::VectorXd rhs = program_.T.transpose() * by_x - residual_now;
    if (program_.ball) rhs += program_.ball->G.transpose() * ball_.pull(target, corrected);
    dy_ = llt_.solve(rhs);
    follow(target, corrected);
    // Refinement: the step has to remove the residual, which the factor of an ill-conditioned Hessian does
    // only roughly near the end.
    double before = kInfinity;
    for (int round = 0; corrected && round < kMostRefinements; ++round) {
      const Eigen::VectorXd left = residual_now + residual_change();
      const double after = left.norm();
      if (after <= 1e-14 * residual_now.norm() || after > 0.5 * before) break;
      before = after;
      dy_ -= llt_.solve(left);
      follow(target, corrected);
    }
  }

  // ΔS and ΔZ of every cone for dy_.
  void follow(double target, bool corrected) {
    const Eigen::VectorXd dx = program_.T * dy_;
    dS_.resize(blocks_.size());
    dZ_.resize(blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      const Block& block = program_.blocks[b];
      dS_[b] = SmallMatrix::Zero(block.size(), block.size());
      for (std::size_t k = 0; k < block.columns.size(); ++k) dS_[b] += dx[block.columns[k]] * block.parts[k];
      dZ_[b] = blocks_[b].finish(dS_[b], target_of(b, target), corrected);
    }
    if (program_.ball) {
      ds_ = program_.ball->G * dy_;
      dz_ = ball_.finish(ds_, target, corrected);
    }
  }

  // By how much a whole step changes the residual.
  Eigen::VectorXd residual_change() const {
    Eigen::VectorXd by_x = weight_ * program_.soft.cwiseProduct(program_.T * dy_);
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (std::size_t k = 0; k < program_.blocks[b].columns.size(); ++k)
        by_x[program_.blocks[b].columns[k]] -= blocks_[b].slope(k, dZ_[b]);
    Eigen::VectorXd out = program_.T.transpose() * by_x;
    out.head(program_.seen) += 2 * dy_.head(program_.seen);
    if (program_.ball) out -= program_.ball->G.transpose() * dz_;
    return out;
  }

  // A quadratic objective ties primal and dual steps together.
  StepLengths longest_step() const {
    StepLengths step = {kInfinity, kInfinity};
    const auto shorten = [&](const StepLengths& other) {
      step.primal = std::min(step.primal, other.primal);
      step.dual = std::min(step.dual, other.dual);
    };
    if (program_.ball) shorten(ball_.longest_step());
    for (const ScaledBlock& block : blocks_) shorten(block.longest_step());
    if (program_.seen > 0) step.primal = step.dual = std::min(step.primal, step.dual);
    return step;
  }

  // Mean complementarity after a step, without what centre blocks keep.
  double complementarity(const StepLengths& step) const {
    double sum = 0;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (program_.weights[b] > 0) continue;
      const ScaledBlock& block = blocks_[b];
      double own = block.complementarity();
      if (step.dual > 0)
        own = (block.S + step.primal * dS_[b]).cwiseProduct(block.Z + step.dual * dZ_[b]).sum();
      sum += program_.weights[b] == kCentre ? std::max(0.0, own - weight_ * block.size()) : own;
    }
    if (program_.ball)
      sum += step.dual > 0 ? (ball_.s + step.primal * ds_).dot(ball_.z + step.dual * dz_)
                           : ball_.complementarity();
    return degree_ > 0 ? sum / degree_ : 0;
  }

  bool step() {
    for (ScaledBlock& block : blocks_)
      if (!block.rescale()) return false;
    if (program_.ball && !ball_.rescale()) return false;
    mu_ = complementarity({});
    if (!factorize()) return false;
    solve(0, false);
    StepLengths ahead = longest_step();
    ahead = {std::min(1.0, ahead.primal), std::min(1.0, ahead.dual)};
    const double share = mu_ > 0 ? std::clamp(complementarity(ahead) / mu_, 0.0, 1.0) : 0;
    const double target = std::pow(share, 3) * mu_;
    for (ScaledBlock& block : blocks_) block.remember_predictor();
    if (program_.ball) ball_.remember_predictor();
    solve(target, true);
    const StepLengths longest = longest_step();
    const double caution = 0.9 + 0.09 * std::min(ahead.primal, ahead.dual);
    return go(std::min(1.0, caution * longest.primal), std::min(1.0, caution * longest.dual), target);
  }

  // Takes the step, shortened where rounding leads out of a cone.
  bool go(double primal, double dual, double target) {
    const Eigen::VectorXd from = y_;
    for (int tries = 0; tries<20; ++tries, primal *= 0.7, dual *= program_.seen> 0 ? 0.7 : 1.0) {
      if (std::max(primal, dual) < 1e-10) return back(from);
      if (!move_to(from + primal * dy_)) continue;
      y_ = from + primal * dy_;
      for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].Z += dual * dZ_[b];
      if (program_.ball) ball_.z += dual * dz_;
      centre_ = has_centre_ ? centre_target(target) : 0;
      mu_ = complementarity({});
      return true;
    }
    return back(from);
  }

  bool back(const Eigen::VectorXd& from) {
    move_to(from);
    return false;
  }

  const ConeProgram& program_;
  const ConeOptions& options_;
  std::vector<BlockGroup> groups_;
  std::vector<ScaledBlock> blocks_;
  ScaledBall ball_;
  Eigen::MatrixXd ball_gram_, roots_, hessian_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
  Eigen::VectorXd y_, x_, dy_, ds_, dz_, size_slope_;
  std::vector<SmallMatrix> dS_, dZ_;
  Index root_rows_ = 0;
  double degree_ = 0;
  double mu_ = 0;
  double weight_ = 0;  // w
  double centre_ = 0;  // t of the last step
  bool has_centre_ = false;
};

}  // namespace

ConeResult solve_cone_program(const ConeProgram& program, const Eigen::VectorXd& start,
                              const ConeOptions& options) {
  return Method(program, options).run(start);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
