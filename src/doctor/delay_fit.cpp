#include "doctor/delay_fit.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::doctor {
namespace {

constexpr double kDelayRidge = 1e-9;
constexpr double kExplainedShare =
    1e-4;  // of a joint's effort: what is left below it does not raise its weight
constexpr double kDelayPrecision = 1e-7;  // [s]
constexpr int kWeighings = 3;
constexpr int kSweeps = 100;  // over the joints

// Adds a row's weighted products to H and b.
void add_products(const DelayEquations& joint, const Eigen::MatrixXd& products, double weight,
                  const Eigen::VectorXd& v, Eigen::MatrixXd& H, Eigen::VectorXd& b) {
  const Index n = joint.own();
  const Eigen::VectorXd mixed = products.topRightCorner(n, products.cols() - n) * v;
  for (Index i = 0; i < n; ++i) {
    const Index a = joint.columns[static_cast<std::size_t>(i)];
    b[a] += weight * mixed[i];
    for (Index k = 0; k < n; ++k) H(a, joint.columns[static_cast<std::size_t>(k)]) += weight * products(i, k);
  }
}

// H⁻¹ with the ridge.
class Scaled {
 public:
  explicit Scaled(const Eigen::MatrixXd& H) {
    scale_ = H.diagonal().cwiseMax(1e-30).cwiseSqrt().cwiseInverse();
    Eigen::MatrixXd unit = scale_.asDiagonal() * H * scale_.asDiagonal();
    unit.diagonal().array() += kDelayRidge;
    factor_.compute(unit);
  }
  Eigen::MatrixXd solve(const Eigen::MatrixXd& B) const {
    return scale_.asDiagonal() * Eigen::MatrixXd(factor_.solve_matrix(scale_.asDiagonal() * B));
  }

 private:
  Eigen::VectorXd scale_;
  Cholesky factor_;
};

double square_left(const DelayEquations& joint, const Eigen::MatrixXd& products, const Eigen::VectorXd& v,
                   const Eigen::VectorXd& parameters) {
  const Index n = joint.own();
  Eigen::VectorXd all(products.rows());
  for (Index i = 0; i < n; ++i) all[i] = -parameters[joint.columns[static_cast<std::size_t>(i)]];
  all.tail(v.size()) = v;
  return std::max(0.0, all.dot(products * all));
}

// The minimum of F(v(δ)) near `start`, or near the best of a grid.
double minimum(const DelayRunRows& run, const DelayParabola& F, std::optional<double> start) {
  const double longest = run.longest(), step = run.unit / 4;
  const auto value = [&](double seconds) { return F.at(run.nodes(seconds)); };
  double middle = start.value_or(0);
  if (!start) {
    double best = value(0);
    for (double seconds = -longest; seconds <= longest + 1e-12; seconds += step)
      if (const double own = value(seconds); own < best) {
        best = own;
        middle = seconds;
      }
  }
  double low = std::max(-longest, middle - step), high = std::min(longest, middle + step);
  while (low > -longest && value(low) < value(std::min(longest, low + step)))
    low = std::max(-longest, low - step);
  while (high < longest && value(high) < value(std::max(-longest, high - step)))
    high = std::min(longest, high + step);
  constexpr double kGolden = 0.6180339887498949;
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double at_a = value(a), at_b = value(b);
  while (high - low > kDelayPrecision) {
    if (at_a < at_b) {
      high = b;
      b = a;
      at_b = at_a;
      at_a = value(a = high - kGolden * (high - low));
    } else {
      low = a;
      a = b;
      at_a = at_b;
      at_b = value(b = low + kGolden * (high - low));
    }
  }
  return 0.5 * (low + high);
}

}  // namespace

DelayFit::DelayFit(const DelayRows& rows) : rows_(rows) {
  Index joints = 0;
  for (const DelayRunRows& run : rows.runs) {
    std::vector<Eigen::MatrixXd>& own = totals_.emplace_back();
    for (const DelayEquations& joint : run.joints) own.push_back(joint.total());
    delays_.push_back(RunDelays::Zero(static_cast<Index>(run.joints.size())));
    joints = std::max(joints, static_cast<Index>(run.joints.size()));
  }
  weights_ = Eigen::MatrixXd::Zero(static_cast<Index>(rows.runs.size()), joints);
}

bool DelayFit::helps(std::size_t other, std::size_t run) const {
  return other != run && rows_.runs[run].is_fit && rows_.runs[other].is_fit &&
         rows_.runs[other].group == rows_.runs[run].group;
}

void DelayFit::weigh() {
  for (int iteration = 0; iteration <= kWeighings; ++iteration) {
    Eigen::MatrixXd weights = weights_;
    for (std::size_t r = 0; r < rows_.runs.size(); ++r) {
      if (rows_.runs[r].joints.empty()) continue;
      const Eigen::VectorXd none = Eigen::VectorXd::Zero(rows_.parameters);
      const Eigen::VectorXd x = iteration == 0 ? none : of_run(r).parameters(delays_[r]);
      for (std::size_t j = 0; j < rows_.runs[r].joints.size(); ++j) {
        const DelayEquations& joint = rows_.runs[r].joints[j];
        const Eigen::VectorXd v = rows_.runs[r].nodes(delays_[r][static_cast<Index>(j)]);
        double rows = 0;
        for (const double of_block : joint.rows) rows += of_block;
        const double effort = square_left(joint, totals_[r][j], v, none);
        const double left =
            std::max(square_left(joint, totals_[r][j], v, x), kExplainedShare * kExplainedShare * effort);
        weights(static_cast<Index>(r), static_cast<Index>(j)) = left > 0 ? rows / left : 0;
      }
    }
    weights_ = weights;
  }
}

DelayFit::OfRun DelayFit::of_run(std::size_t run, Index without) const {
  const DelayRunRows& own = rows_.runs[run];
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(rows_.parameters, rows_.parameters);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(rows_.parameters), ignored = b;
  for (std::size_t r = 0; r < rows_.runs.size(); ++r)
    for (std::size_t j = 0; helps(r, run) && j < rows_.runs[r].joints.size(); ++j)
      add_products(rows_.runs[r].joints[j], totals_[r][j],
                   weights_(static_cast<Index>(r), static_cast<Index>(j)),
                   rows_.runs[r].nodes(delays_[r][static_cast<Index>(j)]), H, b);
  OfRun out;
  out.run_ = &own;
  out.width_ = 2 * own.reach + 2;
  const auto joints = static_cast<Index>(own.joints.size()), all = joints * out.width_;
  out.Q_ = Eigen::MatrixXd::Zero(all, all);
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(rows_.parameters, all);
  const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(out.width_);
  for (Index j = 0; j < joints; ++j) {
    const DelayEquations& joint = own.joints[static_cast<std::size_t>(j)];
    const double weight = weights_(static_cast<Index>(run), j);
    Eigen::MatrixXd products = totals_[run][static_cast<std::size_t>(j)];
    if (without >= 0) products -= joint.blocks[static_cast<std::size_t>(without)];
    add_products(joint, products, weight, nothing, H, ignored);
    const Index n = joint.own(), w = out.width_;
    out.Q_.block(j * w, j * w, w, w) = weight * products.bottomRightCorner(w, w);
    for (Index i = 0; i < n; ++i)
      B.row(joint.columns[static_cast<std::size_t>(i)]).segment(j * w, w) += weight * products.row(i).tail(w);
  }
  const Scaled inverse(H);
  out.M_ = inverse.solve(B);
  out.m_ = inverse.solve(b);
  out.Q_ -= B.transpose() * out.M_;
  out.l_ = B.transpose() * out.m_;
  return out;
}

namespace {

Eigen::VectorXd stacked(const DelayRunRows& run, const RunDelays& delays) {
  const Index width = 2 * run.reach + 2;
  Eigen::VectorXd v(delays.size() * width);
  for (Index j = 0; j < delays.size(); ++j) v.segment(j * width, width) = run.nodes(delays[j]);
  return v;
}

}  // namespace

double DelayFit::OfRun::F(const RunDelays& delays) const {
  const Eigen::VectorXd v = stacked(*run_, delays);
  return v.dot(Q_ * v) - 2 * l_.dot(v);
}

Eigen::VectorXd DelayFit::OfRun::parameters(const RunDelays& delays) const {
  return m_ + M_ * stacked(*run_, delays);
}

DelayParabola DelayFit::OfRun::of_all() const {
  DelayParabola out{Eigen::MatrixXd::Zero(width_, width_), Eigen::VectorXd::Zero(width_)};
  for (Index a = 0; a < l_.size(); a += width_) {
    out.l += l_.segment(a, width_);
    for (Index b = 0; b < l_.size(); b += width_) out.Q += Q_.block(a, b, width_, width_);
  }
  return out;
}

DelayParabola DelayFit::OfRun::of_one(Index joint, const RunDelays& others) const {
  Eigen::VectorXd v = stacked(*run_, others);
  v.segment(joint * width_, width_).setZero();
  const Index at = joint * width_;
  return {Q_.block(at, at, width_, width_),
          l_.segment(at, width_) - Eigen::VectorXd(Q_.middleRows(at, width_) * v)};
}

RunDelays DelayFit::OfRun::common(std::optional<double> start) const {
  return RunDelays::Constant(static_cast<Index>(run_->joints.size()), minimum(*run_, of_all(), start));
}

RunDelays DelayFit::OfRun::each(RunDelays start) const {
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0;
    for (Index j = 0; j < start.size(); ++j) {
      const double next = minimum(*run_, of_one(j, start), start[j]);
      moved = std::max(moved, std::abs(next - start[j]));
      start[j] = next;
    }
    if (moved < 10 * kDelayPrecision) break;
  }
  return start;
}

Eigen::VectorXd DelayFit::left(std::size_t run, std::size_t block, const RunDelays& delays,
                               const Eigen::VectorXd& parameters) const {
  const DelayRunRows& own = rows_.runs[run];
  Eigen::VectorXd out(delays.size());
  for (Index j = 0; j < delays.size(); ++j) {
    const DelayEquations& joint = own.joints[static_cast<std::size_t>(j)];
    out[j] = square_left(joint, joint.blocks[block], own.nodes(delays[j]), parameters);
  }
  return out;
}

}  // namespace steelyard::doctor
