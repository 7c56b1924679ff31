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

void SymbolSeries::add(const SymbolValues& values) {
  for (const auto& [name, x] : values) {
    by_kind_[static_cast<int>(Factor::Kind::length)][name].push_back(x);
    by_kind_[static_cast<int>(Factor::Kind::sine)][name].push_back(std::sin(x));
    by_kind_[static_cast<int>(Factor::Kind::cosine)][name].push_back(std::cos(x));
  }
  ++size_;
}

VectorXd SymbolSeries::evaluate(const std::vector<Factor>& factors) const {
  VectorXd product = VectorXd::Ones(size_);
  for (const Factor& factor : factors) {
    const std::vector<double>& x = by_kind_[static_cast<int>(factor.kind)].at(factor.name);
    for (int k = 0; k < factor.power; ++k)
      for (Index g = 0; g < size_; ++g) product[g] *= x[static_cast<std::size_t>(g)];
  }
  return product;
}

VectorXd SymbolSeries::evaluate(const Polynomial& polynomial) const {
  VectorXd sum = VectorXd::Zero(size_);
  for (const Monomial& term : polynomial.terms) sum += term.coefficient.value() * evaluate(term.factors);
  return sum;
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
  SymbolSeries one;
  one.add(values);
  return one.evaluate(*this)[0];
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
