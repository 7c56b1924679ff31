#include "regressor/base/polynomial.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace steelyard::inline STEELYARD_ABI {
namespace base {
namespace {

std::string to_text(const Factor& factor) {
  std::string text = factor.name;
  if (factor.kind == Factor::Kind::sine) text = "sin(" + factor.name + ")";
  if (factor.kind == Factor::Kind::cosine) text = "cos(" + factor.name + ")";
  return factor.power == 1 ? text : text + "^" + std::to_string(factor.power);
}

std::string magnitude_to_text(const Monomial& monomial) {
  const long n = std::labs(monomial.coefficient.numerator);
  const long d = monomial.coefficient.denominator;
  std::string text;
  if (n != 1 || d != 1 || monomial.factors.empty()) text = std::to_string(n);
  if (d != 1) text += "/" + std::to_string(d);
  for (const Factor& factor : monomial.factors) text += (text.empty() ? "" : "*") + to_text(factor);
  return text;
}

}  // namespace

double evaluate(const std::vector<Factor>& factors, const SymbolValues& values) {
  double product = 1;
  for (const Factor& factor : factors) {
    double x = values.at(factor.name);
    if (factor.kind == Factor::Kind::sine) x = std::sin(x);
    if (factor.kind == Factor::Kind::cosine) x = std::cos(x);
    for (int k = 0; k < factor.power; ++k) product *= x;
  }
  return product;
}

Polynomial operator+(const Polynomial& a, const Polynomial& b) {
  Polynomial sum = a;
  for (const Monomial& term : b.terms) {
    const auto like = std::find_if(sum.terms.begin(), sum.terms.end(),
                                   [&](const Monomial& other) { return other.factors == term.factors; });
    if (like == sum.terms.end()) {
      sum.terms.push_back(term);
      continue;
    }
    Rational& x = like->coefficient;
    x = {x.numerator * term.coefficient.denominator + term.coefficient.numerator * x.denominator,
         x.denominator * term.coefficient.denominator};
    const long divisor = std::gcd(x.numerator, x.denominator);
    x = {x.numerator / divisor, x.denominator / divisor};
  }
  std::erase_if(sum.terms, [](const Monomial& term) { return term.coefficient.numerator == 0; });
  return sum;
}

double Polynomial::evaluate(const SymbolValues& values) const {
  double sum = 0;
  for (const Monomial& term : terms) sum += term.coefficient.value() * base::evaluate(term.factors, values);
  return sum;
}

bool Polynomial::is_constant(double value) const {
  return terms.size() == 1 && terms[0].factors.empty() && terms[0].coefficient.value() == value;
}

std::string Polynomial::to_text() const {
  std::string text;
  for (const Monomial& term : terms) {
    const bool negative = term.coefficient.numerator < 0;
    if (text.empty())
      text = negative ? "-" : "";
    else
      text += negative ? " - " : " + ";
    text += magnitude_to_text(term);
  }
  return text.empty() ? "0" : text;
}

}  // namespace base
}  // namespace steelyard
