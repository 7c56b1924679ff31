#include "fleet/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kLinkNumbers = 10;
constexpr int kMassNumbers = 4;                  // a mass and where it sits
constexpr double kMaxMass = 3;                   // times the whole robot's
constexpr double kMaxMassUnknown = 1000;         // [kg] when the robot file has no masses
constexpr double kMinGain = 0.1, kMaxGain = 10;  // of logged over true effort
constexpr double kBeyond = 3;                    // σ by which an amount must be out of bounds
constexpr const char* kAllJoints = "all joints";

using Ten = Eigen::Matrix<double, kLinkNumbers, 1>;

// The ten parameters of one kilogram at c: m, mc, J = |c|² 1 − c cᵀ.
Ten point_mass(const Vector3& c) {
  const double x = c[0], y = c[1], z = c[2];
  Ten v;
  v << 1, x, y, z, y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y;
  return v;
}

// Its derivative by the k-th coordinate of c.
Ten point_mass_slope(const Vector3& c, int k) {
  // v is quadratic in c: a central difference is exact.
  Vector3 forth = c, back = c;
  forth[k] += 0.5;
  back[k] -= 0.5;
  return point_mass(forth) - point_mass(back);
}

Index column_place(const FleetInput& input, const std::string& name) {
  const auto found = std::find(input.columns.begin(), input.columns.end(), name);
  return found == input.columns.end() ? -1 : found - input.columns.begin();
}

// K of the ten columns of a link, rows in the order of the fleet's columns.
MatrixXd link_span(const FleetInput& input, int link, Index size) {
  MatrixXd span = MatrixXd::Zero(size, kLinkNumbers);
  const std::vector<std::string> names = standard_parameter_names(input.robot);
  for (std::size_t b = 0; b < input.base.base.size(); ++b) {
    const Index row = column_place(input, input.base.base[b].lead);
    if (row < 0) continue;
    for (Index k = 0; k < kLinkNumbers; ++k) {
      const std::string& name = names[static_cast<std::size_t>(kLinkNumbers * link + k)];
      const auto found = std::find(input.base.columns.begin(), input.base.columns.end(), name);
      if (found != input.base.columns.end())
        span(row, k) = input.base.K(static_cast<Index>(b), found - input.base.columns.begin());
    }
  }
  return span;
}

std::string joint_words(const std::string& name) {
  return name == kAllJoints ? name : fmt::format("joint '{}'", name);
}

Index rank_of(const MatrixXd& span) {
  const Eigen::MatrixXd square = span.transpose() * span;
  const Eigen::VectorXd values = symmetric_eigenvalues(square);
  return (values.array() > 1e-12 * std::max(1e-300, values.maxCoeff())).count();
}

// Masses that a link can lose, and that it can be given.
void bound_mass(const FleetInput& input, int link, Suspect& suspect) {
  double whole = 0;
  bool is_known = true;
  for (const Joint& joint : input.robot.joints) {
    is_known &= joint.inertia.has_value();
    if (joint.inertia) whole += joint.inertia->mass();
  }
  const std::optional<Inertia>& own = input.robot.joints[static_cast<std::size_t>(link)].inertia;
  suspect.max_amount = is_known && whole > 0 ? kMaxMass * whole : kMaxMassUnknown;
  suspect.min_amount = own && own->mass() > 0 ? -own->mass() : -suspect.max_amount;
}

// Δ of a mass at c, and the mass.
struct PointFit {
  double gain = 0, mass = 0, information = 0;
};

PointFit fit_point(const Eigen::MatrixXd& G, const Eigen::VectorXd& b, const Vector3& c) {
  const Ten v = point_mass(c);
  const double information = v.dot(G * v);
  if (information <= 0) return {};
  const double score = v.dot(b);
  return {score * score / information, score / information, information};
}

// Coarse grid over the link's box, then ever smaller steps from the best point.
Vector3 best_place(const Eigen::MatrixXd& G, const Eigen::VectorXd& b, double length) {
  constexpr int kGrid = 3;
  Vector3 best = Vector3::Zero();
  double gain = -1;
  const auto attempt = [&](const Vector3& c) {
    if (c.cwiseAbs().maxCoeff() > length) return false;
    const double found = fit_point(G, b, c).gain;
    if (found <= gain * (1 + 1e-12)) return false;
    gain = found;
    best = c;
    return true;
  };
  for (int i = -kGrid; i <= kGrid; ++i)
    for (int j = -kGrid; j <= kGrid; ++j)
      for (int k = -kGrid; k <= kGrid; ++k) attempt(length / kGrid * Vector3(i, j, k));
  for (double step = length / (2 * kGrid); step > 1e-4 * length;) {
    bool better = false;
    for (int k = 0; k < 3; ++k)
      for (const double side : {-step, step}) better |= attempt(best + side * Vector3::Unit(k));
    if (!better) step /= 2;
  }
  return best;
}

Trial try_mass(const Suspect& suspect, const Reduced& robot) {
  const Eigen::MatrixXd G = suspect.span.transpose() * robot.information * suspect.span;
  const Eigen::VectorXd b = suspect.span.transpose() * robot.score;
  Trial trial;
  trial.at = best_place(G, b, suspect.length);
  const PointFit fit = fit_point(G, b, trial.at);
  trial.gain = fit.gain;
  trial.amount = fit.mass;
  trial.effect = suspect.span * point_mass(trial.at);
  trial.directions.resize(suspect.span.rows(), kMassNumbers);
  trial.directions.col(0) = trial.effect;
  for (int k = 0; k < 3; ++k) trial.directions.col(1 + k) = suspect.span * point_mass_slope(trial.at, k);
  // The mass is known as well as its own position.
  Eigen::MatrixXd information = trial.directions.transpose() * robot.information * trial.directions;
  information.bottomRightCorner(3, 3).diagonal().array() += 1e-9 * std::max(1e-300, information(0, 0));
  const Eigen::MatrixXd inverse = inverse_of_positive(information);
  trial.sigma = std::sqrt(std::max(0.0, inverse(0, 0)));
  return trial;
}

Trial try_linear(const Suspect& suspect, const Reduced& robot) {
  Eigen::MatrixXd G = suspect.span.transpose() * robot.information * suspect.span;
  const Eigen::VectorXd b = suspect.span.transpose() * robot.score;
  Trial trial;
  trial.directions = suspect.span;
  trial.effect = suspect.span.col(0);
  if (!(G.diagonal().minCoeff() > 0)) return trial;
  const Eigen::VectorXd best = Cholesky(G).solve(b);
  trial.gain = std::max(0.0, b.dot(best));
  trial.effect = suspect.span * best;
  // Amounts along the whole: friction as a share of the fleet's.
  const Eigen::VectorXd whole = suspect.whole.size() > 0 ? Eigen::VectorXd(suspect.whole)
                                                         : Eigen::VectorXd(Eigen::VectorXd::Ones(G.cols()));
  const double information = whole.dot(G * whole);
  if (information > 0) {
    trial.amount = whole.dot(b) / information;
    trial.sigma = 1 / std::sqrt(information);
  }
  return trial;
}

}  // namespace

std::vector<Suspect> suspects(const FleetInput& input, const VectorXd& fleet) {
  const auto p = static_cast<Index>(input.columns.size());
  const Index size = p + static_cast<Index>(input.row_joints.size());
  std::vector<Suspect> list;
  const VectorXd lengths = link_lengths(input.robot);
  for (int link = 0; link < static_cast<int>(input.robot.joints.size()); ++link) {
    Suspect mass{CauseKind::mass, input.robot.joints[static_cast<std::size_t>(link)].link, {}, 0, 0, {}};
    mass.span = link_span(input, link, size);
    mass.length = lengths[link];
    bound_mass(input, link, mass);
    mass.numbers = static_cast<int>(std::min<Index>(kMassNumbers, rank_of(mass.span)));
    if (mass.numbers > 0 && mass.length > 0) list.push_back(std::move(mass));
  }
  for (std::size_t j = 0; j < input.row_joints.size(); ++j) {
    const std::string number = std::to_string(input.row_numbers[j]);
    std::vector<Index> friction;
    for (const char* stem : {"fv", "fc"})
      if (const Index at = column_place(input, stem + number); at >= 0) friction.push_back(at);
    if (!friction.empty()) {
      const auto count = static_cast<Index>(friction.size());
      Suspect suspect{
          CauseKind::friction,  input.row_joints[j], MatrixXd::Zero(size, count), static_cast<int>(count), 0,
          VectorXd::Zero(count)};
      suspect.min_amount = -1;
      for (Index k = 0; k < count; ++k) {
        suspect.span(friction[static_cast<std::size_t>(k)], k) = 1;
        suspect.whole[k] = fleet[friction[static_cast<std::size_t>(k)]];
      }
      list.push_back(std::move(suspect));
    }
    if (const Index at = column_place(input, "fo" + number); at >= 0) {
      Suspect suspect{CauseKind::offset, input.row_joints[j], MatrixXd::Zero(size, 1), 1, 0, {}};
      suspect.span(at, 0) = 1;
      list.push_back(std::move(suspect));
    }
    Suspect gain{CauseKind::gain, input.row_joints[j], MatrixXd::Zero(size, 1), 1, 0, {}};
    gain.span(p + static_cast<Index>(j), 0) = 1;
    list.push_back(std::move(gain));
  }
  if (input.row_joints.size() > 1) {
    Suspect all{CauseKind::gain, kAllJoints, MatrixXd::Zero(size, 1), 1, 0, {}};
    all.span.bottomRows(static_cast<Index>(input.row_joints.size())).setOnes();
    list.push_back(std::move(all));
  }
  for (Suspect& suspect : list)
    if (suspect.kind == CauseKind::gain) suspect.min_amount = kMinGain - 1, suspect.max_amount = kMaxGain - 1;
  return list;
}

Trial try_suspect(const Suspect& suspect, const Reduced& robot) {
  return suspect.kind == CauseKind::mass ? try_mass(suspect, robot) : try_linear(suspect, robot);
}

double worth(double gain, int numbers, double rows) {
  return gain - numbers * std::log(std::max(2.0, rows));
}

bool is_plausible(const Suspect& suspect, const Trial& trial) {
  const double slack = kBeyond * trial.sigma;
  // What the fleet cannot distinguish from zero does not exclude a cause, but no amount is known to a third.
  const double largest = suspect.max_amount + std::min(slack, std::abs(suspect.max_amount) / 3);
  const double smallest = suspect.min_amount - std::min(slack, std::abs(suspect.min_amount) / 3);
  return trial.amount <= largest && trial.amount >= smallest;
}

Reduced without(const Reduced& robot, const MatrixXd& directions) {
  const Eigen::MatrixXd seen = robot.information * directions;
  Eigen::MatrixXd G = directions.transpose() * seen;
  G.diagonal().array() += 1e-9 * std::max(1e-300, G.diagonal().maxCoeff());
  const Cholesky factor(G);
  Reduced rest = robot;
  const Eigen::VectorXd b = directions.transpose() * robot.score;
  rest.information -= seen * factor.solve_transposed(seen);
  rest.score -= seen * factor.solve(b);
  return rest;
}

std::string describe(const Suspect& suspect, const Trial& trial, const std::string& unit) {
  const double size = std::abs(trial.amount);
  switch (suspect.kind) {
    case CauseKind::mass:
      return fmt::format("link '{}' is {} by {:.2g} kg", suspect.of, trial.amount > 0 ? "heavier" : "lighter",
                         size);
    case CauseKind::friction:
      return fmt::format("joint '{}' has friction {:.0f} % {} the fleet's", suspect.of, 100 * size,
                         trial.amount > 0 ? "above" : "below");
    case CauseKind::offset:
      return fmt::format("the effort of joint '{}' is off by {:.3g} {}", suspect.of, trial.amount, unit);
    case CauseKind::gain:
      if (!is_plausible(suspect, trial))
        return fmt::format(
            "the effort of {} reads {:.2g} times the fleet's: check its unit, sign and channel",
            joint_words(suspect.of), 1 + trial.amount);
      return fmt::format("the effort of {} reads {:.2g} % too {}: its gain is off", joint_words(suspect.of),
                         100 * size, trial.amount > 0 ? "high" : "low");
    case CauseKind::zero:
    case CauseKind::other:
    case CauseKind::fit:
    case CauseKind::set_up:
      break;
  }
  return "no single cause explains how it differs";
}

}  // namespace steelyard
