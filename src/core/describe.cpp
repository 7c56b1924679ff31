#include "steelyard/core/describe.hpp"

#include <fmt/format.h>

#include <cmath>

namespace steelyard::inline STEELYARD_ABI {

namespace {

// Limits are round numbers: 1000, 1e6.
std::string limit_text(double limit) {
  std::string text = std::abs(limit) < 1e5 ? fmt::format("{:.15g}", limit) : fmt::format("{:g}", limit);
  const std::size_t at = text.find("e+");
  return at == std::string::npos ? text : text.replace(at, text[at + 2] == '0' ? 3 : 2, "e");
}

}  // namespace

bool Allowed::contains(double value) const {
  return (above ? value > lower : value >= lower) && (below ? value < upper : value <= upper);
}

std::string Allowed::text() const {
  const bool has_lower = std::isfinite(lower);
  const bool has_upper = std::isfinite(upper);
  if (has_lower && has_upper && !above && !below)
    return fmt::format("{} to {}", limit_text(lower), limit_text(upper));
  std::string words;
  if (has_lower) words = fmt::format("{} {}", above ? "above" : "at least", limit_text(lower));
  if (has_lower && has_upper) words += ", ";
  if (has_upper) words += fmt::format("{} {}", below ? "below" : "at most", limit_text(upper));
  return words;
}

Allowed any_number() {
  return {};
}
Allowed at_least(double lower, const char* usual) {
  return {lower, std::numeric_limits<double>::infinity(), false, false, usual};
}
Allowed above(double lower, const char* usual) {
  return {lower, std::numeric_limits<double>::infinity(), true, false, usual};
}
Allowed from_to(double lower, double upper, const char* usual) {
  return {lower, upper, false, false, usual};
}
Allowed above_to(double lower, double upper, const char* usual) {
  return {lower, upper, true, false, usual};
}
Allowed inside(double lower, double upper, const char* usual) {
  return {lower, upper, true, true, usual};
}

Place Fields::place(const char*) const {
  return {};
}

void Fields::fail(const char*, Complaint complaint) const {
  throw InternalError("a description that is not read complains: " + complaint.what);
}

void Fields::group(const char* first, bool& has, const Part& part) {
  if (reads()) has = given(first);
  if (has || !reads()) part(*this);
}

namespace {

template <typename Count>
void describe_count(Fields& fields, const Key& key, Count& value, const Allowed& allowed) {
  auto whole = static_cast<std::int64_t>(value);
  fields.whole(key, whole, allowed);
  if (fields.reads()) value = static_cast<Count>(whole);
}

}  // namespace

void Fields::count(const Key& key, int& value, const Allowed& allowed) {
  describe_count(*this, key, value, allowed);
}
void Fields::count(const Key& key, Index& value, const Allowed& allowed) {
  describe_count(*this, key, value, allowed);
}
void Fields::count(const Key& key, std::uint64_t& value, const Allowed& allowed) {
  describe_count(*this, key, value, allowed);
}

void Fields::number(const Key& key, std::optional<double>& value, const Allowed& allowed) {
  bool has = value.has_value();
  double content = value.value_or(0);
  number(key, content, allowed, &has);
  if (reads() && has) value = content;
}

void Fields::flag(const Key& key, std::optional<bool>& value) {
  bool has = value.has_value();
  bool content = value.value_or(false);
  flag(key, content, &has);
  if (reads() && has) value = content;
}

void Fields::numbers(const Key& key, VectorXd& values, const Allowed& allowed) {
  std::vector<double> list(values.begin(), values.end());
  numbers(key, list, allowed);
  if (reads()) values = Eigen::Map<const VectorXd>(list.data(), static_cast<Index>(list.size()));
}

void Fields::point(const Key& key, Vector3& value) {
  std::vector<double> list(value.begin(), value.end());
  numbers(key, list, any_number(), 3);
  if (reads()) value = Vector3(list[0], list[1], list[2]);
}

void Fields::number_or(const Key& key, const char* word, double special, double& value,
                       const Allowed& allowed) {
  int index = value == special ? 0 : -1;
  words_or(key, index, {word}, [&](Fields& other) { other.number(key, value, allowed); });
  if (reads() && index == 0) value = special;
}

void Fields::count_or(const Key& key, const char* word, Index special, Index& value, const Allowed& allowed) {
  int index = value == special ? 0 : -1;
  words_or(key, index, {word}, [&](Fields& other) { other.count(key, value, allowed); });
  if (reads() && index == 0) value = special;
}

void Fields::number_or(const Key& key, const char* word, std::optional<double>& value,
                       const Allowed& allowed) {
  int index = value ? -1 : 0;
  double content = value.value_or(0);
  words_or(key, index, {word}, [&](Fields& other) { other.number(key, content, allowed); });
  if (!reads()) return;
  value = index == 0 ? std::nullopt : std::optional(content);
}

void Fields::numbers_by_name(const Key& key, NamedNumbers& values, const Allowed& allowed,
                             const Words& known) {
  Words names;
  for (const auto& [name, value] : values) names.push_back(name);
  map(key, names, known, [&](Fields& item, std::size_t k) {
    double fresh = 0;
    if (item.reads()) {
      values.resize(names.size());
      values[k].first = names[k];
    }
    double& value = k < values.size() ? values[k].second : fresh;
    const std::string what = item.reads() ? fmt::format("{} of {}", names[k], key.name) : key.name;
    item.number({what.c_str(), key.unit, key.meaning}, value, allowed);
  });
}

}  // namespace steelyard
