#include "feasible/cone_program.hpp"

#include <algorithm>
#include <cmath>

#include "feasible/cone_point.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kMaxRefinements = 4;

class Method {
 public:
  Method(const ConeProgram& program, const ConeOptions& options)
      : program_(program), options_(options), point_(program), hessian_(program) {
    for (std::size_t b = 0; b < program.blocks.size(); ++b) {
      if (program.weights[b] <= 0) degree_ += program.blocks[b].size();
      has_centre_ = has_centre_ || program.weights[b] == kCentre;
    }
    has_centre_ = has_centre_ || program.soft.maxCoeff() > 0;
    if (program.ball) degree_ += 1;
  }

  ConeResult run(const Eigen::VectorXd& start) {
    begin(start);
    ConeResult best;
    double best_gap = kInfinity;
    int fruitless = 0;
    for (int iteration = 0; iteration <= options_.max_iterations; ++iteration) {
      const double value = point_.objective();
      const double wanted = wanted_ = options_.relative * std::abs(value) + options_.absolute;
      // A share of the value is requested only to decide a sign: polished when the residual is nearly all of
      // the gap, which further steps will not remove.
      const double share = options_.share * std::abs(value);
      double gap = point_.certificate_gap();
      if (gap > std::max(wanted, share) && point_.covered_gap() < std::max(0.5 * wanted, 0.01 * share)) {
        point_.polish(hessian_);
        gap = point_.certificate_gap();
      }
      const bool settled = !options_.settle || !has_centre_ || point_.mu <= 0.1 * point_.weight;
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
      if ((met && settled) || enough || gap < share || fruitless > 12) break;
      point_.weight = std::min(point_.weight, 0.25 * wanted / std::max(program_.max_size, 1.0));
      if (!step()) break;
    }
    return best;
  }

 private:
  void begin(const Eigen::VectorXd& start) {
    require(point_.move_to(start), "a cone program starts inside its constraints");
    const double value = point_.objective();
    point_.mu = std::max(std::abs(value), options_.relative * std::abs(value) + options_.absolute) /
                std::max(1.0, degree_);
    if (program_.seen == 0) point_.mu = linear_path();
    point_.weight = kInfinity;
    point_.set_multipliers();
    point_.centre = point_.mu;
  }

  // First path parameter of a linear objective g: the size of g in the barrier's own metric, so that the
  // first Newton step is about as long as the barrier's ellipsoid.
  double linear_path() {
    point_.mu = point_.weight = 1;
    point_.set_multipliers();
    point_.rescale();
    if (!hessian_.factorize(point_.blocks, point_.ball, point_.weight, false)) return 1;
    return std::max(std::sqrt(program_.linear.dot(hessian_.solve(program_.linear))), options_.absolute);
  }

  void keep(ConeResult& best, double value, double gap, bool met) const {
    best.y = point_.y;
    best.x = point_.x;
    best.Z.clear();
    for (const ScaledBlock& block : point_.blocks) best.Z.push_back(block.Z);
    best.value = value;
    best.lower = value - gap;
    best.weight = point_.centre;
    best.ball_multiplier = program_.ball ? point_.ball.z[0] : 0;
    best.reached = met;
  }

  double target_of(std::size_t b, double target) const {
    const double w = program_.weights[b];
    // Pulls, too, are followed along the path: far from its end their own weight would stop every step.
    return w > 0 ? std::max(target, w) : w == kCentre ? std::max(target, point_.weight) : target;
  }

  // t never rises again: each change of it is a new residual.
  double centre_target(double target) const {
    return std::min(point_.centre, std::max(target, point_.weight));
  }

  // One Newton solve with the path parameter `target`.
  void solve(double target, bool corrected) {
    const double t = centre_target(target);
    Eigen::VectorXd by_x = Eigen::VectorXd::Zero(point_.x.size());
    for (std::size_t b = 0; b < point_.blocks.size(); ++b) {
      const ScaledBlock& block = point_.blocks[b];
      block.add_slopes(block.pull(target_of(b, target), corrected), 1, by_x);
    }
    const Eigen::VectorXd residual_now = point_.residual(t);
    Eigen::VectorXd rhs = program_.T.transpose() * by_x - residual_now;
    if (program_.ball) rhs += program_.ball->G.transpose() * point_.ball.pull(target, corrected);
    dy_ = hessian_.solve(rhs);
    follow(target, corrected);
    // Refinement: the step has to remove the residual, which the factor of an ill-conditioned Hessian does
    // only roughly near the end.
    double before = kInfinity;
    for (int round = 0; corrected; ++round) {
      const Eigen::VectorXd left = residual_now + residual_change();
      const double after = left.norm(), all = residual_now.norm();
      solved_ = after <= 0.1 * all || point_.uncovered_gap(left) <= 0.1 * wanted_;
      if (round == kMaxRefinements || after <= 1e-14 * all || after > 0.5 * before) break;
      before = after;
      dy_ -= hessian_.solve(left);
      follow(target, corrected);
    }
  }

  // ΔS and ΔZ of every cone for dy_.
  void follow(double target, bool corrected) {
    const Eigen::VectorXd dx = program_.T * dy_;
    dS_.resize(point_.blocks.size());
    dZ_.resize(point_.blocks.size());
    for (std::size_t b = 0; b < point_.blocks.size(); ++b) {
      dS_[b] = point_.blocks[b].direction(dx);
      dZ_[b] = point_.blocks[b].finish(dS_[b], target_of(b, target), corrected);
    }
    if (program_.ball) {
      ds_ = program_.ball->G * dy_;
      dz_ = point_.ball.finish(ds_, target, corrected);
    }
  }

  // By how much a whole step changes the residual.
  Eigen::VectorXd residual_change() const {
    Eigen::VectorXd by_x = point_.weight * program_.soft.cwiseProduct(program_.T * dy_);
    for (std::size_t b = 0; b < point_.blocks.size(); ++b) point_.blocks[b].add_slopes(dZ_[b], -1, by_x);
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
    if (program_.ball) shorten(point_.ball.longest_step());
    for (const ScaledBlock& block : point_.blocks) shorten(block.longest_step());
    if (program_.seen > 0) step.primal = step.dual = std::min(step.primal, step.dual);
    return step;
  }

  // Mean complementarity after a step, without what centre blocks keep.
  double complementarity(const StepLengths& step) const {
    double sum = 0;
    for (std::size_t b = 0; b < point_.blocks.size(); ++b) {
      if (program_.weights[b] > 0) continue;
      const ScaledBlock& block = point_.blocks[b];
      double own = block.complementarity();
      if (step.dual > 0)
        own = (block.S + step.primal * dS_[b]).cwiseProduct(block.Z + step.dual * dZ_[b]).sum();
      sum += program_.weights[b] == kCentre ? std::max(0.0, own - point_.weight * block.size()) : own;
    }
    if (program_.ball)
      sum += step.dual > 0 ? (point_.ball.s + step.primal * ds_).dot(point_.ball.z + step.dual * dz_)
                           : point_.ball.complementarity();
    return degree_ > 0 ? sum / degree_ : 0;
  }

  bool step() {
    if (!point_.rescale()) return false;
    point_.mu = complementarity({});
    if (!find_direction()) return false;
    // Once the Cholesky factor of the Hessian is too inaccurate it stays so: the conditioning only gets
    // worse.
    if (!solved_ && !by_roots_) {
      by_roots_ = true;
      if (!find_direction()) return false;
    }
    const StepLengths longest = longest_step();
    return go(std::min(1.0, caution_ * longest.primal), std::min(1.0, caution_ * longest.dual), target_);
  }

  // Predictor and corrector.
  bool find_direction() {
    if (!hessian_.factorize(point_.blocks, point_.ball, point_.weight, by_roots_)) return false;
    solve(0, false);
    StepLengths ahead = longest_step();
    ahead = {std::min(1.0, ahead.primal), std::min(1.0, ahead.dual)};
    const double share = point_.mu > 0 ? std::clamp(complementarity(ahead) / point_.mu, 0.0, 1.0) : 0;
    target_ = std::pow(share, 3) * point_.mu;
    caution_ = 0.9 + 0.09 * std::min(ahead.primal, ahead.dual);
    for (ScaledBlock& block : point_.blocks) block.remember_predictor();
    if (program_.ball) point_.ball.remember_predictor();
    solve(target_, true);
    return true;
  }

  // Takes the step, shortened where rounding leads out of a cone.
  bool go(double primal, double dual, double target) {
    const Eigen::VectorXd from = point_.y;
    for (int tries = 0; tries<20; ++tries, primal *= 0.7, dual *= program_.seen> 0 ? 0.7 : 1.0) {
      if (std::max(primal, dual) < 1e-10) return back(from);
      if (!point_.move_to(from + primal * dy_)) continue;
      for (std::size_t b = 0; b < point_.blocks.size(); ++b) point_.blocks[b].Z += dual * dZ_[b];
      if (program_.ball) point_.ball.z += dual * dz_;
      point_.centre = has_centre_ ? centre_target(target) : 0;
      point_.mu = complementarity({});
      return true;
    }
    return back(from);
  }

  bool back(const Eigen::VectorXd& from) {
    point_.move_to(from);
    return false;
  }

  const ConeProgram& program_;
  const ConeOptions& options_;
  ConePoint point_;
  ConeHessian hessian_;
  Eigen::VectorXd dy_, ds_, dz_;
  std::vector<SmallMatrix> dS_, dZ_;
  double degree_ = 0;
  bool has_centre_ = false;
  double wanted_ = 0;  // the gap requested at this point
  double target_ = 0, caution_ = 0;
  bool solved_ = true;  // the last direction removes most of the residual
  bool by_roots_ = false;
};

}  // namespace

ConeResult solve_cone_program(const ConeProgram& program, const Eigen::VectorXd& start,
                              const ConeOptions& options) {
  return Method(program, options).run(start);
}

}  // namespace steelyard
