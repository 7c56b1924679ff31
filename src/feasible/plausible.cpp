#include "steelyard/feasible/plausible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "feasible/small_matrix.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kDensest = 22600;  // osmium [kg/m³]
constexpr double kSteel = 7850;
constexpr double kLinkFactor = 30;      // of a link's mass
constexpr double kFactor = 3;           // of the robot's mass, from uniform bodies
constexpr double kFileFactor = 2;       // the same, from the robot's file
constexpr double kSmallestRobot = 0.2;  // [m]

Eigen::Matrix3d second_moments(const Inertia& inertia) {
  const Eigen::Matrix3d I = inertia.inertia_com();
  return (I.trace() / 2 * Eigen::Matrix3d::Identity() - I) / inertia.mass();
}

bool is_beyond(double value, double reference, double factor) {
  return value > factor * reference || value * factor < reference;
}

}  // namespace

double ellipsoid_density(const Inertia& inertia) {
  const double squared = second_moments(inertia).determinant();
  if (!(squared > 0)) return INFINITY;
  return inertia.mass() / (4.0 / 3 * std::numbers::pi * std::pow(5, 1.5) * std::sqrt(squared));
}

std::vector<Constraint> without_needles(std::vector<Constraint> constraints, const Reference& reference,
                                        const VectorXd& masses) {
  constexpr double kMargin = 1e-3;
  for (Constraint& constraint : constraints)
    if (auto* body = std::get_if<PseudoInertia>(&constraint.form)) {
      const double radius = std::cbrt(masses[body->link] / (4.0 / 3 * std::numbers::pi * kSteel));
      double floor = radius * radius / 5;
      if (reference.links[static_cast<std::size_t>(body->link)] == ReferenceKind::file) {
        const Inertia expected = Inertia::from_standard(reference.x.segment<10>(Index{10} * body->link));
        floor = std::min(floor, small_eigenvalues(SmallMatrix(second_moments(expected)))[0]);
      }
      *body = {body->link, kMargin, std::sqrt(floor / kMargin)};
    }
  return constraints;
}

std::vector<Implausible> implausible_links(const Quantities& quantities, const Reference& reference,
                                           const VectorXd& x) {
  std::vector<Implausible> out;
  double reach = kSmallestRobot, total = 0;
  bool file = true;
  for (int link = 0; link < quantities.links(); ++link) reach += quantities.length(link);
  for (int link = 0; link < quantities.links(); ++link) {
    const Inertia body = Inertia::from_standard(x.segment<10>(Index{10} * link));
    const Inertia expected_body = Inertia::from_standard(reference.x.segment<10>(Index{10} * link));
    const double mass = body.mass(), expected = expected_body.mass();
    const ReferenceKind kind = reference.links[static_cast<std::size_t>(link)];
    file = file && kind == ReferenceKind::file;
    total += mass;
    if (!(mass > 0)) continue;
    const double density = ellipsoid_density(body), radius = std::sqrt(second_moments(body).trace());
    if (density > std::max(kDensest, ellipsoid_density(expected_body)))
      out.push_back(
          {link, fmt::format("{:.3g} kg in so little space that it has {:.2g} kg/m³", mass, density)});
    if (kind != ReferenceKind::data && radius > reach)
      out.push_back({link, fmt::format("{:.3g} kg spread over {:.2g} m, more than the robot", mass, radius)});
    if (is_beyond(mass, expected, kLinkFactor))
      out.push_back({link, fmt::format("{:.3g} kg where {:.3g} kg are expected", mass, expected)});
  }
  if (is_beyond(total, reference.mass(), file ? kFileFactor : kFactor))
    out.push_back(
        {-1, fmt::format("{:.3g} kg in all where {:.3g} kg are expected", total, reference.mass())});
  return out;
}

}  // namespace steelyard
