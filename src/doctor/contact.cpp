#include "steelyard/doctor/contact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "doctor/coarse_rows.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kRank = 1e-8;  // of the largest column: below it a direction does not count
constexpr std::array kLengths = {0.05, 0.08, 0.125, 0.18, 0.25};  // of a run
constexpr double kStride = 0.01;
constexpr Index kFewestRows = 100;  // of a joint in a run
constexpr Index kFewestInside = 6;  // of them in a window
constexpr double kFloor =
    0.002;  // of a joint's rms effort: filters and differences leave it of a perfect log

struct Window {
  double from = 0, to = 0;
  bool overlaps(const Window& other) const { return from < other.to && other.from < to; }
};

// What one joint's own columns leave of a run.
struct JointRows {
  Eigen::MatrixXd Q;  // orthonormal, of its columns
  Eigen::VectorXd e, stamps;
  double rms = 0;
  double left() const {
    const double floor = kFloor * rms;
    return e.squaredNorm() + static_cast<double>(e.size()) * floor * floor;
  }
};

struct Bump {
  double explained = 0, size = 0;  // Σ of squares, amplitude
};

// The rows of a window; s is its bump without what the columns explain.
Bump bump_of(const JointRows& rows, const Window& window, Eigen::VectorXd* s = nullptr) {
  const double* begin = rows.stamps.data();
  const double* end = begin + rows.stamps.size();
  const Index first = std::lower_bound(begin, end, window.from) - begin;
  const Index count = std::lower_bound(begin, end, window.to) - begin - first;
  if (count < kFewestInside) return {};
  const Eigen::ArrayXd x =
      (rows.stamps.segment(first, count).array() - window.from) / (window.to - window.from);
  const Eigen::VectorXd push = (std::numbers::pi * x).sin().square().matrix();
  const Eigen::VectorXd of_columns = rows.Q.middleRows(first, count).transpose() * push;
  const double own = push.squaredNorm() - of_columns.squaredNorm();
  if (own < 0.05 * push.squaredNorm()) return {};
  const double product = push.dot(rows.e.segment(first, count));  // e is orthogonal to the columns
  if (s != nullptr) {
    s->setZero(rows.e.size());
    s->segment(first, count) = push;
    *s -= rows.Q * of_columns;
  }
  return {product * product / own, product / own};
}

double gain_of(const std::vector<JointRows>& joints, const Window& window) {
  double gain = 0;
  for (const JointRows& rows : joints)
    if (rows.e.size() > 0)
      gain -= 0.5 * std::log1p(-std::min(0.999999, bump_of(rows, window).explained / rows.left()));
  return gain;
}

// Ever smaller steps of the window's ends from those of the grid, as long as more is explained.
std::pair<Window, double> refined_window(const std::vector<JointRows>& joints, double length,
                                         const Window& not_this, Window best, double largest) {
  constexpr double kLastStep = 1.0 / 1024;  // of the run
  const double shortest = 0.8 * kLengths.front() * length, longest = 1.2 * kLengths.back() * length;
  for (double step = kLengths.front() * length; step > kLastStep * length; step /= 2)
    for (const auto& [of_from, of_to] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}}) {
      const Window next = {best.from + of_from * step, best.to + of_to * step};
      if (next.from < 0 || next.to > length || next.to - next.from < shortest ||
          next.to - next.from > longest || next.overlaps(not_this))
        continue;
      const double gain = gain_of(joints, next);
      if (gain <= largest) continue;
      largest = gain;
      best = next;
    }
  return {best, largest};
}

// The best window that does not overlap with `not_this`.
std::pair<Window, double> best_window(const std::vector<JointRows>& joints, double length,
                                      const Window& not_this) {
  Window best;
  double largest = 0;
  for (const double share : kLengths)
    for (double from = 0; from + share <= 1; from += kStride) {
      const Window window = {from * length, (from + share) * length};
      if (window.overlaps(not_this)) continue;
      const double gain = gain_of(joints, window);
      if (gain <= largest) continue;
      largest = gain;
      best = window;
    }
  return largest > 0 ? refined_window(joints, length, not_this, best, largest) : std::pair{best, largest};
}

std::vector<JointRows> rows_of_run(const std::vector<doctor::CoarseRows>& all, std::size_t run) {
  std::vector<JointRows> joints;
  for (const doctor::CoarseRows& rows : all) {
    JointRows& own = joints.emplace_back();
    for (const auto& [number, begin, count] : rows.runs) {
      if (number != run || count < kFewestRows) continue;
      Eigen::MatrixXd A = rows.Y.middleRows(begin, count);
      for (Index c = 0; c < A.cols(); ++c) A.col(c) /= std::max(A.col(c).norm(), 1e-30);
      const PivotedQr qr(A, kRank);
      own.Q = qr.Q(qr.rank());
      own.stamps = rows.stamps.segment(begin, count);
      const Eigen::VectorXd effort = rows.effort.segment(begin, count);
      own.rms = effort.norm() / std::sqrt(static_cast<double>(count));
      own.e = effort - own.Q * (own.Q.transpose() * effort);
    }
  }
  return joints;
}

}  // namespace

std::vector<Contact> examine_contacts(const Trial& trial) {
  std::vector<Contact> contacts;
  const std::vector<doctor::CoarseRows> all = doctor::coarse_rows(trial, trial.options().smear);
  for (std::size_t r = 0; r < trial.runs().size(); ++r) {
    std::vector<JointRows> joints = rows_of_run(all, r);
    if (std::all_of(joints.begin(), joints.end(), [](const JointRows& rows) { return rows.e.size() == 0; }))
      continue;
    const double length = trial.runs()[r].stamps[trial.runs()[r].size() - 1];
    const auto [window, gain] = best_window(joints, length, {-1, -1});
    if (!(gain > 0)) continue;
    Contact& contact = contacts.emplace_back();
    contact.run = r;
    contact.from = window.from;
    contact.to = window.to;
    contact.gain = gain;
    double most = 0;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      JointRows& rows = joints[j];
      if (rows.e.size() == 0) continue;
      Eigen::VectorXd s;
      const Bump bump = bump_of(rows, window, &s);
      if (bump.explained <= 0) continue;
      if (bump.explained / rows.left() > most) {
        most = bump.explained / rows.left();
        contact.joint = static_cast<int>(j);
        contact.size = bump.size;
        contact.share = std::abs(bump.size) / rows.rms;
      }
      rows.e -= bump.size * s;
    }
    contact.next = best_window(joints, length, window).second;
  }
  return contacts;
}

bool is_clear(const Contact& contact, const ContactOptions& options) {
  return contact.gain > options.gain && contact.gain > options.stands_out * contact.next;
}

Finding contact_finding(const Contact& contact, const Robot& robot) {
  const LogJoint joint = log_joints(robot)[static_cast<std::size_t>(contact.joint)];
  return make_finding(
      "contact", "",
      fmt::format(
          "from {:.2f} to {:.2f} s a push on the robot, up to {:.3g} {} at {}, {:.0f} % of its rms: it "
          "explains {:.1f} times what any other window does",
          contact.from, contact.to, std::abs(contact.size), joint.kind == JointKind::revolute ? "N m" : "N",
          joint.name, 100 * contact.share, contact.gain / std::max(contact.next, 1e-6)));
}

}  // namespace steelyard
