#include "steelyard/feasible/quantities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
constexpr std::array<const char*, 6> kPairs = {"xx", "xy", "xz", "yy", "yz", "zz"};
constexpr std::array<std::array<int, 2>, 6> kPairAxes = {{{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}}};

// "c3x" → "cx3", "J12xx" → "Jxx12"; anything else is left as it is.
std::string in_our_order(const std::string& name) {
  if (name.size() < 3 || (name[0] != 'c' && name[0] != 'I' && name[0] != 'J')) return name;
  std::size_t digits = 1;
  while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9') ++digits;
  const std::string letters = name.substr(digits);
  const std::size_t wanted = name[0] == 'c' ? 1 : 2;
  if (digits == 1 || letters.size() != wanted) return name;
  return name.substr(0, 1) + letters + name.substr(1, digits - 1);
}

// Entry of J − I = m (|c|² 1 − c cᵀ), from f = mc.
double steiner(int entry, const Eigen::Vector3d& f, double m) {
  const auto [a, b] = kPairAxes[static_cast<std::size_t>(entry)];
  return ((a == b ? f.squaredNorm() : 0.0) - f[a] * f[b]) / m;
}

}  // namespace

Quantities::Quantities(const Robot& robot, const std::vector<std::string>& further)
    : columns_(standard_parameter_names(robot)), lengths_(link_lengths(robot)), links_(robot.size()) {
  std::set<std::string> known(columns_.begin(), columns_.end());
  const std::set<std::string> standard = known;
  for (const std::string& name : further) {
    if (standard.count(name) > 0) continue;
    if (name.empty() || !known.insert(name).second)
      throw InputError(
          {"column " + quoted(name) + (name.empty() ? " has no name" : " is given twice"), {}, "", ""});
    columns_.push_back(name);
  }
  names_ = columns_;
  for (int link = 1; link <= links_; ++link) {
    link_names_.push_back(robot.joints[static_cast<std::size_t>(link - 1)].link);
    const std::string number = std::to_string(link);
    for (const char* axis : kAxes) names_.push_back(std::string("c") + axis + number);
    for (const char* pair : kPairs) names_.push_back(std::string("I") + pair + number);
  }
}

Index Quantities::column(const std::string& name) const {
  const auto found = std::find(columns_.begin(), columns_.end(), name);
  return found == columns_.end() ? -1 : found - columns_.begin();
}

Quantity Quantities::find(const std::string& name, const std::string& constraint, const Place& place) const {
  Quantity out;
  auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) found = std::find(names_.begin(), names_.end(), in_our_order(name));
  if (found == names_.end()) {
    Complaint complaint = unknown("quantity", name, names_, place);
    if (!constraint.empty()) complaint.what = "constraint " + quoted(constraint) + ": " + complaint.what;
    throw InputError(complaint);
  }
  out.name = *found;
  const Index k = found - names_.begin();
  if (k < size()) {
    out.column = k;
    if (k < standard_count()) out.link = static_cast<int>(k / kParametersPerLink);
    return out;
  }
  const Index rest = k - size();
  out.link = static_cast<int>(rest / 9);
  const int entry = static_cast<int>(rest % 9);
  out.kind = entry < 3 ? QuantityKind::com : QuantityKind::inertia_com;
  out.entry = entry < 3 ? entry : entry - 3;
  return out;
}

double Quantities::value(const Quantity& quantity, const VectorXd& x) const {
  if (quantity.kind == QuantityKind::linear) return x[quantity.column];
  const Vector10 link = x.segment<10>(Index{kParametersPerLink} * quantity.link);
  if (quantity.kind == QuantityKind::com) return link[1 + quantity.entry] / link[0];
  return link[4 + quantity.entry] - steiner(quantity.entry, link.segment<3>(1), link[0]);
}

VectorXd Quantities::gradient(const Quantity& quantity, const VectorXd& x) const {
  VectorXd out = VectorXd::Zero(size());
  if (quantity.kind == QuantityKind::linear) {
    out[quantity.column] = 1;
    return out;
  }
  const Index first = Index{kParametersPerLink} * quantity.link;
  const double m = x[first];
  const Eigen::Vector3d f = x.segment<3>(first + 1);
  if (quantity.kind == QuantityKind::com) {
    out[first + 1 + quantity.entry] = 1 / m;
    out[first] = -f[quantity.entry] / (m * m);
    return out;
  }
  const auto [a, b] = kPairAxes[static_cast<std::size_t>(quantity.entry)];
  out[first + 4 + quantity.entry] = 1;
  out[first] = steiner(quantity.entry, f, m) / m;
  out[first + 1 + a] += f[b] / m;
  out[first + 1 + b] += f[a] / m;
  if (a == b) out.segment<3>(first + 1) -= 2 * f / m;
  return out;
}

VectorXd Quantities::values(const VectorXd& x) const {
  VectorXd out(static_cast<Index>(names_.size()));
  out.head(size()) = x;
  Index k = size();
  for (int link = 0; link < links_; ++link) {
    const Eigen::Vector3d f = x.segment<3>(Index{10} * link + 1);
    const double m = x[Index{10} * link];
    for (int axis = 0; axis < 3; ++axis) out[k++] = f[axis] / m;
    for (int entry = 0; entry < 6; ++entry) out[k++] = x[Index{10} * link + 4 + entry] - steiner(entry, f, m);
  }
  return out;
}

VectorXd Quantities::pull_back(const VectorXd& x, const VectorXd& by_names) const {
  VectorXd out = by_names.head(size());
  Quantity quantity;
  for (Index k = size(); k < by_names.size(); ++k) {
    if (by_names[k] == 0) continue;
    const Index rest = k - size();
    quantity.link = static_cast<int>(rest / 9);
    quantity.kind = rest % 9 < 3 ? QuantityKind::com : QuantityKind::inertia_com;
    quantity.entry = static_cast<int>(rest % 9 < 3 ? rest % 9 : rest % 9 - 3);
    out += by_names[k] * gradient(quantity, x);
  }
  return out;
}

VectorXd to_barycentric(const Quantities& quantities, const VectorXd& x) {
  VectorXd p = x;
  for (Index first = 0; first < quantities.standard_count(); first += kParametersPerLink) {
    const Eigen::Vector3d f = x.segment<3>(first + 1);
    p.segment<3>(first + 1) = f / x[first];
    for (int entry = 0; entry < 6; ++entry) p[first + 4 + entry] -= steiner(entry, f, x[first]);
  }
  return p;
}

VectorXd from_barycentric(const Quantities& quantities, const VectorXd& p) {
  VectorXd x = p;
  for (Index first = 0; first < quantities.standard_count(); first += kParametersPerLink) {
    const Eigen::Vector3d c = p.segment<3>(first + 1);
    x.segment<3>(first + 1) = p[first] * c;
    for (int entry = 0; entry < 6; ++entry) x[first + 4 + entry] += p[first] * steiner(entry, c, 1);
  }
  return x;
}

Matrix10 barycentric_jacobian(const Vector10& p) {
  Matrix10 out = Matrix10::Identity();
  const Eigen::Vector3d c = p.segment<3>(1);
  for (int axis = 0; axis < 3; ++axis) {
    out(1 + axis, 0) = c[axis];
    out(1 + axis, 1 + axis) = p[0];
  }
  for (int entry = 0; entry < 6; ++entry) {
    const auto [a, b] = kPairAxes[static_cast<std::size_t>(entry)];
    out(4 + entry, 0) = steiner(entry, c, 1);
    if (a == b)
      for (int axis = 0; axis < 3; ++axis) out(4 + entry, 1 + axis) = 2 * p[0] * c[axis];
    out(4 + entry, 1 + a) -= p[0] * c[b];
    out(4 + entry, 1 + b) -= p[0] * c[a];
  }
  return out;
}

VectorXd gradient_by_barycentric(const Quantities& quantities, const VectorXd& p, const VectorXd& by_x) {
  VectorXd out = by_x;
  for (Index first = 0; first < quantities.standard_count(); first += kParametersPerLink)
    out.segment<10>(first) = barycentric_jacobian(p.segment<10>(first)).transpose() * by_x.segment<10>(first);
  return out;
}

}  // namespace steelyard
