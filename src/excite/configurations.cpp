#include "steelyard/excite/configurations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "excite/ranges.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kRidge = 1e-9;  // lets sets that do not identify everything yet be compared
constexpr double kNothing = 1e-10;
constexpr int kMaxTries = 10000;  // for one pose that is allowed

// Y_b of one configuration, columns scaled to norm one over the candidates.
class Shown {
 public:
  Shown(const Robot& robot, const BaseParameters& base, const ConfigurationOptions& options) {
    for (const BaseParameter& parameter : base.base) names_.push_back(parameter.lead);
    if (names_.empty())
      throw InputError(
          {fmt::format("no configuration identifies any parameter of robot '{}' from its {} rows", robot.name,
                       to_string(options.rows)),
           {},
           "at least one base parameter",
           "add inertia rows: gravity parallel to all axes loads no joint"});
    const bool gravity = options.rows != RowSet::inertia;
    const bool inertia = options.rows == RowSet::inertia || options.rows == RowSet::gravity_inertia;
    for (const RowKind kind : {RowKind::gravity, RowKind::inertia}) {
      if (!(kind == RowKind::gravity ? gravity : inertia)) continue;
      PlanOptions plan;
      plan.kind = kind;
      plan.wanted = names_;
      plans_.push_back(make_plan(robot, plan));
    }
    const MatrixXd sample = random_configurations(robot, 100, options, 1U << 20U);
    scale_.setOnes(size());
    VectorXd squares = VectorXd::Zero(size());
    for (Index k = 0; k < sample.rows(); ++k)
      squares += (*this)(sample.row(k)).colwise().squaredNorm().transpose();
    for (Index c = 0; c < size(); ++c)
      if (squares[c] > 0) scale_[c] = 1 / std::sqrt(squares[c] / static_cast<double>(sample.rows()));
  }

  Index size() const { return static_cast<Index>(names_.size()); }

  MatrixXd operator()(const VectorXd& q) const {
    Index rows = 0;
    for (const Plan& plan : plans_) rows += static_cast<Index>(plan.rows.size());
    MatrixXd Y = MatrixXd::Zero(rows, size());
    Index first = 0;
    for (const Plan& plan : plans_) {
      const MatrixXd part = regressor(plan, q, VectorXd::Zero(q.size()), VectorXd::Zero(q.size()));
      for (std::size_t c = 0; c < plan.columns.size(); ++c) {
        const auto at = std::find(names_.begin(), names_.end(), plan.columns[c]) - names_.begin();
        Y.block(first, at, part.rows(), 1) = part.col(static_cast<Index>(c)) * scale_[at];
      }
      first += part.rows();
    }
    return Y;
  }

 private:
  std::vector<std::string> names_;
  std::vector<Plan> plans_;
  VectorXd scale_;
};

double log_det(const MatrixXd& information) {
  const Cholesky factor(information);
  return factor.is_positive() ? factor.log_det() : -std::numeric_limits<double>::infinity();
}

// log det(A + YᵀY) − log det A, from the rows' own small matrix.
double gain(const Cholesky& factor, const MatrixXd& Y) {
  const Eigen::MatrixXd W = factor.solve_lower(Y.transpose());
  Eigen::MatrixXd small = W.transpose() * W;
  small.diagonal().array() += 1;
  return Cholesky(small).log_det();
}

class ConfigurationSearch {
 public:
  ConfigurationSearch(const Robot& robot, const BaseParameters& base, const ConfigurationOptions& options)
      : shown_(robot, base, options),
        ranges_(joint_ranges(robot, options.limits, options.free_range)),
        allows_(options.allows) {
    pool_ = random_configurations(robot, options.candidates, options);
    for (Index k = 0; k < pool_.rows(); ++k) rows_.push_back(shown_(pool_.row(k)));
    information_.setIdentity(shown_.size(), shown_.size());
    information_ *= kRidge;
  }

  MatrixXd run(Index count) {
    for (Index k = 0; k < count; ++k) add(best_candidate());
    for (int sweep = 0; sweep < 20 && exchange(); ++sweep) {
    }
    double step = 0.25;
    for (int sweep = 0; sweep < 40 && step > 1e-3; ++sweep)
      if (!refine(step)) step /= 2;
    MatrixXd q(count, pool_.cols());
    for (Index k = 0; k < count; ++k) q.row(k) = chosen_[static_cast<std::size_t>(k)].q.transpose();
    return q;
  }

 private:
  struct Chosen {
    VectorXd q;
    MatrixXd Y;
  };

  Chosen candidate(Index k) const { return {pool_.row(k).transpose(), rows_[static_cast<std::size_t>(k)]}; }

  Chosen best_candidate() const {
    const Cholesky factor(information_);
    Index best = 0;
    double largest = -1;
    for (Index k = 0; k < pool_.rows(); ++k) {
      const double value = gain(factor, rows_[static_cast<std::size_t>(k)]);
      if (value > largest) largest = value, best = k;
    }
    return candidate(best);
  }

  void add(Chosen one) {
    information_ += one.Y.transpose() * one.Y;
    chosen_.push_back(std::move(one));
  }

  // Information without configuration k, computed again: differences of nearly equal numbers are not
  // definite.
  void rebuild(std::size_t without) {
    information_.setIdentity(shown_.size(), shown_.size());
    information_ *= kRidge;
    for (std::size_t k = 0; k < chosen_.size(); ++k)
      if (k != without) information_ += chosen_[k].Y.transpose() * chosen_[k].Y;
  }

  // Every configuration in turn against the best candidate in its place.
  bool exchange() {
    bool changed = false;
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      rebuild(k);
      const Cholesky factor(information_);
      Chosen other = best_candidate();
      if (gain(factor, other.Y) > gain(factor, chosen_[k].Y) + kNothing) {
        chosen_[k] = std::move(other);
        changed = true;
      }
      information_ += chosen_[k].Y.transpose() * chosen_[k].Y;
    }
    return changed;
  }

  // Every joint of every configuration a step up and down; a step is a share of the joint's range.
  bool refine(double step) {
    bool changed = false;
    for (std::size_t k = 0; k < chosen_.size(); ++k) {
      rebuild(k);
      const Cholesky factor(information_);
      double value = gain(factor, chosen_[k].Y);
      for (std::size_t j = 0; j < ranges_.size(); ++j)
        for (const double side : {-1.0, 1.0}) {
          Chosen moved = chosen_[k];
          double& angle = moved.q[static_cast<Index>(j)];
          angle = std::clamp(angle + side * step * (ranges_[j].high - ranges_[j].low), ranges_[j].low,
                             ranges_[j].high);
          if (allows_ && !allows_(moved.q)) continue;
          moved.Y = shown_(moved.q);
          const double trial = gain(factor, moved.Y);
          if (trial <= value + kNothing) continue;
          value = trial;
          chosen_[k] = std::move(moved);
          changed = true;
        }
      information_ += chosen_[k].Y.transpose() * chosen_[k].Y;
    }
    return changed;
  }

  Shown shown_;
  std::vector<JointRange> ranges_;
  std::function<bool(const VectorXd&)> allows_;
  MatrixXd pool_;
  std::vector<MatrixXd> rows_;
  MatrixXd information_;
  std::vector<Chosen> chosen_;
};

}  // namespace

MatrixXd random_configurations(const Robot& robot, Index count, const ConfigurationOptions& options,
                               std::uint64_t index) {
  const std::vector<JointRange> ranges = joint_ranges(robot, options.limits, options.free_range);
  MatrixXd q(count, static_cast<Index>(ranges.size()));
  Random random(options.seed, "configurations", index);
  int tries = 0;
  for (Index k = 0; k < count; ++k) {
    for (std::size_t j = 0; j < ranges.size(); ++j)
      q(k, static_cast<Index>(j)) = random.uniform(ranges[j].low, ranges[j].high);
    if (!options.allows || options.allows(q.row(k).transpose())) {
      tries = 0;
    } else {
      if (++tries == kMaxTries)
        throw InputError({fmt::format("none of {} random poses is within all limits", kMaxTries),
                          {},
                          {},
                          "check the table, boxes, capsules and limits of effort"});
      --k;
    }
  }
  return q;
}

ConfigurationSet measure(const Robot& robot, const BaseParameters& base, const MatrixXd& q,
                         const ConfigurationOptions& options) {
  const Shown shown(robot, base, options);
  MatrixXd information = MatrixXd::Zero(shown.size(), shown.size());
  for (Index k = 0; k < q.rows(); ++k) {
    const MatrixXd Y = shown(q.row(k).transpose());
    information += Y.transpose() * Y;
  }
  ConfigurationSet set;
  set.q = q;
  const VectorXd singular = singular_values(information);
  // Information is a square: a direction seen with 1e-6 of the best is at 1e-12 here.
  for (Index k = 0; k < singular.size(); ++k) set.rank += singular[k] > 1e-12 * singular[0];
  set.log_det = -std::numeric_limits<double>::infinity();
  set.mean_variance = std::numeric_limits<double>::infinity();
  if (set.rank == shown.size()) {
    set.log_det = log_det(information);
    set.mean_variance = singular.cwiseInverse().sum() / static_cast<double>(shown.size());
  }
  return set;
}

ConfigurationSet best_configurations(const Robot& robot, const BaseParameters& base,
                                     const ConfigurationOptions& options) {
  require(options.count >= 1 && options.candidates >= 1, "a set has at least one configuration");
  return measure(robot, base, ConfigurationSearch(robot, base, options).run(options.count), options);
}

Index min_configurations(const Robot& robot, const BaseParameters& base,
                         const ConfigurationOptions& options) {
  const Index columns = static_cast<Index>(base.base.size());
  for (Index count = 1; count <= columns; ++count) {
    if (measure(robot, base, random_configurations(robot, count, options), options).rank == columns)
      return count;
  }
  return columns + 1;
}

}  // namespace steelyard
