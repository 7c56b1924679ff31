#include "steelyard/signs/goodness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "signs/model_efforts.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kRidge = 1e-9;  // of a column's squares: what no other segment excites stays near zero

// Products of a segment's rows in the columns of the problem.
struct SegmentProducts {
  std::vector<Index> columns;
  Eigen::MatrixXd YY;
  Eigen::VectorXd Ye;
};

SegmentProducts products_of(const Fold& fold, double weight, const SignProblem& problem) {
  SegmentProducts out;
  const auto own = static_cast<Index>(fold.layout().columns.size());
  for (const std::string& name : fold.layout().columns)
    out.columns.push_back(std::find(problem.columns.begin(), problem.columns.end(), name) -
                          problem.columns.begin());
  const Eigen::MatrixXd R = weight * Eigen::MatrixXd(fold.R());
  out.YY = R.leftCols(own).transpose() * R.leftCols(own);
  out.Ye = R.leftCols(own).transpose() * R.col(own);
  return out;
}

void add_products(const SegmentProducts& part, double sign, double factor, Eigen::MatrixXd& YY,
                  Eigen::VectorXd& Ye) {
  for (std::size_t i = 0; i < part.columns.size(); ++i) {
    Ye[part.columns[i]] += factor * sign * part.Ye[static_cast<Index>(i)];
    for (std::size_t j = 0; j < part.columns.size(); ++j)
      YY(part.columns[i], part.columns[j]) += factor * part.YY(static_cast<Index>(i), static_cast<Index>(j));
  }
}

// The smaller sum of squares under one sign, and the smallest with one change.
struct Misfit {
  double single = 0;
  double with_change = 0;
  Index change = 0;
};

Misfit best_change(const double* effort, const double* model, Index count) {
  double plus = 0, minus = 0;
  for (Index s = 0; s < count; ++s) {
    plus += std::pow(effort[s] - model[s], 2);
    minus += std::pow(-effort[s] - model[s], 2);
  }
  Misfit out{std::min(plus, minus), std::numeric_limits<double>::infinity(), 0};
  double first_plus = 0, first_minus = 0;
  for (Index s = 1; s < count; ++s) {
    first_plus += std::pow(effort[s - 1] - model[s - 1], 2);
    first_minus += std::pow(-effort[s - 1] - model[s - 1], 2);
    const double cost = std::min(first_plus + minus - first_minus, first_minus + plus - first_plus);
    if (cost < out.with_change) out = {out.single, cost, s};
  }
  return out;
}

// Prediction of each segment by the model without it.
std::vector<VectorXd> left_out_efforts(const RowColumns& of, const SampleBlock& samples,
                                       const SegmentedRun& run, const SignModel& model, Index first) {
  std::vector<VectorXd> out;
  std::vector<RowValues> values;
  for (std::size_t k = 0; k < run.segments.size(); ++k) {
    out.emplace_back(VectorXd::Zero(run.segments[k].range.size()));
    values.push_back(row_values(of, model.columns, model.without.col(first + static_cast<Index>(k))));
  }
  visit_rows(of, samples, [&](const RowTile& tile) {
    for (std::size_t k = 0; k < run.segments.size(); ++k) {
      const SignSegment& segment = run.segments[k];
      const Index from = std::max(tile.begin, segment.range.begin);
      const Index to = std::min(tile.begin + tile.count, segment.range.end);
      if (segment.joint != tile.joint || from >= to) continue;
      for (std::size_t c = 0; c < tile.columns.size(); ++c)
        out[k].segment(from - segment.range.begin, to - from) +=
            values[k][tile.row][static_cast<Index>(c)] *
            Eigen::Map<const Eigen::VectorXd>(tile.columns[c] + from - tile.begin, to - from);
    }
  });
  return out;
}

// Sums over the samples of one joint.
struct JointSums {
  double squares = 0, effort = 0, along = 0, count = 0;  // of r, |τ|, r sign(q̇)
};

void judge_friction(const JointSums& all, Index joint, const GoodnessOptions& options, SignGoodness& out) {
  if (!(all.count > 0) || !(all.effort > 0)) return;
  out.misfit[joint] = std::sqrt(all.squares / all.effort);
  const double mean = all.along / all.count;
  const double deviation = std::sqrt(all.squares / all.count * options.correlation / all.count);
  const double deviations = deviation > 0 ? mean / deviation : 0;
  if (deviations >= options.least_deviations &&
      mean >= options.min_friction * std::sqrt(all.effort / all.count))
    out.friction.push_back({joint, mean, deviations});
}

}  // namespace

SignModel model_of_signs(const std::vector<Fold>& folds, const SignProblem& problem, const VectorXd& signs) {
  require(folds.size() == problem.segments.size() && signs.size() == problem.size(), "one sign per segment");
  const auto columns = static_cast<Index>(problem.columns.size());
  Eigen::MatrixXd YY = Eigen::MatrixXd::Zero(columns, columns);
  Eigen::VectorXd Ye = Eigen::VectorXd::Zero(columns);
  std::vector<SegmentProducts> parts;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    parts.push_back(products_of(folds[k], problem.weight[problem.segments[k].joint], problem));
    if (signs[static_cast<Index>(k)] != 0) add_products(parts[k], signs[static_cast<Index>(k)], 1, YY, Ye);
  }
  const Eigen::VectorXd ridge = (kRidge * YY.diagonal()).cwiseMax(1e-300);
  const auto solve = [&](Eigen::MatrixXd form, const Eigen::VectorXd& right) {
    form.diagonal() += ridge;
    return VectorXd(PivotedCholesky(form).solve(right));
  };
  SignModel model{problem.columns, solve(YY, Ye), MatrixXd(columns, problem.size())};
  for (Index k = 0; k < problem.size(); ++k) {
    Eigen::MatrixXd form = YY;
    Eigen::VectorXd right = Ye;
    if (signs[k] != 0) add_products(parts[static_cast<std::size_t>(k)], signs[k], -1, form, right);
    model.without.col(k) = solve(form, right);
  }
  return model;
}

SignGoodness judge_signs(const RowColumns& of, const SampleBlock& samples, const SegmentedRun& run,
                         const VectorXd& signs, const SignModel& model, Index first,
                         const GoodnessOptions& options) {
  require(signs.size() == static_cast<Index>(run.segments.size()), "one sign per segment");
  MatrixXd predicted = model_efforts(of, samples, row_values(of, model.columns, model.values));
  run.band.pass(predicted.data(), predicted.rows(), predicted.cols());
  const std::vector<VectorXd> left_out = left_out_efforts(of, samples, run, model, first);
  const int velocity = samples.find(channel::kVelocity);
  std::vector<JointSums> joints(static_cast<std::size_t>(samples.joints()));
  SignGoodness out;
  for (std::size_t k = 0; k < run.segments.size(); ++k) {
    const SignSegment& segment = run.segments[k];
    const double* effort = run.effort.col(segment.joint).data() + segment.range.begin;
    const double squares = Eigen::Map<const Eigen::VectorXd>(effort, segment.range.size()).squaredNorm();
    const Misfit misfit = best_change(effort, left_out[k].data(), segment.range.size());
    const double gain = misfit.single > 0 ? 1 - misfit.with_change / misfit.single : 0;
    if (segment.sign == 0 && gain >= options.min_gain &&
        misfit.single >= std::pow(options.min_misfit, 2) * squares)
      out.changes.push_back({static_cast<Index>(k), segment.range.begin + misfit.change, gain});
    const double sign = signs[static_cast<Index>(k)];
    if (sign == 0) continue;
    JointSums& all = joints[static_cast<std::size_t>(segment.joint)];
    const double* speed = samples.row(velocity, segment.joint) + segment.range.begin;
    for (Index s = 0; s < segment.range.size(); ++s) {
      const double residual = sign * effort[s] - predicted(segment.range.begin + s, segment.joint);
      all.squares += residual * residual;
      all.along += speed[s] > 0 ? residual : -residual;
    }
    all.effort += squares;
    all.count += static_cast<double>(segment.range.size());
  }
  std::stable_sort(out.changes.begin(), out.changes.end(),
                   [](const HiddenChange& a, const HiddenChange& b) { return a.gain > b.gain; });
  out.misfit = VectorXd::Zero(samples.joints());
  for (std::size_t j = 0; j < joints.size(); ++j)
    judge_friction(joints[j], static_cast<Index>(j), options, out);
  return out;
}

}  // namespace steelyard
