#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/log/csv_fields.hpp"
#include "steelyard/reverse/rounding.hpp"
#include "steelyard/reverse/table.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void replace_key(std::string& pattern, const std::string& key, Index number) {
  const std::size_t at = pattern.find(key);
  if (at != std::string::npos) pattern.replace(at, key.size(), std::to_string(number + 1));
}

std::string numbered(std::string pattern, Index i, Index j) {
  replace_key(pattern, "{i}", i);
  replace_key(pattern, "{j}", j);
  return pattern;
}

std::string counted(std::string pattern, Index k) {
  replace_key(pattern, "{k}", k);
  return pattern;
}

// A table with a header, held as text: unlike a log it may have holes.
class TableText {
 public:
  explicit TableText(const std::string& path) : path_(path), text_(read_text_file(path, "table")) {
    std::string_view rest = text_;
    if (rest.substr(0, 3) == "\xEF\xBB\xBF") rest.remove_prefix(3);
    for (Index number = 1; !rest.empty(); ++number) {
      const std::size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
      if (header_.empty()) {
        separator_ = detect_separator(line);
        for (const std::string_view field : split_fields(line, separator_))
          header_.push_back(unquoted(field));
      } else {
        lines_.push_back({number, line});
      }
    }
    if (lines_.empty())
      throw InputError({"the table has no rows", place(0), "a header and one row per configuration", ""});
  }

  Place place(Index line) const { return {path_, static_cast<int>(line), 0, ""}; }

  // −1: there is none.
  int find(const std::string& name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    return found == header_.end() ? -1 : static_cast<int>(found - header_.begin());
  }
  int at(const std::string& name) const {
    const int column = find(name);
    if (column >= 0) return column;
    Complaint complaint = unknown("column", name, header_);
    complaint.place = place(0);
    throw InputError(complaint);
  }

  // One column per chosen one; NaN for empty fields and "nan".
  Eigen::MatrixXd numbers(const std::vector<int>& chosen) const {
    Eigen::MatrixXd all(static_cast<Index>(lines_.size()), static_cast<Index>(chosen.size()));
    for (std::size_t row = 0; row < lines_.size(); ++row) {
      const auto& [number, line] = lines_[row];
      const std::vector<std::string_view> fields = split_fields(line, separator_);
      if (fields.size() != header_.size())
        throw InputError(
            {fmt::format("the row has {} fields, the table has {} columns", fields.size(), header_.size()),
             place(number), fmt::format("{} fields in every row", header_.size()), ""});
      for (std::size_t k = 0; k < chosen.size(); ++k)
        all(static_cast<Index>(row), static_cast<Index>(k)) =
            number_of(fields[static_cast<std::size_t>(chosen[k])], chosen[k], number);
    }
    return all;
  }

 private:
  double number_of(std::string_view field, int column, Index line) const {
    double value = std::numeric_limits<double>::quiet_NaN();
    const FieldProblem problem = parse_number(field, value);
    if (problem == FieldProblem::none) return value;
    if (problem == FieldProblem::empty || (problem == FieldProblem::not_finite && std::isnan(value)))
      return std::numeric_limits<double>::quiet_NaN();
    throw InputError({fmt::format("column '{}' holds '{}', which is not a finite number",
                                  header_[static_cast<std::size_t>(column)], field),
                      place(line), "numbers, empty fields or nan", ""});
  }

  std::string path_;
  std::string text_;
  Separator separator_ = Separator::comma;
  std::vector<std::string> header_;
  std::vector<std::pair<Index, std::string_view>> lines_;
};

struct InertiaColumn {
  Index i = 0, j = 0;
  int column = 0;  // of the file
};

// Columns by number: all n² of them, or the lower triangle in the given order.
std::vector<InertiaColumn> counted_columns(const TableText& reader, const ReverseColumns& columns, Index n) {
  std::vector<int> found;
  for (int column = 0;
       (column = reader.find(counted(columns.inertia, static_cast<Index>(found.size())))) >= 0;)
    found.push_back(column);
  if (found.empty()) return {};
  std::vector<InertiaColumn> list;
  const bool full = static_cast<Index>(found.size()) == n * n;
  if (!full && static_cast<Index>(found.size()) != n * (n + 1) / 2)
    throw InputError(
        {fmt::format("{} inertia columns '{}' to '{}'", found.size(), counted(columns.inertia, 0),
                     counted(columns.inertia, static_cast<Index>(found.size()) - 1)),
         reader.place(0), fmt::format("{} for all entries or {} for a triangle", n * n, n * (n + 1) / 2),
         "check the names of the columns and the number of joints"});
  std::size_t next = 0;
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b < n; ++b) {
      const bool by_rows = full || columns.order == TriangleOrder::rows;
      const Index i = by_rows ? a : b, j = by_rows ? b : a;
      if (full || j <= i) list.push_back({i, j, found[next++]});
    }
  return list;
}

std::vector<InertiaColumn> inertia_columns(const TableText& reader, const ReverseColumns& columns, Index n) {
  if (columns.inertia.empty()) return {};
  if (columns.inertia.find("{k}") != std::string::npos) return counted_columns(reader, columns, n);
  std::vector<InertiaColumn> list;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (const int column = reader.find(numbered(columns.inertia, i, j)); column >= 0)
        list.push_back({i, j, column});
  return list;
}

bool is_zero(const VectorXd& column) {
  return (column.array() == 0).all();
}

// The given entries beside those of the other triangle, which may be there already.
void put_entries(const TableText& reader, const InertiaColumn& entry, const VectorXd& given, VectorXd kept,
                 ReverseTable& table) {
  const Index k = triangle_index(std::max(entry.i, entry.j), std::min(entry.i, entry.j));
  const std::string here = inertia_name(entry.i, entry.j, table.joints());
  const std::string there = inertia_name(entry.j, entry.i, table.joints());
  double largest = 0, difference = 0;
  bool both = false;
  for (Index row = 0; row < given.size(); ++row) {
    if (std::isnan(given[row])) continue;
    largest = std::max(largest, std::abs(given[row]));
    if (std::isnan(kept[row])) {
      kept[row] = given[row];
    } else {
      both = true;
      difference = std::max(difference, std::abs(kept[row] - given[row]));
    }
  }
  largest = std::max(largest, kept.array().isNaN().select(0, kept.array().abs()).maxCoeff());
  if (both && difference > 1e-6 * largest) {
    const bool empty = is_zero(given) || is_zero(table.inertia.col(k));
    throw InputError(
        {empty ? fmt::format("one of {} and {} is always zero: a triangle is not filled", here, there)
               : fmt::format("{} and {} differ by {:.3g}", here, there, difference),
         reader.place(0), "1e-6 of the largest entry",
         "check the order of the columns; omit the triangle that is not filled"});
  }
  table.inertia.col(k) = kept;
}

}  // namespace

ReverseTable read_reverse_table(const std::string& path, int joints, const ReverseColumns& columns) {
  const TableText reader(path);
  const Index n = joints;
  std::vector<int> chosen;
  for (Index j = 0; j < n; ++j) chosen.push_back(reader.at(numbered(columns.position, 0, j)));
  const bool gravity = !columns.gravity.empty() && reader.find(numbered(columns.gravity, 0, 0)) >= 0;
  for (Index j = 0; gravity && j < n; ++j) chosen.push_back(reader.at(numbered(columns.gravity, 0, j)));
  const std::vector<InertiaColumn> inertia = inertia_columns(reader, columns, n);
  if (!gravity && inertia.empty())
    throw InputError({"the table has neither gravity nor inertia columns", reader.place(0),
                      fmt::format("columns such as '{}' or '{}'", numbered(columns.gravity, 0, 0),
                                  counted(numbered(columns.inertia, 0, 0), 0)),
                      "give them in the study: reverse: {columns: {gravity: …, inertia: …}}"});
  for (const InertiaColumn& entry : inertia) chosen.push_back(entry.column);
  const bool jacobian = !columns.jacobian.empty() && reader.find(numbered(columns.jacobian, 0, 0)) >= 0;
  for (Index i = 0; jacobian && i < 6; ++i)
    for (Index j = 0; j < n; ++j) chosen.push_back(reader.at(numbered(columns.jacobian, i, j)));
  const Eigen::MatrixXd all = reader.numbers(chosen);

  ReverseTable table;
  table.name = path;
  const auto rounding = [&](Index first, Index count, double unit) {
    Rounding out = rounding_of(all.middleCols(first, count));
    out.unit = unit;
    return out;
  };
  table.q_rounding = rounding(0, n, columns.position_scale);
  table.q = columns.position_scale * all.leftCols(n);
  if (!table.q.allFinite())
    throw InputError({"a position is missing", reader.place(0), "a position of every joint in every row",
                      "remove the row, or fill in the value"});
  Index next = n;
  if (gravity) {
    table.gravity = columns.gravity_scale * all.middleCols(next, n);
    table.gravity_rounding = rounding(next, n, columns.gravity_scale);
    next += n;
  }
  if (!inertia.empty()) {
    table.inertia.setConstant(all.rows(), n * (n + 1) / 2, std::numeric_limits<double>::quiet_NaN());
    table.inertia_rounding = rounding(next, static_cast<Index>(inertia.size()), columns.inertia_scale);
  }
  for (const InertiaColumn& entry : inertia) {
    const Index k = triangle_index(std::max(entry.i, entry.j), std::min(entry.i, entry.j));
    put_entries(reader, entry, columns.inertia_scale * all.col(next++), table.inertia.col(k), table);
  }
  if (jacobian) table.jacobian = all.middleCols(next, 6 * n);
  return table;
}

}  // namespace steelyard
