#include "regressor/symbolic/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "regressor/base/print.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace symbolic {
namespace {

constexpr long kLargestDenominator = 1024;
constexpr double kRational = 1e-12;

// A term as it is written: coefficient, powers, waves; `squares` are waves of half the angle, squared.
struct Written {
  double coefficient = 0;
  Term term;
  std::vector<bool> squares = {};  // of the runs
};

std::string subscripted(const std::string& name) {
  const std::size_t digits = name.find_first_of("0123456789");
  const bool plain = digits != std::string::npos && digits > 0 &&
                     std::all_of(name.begin() + static_cast<long>(digits), name.end(),
                                 [](char c) { return c >= '0' && c <= '9'; });
  std::string stem = plain ? name.substr(0, digits) : name;
  if (stem == "qd") stem = "\\dot{q}";
  if (stem == "qdd") stem = "\\ddot{q}";
  if (plain) return fmt::format("{}_{{{}}}", stem, name.substr(digits));
  std::string escaped;
  for (const char c : name) escaped += c == '_' ? std::string("\\_") : std::string(1, c);
  return name.size() == 1 ? name : "\\mathrm{" + escaped + "}";
}

std::string angle_text(const Frame& frame, const Term& term, int run, int divisor, Script script) {
  std::string text;
  for (std::size_t j = 0; j < term.multiples.size(); ++j) {
    if (frame.run[j] != run || term.multiples[j] == 0) continue;
    const int multiple = term.multiples[j] / divisor;
    const char* plus = script == Script::text ? "+" : " + ";
    const char* minus = script == Script::text ? "-" : " - ";
    text += text.empty() ? (multiple < 0 ? "-" : "") : multiple < 0 ? minus : plus;
    const std::string name = "q" + std::to_string(j + 1);
    if (std::abs(multiple) != 1)
      text += std::to_string(std::abs(multiple)) + (script == Script::text ? "*" : " ");
    text += script == Script::text ? name : subscripted(name);
  }
  return text;
}

// Without its sign.
std::string number_text(double value, Script script) {
  const double size = std::abs(value);
  for (long denominator = 1; denominator <= kLargestDenominator; denominator *= 2) {
    const double numerator = std::round(size * static_cast<double>(denominator));
    if (numerator < 1 || numerator > 1e6) continue;
    if (std::abs(size * static_cast<double>(denominator) - numerator) > kRational * numerator) continue;
    if (denominator == 1) return fmt::format("{:.0f}", numerator);
    return script == Script::text ? fmt::format("{:.0f}/{}", numerator, denominator)
                                  : fmt::format("\\tfrac{{{:.0f}}}{{{}}}", numerator, denominator);
  }
  return fmt::format("{:.17g}", size);
}

std::string joined(const std::vector<std::string>& factors, Script script) {
  std::string text;
  for (const std::string& factor : factors)
    if (!factor.empty()) text += (text.empty() ? "" : script == Script::text ? "*" : "\\,") + factor;
  return text;
}

// The factors of a term but its sign and its parameter; empty: one.
std::string term_text(const Frame& frame, const Written& written, Script script) {
  std::vector<std::string> factors;
  if (std::abs(std::abs(written.coefficient) - 1) > kRational)
    factors.push_back(number_text(written.coefficient, script));
  for (std::size_t s = 0; s < frame.symbols.size(); ++s) {
    const int power = written.term.powers[s];
    if (power == 0) continue;
    const std::string name = script == Script::text ? frame.symbols[s] : subscripted(frame.symbols[s]);
    factors.push_back(power == 1               ? name
                      : script == Script::text ? fmt::format("{}^{}", name, power)
                                               : fmt::format("{}^{{{}}}", name, power));
  }
  for (int r = 0; r < frame.runs; ++r) {
    const auto run = static_cast<std::size_t>(r);
    const signed char wave = written.term.waves[run];
    if (wave == none) continue;
    const bool squared = !written.squares.empty() && written.squares[run];
    const std::string angle = angle_text(frame, written.term, r, squared ? 2 : 1, script);
    const char* name = wave == cosine ? "cos" : "sin";
    if (script == Script::text)
      factors.push_back(fmt::format("{}({}){}", name, angle, squared ? "^2" : ""));
    else
      factors.push_back(angle.find(' ') == std::string::npos
                            ? fmt::format("\\{}{} {}", name, squared ? "^{2}" : "", angle)
                            : fmt::format("\\{}{}({})", name, squared ? "^{2}" : "", angle));
  }
  return joined(factors, script);
}

bool is_even(const Frame& frame, const Term& term, int run) {
  for (std::size_t j = 0; j < term.multiples.size(); ++j)
    if (frame.run[j] == run && term.multiples[j] % 2 != 0) return false;
  return true;
}

// c ± c cos(2 x), other factors equal: 2 c cos² x or 2 c sin² x.
std::vector<Written> with_squares(const Frame& frame, const Sum& sum) {
  std::vector<Written> list;
  for (const auto& [term, coefficient] : sum.terms()) list.push_back({coefficient, term});
  std::vector<bool> gone(list.size(), false);
  for (std::size_t a = 0; a < list.size(); ++a)
    for (int r = 0; r < frame.runs && !gone[a]; ++r) {
      const auto run = static_cast<std::size_t>(r);
      if (list[a].term.waves[run] != cosine || !list[a].squares.empty() || !is_even(frame, list[a].term, r))
        continue;
      Term rest = list[a].term;
      rest.waves[run] = none;
      for (std::size_t j = 0; j < rest.multiples.size(); ++j)
        if (frame.run[j] == r) rest.multiples[j] = 0;
      for (std::size_t b = 0; b < list.size(); ++b) {
        if (gone[b] || !list[b].squares.empty() || list[b].term != rest) continue;
        const double x = list[a].coefficient, c = list[b].coefficient;
        if (std::abs(std::abs(x) - std::abs(c)) > kRational * std::abs(c)) continue;
        list[a].squares.assign(static_cast<std::size_t>(frame.runs), false);
        list[a].squares[run] = true;
        list[a].term.waves[run] = x * c > 0 ? cosine : sine;
        list[a].coefficient = 2 * c;
        gone[b] = true;
        break;
      }
    }
  std::vector<Written> kept;
  for (std::size_t k = 0; k < list.size(); ++k)
    if (!gone[k]) kept.push_back(list[k]);
  return kept;
}

struct Signed {
  bool negative = false;
  std::string text;
};

void append(std::string& text, const Signed& part) {
  text += text.empty() ? (part.negative ? "-" : "") : part.negative ? " - " : " + ";
  text += part.text;
}

std::string bracketed(const std::string& text, Script script) {
  return script == Script::text ? "(" + text + ")" : "\\left(" + text + "\\right)";
}

// What stands before a name: a term, or several in a bracket.
Signed product(const Frame& frame, const Sum& sum, const std::string& name, Script script) {
  const std::vector<Written> terms = with_squares(frame, sum);
  if (terms.size() == 1) {
    const std::string own = term_text(frame, terms[0], script);
    const std::string text = joined({own, name}, script);
    return {terms[0].coefficient < 0, text.empty() ? "1" : text};
  }
  std::string inner;
  for (const Written& term : terms) {
    const std::string own = term_text(frame, term, script);
    append(inner, {term.coefficient < 0, own.empty() ? "1" : own});
  }
  if (name.empty()) return {false, bracketed(inner, script)};
  return {false, joined({name, bracketed(inner, script)}, script)};
}

std::string parameter_text(const std::string& lead, Script script) {
  return script == Script::text ? lead : base::print_parameter(lead, base::Style::latex);
}

// Parameter by parameter, what has none last.
std::string sum_text(const Frame& frame, const std::vector<std::string>& leads, const Sum& sum, Script script,
                     int& parts) {
  std::map<int, Sum> by_parameter;
  for (const auto& [term, coefficient] : sum.terms()) {
    Term own = term;
    own.parameter = kNoParameter;
    by_parameter[term.parameter].add(std::move(own), coefficient);
  }
  std::string text;
  parts = static_cast<int>(by_parameter.size());
  for (const auto& [parameter, own] : by_parameter) {
    const std::string name =
        parameter == kNoParameter ? "" : parameter_text(leads[static_cast<std::size_t>(parameter)], script);
    Signed part = product(frame, own, name, script);
    if (name.empty() && parts == 1 && part.text.starts_with(script == Script::text ? "(" : "\\left(") &&
        !part.negative && own.size() > 1)
      ++parts;  // already in brackets
    append(text, part);
  }
  return text;
}

}  // namespace

std::string print(const Frame& frame, const std::vector<std::string>& leads, const std::vector<Sum>& sums,
                  const std::vector<std::string>& factors, Script script) {
  std::string text;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    if (sums[k].is_zero()) continue;
    int parts = 0;
    std::string own = sum_text(frame, leads, sums[k], script, parts);
    if (factors[k].empty()) {
      append(text, {own.starts_with('-'), own.starts_with('-') ? own.substr(1) : own});
      continue;
    }
    std::string factor = factors[k];
    if (script == Script::latex) {
      factor.clear();
      for (std::size_t from = 0; from < factors[k].size();) {
        const std::size_t to = std::min(factors[k].find('*', from), factors[k].size());
        const std::string part = factors[k].substr(from, to - from);
        const std::size_t power = std::min(part.find('^'), part.size());
        factor += (factor.empty() ? "" : "\\,") + subscripted(part.substr(0, power)) + part.substr(power);
        from = to + 1;
      }
    }
    if (own == "1" || own == "-1") {
      append(text, {own == "-1", factor});
    } else if (own.find(" + ") == std::string::npos && own.find(" - ") == std::string::npos) {
      const bool negative = own.starts_with('-');
      append(text, {negative, joined({negative ? own.substr(1) : own, factor}, script)});
    } else {
      append(text, {false, joined({factor, bracketed(own, script)}, script)});
    }
  }
  return text.empty() ? "0" : text;
}

}  // namespace symbolic
}  // namespace steelyard
