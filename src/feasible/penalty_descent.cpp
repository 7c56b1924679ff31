#include "feasible/penalty_descent.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace {

class Descender {
 public:
  Descender(const ModelFunction& function, const VectorXd& start, const DescentOptions& options)
      : function_(function), options_(options), xi_(start) {
    scale_.setZero(xi_.size());
    value_ = function_(xi_, &model_);
  }

  Descent run() {
    int slow = 0, iteration = 0;
    for (; iteration < options_.max_iterations && slow < 5 && value_ > options_.absolute; ++iteration) {
      const double before = value_;
      if (!step()) break;
      slow = before - value_ <= options_.relative_decrease * before ? slow + 1 : 0;
    }
    return {xi_, value_, iteration};
  }

 private:
  // One accepted step; false when none decreases the value.
  bool step() {
    if (model_.gradient.size() == 0) return false;  // no model: the start has no value
    scale_ = scale_.cwiseMax(model_.hessian.diagonal());
    const double floor = 1e-14 * scale_.maxCoeff();
    if (!(floor > 0)) return false;
    const Eigen::VectorXd d = scale_.cwiseMax(floor);
    for (int attempt = 0; attempt < 60 && lambda_ < 1e15; ++attempt) {
      Eigen::MatrixXd damped = model_.hessian;
      damped.diagonal() += lambda_ * d;
      const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>, Eigen::Lower> factor(damped);
      if (factor.info() == Eigen::Success && try_step(factor.solve(-model_.gradient))) return true;
      lambda_ *= growth_;
      growth_ *= 2;
    }
    return false;
  }

  bool try_step(const VectorXd& s) {
    const VectorXd trial = xi_ + s;
    if (!trial.allFinite()) return false;
    const double value = function_(trial, nullptr);
    if (!(value < value_)) return false;
    const double predicted =
        -(model_.gradient.dot(s) + 0.5 * s.dot(model_.hessian.selfadjointView<Eigen::Lower>() * s));
    const double centred = predicted > 0 ? 2 * (value_ - value) / predicted - 1 : -1;
    lambda_ = std::max(1e-14, lambda_ * std::clamp(1 - centred * centred * centred, 0.1, 2.0));
    growth_ = 2;
    xi_ = trial;
    value_ = function_(xi_, &model_);
    return true;
  }

  const ModelFunction& function_;
  DescentOptions options_;
  VectorXd xi_, scale_;
  LocalModel model_;
  double value_ = 0;
  double lambda_ = 1e-3;
  double growth_ = 2;
};

}  // namespace

Descent descend(const ModelFunction& function, const VectorXd& start, const DescentOptions& options) {
  return Descender(function, start, options).run();
}

}  // namespace steelyard
