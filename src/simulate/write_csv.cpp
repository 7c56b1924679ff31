#include "steelyard/simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "steelyard/core/atomic_file.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/log/columns.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kRows = 8192;                         // read at a time
constexpr std::size_t kFlush = std::size_t{1} << 20;  // [bytes] written at a time
constexpr std::size_t kLongestNumber = 32;            // -2.2250738585072014e-308 and a separator

struct ColumnName {
  const char* stem;
  const char* revolute;
  const char* prismatic;
};

// "motor_velocity" → dqm, radps.
ColumnName column_name(std::string_view name) {
  if (name == channel::kPosition) return {"q", "rad", "m"};
  if (name == channel::kVelocity) return {"dq", "radps", "mps"};
  if (name == channel::kAcceleration) return {"ddq", "radps2", "mps2"};
  if (name == channel::kTorque) return {"tau", "Nm", "N"};
  if (name == channel::kTheta) return {"theta", "rad", "m"};
  if (name == channel::kElasticTorque) return {"tauj", "Nm", "N"};
  if (name == channel::kCurrent) return {"i", "A", "A"};
  return {nullptr, nullptr, nullptr};
}

ChannelColumns standard_channel(const std::string& channel, const std::vector<LogJoint>& joints) {
  const bool is_motor = channel.starts_with(channel::kMotor);
  const ColumnName name = column_name(is_motor ? channel.substr(channel::kMotor.size()) : channel);
  ChannelColumns columns;
  columns.channel = channel;
  if (name.stem == nullptr) {
    columns.columns = {channel + "{j}"};
    return columns;
  }
  // Motors turn, whatever their joints do.
  const auto column = [&](const std::string& number, JointKind kind) {
    const bool is_linear = kind == JointKind::prismatic && !is_motor;
    return fmt::format("{}{}{}_{}", name.stem, is_motor ? "m" : "", number,
                       is_linear ? name.prismatic : name.revolute);
  };
  const bool is_one_kind = std::all_of(
      joints.begin(), joints.end(), [&](const LogJoint& joint) { return joint.kind == joints.front().kind; });
  if (is_one_kind && !joints.empty()) {
    columns.columns = {column("{j}", joints.front().kind)};
  } else {
    for (std::size_t j = 0; j < joints.size(); ++j)
      columns.columns.push_back(column(std::to_string(j + 1), joints[j].kind));
  }
  return columns;
}

[[noreturn]] void refuse(const RunFile& file, std::string what, std::string limit = {},
                         std::string joint = {}) {
  throw InputError({std::move(what), {file.path, 0, 0, std::move(joint)}, std::move(limit), {}});
}

// Units and scales would cost the last bit.
void check_si(const RunFile& file, const ChannelColumns& channel) {
  const bool is_plain =
      channel.scale.empty() && channel.sign.empty() && channel.offset.empty() &&
      std::all_of(channel.units.begin(), channel.units.end(), [](const std::string& u) { return u.empty(); });
  if (!is_plain)
    refuse(file, fmt::format("channel {} is to be written in other units", quoted(channel.channel)), "SI");
}

char separator_of(const RunFile& file) {
  switch (file.csv.separator) {
    case Separator::detect:
    case Separator::comma:
      return ',';
    case Separator::semicolon:
      return ';';
    case Separator::tab:
      return '\t';
    case Separator::spaces:
      return ' ';
  }
  return ',';
}

std::string header_field(const std::string& name, char separator) {
  const bool is_plain = name.find_first_of(std::string("\"#\t ") + separator) == std::string::npos;
  if (is_plain) return name;
  std::string field = "\"";
  for (const char c : name) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

// Names of the columns, and the row of a block each one is.
struct Table {
  std::vector<std::string> names;
  std::vector<Index> rows;
};

Table make_table(const SampleSource& source, const RunFile& file, const std::vector<LogJoint>& joints) {
  if (static_cast<Index>(joints.size()) != source.joints())
    refuse(file, fmt::format("{} joints are named for a run of {}", joints.size(), source.joints()));
  if (file.csv.header == Header::absent) refuse(file, "a log without header is requested", "with header");
  if (!file.time.empty() && file.time_unit != "s") refuse(file, "time is to be written in other units", "s");
  Table table;
  if (!file.time.empty()) table.names.push_back(file.time);
  for (const ChannelColumns& channel : file.channels) {
    check_si(file, channel);
    const auto& known = source.channels();
    const auto found = std::find(known.begin(), known.end(), channel.channel);
    if (found == known.end())
      throw InputError(unknown("channel", channel.channel, known, {file.path, 0, 0, {}}));
    const std::size_t given = channel.columns.size();
    if (given != 1 && given != joints.size())
      refuse(file, fmt::format("channel {} has {} column names for {} joints", quoted(channel.channel), given,
                               joints.size()));
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const std::string& pattern = channel.columns[given == 1 ? 0 : j];
      table.names.push_back(expand_pattern(pattern, static_cast<int>(j), joints[j]));
      table.rows.push_back((found - known.begin()) * source.joints() + static_cast<Index>(j));
    }
  }
  std::unordered_set<std::string> seen;
  for (const std::string& name : table.names) {
    if (name.find_first_of("\r\n") != std::string::npos)
      refuse(file, fmt::format("a column is called {}", quoted(name)));
    if (!seen.insert(name).second) refuse(file, fmt::format("two columns are called {}", quoted(name)));
  }
  return table;
}

// Text of the rows, given to the file piece by piece.
class Text {
 public:
  Text(AtomicFile& file, std::size_t columns) : file_(file), bytes_(kFlush + columns * kLongestNumber, 0) {}

  void header(const std::string& line) { file_.write(line); }

  void begin_row() {
    if (used_ >= kFlush) flush();
  }
  void number(double value, char after) {
    char* begin = bytes_.data() + used_;
    char* end = std::to_chars(begin, begin + kLongestNumber - 1, value).ptr;
    *end++ = after;
    used_ = static_cast<std::size_t>(end - bytes_.data());
  }
  void flush() {
    file_.write({bytes_.data(), used_});
    used_ = 0;
  }

 private:
  AtomicFile& file_;
  std::string bytes_;
  std::size_t used_ = 0;
};

void check_finite(const RunFile& file, const SampleBlock& block, const Table& table, Index first) {
  const std::size_t shift = file.time.empty() ? 0 : 1;
  for (std::size_t c = 0; c < table.rows.size(); ++c) {
    const double* values = block.data() + table.rows[c] * block.stride();
    for (Index s = 0; s < block.size(); ++s) {
      if (std::isfinite(values[s])) continue;
      refuse(
          file,
          fmt::format("sample {} of column {} is {}", first + s, quoted(table.names[c + shift]), values[s]),
          "finite numbers");
    }
  }
}

void put_rows(const SampleBlock& block, const Table& table, bool has_time, char separator, Text& text) {
  const std::size_t columns = table.rows.size();
  std::vector<const double*> values;
  for (const Index row : table.rows) values.push_back(block.data() + row * block.stride());
  for (Index s = 0; s < block.size(); ++s) {
    text.begin_row();
    if (has_time) text.number(block.time()[s], columns == 0 ? '\n' : separator);
    for (std::size_t c = 0; c < columns; ++c) text.number(values[c][s], c + 1 == columns ? '\n' : separator);
  }
}

}  // namespace

RunFile standard_columns(const std::string& path, const std::vector<std::string>& channels,
                         const std::vector<LogJoint>& joints) {
  RunFile file;
  file.path = path;
  for (const std::string& name : channels) file.channels.push_back(standard_channel(name, joints));
  return file;
}

void write_csv(SampleSource& source, const RunFile& file, const std::vector<LogJoint>& joints) {
  const Table table = make_table(source, file, joints);
  const char separator = separator_of(file);
  std::string header;
  for (const std::string& name : table.names) {
    if (!header.empty()) header += separator;
    header += header_field(name, separator);
  }
  AtomicFile target(file.path);
  Text text(target, table.names.size());
  text.header(header + "\n");
  SampleBlock block;
  source.rewind();
  Index written = 0;
  for (source.read(kRows, block); block.size() > 0; source.read(kRows, block)) {
    check_finite(file, block, table, written);
    put_rows(block, table, !file.time.empty(), separator, text);
    written += block.size();
  }
  text.flush();
  target.commit();
}

void write_csv(const Run& run, const RunFile& file, const std::vector<LogJoint>& joints) {
  write_csv(*view_run(run), file, joints);
}

}  // namespace steelyard
