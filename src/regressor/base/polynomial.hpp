// Sums of rational × named lengths × sin/cos of named angles: the coefficients of base-parameter expressions.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {

struct Rational {
  long numerator = 0;
  long denominator = 1;

  double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
};

// A factor of a monomial: a length, or the sine or cosine of an angle.
struct Factor {
  enum class Kind { length, sine, cosine } kind = Kind::length;
  std::string name;
  int power = 1;

  bool operator==(const Factor&) const = default;
};

struct Monomial {
  Rational coefficient;
  std::vector<Factor> factors;  // lengths in the robot's order, then angles
};

// Values of named lengths and angles.
using SymbolValues = std::map<std::string, double>;

struct Polynomial {
  std::vector<Monomial> terms;

  double evaluate(const SymbolValues& values) const;
  bool is_constant(double value) const;  // exactly this number, without symbols
  std::string to_text() const;           // parses as an expression of core/: "2*a1*d4 - a2^2"
};

Polynomial operator+(const Polynomial& a, const Polynomial& b);  // like terms are added up

// Lengths, sines and cosines at many geometries, and what is made of them there.
class SymbolSeries {
 public:
  void add(const SymbolValues& values);
  Index size() const { return size_; }
  VectorXd evaluate(const std::vector<Factor>& factors) const;
  VectorXd evaluate(const Polynomial& polynomial) const;

 private:
  std::map<std::string, std::vector<double>> by_kind_[3];  // of Factor::Kind
  Index size_ = 0;
};

}  // namespace base
}  // namespace steelyard
