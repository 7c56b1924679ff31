// What the operations of an expression mean: the one table of values and slopes.
//
// The scalar, lane and dual interpreters take both from visit_unary, visit_binary and choose below, so they
// cannot disagree. Operations are pure: the order in which operands are computed does not matter, and both
// branches of a choice may be computed.
#pragma once

#include <cmath>
#include <limits>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class Op {
  number,
  variable,
  // one operand
  negate,
  logical_not,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  log10,
  log2,
  sqrt,
  abs,
  sign,
  floor,
  ceil,
  round,
  // two operands
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  atan2,
  hypot,
  fmod,
  min,
  max,
  // three operands
  choose
};

inline int operand_count(Op op) {
  return op < Op::negate ? 0 : op < Op::add ? 1 : op < Op::choose ? 2 : 3;
}

inline constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// The result of a comparison, not a number when an operand is not.
inline double truth(bool value, double a, double b) {
  return a != a || b != b ? kNotANumber : value ? 1.0 : 0.0;
}

inline double choose(double condition, double yes, double no) {
  return condition != condition ? kNotANumber : condition != 0 ? yes : no;
}

inline double sign_of(double a) {
  return a > 0 ? 1.0 : a < 0 ? -1.0 : a;
}

struct Slopes {
  double a;
  double b;
};

// Calls use(value, slope) with value(a) and slope(a, v), where v is the value.
template <class Use>
void visit_unary(Op op, Use&& use) {
  const auto flat = [](double, double) { return 0.0; };
  switch (op) {
    case Op::negate:
      return use([](double a) { return -a; }, [](double, double) { return -1.0; });
    case Op::logical_not:
      return use([](double a) { return truth(a == 0, a, a); }, flat);
    case Op::sin:
      return use([](double a) { return std::sin(a); }, [](double a, double) { return std::cos(a); });
    case Op::cos:
      return use([](double a) { return std::cos(a); }, [](double a, double) { return -std::sin(a); });
    case Op::tan:
      return use([](double a) { return std::tan(a); }, [](double, double v) { return 1 + v * v; });
    case Op::asin:
      return use([](double a) { return std::asin(a); },
                 [](double a, double) { return 1 / std::sqrt((1 - a) * (1 + a)); });
    case Op::acos:
      return use([](double a) { return std::acos(a); },
                 [](double a, double) { return -1 / std::sqrt((1 - a) * (1 + a)); });
    case Op::atan:
      return use([](double a) { return std::atan(a); }, [](double a, double) { return 1 / (1 + a * a); });
    case Op::sinh:
      return use([](double a) { return std::sinh(a); }, [](double a, double) { return std::cosh(a); });
    case Op::cosh:
      return use([](double a) { return std::cosh(a); }, [](double a, double) { return std::sinh(a); });
    case Op::tanh:
      return use([](double a) { return std::tanh(a); }, [](double, double v) { return (1 - v) * (1 + v); });
    case Op::exp:
      return use([](double a) { return std::exp(a); }, [](double, double v) { return v; });
    case Op::log:
      return use([](double a) { return std::log(a); }, [](double a, double) { return 1 / a; });
    case Op::log10:
      return use([](double a) { return std::log10(a); },
                 [](double a, double) { return 1 / (a * std::log(10.0)); });
    case Op::log2:
      return use([](double a) { return std::log2(a); },
                 [](double a, double) { return 1 / (a * std::log(2.0)); });
    case Op::sqrt:
      return use([](double a) { return std::sqrt(a); }, [](double, double v) { return 0.5 / v; });
    case Op::abs:
      return use([](double a) { return std::abs(a); }, [](double a, double) { return sign_of(a); });
    case Op::sign:
      return use([](double a) { return sign_of(a); }, flat);
    case Op::floor:
      return use([](double a) { return std::floor(a); }, flat);
    case Op::ceil:
      return use([](double a) { return std::ceil(a); }, flat);
    case Op::round:
      return use([](double a) { return std::round(a); }, flat);
    default:
      throw InternalError("expression: not an operation of one operand");
  }
}

inline Slopes power_slopes(double a, double b, double v) {
  // b·a^(b-1) is 0 for b = 0 also at a = 0; a^b·log(a) tends to 0 for a = 0 and b > 0.
  return {b == 0 ? 0.0 : b * std::pow(a, b - 1), a == 0 && b > 0 ? 0.0 : v * std::log(a)};
}

inline Slopes hypot_slopes(double a, double b, double v) {
  if (v == 0) return {0, 0};
  return {a / v, b / v};
}

inline Slopes atan2_slopes(double a, double b, double) {
  const double radius = std::hypot(a, b);
  return {b / radius / radius, -a / radius / radius};
}

// Calls use(value, slopes) with value(a, b) and slopes(a, b, v). A table, one entry per operation: its length
// is their number.
template <class Use>
void visit_binary(Op op, Use&& use) {
  const auto flat = [](double, double, double) { return Slopes{0, 0}; };
  switch (op) {
    case Op::add:
      return use([](double a, double b) { return a + b; },
                 [](double, double, double) {
                   return Slopes{1, 1};
                 });
    case Op::subtract:
      return use([](double a, double b) { return a - b; },
                 [](double, double, double) {
                   return Slopes{1, -1};
                 });
    case Op::multiply:
      return use([](double a, double b) { return a * b; },
                 [](double a, double b, double) {
                   return Slopes{b, a};
                 });
    case Op::divide:
      return use([](double a, double b) { return a / b; },
                 [](double, double b, double v) {
                   return Slopes{1 / b, -v / b};
                 });
    case Op::power:
      return use([](double a, double b) { return std::pow(a, b); }, power_slopes);
    case Op::less:
      return use([](double a, double b) { return truth(a < b, a, b); }, flat);
    case Op::less_equal:
      return use([](double a, double b) { return truth(a <= b, a, b); }, flat);
    case Op::greater:
      return use([](double a, double b) { return truth(a > b, a, b); }, flat);
    case Op::greater_equal:
      return use([](double a, double b) { return truth(a >= b, a, b); }, flat);
    case Op::equal:
      return use([](double a, double b) { return truth(a == b, a, b); }, flat);
    case Op::not_equal:
      return use([](double a, double b) { return truth(a != b, a, b); }, flat);
    // The second operand counts only when the first one does not decide, as in C.
    case Op::logical_and:
      return use([](double a, double b) { return a == 0 ? 0.0 : truth(b != 0, a, b); }, flat);
    case Op::logical_or:
      return use([](double a, double b) { return a == a && a != 0 ? 1.0 : truth(b != 0, a, b); }, flat);
    case Op::atan2:
      return use([](double a, double b) { return std::atan2(a, b); }, atan2_slopes);
    case Op::hypot:
      return use([](double a, double b) { return std::hypot(a, b); }, hypot_slopes);
    case Op::fmod:
      return use([](double a, double b) { return std::fmod(a, b); },
                 [](double a, double b, double) {
                   return Slopes{1, -std::trunc(a / b)};
                 });
    // The first one on a tie, so that the sign of a zero does not depend on the machine.
    case Op::min:
      return use([](double a, double b) { return a != a || b != b ? kNotANumber
                                                 : b < a          ? b
                                                                  : a; },
                 [](double a, double b, double) {
                   return a <= b ? Slopes{1, 0} : Slopes{0, 1};
                 });
    case Op::max:
      return use([](double a, double b) { return a != a || b != b ? kNotANumber
                                                 : b > a          ? b
                                                                  : a; },
                 [](double a, double b, double) {
                   return a >= b ? Slopes{1, 0} : Slopes{0, 1};
                 });
    default:
      throw InternalError("expression: not an operation of two operands");
  }
}

}  // namespace steelyard
