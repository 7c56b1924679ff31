#include "steelyard/core/units.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "core/units_table.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

using units::kNames;
using units::kSymbols;
using units::Named;
using units::Symbol;

constexpr std::size_t kLongestText = 128;
constexpr int kHighestPower = 9;

struct Quantity {
  double scale = 1;
  int decimal = 0;
  Dimension dimension;
};

void multiply(Quantity& a, const Quantity& b, int power) {
  if (power < 0) {
    a.scale /= std::pow(b.scale, -power);
  } else {
    a.scale *= std::pow(b.scale, power);
  }
  a.decimal += power * b.decimal;
  a.dimension.length += power * b.dimension.length;
  a.dimension.mass += power * b.dimension.mass;
  a.dimension.time += power * b.dimension.time;
  a.dimension.current += power * b.dimension.current;
  a.dimension.angle += power * b.dimension.angle;
}

bool is_symbol_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%';
}

// The few characters outside ASCII that people write in units, as ASCII.
std::string to_ascii(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kSpellings{
      {{"·", "*"}, {"⋅", "*"}, {"×", "*"}, {"²", "^2"}, {"³", "^3"}, {"µ", "u"}, {"μ", "u"}, {"°", "deg"}}};
  std::string result(text);
  for (const auto& [from, to] : kSpellings) {
    for (auto at = result.find(from); at != std::string::npos; at = result.find(from, at + to.size())) {
      result.replace(at, from.size(), to);
    }
  }
  return result;
}

class UnitParser {
 public:
  UnitParser(std::string_view original, std::string text, const Place& place)
      : original_(original), text_(std::move(text)), place_(place) {}

  Quantity parse() {
    const Quantity result = product();
    if (at_ < text_.size()) fail("unexpected " + quoted(text_.substr(at_, 1)));
    return result;
  }

 private:
  // Nesting is bounded by the limit on the text's length.
  Quantity product() {
    Quantity result;
    int sign = 1;
    while (true) {
      const Quantity part = factor();
      multiply(result, part, sign * power());
      skip_blanks();
      if (take('*') || take('.')) {
        sign = 1;
      } else if (take('/')) {
        sign = -1;
      } else {
        return result;
      }
    }
  }

  Quantity factor() {
    skip_blanks();
    if (take('(')) {
      const Quantity inner = product();
      if (!take(')')) fail("missing ')'");
      return inner;
    }
    const std::size_t begin = at_;
    if (!take('1')) {
      while (at_ < text_.size() && is_symbol_character(text_[at_])) ++at_;
    }
    const std::string_view name = std::string_view(text_).substr(begin, at_ - begin);
    if (name.empty()) fail("expected a unit");
    for (const Symbol& symbol : kSymbols) {
      if (symbol.name == name) return {symbol.scale, symbol.decimal, symbol.dimension};
    }
    std::vector<std::string> names;
    for (const Symbol& symbol : kSymbols) names.emplace_back(symbol.name);
    Complaint complaint = unknown("unit", name, names, place_);
    if (name != text_) complaint.what += " in " + quoted(original_);
    throw InputError(std::move(complaint));
  }

  int power() {
    skip_blanks();
    if (!take('^')) return 1;
    skip_blanks();
    const bool negative = take('-');
    const std::size_t begin = at_;
    int value = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9' && value <= kHighestPower) {
      value = 10 * value + (text_[at_++] - '0');
    }
    if (at_ == begin || value > kHighestPower) fail("expected a power between -9 and 9");
    return negative ? -value : value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError({what + " at column " + std::to_string(at_ + 1) + " of the unit " + quoted(original_),
                      place_, "", "write units like deg/s, N*m, kg*m^2"});
  }

  std::string_view original_;
  std::string text_;
  const Place& place_;
  std::size_t at_ = 0;
};

void append_power(std::string& above, std::string& below, const char* symbol, int power) {
  if (power == 0) return;
  std::string& side = power > 0 ? above : below;
  if (!side.empty()) side += power > 0 ? "*" : "/";
  side += symbol;
  if (std::abs(power) > 1) side += "^" + std::to_string(std::abs(power));
}

}  // namespace

std::string Dimension::to_string() const {
  for (const Named& named : kNames) {
    if (named.dimension == *this) return named.text;
  }
  std::string above, below;
  append_power(above, below, "kg", mass);
  append_power(above, below, "m", length);
  append_power(above, below, "s", time);
  append_power(above, below, "A", current);
  append_power(above, below, "rad", angle);
  if (above.empty()) above = "1";
  return below.empty() ? above : above + "/" + below;
}

bool same_up_to_angle(Dimension a, const Dimension& b) {
  a.angle = b.angle;
  return a == b;
}

Unit parse_unit(std::string_view text, const Place& place) {
  if (text.size() > kLongestText) {
    throw InputError({"the unit " + quoted(text) + " is too long", place, "at most 128 characters",
                      "write units like deg/s, N*m, kg*m^2"});
  }
  const Quantity quantity = UnitParser(text, to_ascii(text), place).parse();
  // Positive powers of ten up to 22 are exact, so one division or product rounds once.
  const double ten = std::pow(10.0, std::abs(quantity.decimal));
  const double factor = quantity.decimal < 0 ? quantity.scale / ten : quantity.scale * ten;
  if (!std::isnormal(factor)) {
    throw InputError({"the unit " + quoted(text) + " is too large or too small", place, "",
                      "write units like deg/s, N*m, kg*m^2"});
  }
  return {std::string(text), factor, quantity.dimension};
}

Unit parse_unit(std::string_view text, const Dimension& expected, const Place& place) {
  Unit unit = parse_unit(text, place);
  if (unit.dimension != expected) {
    throw InputError({"the unit " + quoted(text) + " is of dimension " + unit.dimension.to_string(), place,
                      "expected " + expected.to_string(), "give the unit of the numbers"});
  }
  return unit;
}

}  // namespace steelyard
