#include "steelyard/core/json_writer.hpp"

#include <charconv>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/utf8.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

template <typename Number>
void append_number(std::string& text, Number number) {
  char buffer[40];  // the longest double has 24 characters, the longest integer 20
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number);
  text.append(buffer, end.ptr);
}

}  // namespace

void JsonWriter::new_line() {
  if (style_ != JsonStyle::readable) return;
  text_ += '\n';
  text_.append(2 * levels_.size(), ' ');
}

void JsonWriter::begin_value() {
  if (levels_.empty() || !levels_.back().is_array) return;  // the comma came with the key
  Level& level = levels_.back();
  if (level.count++ > 0) text_ += level.is_flat && style_ == JsonStyle::readable ? ", " : ",";
  if (!level.is_flat) new_line();
}

void JsonWriter::begin(char bracket, bool is_array, bool is_flat) {
  begin_value();
  text_ += bracket;
  levels_.push_back({is_array, is_flat, 0, {}});
}

void JsonWriter::end(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.count > 0 && !level.is_flat) new_line();
  text_ += bracket;
  if (levels_.empty() && style_ == JsonStyle::readable) text_ += '\n';
}

void JsonWriter::begin_object() {
  begin('{', false, false);
}
void JsonWriter::end_object() {
  end('}');
}
void JsonWriter::begin_array() {
  begin('[', true, false);
}
void JsonWriter::begin_flat_array() {
  begin('[', true, true);
}
void JsonWriter::end_array() {
  end(']');
}

JsonWriter& JsonWriter::key(std::string_view name) {
  Level& level = levels_.back();
  if (level.count++ > 0) text_ += ',';
  level.key = name;
  new_line();
  append_string(name);
  text_ += style_ == JsonStyle::readable ? ": " : ":";
  return *this;
}

void JsonWriter::value(double number) {
  begin_value();
  if (!std::isfinite(number)) throw InternalError("the result's number " + path() + " is not finite");
  const std::size_t from = text_.size();
  append_number(text_, number);
  if (style_ == JsonStyle::typed && text_.find_first_of(".e", from) == std::string::npos) text_ += ".0";
}

void JsonWriter::value(std::int64_t number) {
  begin_value();
  append_number(text_, number);
}

void JsonWriter::value(std::uint64_t number) {
  begin_value();
  append_number(text_, number);
}

void JsonWriter::value(bool truth) {
  begin_value();
  text_ += truth ? "true" : "false";
}

void JsonWriter::value(std::string_view text) {
  begin_value();
  append_string(text);
}

void JsonWriter::null() {
  begin_value();
  text_ += "null";
}

void JsonWriter::append_string(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  text_ += '"';
  for (const char letter : to_utf8(text)) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') {
      text_ += '\\';
      text_ += letter;
    } else if (letter == '\n') {
      text_ += "\\n";
    } else if (code < 0x20 || code == 0x7f || letter == '<') {
      text_ += "\\u00";
      text_ += kDigits[code >> 4];
      text_ += kDigits[code & 15];
    } else {
      text_ += letter;
    }
  }
  text_ += '"';
}

std::string JsonWriter::path() const {
  std::string text;
  for (const Level& level : levels_) {
    if (level.is_array) {
      text += "[" + std::to_string(level.count - 1) + "]";
    } else {
      text += (text.empty() ? "" : ".") + level.key;
    }
  }
  return "'" + text + "'";
}

}  // namespace steelyard
