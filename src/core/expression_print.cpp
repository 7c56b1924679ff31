#include "core/expression_print.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace steelyard::inline STEELYARD_ABI {

namespace print {

namespace {

constexpr std::array kSpellings{
    Spelling{Op::negate, "-", "-", kPrefix},         Spelling{Op::logical_not, "!", "!", kPrefix},
    Spelling{Op::sin, "sin", "sin", kPrimary},       Spelling{Op::cos, "cos", "cos", kPrimary},
    Spelling{Op::tan, "tan", "tan", kPrimary},       Spelling{Op::asin, "asin", "asin", kPrimary},
    Spelling{Op::acos, "acos", "acos", kPrimary},    Spelling{Op::atan, "atan", "atan", kPrimary},
    Spelling{Op::sinh, "sinh", "sinh", kPrimary},    Spelling{Op::cosh, "cosh", "cosh", kPrimary},
    Spelling{Op::tanh, "tanh", "tanh", kPrimary},    Spelling{Op::exp, "exp", "exp", kPrimary},
    Spelling{Op::log, "log", "log", kPrimary},       Spelling{Op::log10, "log10", "log10", kPrimary},
    Spelling{Op::log2, "log2", "log2", kPrimary},    Spelling{Op::sqrt, "sqrt", "sqrt", kPrimary},
    Spelling{Op::abs, "abs", "fabs", kPrimary},      Spelling{Op::sign, "sign", nullptr, kPrimary},
    Spelling{Op::floor, "floor", "floor", kPrimary}, Spelling{Op::ceil, "ceil", "ceil", kPrimary},
    Spelling{Op::round, "round", "round", kPrimary}, Spelling{Op::add, "+", "+", kSum},
    Spelling{Op::subtract, "-", "-", kSum},          Spelling{Op::multiply, "*", "*", kProduct},
    Spelling{Op::divide, "/", "/", kProduct},        Spelling{Op::power, "^", "pow", kPower},
    Spelling{Op::less, "<", "<", kComparison},       Spelling{Op::less_equal, "<=", "<=", kComparison},
    Spelling{Op::greater, ">", ">", kComparison},    Spelling{Op::greater_equal, ">=", ">=", kComparison},
    Spelling{Op::equal, "==", "==", kEquality},      Spelling{Op::not_equal, "!=", "!=", kEquality},
    Spelling{Op::logical_and, "&&", "&&", kAnd},     Spelling{Op::logical_or, "||", "||", kOr},
    Spelling{Op::atan2, "atan2", "atan2", kPrimary}, Spelling{Op::hypot, "hypot", "hypot", kPrimary},
    Spelling{Op::fmod, "fmod", "fmod", kPrimary},    Spelling{Op::min, "min", "fmin", kPrimary},
    Spelling{Op::max, "max", "fmax", kPrimary},
};

using Buffer = std::array<char, 40>;

}  // namespace

const Spelling& spelling(Op op) {
  const auto found =
      std::find_if(kSpellings.begin(), kSpellings.end(), [op](const Spelling& s) { return s.op == op; });
  require(found != kSpellings.end(), "expression: not an operator or a function");
  return *found;
}

std::string shortest_number(double value) {
  Buffer buffer;
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

std::string seventeen_digits(double value) {
  Buffer buffer;
  char* end = buffer.data() + buffer.size();
  return {buffer.data(), std::to_chars(buffer.data(), end, value, std::chars_format::general, 17).ptr};
}

}  // namespace print

}  // namespace steelyard
