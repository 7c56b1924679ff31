#include <fmt/format.h>

#include <cmath>

#include "steelyard/core/described.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using RowKind = KeyRow::Kind;

class RowFields final : public Fields {
 public:
  // Nested keys are left out without `nested`. Values (not keys of a map) have the path of their key.
  RowFields(std::vector<KeyRow>& rows, std::string path, bool nested, bool is_value)
      : rows_(rows), path_(std::move(path)), nested_(nested), is_value_(is_value) {}

  void number(const Key& key, double& value, const Allowed& allowed, bool* given) override {
    const bool has = (given == nullptr || *given) && std::isfinite(value);
    add(key, RowKind::number, has ? fmt::format("{}", value) : "").allowed = allowed;
  }
  void whole(const Key& key, std::int64_t& value, const Allowed& allowed, bool* given) override {
    add(key, RowKind::count, given == nullptr || *given ? fmt::format("{}", value) : "").allowed = allowed;
  }
  void flag(const Key& key, bool& value, bool* given) override {
    add(key, RowKind::flag, given == nullptr || *given ? fmt::format("{}", value) : "").words = {"true",
                                                                                                 "false"};
  }
  void text(const Key& key, std::string& value) override { add(key, RowKind::text, value); }
  void path(const Key& key, std::string&, std::string& as_written) override {
    add(key, RowKind::path, as_written);
  }
  void word(const Key& key, std::size_t& index, const Words& words) override {
    add(key, RowKind::word, words.at(index)).words = words;
  }
  void numbers(const Key& key, std::vector<double>& values, const Allowed& allowed, std::size_t) override {
    const std::string text = values.size() == 1 ? fmt::format("{}", values[0])
                             : values.empty()   ? ""
                                                : fmt::format("[{}]", fmt::join(values, ", "));
    add(key, RowKind::numbers, text).allowed = allowed;
  }
  void interval(const Key& key, double&, double&) override { add(key, RowKind::interval, ""); }
  void texts(const Key& key, std::vector<std::string>&) override { add(key, RowKind::texts, ""); }
  void section(const Key& key, const Part& part) override {
    add(key, RowKind::section, "");
    visit(key, part);
  }
  void section(const Key& key, bool& given, const Part& part) override {
    add(key, RowKind::section, given ? "given" : "").optional = true;
    visit(key, part);
  }
  void list(const Key& key, std::size_t size, const Item& item) override {
    add(key, RowKind::list, "");
    visit_value(key, "[]", [&](Fields& fields) { item(fields, size); });
  }
  void map(const Key& key, std::vector<std::string>& names, const Words& known, const Item& item) override {
    add(key, RowKind::map, "").words = known;
    visit_value(key, "{}", [&](Fields& fields) { item(fields, names.size()); });
  }
  void words_or(const Key& key, int& word, const Words& words, const Part& other) override {
    const std::size_t first = rows_.size();
    visit_value(key, "", other);
    if (rows_.size() == first) add(key, RowKind::word, "");
    KeyRow& row = rows_[first];
    row.words.insert(row.words.begin(), words.begin(), words.end());
    if (word >= 0) row.usual = words.at(static_cast<std::size_t>(word));
    name(row, key);
  }
  void either(const Key& key, int& form, const std::vector<Form>& forms) override {
    const std::size_t first = rows_.size();
    for (const Form& one : forms) visit_value(key, "", one.part);
    if (rows_.size() == first) add(key, RowKind::word, "");
    name(rows_[first], key);
    if (form != 0) rows_[first].usual.clear();
  }

 private:
  std::string path_of(const Key& key) const {
    return is_value_ ? path_ : path_.empty() ? key.name : path_ + "." + key.name;
  }
  static void name(KeyRow& row, const Key& key) {
    row.name = key.name;
    row.unit = key.unit;
    row.meaning = key.meaning;
    row.only = key.only;
    row.required = key.required;
  }
  // Further forms of one key are rows of the same path.
  KeyRow& add(const Key& key, RowKind kind, std::string usual) {
    KeyRow row;
    row.path = path_of(key);
    row.kind = kind;
    name(row, key);
    if (!key.required) row.usual = std::move(usual);
    rows_.push_back(std::move(row));
    return rows_.back();
  }
  void visit(const Key& key, const Part& part) {
    if (!nested_) return;
    RowFields inner(rows_, path_of(key), true, false);
    part(inner);
  }
  void visit_value(const Key& key, const char* suffix, const Part& part) {
    if (!nested_) return;
    RowFields inner(rows_, path_of(key) + suffix, true, true);
    part(inner);
  }

  std::vector<KeyRow>& rows_;
  std::string path_;
  bool nested_;
  bool is_value_;
};

std::string values_text(const KeyRow& row) {
  constexpr const char* kKinds[] = {
      "number",         "whole number",  "",        "text", "path", "", "number or list",
      "[lower, upper]", "list of names", "section", "list", "map"};
  std::string text = fmt::format("{}", fmt::join(row.words, ", "));
  if (row.kind == RowKind::map && !text.empty()) return row.words.size() > 10 ? "map" : "map of " + text;
  std::string other = kKinds[static_cast<int>(row.kind)];
  const std::string limits = row.allowed.text();
  if (!limits.empty()) other += ", " + limits;
  if (!text.empty() && !other.empty()) text += " or ";
  return text + other + (row.unit.empty() ? "" : fmt::format(" [{}]", row.unit));
}

std::string usual_text(const KeyRow& row) {
  if (row.required) return "–";
  if (row.kind == RowKind::section && !row.optional && row.usual.empty()) return "";  // those of its keys
  return row.usual.empty() ? "none" : "`" + row.usual + "`";
}

std::string meaning_text(const KeyRow& row) {
  return row.only.empty() ? row.meaning : fmt::format("{}; acts only {}", row.meaning, row.only);
}

std::string in_table(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

}  // namespace

std::vector<KeyRow> key_rows(const Fields::Part& part) {
  std::vector<KeyRow> rows;
  RowFields fields(rows, "", true, false);
  part(fields);
  return rows;
}

std::vector<std::string> key_names(const Fields::Part& part) {
  std::vector<KeyRow> rows;
  RowFields fields(rows, "", false, false);
  part(fields);
  std::vector<std::string> names;
  for (const KeyRow& row : rows) names.push_back(row.path);
  return names;
}

std::string markdown_table(const std::vector<KeyRow>& rows, const std::string& prefix) {
  std::string table = "| key | default | values | meaning |\n|---|---|---|---|\n";
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const KeyRow& row = rows[r];
    if (row.path.ends_with("[]") || row.path.ends_with("{}")) continue;  // items have rows of their own keys
    const bool again = r > 0 && rows[r - 1].path == row.path;            // another form of the same key
    const std::string path = row.path.starts_with(prefix) ? row.path.substr(prefix.size()) : row.path;
    table += again ? fmt::format("| | | {} | |\n", in_table(values_text(row)))
                   : fmt::format("| `{}` | {} | {} | {} |\n", path, usual_text(row),
                                 in_table(values_text(row)), in_table(meaning_text(row)));
  }
  return table;
}

}  // namespace steelyard
