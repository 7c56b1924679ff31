#include "steelyard/reverse/tilt.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/reverse/rows.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kDifference = 1e-5;  // [rad] of central differences
constexpr double kRank = 1e-10;

// Gravity rows for gravity along each axis, and the entries.
class GravityRows {
 public:
  GravityRows(const Robot& robot, const ReverseTable& table, const ReverseOptions& options) {
    Robot turned = with_rotors(robot, false);
    // No direction that geometry prefers, so that every first moment is seen that any tilt shows.
    turned.gravity = robot.gravity.norm() * Vector3(0.48, -0.36, -0.8);
    BaseOptions base;
    base.rows = RowSet::gravity;
    base.zero = options.zero;
    base.expressions = false;
    const BaseParameters shown = base_parameters(turned, base);
    for (const int lead : shown.lead) names_.push_back(shown.columns[static_cast<std::size_t>(lead)]);
    for (int axis = 0; axis < 3; ++axis) {
      turned.gravity = Vector3::Unit(axis);
      add_axis(turned, table, options, axis);
    }
  }

  Index rows() const { return entries_.size(); }
  Index columns() const { return static_cast<Index>(names_.size()); }

  // Residual of the best first moments under gravity γ.
  Eigen::VectorXd residual(const Vector3& gravity) const {
    const Eigen::MatrixXd Y = gravity[0] * parts_[0] + gravity[1] * parts_[1] + gravity[2] * parts_[2];
    const PivotedQr qr(Y, kRank);
    Eigen::VectorXd rest = qr.adjoint_times(entries_);
    rest.head(qr.rank()).setZero();
    return qr.times(rest);
  }

 private:
  void add_axis(const Robot& robot, const ReverseTable& table, const ReverseOptions& options, int axis) {
    const Plan plan = plan_of(robot, RowKind::gravity, names_);
    const Index count = table.size(), stride = tile_stride(count);
    std::vector<double> tile(static_cast<std::size_t>(stride * plan.stored_columns));
    const Eigen::MatrixXd q = table.q;
    evaluate(plan, {q.data(), nullptr, nullptr, count, count}, tile.data(), stride);
    std::vector<double> entries;
    std::vector<Eigen::RowVectorXd> rows;
    for (const Row& row : plan.rows) {
      const VectorXd given = used_entries(table, row, options);
      for (Index k = 0; k < count; ++k) {
        if (!std::isfinite(given[k])) continue;
        Eigen::RowVectorXd& line = rows.emplace_back(Eigen::RowVectorXd::Zero(columns()));
        for (std::size_t c = 0; c < row.columns.size(); ++c) {
          const std::string& name = plan.columns[static_cast<std::size_t>(row.columns[c])];
          const auto at = std::find(names_.begin(), names_.end(), name) - names_.begin();
          line[at] = tile[static_cast<std::size_t>((row.offset + static_cast<Index>(c)) * stride + k)];
        }
        entries.push_back(given[k]);
      }
    }
    Eigen::MatrixXd& part = parts_[static_cast<std::size_t>(axis)];
    part.resize(static_cast<Index>(rows.size()), columns());
    for (std::size_t k = 0; k < rows.size(); ++k) part.row(static_cast<Index>(k)) = rows[k];
    entries_ = Eigen::Map<const Eigen::VectorXd>(entries.data(), static_cast<Index>(entries.size()));
  }

  std::vector<std::string> names_;
  std::array<Eigen::MatrixXd, 3> parts_;
  Eigen::VectorXd entries_;
};

struct TurnedGravity {
  Eigen::Vector3d level, first, second;  // γ₀ and the axes of the two angles

  explicit TurnedGravity(const Vector3& gravity) : level(gravity) {
    // Axes of the frame where they are free, so that the angles are about x and y of a level base.
    const int along = static_cast<int>(std::abs(level[0]) > 0.9 * level.norm());
    const Eigen::Vector3d direction = level.normalized();
    first = Eigen::Vector3d::Unit(along) - direction[along] * direction;
    first.normalize();
    second = (-direction).cross(first);
  }
  Eigen::Vector3d rotation(const Eigen::Vector2d& t) const { return t[0] * first + t[1] * second; }
  Vector3 operator()(const Eigen::Vector2d& t) const {
    const Eigen::Vector3d axis = rotation(t);
    const double angle = axis.norm();
    if (angle == 0) return level;
    return Eigen::AngleAxisd(angle, axis / angle) * level;
  }
};

double rms(const Eigen::VectorXd& residual) {
  return residual.norm() / std::sqrt(static_cast<double>(std::max<Index>(residual.size(), 1)));
}

}  // namespace

Tilt estimate_tilt(const Robot& robot, const ReverseTable& table, const ReverseOptions& options) {
  if (!table.has_gravity())
    throw InputError({fmt::format("{} has no gravity entries: the tilt cannot be estimated", table.name),
                      {},
                      "",
                      "leave out `tilt`, or add columns with g(q)"});
  if (!(robot.gravity.norm() > 0))
    throw InputError(
        {"the robot's gravity is zero: there is no tilt", {}, "", "give its magnitude in the robot file"});
  const GravityRows rows(robot, table, options);
  if (rows.rows() < rows.columns() + 2)
    throw InputError(
        {fmt::format("{} gravity entries for {} unknowns and the tilt", rows.rows(), rows.columns()),
         {},
         fmt::format("at least {}", rows.columns() + 2),
         "use more configurations"});
  const TurnedGravity turned(robot.gravity);
  Tilt tilt;
  Eigen::Vector2d t = Eigen::Vector2d::Zero();
  Eigen::VectorXd residual = rows.residual(turned(t));
  tilt.residual_level = rms(residual);
  Eigen::Matrix2d information = Eigen::Matrix2d::Identity();
  constexpr int kMax = 50;
  for (; tilt.iterations < kMax && !tilt.converged; ++tilt.iterations) {
    Eigen::MatrixXd J(residual.size(), 2);
    for (int k = 0; k < 2; ++k) {
      const Eigen::Vector2d h = kDifference * Eigen::Vector2d::Unit(k);
      J.col(k) = (rows.residual(turned(t + h)) - rows.residual(turned(t - h))) / (2 * kDifference);
    }
    information = J.transpose() * J;
    const Eigen::Vector2d step = -J.colPivHouseholderQr().solve(residual);
    double share = std::min(1.0, 0.3 / std::max(step.norm(), 1e-300));
    Eigen::VectorXd next = rows.residual(turned(t + share * step));
    for (int halving = 0; halving < 20 && next.norm() > residual.norm() * (1 + 1e-12); ++halving) {
      share /= 2;
      next = rows.residual(turned(t + share * step));
    }
    tilt.converged = (share * step).norm() < 1e-12 || next.norm() > residual.norm() * (1 - 1e-9);
    if (next.norm() <= residual.norm()) {
      t += share * step;
      residual = next;
    }
  }
  tilt.gravity = turned(t);
  tilt.rotation = turned.rotation(t);
  tilt.angle = tilt.rotation.norm();
  tilt.residual = rms(residual);
  const double freedom = std::max(1.0, static_cast<double>(rows.rows() - rows.columns() - 2));
  const double variance = residual.squaredNorm() / freedom;
  tilt.sigma = std::sqrt(variance * information.inverse().diagonal().maxCoeff());
  return tilt;
}

}  // namespace steelyard
