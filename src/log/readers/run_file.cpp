#include "steelyard/log/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "steelyard/core/suggest.hpp"
#include "steelyard/core/units.hpp"
#include "steelyard/log/columns.hpp"
#include "steelyard/log/csv.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Value of {j}, {j+2}, {j-1}; throws for anything else.
int joint_number(const std::string& pattern, std::string_view key, int j) {
  int shift = 0;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool shifted = key.size() >= 3 && key.size() <= 8 && key[0] == 'j' &&
                       (key[1] == '+' || key[1] == '-') && std::all_of(key.begin() + 2, key.end(), is_digit);
  if (!shifted && key != "j") {
    throw InputError(
        {fmt::format("the pattern {} holds {}", quoted(pattern), quoted(fmt::format("{{{}}}", key))),
         {},
         "{j}, {j+1}, {j-1} or {name}",
         "write {{ for a brace"});
  }
  if (shifted) std::from_chars(key.data() + 2, key.data() + key.size(), shift);
  return j + 1 + (shifted && key[1] == '-' ? -shift : shift);
}

const std::string& pick(const std::vector<std::string>& list, std::size_t j) {
  static const std::string none;
  return list.empty() ? none : list[list.size() == 1 ? 0 : j];
}

double pick(const std::vector<double>& list, std::size_t j, double none) {
  return list.empty() ? none : list[list.size() == 1 ? 0 : j];
}

void check_length(std::size_t length, std::size_t joints, const std::string& what,
                  const ChannelColumns& channel) {
  if (length <= 1 || length == joints) return;
  throw InputError({fmt::format("the list of {} for {} has {} entries, there are {} joints", what,
                                quoted(channel.channel), length, joints),
                    {},
                    fmt::format("one for all joints, or {}", joints),
                    {}});
}

void check(const ChannelColumns& channel, std::size_t joints) {
  if (channel.columns.empty()) {
    throw InputError({fmt::format("no columns are given for {}", quoted(channel.channel)),
                      {},
                      {},
                      "give a pattern such as \"q{j}\", or a list of names"});
  }
  check_length(channel.columns.size(), joints, "columns", channel);
  check_length(channel.units.size(), joints, "units", channel);
  check_length(channel.scale.size(), joints, "scales", channel);
  check_length(channel.sign.size(), joints, "signs", channel);
  check_length(channel.offset.size(), joints, "offsets", channel);
  for (const double sign : channel.sign) {
    if (sign != 1 && sign != -1) {
      throw InputError({fmt::format("a sign for {} is {}", quoted(channel.channel), sign),
                        {},
                        "1 or -1",
                        "use `scale` for other factors"});
    }
  }
  for (const double scale : channel.scale) {
    if (!std::isfinite(scale) || scale == 0) {
      throw InputError({fmt::format("a scale for {} is {}", quoted(channel.channel), scale),
                        {},
                        "a finite number other than zero",
                        "1 leaves the column as it is; omit a channel that is not used"});
    }
  }
  for (const double offset : channel.offset) {
    if (std::isfinite(offset)) continue;
    throw InputError(
        {fmt::format("an offset for {} is {}", quoted(channel.channel), offset), {}, "a finite number", {}});
  }
}

struct Expected {
  Dimension dimension;
  bool effort = false;  // may also be relative (%), to be scaled by a gain later
};

// What a channel of a known name measures; nothing for other channels.
std::optional<Expected> expected_dimension(std::string_view name, JointKind kind) {
  const bool turns = kind == JointKind::revolute || name.starts_with(channel::kMotor);
  if (name.starts_with(channel::kMotor)) name.remove_prefix(channel::kMotor.size());
  if (name == channel::kPosition || name == channel::kTheta)
    return Expected{turns ? dimension::kAngle : dimension::kLength};
  if (name == channel::kVelocity) return Expected{turns ? dimension::kAngularVelocity : dimension::kVelocity};
  if (name == channel::kAcceleration) {
    return Expected{turns ? dimension::kAngularAcceleration : dimension::kAcceleration};
  }
  if (name == channel::kTorque || name == channel::kElasticTorque)
    return Expected{turns ? dimension::kTorque : dimension::kForce, true};
  if (name == channel::kCurrent) return Expected{dimension::kCurrent, true};
  return std::nullopt;
}

double unit_factor(const std::string& text, const std::string& channel, const LogJoint& joint) {
  if (text.empty()) return 1;
  const Place place{{}, 0, 0, joint.name};
  const Unit unit = parse_unit(text, place);
  const auto expected = expected_dimension(channel, joint.kind);
  if (!expected || unit.dimension == expected->dimension) return unit.factor;
  if (expected->effort && unit.dimension == dimension::kNone) return unit.factor;
  throw InputError({fmt::format("{} is given in {}, which is {}", quoted(channel), quoted(text),
                                unit.dimension.to_string()),
                    place, expected->dimension.to_string(),
                    "correct the unit, or use `scale` for a conversion"});
}

// The link and the motor of a stiff joint are one position: their channels may name the same column.
std::optional<std::string> shared_by(const std::string& channel, const LogJoint& joint) {
  const std::string of_joint = fmt::format(" of joint {}", quoted(joint.name));
  if (channel == channel::kPosition) return std::string(channel::kTheta) + of_joint;
  if (channel == channel::kTheta) return std::string(channel::kPosition) + of_joint;
  return std::nullopt;
}

// Refuses a column with two uses, other than `shared`; `used` holds the first use.
void claim(std::map<int, std::string>& used, int column, const std::string& user, const ColumnNames& columns,
           const std::optional<std::string>& shared = {}) {
  const auto [first, is_new] = used.emplace(column, user);
  if (is_new || first->second == shared) return;
  // One sensor may be that of several drives.
  const std::string_view temperature = "temperature of ";
  if (user.starts_with(temperature) && first->second.starts_with(temperature)) return;
  throw InputError(
      {fmt::format("{} is used twice: as {} and as {}", columns.describe(column), first->second, user),
       columns.place(column), "a separate column for every joint",
       "use {j} or {name} in the pattern, or correct the list"});
}

class CsvColumns : public ColumnNames {
 public:
  explicit CsvColumns(const CsvReader& reader) : reader_(reader) {}
  int find(const std::string& name) const override { return reader_.find(name); }
  std::string describe(int column) const override { return reader_.describe(column); }
  Place place(int column) const override { return reader_.place(0, column); }

 private:
  const CsvReader& reader_;
};

}  // namespace

std::vector<LogJoint> log_joints(const Robot& robot) {
  std::vector<LogJoint> joints;
  for (int i = 0; i < robot.size(); ++i) {
    bool follows = false;
    for (const Mimic& mimic : robot.mimics) follows |= mimic.joint == i;
    if (!follows) joints.push_back({robot.joints[i].name, robot.joints[i].kind});
  }
  return joints;
}

std::string expand_pattern(const std::string& pattern, int j, const LogJoint& joint) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if ((c == '{' || c == '}') && i + 1 < pattern.size() && pattern[i + 1] == c) {
      text += c;
      ++i;
    } else if (c == '{') {
      const std::size_t end = pattern.find('}', i);
      if (end == std::string::npos) {
        throw InputError({fmt::format("a brace of the pattern {} is not closed", quoted(pattern)),
                          {},
                          {},
                          "write {{ for a brace"});
      }
      const std::string_view key = std::string_view(pattern).substr(i + 1, end - i - 1);
      text += key == "name" ? joint.name : std::to_string(joint_number(pattern, key, j));
      i = end;
    } else {
      text += c;
    }
  }
  return text;
}

std::vector<ColumnUse> resolve_columns(const RunFile& file, const ColumnNames& columns,
                                       const std::vector<LogJoint>& joints) {
  std::map<int, std::string> used;
  if (!file.time.empty()) claim(used, columns.find(file.time), "time", columns);
  std::vector<ColumnUse> uses;
  std::set<std::string> names;
  for (const ChannelColumns& channel : file.channels) {
    check(channel, joints.size());
    if (!names.insert(channel.channel).second) {
      throw InputError({fmt::format("the channel {} is given twice", quoted(channel.channel)),
                        columns.place(),
                        {},
                        "give each channel once"});
    }
    for (std::size_t j = 0; j < joints.size(); ++j) {
      ColumnUse use;
      use.column = columns.find(expand_pattern(pick(channel.columns, j), static_cast<int>(j), joints[j]));
      claim(used, use.column, fmt::format("{} of joint {}", channel.channel, quoted(joints[j].name)), columns,
            shared_by(channel.channel, joints[j]));
      use.factor = pick(channel.sign, j, 1) * pick(channel.scale, j, 1) *
                   unit_factor(pick(channel.units, j), channel.channel, joints[j]);
      use.offset = pick(channel.offset, j, 0);
      uses.push_back(use);
    }
  }
  return uses;
}

DistinctColumns distinct(const std::vector<ColumnUse>& uses) {
  DistinctColumns out;
  for (std::size_t r = 0; r < uses.size(); ++r) {
    const auto found = std::find(out.columns.begin(), out.columns.end(), uses[r].column);
    if (found != out.columns.end()) {
      out.copies.push_back({r, out.reads[static_cast<std::size_t>(found - out.columns.begin())]});
      continue;
    }
    out.columns.push_back(uses[r].column);
    out.reads.push_back(r);
  }
  return out;
}

std::vector<ColumnUse> resolve_columns(const RunFile& file, const CsvReader& reader,
                                       const std::vector<LogJoint>& joints) {
  return resolve_columns(file, CsvColumns(reader), joints);
}

}  // namespace steelyard
