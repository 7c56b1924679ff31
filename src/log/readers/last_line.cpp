#include "steelyard/log/last_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <vector>

#include "array_file.hpp"
#include "line_reader.hpp"
#include "steelyard/log/contents.hpp"
#include "steelyard/log/csv_fields.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::int64_t kTail = std::int64_t{256} << 10;  // [bytes]
constexpr std::size_t kMaxCompared = 200;                // lines
constexpr std::size_t kFewestCompared = 10;

std::string read_tail(const std::string& path) {
  const int file = open_log_file(path);
  const std::int64_t size = ::lseek(file, 0, SEEK_END);
  std::string bytes(static_cast<std::size_t>(std::clamp<std::int64_t>(size, 0, kTail)), '\0');
  std::size_t got = 0;
  const std::int64_t begin = size - static_cast<std::int64_t>(bytes.size());
  while (got < bytes.size()) {
    const ssize_t count =
        ::pread(file, bytes.data() + got, bytes.size() - got, begin + static_cast<std::int64_t>(got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    got += static_cast<std::size_t>(count);
  }
  ::close(file);
  bytes.resize(got);
  return bytes;
}

// Characters behind the point, with an exponent; −1 without a point.
Index behind_point(std::string_view field) {
  const std::size_t point = field.find('.');
  return point == std::string_view::npos ? -1 : static_cast<Index>(field.size() - point) - 1;
}

// The last field of a row of numbers; empty for another line.
std::string_view last_field(std::string_view line, const RunFile& file) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  line = trimmed(line);
  if (line.empty() || line.front() == '#') return {};
  const Separator separator =
      file.csv.separator == Separator::detect ? detect_separator(line) : file.csv.separator;
  const std::vector<std::string_view> fields = split_fields(line, separator);
  double value = 0;
  if (fields.empty() || parse_number(fields.back(), value) != FieldProblem::none) return {};
  return fields.back();
}

}  // namespace

std::optional<OpenLine> open_last_line(const RunFile& file) {
  if (array_format(file.path) != ArrayFormat::none || is_bag(file.path)) return std::nullopt;
  const std::string tail = read_tail(file.path);
  std::string_view rest = tail;
  if (rest.empty() || rest.back() == '\n' || rest.back() == '\r') return std::nullopt;
  const auto take_line = [&] {
    const std::size_t end = rest.rfind('\n');
    const std::string_view line = end == std::string_view::npos ? rest : rest.substr(end + 1);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
    return line;
  };
  OpenLine open;
  open.field = last_field(take_line(), file);
  if (open.field.empty()) return std::nullopt;
  std::vector<Index> lengths;
  // The first line of the tail may have lost its beginning, but still has its last field.
  while (!rest.empty() && lengths.size() < kMaxCompared)
    if (const std::string_view field = last_field(take_line(), file); !field.empty())
      lengths.push_back(behind_point(field));
  if (lengths.size() < kFewestCompared) return open;
  open.compared = static_cast<Index>(lengths.size());
  open.least = *std::min_element(lengths.begin(), lengths.end());
  open.is_short = behind_point(open.field) < open.least;
  return open;
}

}  // namespace steelyard
