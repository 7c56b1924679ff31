#include "steelyard/log/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstring>
#include <utility>

#include "line_reader.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/log/csv_fields.hpp"

namespace steelyard::inline STEELYARD_ABI {

void CsvOptions::validate() const {
  if (longest_line < 2 || longest_line > (std::size_t{1} << 30)) {
    throw InputError({fmt::format("the longest line is {} bytes", longest_line), {}, "2 bytes to 1 GiB", {}});
  }
  if (buffer < 1 || buffer > (std::size_t{1} << 30)) {
    throw InputError({fmt::format("the reading buffer has {} bytes", buffer), {}, "1 byte to 1 GiB", {}});
  }
}

class CsvReader::Impl {
 public:
  Impl(std::string path, const CsvOptions& options)
      : lines_(std::move(path), options.longest_line, options.buffer), separator_(options.separator) {
    find_table(options.header);
    rewind();
  }

  void rewind() {
    lines_.rewind();
    std::string_view line;
    while (lines_.line_number() < skipped_) lines_.next(line);
  }

  void rewind_to(std::int64_t begin, std::int64_t end) {
    lines_.rewind_to(begin, end);
    std::string_view line;
    while (begin == 0 && lines_.line_number() < skipped_ && lines_.next(line)) {
    }
  }

  void select(std::vector<int> columns) {
    slot_.assign(static_cast<std::size_t>(columns_), -1);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      require(columns[k] >= 0 && columns[k] < columns_, "a selected CSV column does not exist");
      require(slot_[columns[k]] < 0, "a CSV column is selected twice");
      slot_[columns[k]] = static_cast<int>(k);
    }
    only_ = columns.size() == 1 ? columns[0] : -1;
    rewind();
  }

  Index read(Index rows, double* const* values) {
    rows_.clear();
    std::string_view line;
    Index row = 0;
    while (row < rows && lines_.next(line)) {
      if (is_skipped(line)) continue;
      parse_row(line, row, values);
      rows_.push_back(lines_.line_number());
      ++row;
    }
    return row;
  }

  std::string describe(int column) const {
    const bool named = !header_.empty() && !header_[column].empty();
    return fmt::format("column {}", column + 1) + (named ? " " + quoted(header_[column]) : "");
  }

  LineReader lines_;
  Separator separator_;
  int columns_ = 0;
  Index skipped_ = 0;  // lines up to and including the header
  std::vector<std::string> header_;
  std::vector<int> slot_;    // of each column: where its numbers go, −1: nowhere
  int only_ = -1;            // the one column that is selected: what stands behind it is not looked at
  std::vector<Index> rows_;  // line numbers of the rows read last

 private:
  static bool is_skipped(std::string_view line) {
    if (!line.empty() && !is_blank(line.front()) && line.front() != '#') return false;
    line = trimmed(line);
    return line.empty() || line.front() == '#';
  }

  // 0,1,2,… as tables without names are written, perhaps with an unnamed index before them.
  static bool are_column_numbers(const std::vector<std::string_view>& fields) {
    constexpr std::size_t kFewest = 3;
    const std::size_t first = fields[0].empty() ? 1 : 0;
    if (fields.size() < first + kFewest) return false;
    for (std::size_t k = first; k < fields.size(); ++k)
      if (unquoted(fields[k]) != std::to_string(k - first)) return false;
    return true;
  }

  // Such a line could be samples of whole numbers: it is a header where the row after it is not.
  void take_column_numbers(const std::vector<std::string_view>& fields, Index number, std::string_view next) {
    if (next.find_first_of(".eE") == std::string_view::npos) return;
    for (const std::string_view field : fields) header_.push_back(unquoted(field));
    if (header_[0].empty()) header_[0] = "index";
    skipped_ = number;
  }

  // Finds separator, header and number of columns from the lines up to the first row.
  void find_table(Header header) {
    std::string_view line;
    std::string comment;
    while (lines_.next(line) && is_skipped(line)) {
      if (!trimmed(line).empty()) comment = trimmed(line).substr(1);
      line = {};
    }
    if (trimmed(line).empty()) {
      throw InputError({"the file has no rows, only comments and empty lines",
                        {lines_.path(), 0, 0, {}},
                        {},
                        "check that the log was written"});
    }
    const std::string first(line);
    const Index number = lines_.line_number();
    std::string_view next;
    while (lines_.next(next) && is_skipped(next)) next = {};
    if (separator_ == Separator::detect) separator_ = detect_separator(first, next);
    const auto fields = split_fields(first, separator_);
    columns_ = static_cast<int>(fields.size());
    slot_.assign(fields.size(), -1);
    const bool words = std::any_of(fields.begin(), fields.end(), [](std::string_view field) {
      double value = 0;
      const FieldProblem problem = parse_number(field, value);
      return problem == FieldProblem::not_a_number;
    });
    if (header == Header::present || (header == Header::detect && words)) {
      for (const std::string_view field : fields) header_.push_back(unquoted(field));
      skipped_ = number;
    } else if (header == Header::detect && comment.empty() && are_column_numbers(fields)) {
      take_column_numbers(fields, number, next);
    } else if (header == Header::detect && !comment.empty()) {
      const auto names = split_fields(comment, separator_);
      if (names.size() == fields.size()) {
        for (const std::string_view field : names) header_.push_back(unquoted(field));
      }
    }
  }

  void parse_row(std::string_view line, Index row, double* const* values) {
    const char* at = line.data();
    const char* const stop = at + line.size();
    const int fields = separator_ == Separator::spaces  ? parse_blanks(at, stop, row, values)
                       : separator_ == Separator::tab   ? parse_marked<'\t'>(at, stop, row, values)
                       : separator_ == Separator::comma ? parse_marked<','>(at, stop, row, values)
                                                        : parse_marked<';'>(at, stop, row, values);
    if (fields != columns_) fail_ragged(line);
  }

  // The common case, field by field; −1 as soon as a line has too many fields.
  template <char mark>
  int parse_marked(const char* at, const char* stop, Index row, double* const* values) {
    for (int column = 0;; ++column) {
      if (column == columns_) return -1;
      const char* const first = at;
      const int slot = slot_[column];
      if (slot >= 0) {
        while (at < stop && *at == ' ') ++at;
        double value = 0;
        const auto [end, error] = std::from_chars(at, stop, value);
        if (error == std::errc{} && (end == stop || *end == mark) && std::isfinite(value)) {
          values[slot][row] = value;
          at = end;
        } else {
          at = field_end<mark>(first, stop);
          values[slot][row] = unusual_number({first, static_cast<std::size_t>(at - first)}, column);
        }
      } else {
        at = field_end<mark>(at, stop);
      }
      if (at == stop) return column + 1;
      if (column == only_) return columns_;
      ++at;
    }
  }

  template <char mark>
  static const char* field_end(const char* at, const char* stop) {
    while (at < stop && *at == ' ') ++at;
    if (at < stop && *at == '"') {
      // Doubled quotes inside close the field and open it again at once.
      for (bool inside = false; at < stop && (inside || *at != mark); ++at) inside ^= *at == '"';
      return at;
    }
    const void* found = std::memchr(at, mark, static_cast<std::size_t>(stop - at));
    return found ? static_cast<const char*>(found) : stop;
  }

  int parse_blanks(const char* at, const char* stop, Index row, double* const* values) {
    for (int column = 0;; ++column) {
      while (at < stop && is_blank(*at)) ++at;
      if (at == stop) return column;
      if (column == columns_) return -1;
      const char* const first = at;
      bool inside = false;
      for (; at < stop && (inside || !is_blank(*at)); ++at) inside ^= *at == '"';
      if (slot_[column] < 0) continue;
      double value = 0;
      const auto [end, error] = std::from_chars(first, at, value);
      const bool plain = error == std::errc{} && end == at && std::isfinite(value);
      values[slot_[column]][row] =
          plain ? value : unusual_number({first, static_cast<std::size_t>(at - first)}, column);
    }
  }

  // A number that from_chars alone does not take (blanks, quotes, plus sign, underflow), or the error.
  double unusual_number(std::string_view field, int column) const {
    field = trimmed(field, separator_);
    double value = 0;
    const FieldProblem problem = parse_number(field, value);
    if (problem == FieldProblem::none) return value;
    const Place place = lines_.place(column + 1, header_.empty() ? "" : header_[column]);
    const std::string where = describe(column);
    if (problem == FieldProblem::empty) {
      throw InputError({fmt::format("{} is empty", where), place, "a number in every row",
                        "remove the row, or fill in the value"});
    }
    const char* remedy = problem == FieldProblem::not_finite ? "remove these rows, or repair them before use"
                         : field.find(',') != std::string_view::npos
                             ? "write decimal points, not commas"
                             : "remove the row, or comment it out with #";
    throw InputError({fmt::format("{} holds {}, which is not a {}number", where, quoted(field),
                                  problem == FieldProblem::not_a_number ? "" : "finite "),
                      place, "finite numbers", remedy});
  }

  [[noreturn]] void fail_ragged(std::string_view line) const {
    const std::size_t fields = split_fields(line, separator_).size();
    const auto columns = static_cast<std::size_t>(columns_);
    const bool cut = fields < columns, commas = separator_ == Separator::comma && fields <= 2 * columns;
    throw InputError({fmt::format("the row has {} fields, the table has {} columns", fields, columns_),
                      lines_.place(), fmt::format("{} fields in every row", columns_),
                      cut ? "the line may be truncated: remove it, or complete it"
                      : commas
                          ? "if its numbers have decimal commas, write points; otherwise quote texts with "
                            "commas"
                          : "check the separator and that texts with separators are quoted"});
  }
};

CsvReader::CsvReader(std::string path, const CsvOptions& options) {
  options.validate();
  impl_ = std::make_unique<Impl>(std::move(path), options);
}
CsvReader::~CsvReader() = default;
CsvReader::CsvReader(CsvReader&&) noexcept = default;
CsvReader& CsvReader::operator=(CsvReader&&) noexcept = default;

const std::string& CsvReader::path() const {
  return impl_->lines_.path();
}
int CsvReader::columns() const {
  return impl_->columns_;
}
const std::vector<std::string>& CsvReader::header() const {
  return impl_->header_;
}
Separator CsvReader::separator() const {
  return impl_->separator_;
}
std::string CsvReader::describe(int column) const {
  return impl_->describe(column);
}
void CsvReader::select(std::vector<int> columns) {
  impl_->select(std::move(columns));
}
void CsvReader::rewind() {
  impl_->rewind();
}
void CsvReader::rewind_to(std::int64_t begin, std::int64_t end) {
  impl_->rewind_to(begin, end);
}
std::int64_t CsvReader::file_size() const {
  return impl_->lines_.file_size();
}
Index CsvReader::read(Index rows, double* const* values) {
  return impl_->read(rows, values);
}
const std::vector<Index>& CsvReader::lines() const {
  return impl_->rows_;
}

Place CsvReader::place(Index line, int column) const {
  const bool named = column >= 0 && !header().empty();
  return {path(), static_cast<int>(std::min<Index>(line, INT_MAX)), column + 1,
          named ? header()[column] : ""};
}

int CsvReader::find(const std::string& name) const {
  const auto& names = header();
  const auto first = std::find(names.begin(), names.end(), name);
  if (first != names.end()) {
    if (std::find(first + 1, names.end(), name) != names.end()) {
      throw InputError({fmt::format("two columns are called {}", quoted(name)), place(0), "unique names",
                        "refer to the column by its number, starting from 1"});
    }
    return static_cast<int>(first - names.begin());
  }
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error == std::errc{} && end == name.data() + name.size()) {
    if (number >= 1 && number <= columns()) return number - 1;
    throw InputError({fmt::format("there is no column {}", number), place(0),
                      fmt::format("columns 1 to {}", columns()), "columns are numbered from 1"});
  }
  if (names.empty()) {
    throw InputError({fmt::format("the file has no header, so there is no column {}", quoted(name)),
                      place(0),
                      {},
                      fmt::format("refer to columns by number, 1 to {}", columns())});
  }
  throw InputError(unknown("column", name, names, place(0)));
}

}  // namespace steelyard
