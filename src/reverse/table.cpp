#include "steelyard/reverse/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void check_answer(const ReverseAnswer& answer, const VectorXd& q, Index number, const std::string& name) {
  const Index n = q.size();
  const MatrixXd& M = answer.inertia;
  const bool gravity_fits = answer.gravity.size() == 0 || answer.gravity.size() == n;
  const bool inertia_fits = M.size() == 0 || (M.rows() == n && M.cols() == n);
  if (!gravity_fits || !inertia_fits)
    throw InputError({fmt::format("{} gives a gravity vector of {} and an inertia matrix of {} × {}", name,
                                  answer.gravity.size(), M.rows(), M.cols()),
                      {},
                      fmt::format("{} joints", n),
                      "check that source and robot file describe the same robot"});
  const std::string where =
      fmt::format("configuration {}, q = {}", number + 1, fmt::join(q.data(), q.data() + q.size(), " "));
  if (!answer.gravity.allFinite() || !M.allFinite())
    throw InputError(
        {fmt::format("{} gives numbers that are not finite at {}", name, where), {}, "finite numbers", ""});
  if (M.size() == 0) return;
  Index row = 0, column = 0;
  const double asymmetry = (M - M.transpose()).cwiseAbs().maxCoeff(&row, &column);
  const double largest = M.cwiseAbs().maxCoeff();
  if (asymmetry <= 1e-9 * largest) return;
  throw InputError({fmt::format("the inertia matrix of {} is not symmetric: {} = {:.6g}, {} = {:.6g} at {}",
                                name, inertia_name(row, column, n), M(row, column),
                                inertia_name(column, row, n), M(column, row), where),
                    {},
                    fmt::format("1e-9 of the largest entry {:.3g}", largest),
                    "check the order of rows and columns, and whether only one triangle is filled"});
}

}  // namespace

std::string gravity_name(Index i) {
  return fmt::format("g{}", i + 1);
}

std::string inertia_name(Index i, Index j, Index joints) {
  return fmt::format("M{}{}{}", i + 1, joints > 9 ? "_" : "", j + 1);
}

ReverseTable ask(const ReverseSource& source, const MatrixXd& q, const std::string& name) {
  ReverseTable table;
  table.name = name;
  table.q = q;
  const Index n = q.cols();
  for (Index k = 0; k < q.rows(); ++k) {
    const VectorXd here = q.row(k).transpose();
    const ReverseAnswer answer = source(here);
    check_answer(answer, here, k, name);
    if (k == 0) {
      if (answer.gravity.size() > 0) table.gravity.resize(q.rows(), n);
      if (answer.inertia.size() > 0) table.inertia.resize(q.rows(), n * (n + 1) / 2);
    }
    if ((answer.gravity.size() > 0) != table.has_gravity() ||
        (answer.inertia.size() > 0) != table.has_inertia())
      throw InputError({name + " gives gravity or inertia at some configurations only", {}, "", ""});
    if (table.has_gravity()) table.gravity.row(k) = answer.gravity.transpose();
    for (Index i = 0; table.has_inertia() && i < n; ++i)
      for (Index j = 0; j <= i; ++j) table.inertia(k, triangle_index(i, j)) = answer.inertia(i, j);
  }
  return table;
}

ReverseTable part_of(const ReverseTable& table, Index first, Index count) {
  require(first >= 0 && first + count <= table.size(), "a part of a table lies inside it");
  ReverseTable part;
  part.name = table.name;
  part.q_rounding = table.q_rounding;
  part.gravity_rounding = table.gravity_rounding;
  part.inertia_rounding = table.inertia_rounding;
  part.q = table.q.middleRows(first, count);
  if (table.has_gravity()) part.gravity = table.gravity.middleRows(first, count);
  if (table.has_inertia()) part.inertia = table.inertia.middleRows(first, count);
  if (table.has_jacobian()) part.jacobian = table.jacobian.middleRows(first, count);
  return part;
}

std::vector<Finding> examine(const ReverseTable& table) {
  std::vector<Finding> findings;
  if (!table.has_inertia()) return findings;
  const Index n = table.joints();
  Index bad = 0, first = -1;
  double smallest = 0;
  for (Index k = 0; k < table.size(); ++k) {
    MatrixXd M(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) M(i, j) = M(j, i) = table.inertia(k, triangle_index(i, j));
    if (!M.allFinite()) continue;
    const double pivot = PivotedCholesky(M).D().minCoeff();
    if (pivot > 0) continue;
    ++bad;
    if (first < 0) first = k;
    smallest = std::min(smallest, pivot);
  }
  if (bad > 0)
    findings.push_back(make_finding(
        "inertia-not-positive", table.name,
        fmt::format(
            "{} of {} matrices are not positive definite, first configuration {}, smallest pivot {:.3g}", bad,
            table.size(), first + 1, smallest)));
  return findings;
}

}  // namespace steelyard
