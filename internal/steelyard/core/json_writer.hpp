// Writes JSON in the order of its calls: same calls, same bytes.
//
//   JsonWriter json(JsonStyle::readable);
//   json.begin_object();
//   json.key("samples").value(12);
//   json.end_object();
//
// Numbers are the shortest text that reads back as the same number. Strings are made valid UTF-8; '<' is
// written as \u003c, so that the text can stand inside an HTML script element.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class JsonStyle {
  compact,   // no white space
  typed,     // the same; numbers that are no counts have a point or an exponent: 20.0
  readable,  // one member a line; arrays of plain numbers and strings on one line
};

class JsonWriter {
 public:
  explicit JsonWriter(JsonStyle style) : style_(style) {}

  void begin_object();
  void end_object();
  void begin_array();       // one element a line when readable
  void begin_flat_array();  // on one line; for plain values only
  void end_array();

  // The next value belongs to this key.
  JsonWriter& key(std::string_view name);
  void value(double number);  // throws InternalError with the path of the key when it is not finite
  void value(std::int64_t number);
  void value(std::uint64_t number);
  void value(int number) { value(static_cast<std::int64_t>(number)); }
  void value(bool truth);
  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void null();

  const std::string& text() const { return text_; }

 private:
  struct Level {
    bool is_array = false;
    bool is_flat = false;
    std::size_t count = 0;
    std::string key;
  };

  void begin_value();
  void new_line();
  void begin(char bracket, bool is_array, bool is_flat);
  void end(char bracket);
  void append_string(std::string_view text);
  std::string path() const;

  JsonStyle style_;
  std::string text_;
  std::vector<Level> levels_;
};

}  // namespace steelyard
