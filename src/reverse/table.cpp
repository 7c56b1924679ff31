#include "steelyard/reverse/table.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "steelyard/core/error.hpp"
#include "steelyard/log/csv.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::string numbered(std::string pattern, Index i, Index j) {
  const auto replace = [&](const std::string& key, Index number) {
    const std::size_t at = pattern.find(key);
    if (at != std::string::npos) pattern.replace(at, key.size(), std::to_string(number + 1));
  };
  replace("{i}", i);
  replace("{j}", j);
  return pattern;
}

void require_square(const ReverseAnswer& answer, Index n, const std::string& name) {
  const MatrixXd& M = answer.inertia;
  const bool gravity_fits = answer.gravity.size() == 0 || answer.gravity.size() == n;
  const bool inertia_fits = M.size() == 0 || (M.rows() == n && M.cols() == n);
  if (!gravity_fits || !inertia_fits)
    throw InputError({fmt::format("{} gives a gravity vector of {} and an inertia matrix of {} × {}", name,
                                  answer.gravity.size(), M.rows(), M.cols()),
                      {},
                      fmt::format("{} joints", n),
                      "check that source and robot file are the same robot"});
  if (!answer.gravity.allFinite() || !M.allFinite())
    throw InputError({fmt::format("{} gives numbers that are not finite", name), {}, "finite numbers", ""});
  if (M.size() > 0) {
    const double asymmetry = (M - M.transpose()).cwiseAbs().maxCoeff(), largest = M.cwiseAbs().maxCoeff();
    if (asymmetry > 1e-9 * largest)
      throw InputError({fmt::format("the inertia matrix of {} is not symmetric: entries differ by {:.3g}",
                                    name, asymmetry),
                        {},
                        fmt::format("1e-9 of the largest entry {:.3g}", largest),
                        "check the order of rows and columns, and whether only one triangle is filled"});
  }
}

// Names of a header's columns are looked up without the exception that CsvReader::find gives.
int find_column(const CsvReader& reader, const std::string& name) {
  for (std::size_t k = 0; k < reader.header().size(); ++k)
    if (reader.header()[k] == name) return static_cast<int>(k);
  return -1;
}

}  // namespace

ReverseTable ask(const ReverseSource& source, const MatrixXd& q, const std::string& name) {
  ReverseTable table;
  table.name = name;
  table.q = q;
  const Index n = q.cols();
  for (Index k = 0; k < q.rows(); ++k) {
    const ReverseAnswer answer = source(q.row(k).transpose());
    require_square(answer, n, name);
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

ReverseTable read_reverse_table(const std::string& path, int joints, const ReverseColumns& columns) {
  CsvReader reader(path);
  std::vector<std::vector<double>> values;
  std::vector<int> chosen;
  const auto take = [&](int column) { return chosen.push_back(column), chosen.size() - 1; };
  const Index n = joints;
  for (Index j = 0; j < n; ++j) take(reader.find(numbered(columns.position, 0, j)));
  const bool gravity = !columns.gravity.empty() && find_column(reader, numbered(columns.gravity, 0, 0)) >= 0;
  for (Index j = 0; gravity && j < n; ++j) take(reader.find(numbered(columns.gravity, 0, j)));
  struct Entry {
    Index i, j;
    std::size_t column;
  };
  std::vector<Entry> entries;
  for (Index i = 0; !columns.inertia.empty() && i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (const int column = find_column(reader, numbered(columns.inertia, i, j)); column >= 0)
        entries.push_back({i, j, take(column)});
  if (!gravity && entries.empty())
    throw InputError({"the table has neither gravity nor inertia columns", reader.place(0),
                      fmt::format("columns such as '{}' or '{}'", numbered(columns.gravity, 0, 0),
                                  numbered(columns.inertia, 0, 0)),
                      "name them in the study: reverse: {columns: {gravity: …, inertia: …}}"});
  reader.select(chosen);
  values.resize(chosen.size());
  for (Index total = 0;;) {
    constexpr Index kRows = 1024;
    std::vector<double*> pointers;
    for (std::vector<double>& column : values) {
      column.resize(static_cast<std::size_t>(total + kRows));
      pointers.push_back(column.data() + total);
    }
    const Index count = reader.read(kRows, pointers.data());
    total += count;
    if (count > 0) continue;
    for (std::vector<double>& column : values) column.resize(static_cast<std::size_t>(total));
    break;
  }

  ReverseTable table;
  table.name = path;
  const auto rows = static_cast<Index>(values.front().size());
  const auto column = [&](std::size_t k) {
    return Eigen::Map<const Eigen::VectorXd>(values[k].data(), rows);
  };
  table.q.resize(rows, n);
  for (Index j = 0; j < n; ++j) table.q.col(j) = columns.position_scale * column(static_cast<std::size_t>(j));
  if (gravity) {
    table.gravity.resize(rows, n);
    for (Index j = 0; j < n; ++j)
      table.gravity.col(j) = columns.gravity_scale * column(static_cast<std::size_t>(n + j));
  }
  if (entries.empty()) return table;
  table.inertia.setConstant(rows, n * (n + 1) / 2, kMissing);
  for (const Entry& entry : entries) {
    const Index k = triangle_index(std::max(entry.i, entry.j), std::min(entry.i, entry.j));
    const VectorXd given = columns.inertia_scale * column(entry.column);
    if (!std::isnan(table.inertia(0, k))) {
      const double difference = (given - table.inertia.col(k)).cwiseAbs().maxCoeff();
      if (difference > 1e-6 * given.cwiseAbs().maxCoeff())
        throw InputError(
            {fmt::format("M{0}{1} and M{1}{0} differ by {2:.3g}", entry.i + 1, entry.j + 1, difference),
             reader.place(0), "1e-6 of the largest entry",
             "check the order of the columns; leave one triangle out if it is not filled"});
    } else {
      table.inertia.col(k) = given;
    }
  }
  return table;
}

ReverseTable part_of(const ReverseTable& table, Index first, Index count) {
  require(first >= 0 && first + count <= table.size(), "a part of a table lies inside it");
  ReverseTable part;
  part.name = table.name;
  part.q = table.q.middleRows(first, count);
  if (table.has_gravity()) part.gravity = table.gravity.middleRows(first, count);
  if (table.has_inertia()) part.inertia = table.inertia.middleRows(first, count);
  return part;
}

std::vector<Finding> examine(const ReverseTable& table) {
  std::vector<Finding> findings;
  if (!table.has_inertia()) return findings;
  const Index n = table.joints();
  Index bad = 0, first = -1;
  double least = 0;
  for (Index k = 0; k < table.size(); ++k) {
    MatrixXd M(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j) M(i, j) = M(j, i) = table.inertia(k, triangle_index(i, j));
    if (!M.allFinite()) continue;
    const Eigen::LDLT<MatrixXd> factor(M);
    const double smallest = factor.vectorD().minCoeff();
    if (smallest > 0) continue;
    ++bad;
    if (first < 0) first = k;
    least = std::min(least, smallest);
  }
  if (bad > 0)
    findings.push_back(make_finding(
        "inertia-not-positive", table.name,
        fmt::format(
            "{} of {} matrices are not positive definite, first configuration {}, smallest pivot {:.3g}", bad,
            table.size(), first + 1, least)));
  return findings;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
