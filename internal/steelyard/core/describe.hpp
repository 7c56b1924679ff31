// One description of every struct that comes from text: `void describe(Fields& fields, T& value)` names its
// keys in order, each with unit, limits, one line of meaning, and as default the value of a
// default-constructed T.
//
// A visitor of a description takes what it needs: the YAML reader (core/read_described.hpp) sets the values;
// JSON, schema and key tables (core/described.hpp) are written from them. Only the reader changes values, and
// descriptions change what is derived from them when `fields.reads()` only.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Key {
  const char* name;
  const char* unit;     // "" for none
  const char* meaning;  // one line
  bool required = false;
  const char* pattern = "";  // of texts: words, or a regular expression with brackets; for the schema
  bool nullable = false;     // of files that programs write: null when not known
  const char* only =
      "";  // a key that is accepted where it changes nothing: where it acts, "with `method: huber`"
};
inline Key required(Key key) {
  key.required = true;
  return key;
}

inline Key acts_only(const char* where, Key key) {
  key.only = where;
  return key;
}

// A key that every file of programs has, and one that may be absent.
inline Key must(const char* name, const char* unit, const char* meaning) {
  return {name, unit, meaning, true};
}
inline Key may(const char* name, const char* unit, const char* meaning) {
  return {name, unit, meaning};
}
inline Key nullable(Key key) {
  key.nullable = true;
  return key;
}

// A text that is one of several words, "ols|wls|irls", or has a form, "[0-9a-f]{64}".
inline Key matching(Key key, const char* pattern) {
  key.pattern = pattern;
  return key;
}

// The numbers that a key accepts, and a typical one, for messages.
struct Allowed {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool above = false;  // without the lower end itself
  bool below = false;  // without the upper end itself
  const char* usual = "";

  bool contains(double value) const;
  std::string text() const;  // "above 0", "2 to 128"; empty for all numbers
};
Allowed any_number();
Allowed at_least(double lower, const char* usual = "");
Allowed above(double lower, const char* usual = "");
Allowed from_to(double lower, double upper, const char* usual = "");  // both ends included
Allowed above_to(double lower, double upper, const char* usual = "");
Allowed inside(double lower, double upper, const char* usual = "");  // no end included

enum class Shape { scalar, list, map };

class Fields {
 public:
  using Part = std::function<void(Fields&)>;
  using Item = std::function<void(Fields&, std::size_t)>;
  using Words = std::vector<std::string>;
  // One of several ways to write a value; the reader takes the one that matches the file.
  struct Form {
    Shape shape;
    Part part;
  };

  virtual ~Fields() = default;

  virtual bool reads() const { return false; }                    // the YAML reader
  virtual bool given(const char*) const { return false; }         // the file that is read has this key
  virtual Place place(const char* key = nullptr) const;           // of a key in that file, or of all
  virtual std::string folder() const { return {}; }               // of that file
  virtual void check(const std::function<void()>&) {}             // the reader adds the place to complaints
  virtual void fail(const char* key, Complaint complaint) const;  // the reader throws; place is filled in

  // An optional number has `given`, which is true when it is present.
  virtual void number(const Key& key, double& value, const Allowed& allowed, bool* given = nullptr) = 0;
  virtual void whole(const Key& key, std::int64_t& value, const Allowed& allowed, bool* given = nullptr) = 0;
  virtual void flag(const Key& key, bool& value, bool* given = nullptr) = 0;
  virtual void text(const Key& key, std::string& value) = 0;  // empty: none
  // `path` is behind the folder of the file, with ${NAME} replaced; `as_written` is what provenance shows.
  virtual void path(const Key& key, std::string& path, std::string& as_written) = 0;
  virtual void word(const Key& key, std::size_t& index, const Words& words) = 0;
  // length 0: one number, or a list; otherwise a list of that length.
  virtual void numbers(const Key& key, std::vector<double>& values, const Allowed& allowed,
                       std::size_t length = 0) = 0;
  virtual void interval(const Key& key, double& lower, double& upper) = 0;   // an open side is null
  virtual void texts(const Key& key, std::vector<std::string>& values) = 0;  // one, or a list
  virtual void section(const Key& key, const Part& part) = 0;
  virtual void section(const Key& key, bool& given, const Part& part) = 0;  // one that may be missing
  // The part of an item describes a value without key: `fields.section(key, …)` is the item itself.
  virtual void list(const Key& key, std::size_t size, const Item& item) = 0;
  // Names are those of the map; with `known` no others are accepted.
  virtual void map(const Key& key, std::vector<std::string>& names, const Words& known, const Item& item) = 0;
  // One of the words (its index), or something else (−1). What may be missing begins as kNotGiven.
  static constexpr int kNotGiven = -2;
  virtual void words_or(const Key& key, int& word, const Words& words, const Part& other) = 0;
  virtual void either(const Key& key, int& form, const std::vector<Form>& forms) = 0;
  // Keys that are present together or not at all; a file that is read has `first` if it has them.
  virtual void group(const char* first, bool& has, const Part& part);
  // Numbers by names of their own, beside the other keys.
  virtual void others(const Key&, std::vector<std::pair<std::string, double>>&) {}
  virtual void object(const Key&, std::string&) {}  // any JSON object, as text

  void count(const Key& key, int& value, const Allowed& allowed);
  void count(const Key& key, Index& value, const Allowed& allowed);
  virtual void count(const Key& key, std::uint64_t& value, const Allowed& allowed);
  void number(const Key& key, std::optional<double>& value, const Allowed& allowed);
  void flag(const Key& key, std::optional<bool>& value);
  void numbers(const Key& key, VectorXd& values, const Allowed& allowed);
  void point(const Key& key, Vector3& value);  // a list of three
  // A word that stands for a special value: `auto`.
  void number_or(const Key& key, const char* word, double special, double& value, const Allowed& allowed);
  void count_or(const Key& key, const char* word, Index special, Index& value, const Allowed& allowed);
  void number_or(const Key& key, const char* word, std::optional<double>& value, const Allowed& allowed);

  // Words of an enumeration; the table has a line for every value.
  template <typename Value, std::size_t n>
  void choice(const Key& key, Value& value, const std::pair<const char*, Value> (&table)[n]) {
    Words words;
    std::size_t index = 0;
    for (std::size_t k = 0; k < n; ++k) {
      words.emplace_back(table[k].first);
      if (table[k].second == value) index = k;
    }
    word(key, index, words);
    if (reads()) value = table[index].second;
  }

  template <typename T>
  void optional_section(const Key& key, std::optional<T>& value) {
    bool has = value.has_value();
    T content = has ? *value : T();
    section(key, has, [&](Fields& fields) { describe(fields, content); });
    if (reads() && has) value = std::move(content);
  }

  template <typename T>
  void sections(const Key& key, std::vector<T>& values) {
    list(key, values.size(), [&](Fields& fields, std::size_t k) {
      T fresh;
      if (fields.reads() && k >= values.size()) values.resize(k + 1);
      T& value = k < values.size() ? values[k] : fresh;
      fields.section(key, [&](Fields& inner) { describe(inner, value); });
    });
  }

  using NamedNumbers = std::vector<std::pair<std::string, double>>;
  void numbers_by_name(const Key& key, NamedNumbers& values, const Allowed& allowed, const Words& known = {});
};

}  // namespace steelyard
