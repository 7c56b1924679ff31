#include "regressor/base/print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace base {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// "d4" → "d_{4}", "alpha3" → "\alpha_{3}", "wrist.x" → "\mathrm{wrist.x}".
std::string latex_symbol(const std::string& name) {
  const std::size_t digits = name.find_first_of("0123456789");
  const bool plain = digits != std::string::npos && digits > 0 &&
                     std::all_of(name.begin() + static_cast<long>(digits), name.end(), is_digit);
  if (plain) {
    std::string stem = name.substr(0, digits);
    if (stem == "alpha" || stem == "theta") stem = "\\" + stem;
    if (stem.size() == 1 || stem[0] == '\\') return stem + "_{" + name.substr(digits) + "}";
  }
  std::string escaped;
  for (char c : name) escaped += c == '_' ? std::string("\\_") : std::string(1, c);
  return "\\mathrm{" + escaped + "}";
}

std::string print_factor(const Factor& factor, Style style) {
  const bool latex = style == Style::latex;
  const std::string symbol = latex ? latex_symbol(factor.name) : factor.name;
  const std::string power = factor.power == 1 ? ""
                            : latex           ? fmt::format("^{{{}}}", factor.power)
                                              : fmt::format("^{}", factor.power);
  if (factor.kind == Factor::Kind::length) return symbol + power;
  const char* function = factor.kind == Factor::Kind::sine ? "sin" : "cos";
  return latex ? fmt::format("\\{}{} {}", function, power, symbol)
               : fmt::format("{}({}){}", function, symbol, power);
}

std::string print_magnitude(const Rational& rational, Style style) {
  const long n = std::labs(rational.numerator);
  if (rational.denominator == 1) return n == 1 ? "" : std::to_string(n);
  if (style == Style::latex) return fmt::format("\\tfrac{{{}}}{{{}}}", n, rational.denominator);
  return fmt::format("{}/{}", n, rational.denominator);
}

// Without its sign: "2 a1 d4", "1/2", "" for one.
std::string print_monomial(const Monomial& monomial, Style style) {
  std::string text = print_magnitude(monomial.coefficient, style);
  for (const Factor& factor : monomial.factors)
    text += (text.empty() ? "" : " ") + print_factor(factor, style);
  return text;
}

struct Signed {
  bool negative = false;
  std::string text;  // empty: one
};

Signed print_coefficient(const PrintTerm& term, Style style) {
  if (!term.polynomial) {
    const std::string digits = fmt::format("{:.6g}", std::abs(term.coefficient));
    return {term.coefficient < 0, digits == "1" ? "" : digits};
  }
  const std::vector<Monomial>& monomials = term.polynomial->terms;
  const bool negative = monomials.front().coefficient.numerator < 0;
  if (monomials.size() == 1) return {negative, print_monomial(monomials.front(), style)};
  std::string sum;
  for (const Monomial& monomial : monomials) {
    const bool minus = (monomial.coefficient.numerator < 0) != negative;
    const std::string text = print_monomial(monomial, style);
    sum += (sum.empty() ? "" : minus ? " - " : " + ") + (text.empty() ? "1" : text);
  }
  return {negative, "(" + sum + ")"};
}

int print_order(const Column& column) {
  if (!column.inertial) return 3;
  return column.degree == 2 ? 0 : column.degree == 0 ? 1 : 2;
}

}  // namespace

std::string print_parameter(const std::string& name, Style style) {
  const std::size_t digits = name.find_first_of("0123456789");
  const bool latex = style == Style::latex;
  const bool load = name.ends_with("_load");
  if (!load && digits == std::string::npos) return name;
  const std::string stem = load ? name.substr(0, name.size() - 5) : name.substr(0, digits);
  const std::string number = load ? "L" : name.substr(digits);
  const auto subscript = [&](const std::string& letter, const std::string& rest) {
    return latex ? letter + "_{" + rest + "}" : letter + rest;
  };
  if (stem.size() == 3 && stem[0] == 'J') return subscript("J", number + stem.substr(1));
  if (stem.size() == 2 && stem[0] == 'm')
    return subscript("c", number + stem.substr(1)) + " " + subscript("m", number);
  if (stem == "m") return subscript("m", number);
  return latex ? fmt::format("{}_{{{}{}}}", stem.substr(0, 1), stem.substr(1), number) : name;
}

std::string print_sum(std::vector<PrintTerm> terms, Style style) {
  if (terms.empty()) return "0";
  std::stable_sort(terms.begin() + 1, terms.end(), [](const PrintTerm& a, const PrintTerm& b) {
    return print_order(a.column) < print_order(b.column);
  });
  struct Group {
    Signed coefficient;
    int order;
    std::vector<std::string> parameters;
  };
  std::vector<Group> groups;
  for (const PrintTerm& term : terms) {
    const Signed coefficient = print_coefficient(term, style);
    const int order = print_order(term.column);
    const std::string parameter = print_parameter(term.column.name, style);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return !coefficient.text.empty() && group.order == order &&
             group.coefficient.text == coefficient.text && group.coefficient.negative == coefficient.negative;
    });
    if (same != groups.end())
      same->parameters.push_back(parameter);
    else
      groups.push_back({coefficient, order, {parameter}});
  }
  std::string text;
  for (const Group& group : groups) {
    const bool minus = group.coefficient.negative;
    text += text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
    if (!group.coefficient.text.empty()) text += group.coefficient.text + " ";
    if (group.parameters.size() == 1) {
      text += group.parameters[0];
    } else {
      text += "(";
      for (std::size_t k = 0; k < group.parameters.size(); ++k)
        text += (k ? " + " : "") + group.parameters[k];
      text += ")";
    }
  }
  return text;
}

}  // namespace base
}  // namespace steelyard
