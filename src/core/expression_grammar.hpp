// Functions and operators of expressions, by name and binding.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "core/expression_ops.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace grammar {

struct Function {
  std::string_view name;
  Op op;
  int operands;  // -1: two or more
};

inline constexpr std::array kFunctions{
    Function{"sin", Op::sin, 1},     Function{"cos", Op::cos, 1},     Function{"tan", Op::tan, 1},
    Function{"asin", Op::asin, 1},   Function{"acos", Op::acos, 1},   Function{"atan", Op::atan, 1},
    Function{"sinh", Op::sinh, 1},   Function{"cosh", Op::cosh, 1},   Function{"tanh", Op::tanh, 1},
    Function{"exp", Op::exp, 1},     Function{"log", Op::log, 1},     Function{"ln", Op::log, 1},
    Function{"log10", Op::log10, 1}, Function{"log2", Op::log2, 1},   Function{"sqrt", Op::sqrt, 1},
    Function{"abs", Op::abs, 1},     Function{"sign", Op::sign, 1},   Function{"floor", Op::floor, 1},
    Function{"ceil", Op::ceil, 1},   Function{"round", Op::round, 1}, Function{"atan2", Op::atan2, 2},
    Function{"hypot", Op::hypot, 2}, Function{"fmod", Op::fmod, 2},   Function{"pow", Op::power, 2},
    Function{"min", Op::min, -1},    Function{"max", Op::max, -1},    Function{"if", Op::choose, 3},
};

struct Infix {
  std::string_view text;
  Op op;
  int level;
};

inline constexpr int kEquality = 3, kComparison = 4, kHighest = 6;

// Longer spellings first: "<=" must not be read as "<".
inline constexpr std::array kInfix{
    Infix{"||", Op::logical_or, 1},
    Infix{"&&", Op::logical_and, 2},
    Infix{"==", Op::equal, kEquality},
    Infix{"!=", Op::not_equal, kEquality},
    Infix{"<=", Op::less_equal, kComparison},
    Infix{">=", Op::greater_equal, kComparison},
    Infix{"<", Op::less, kComparison},
    Infix{">", Op::greater, kComparison},
    Infix{"+", Op::add, 5},
    Infix{"-", Op::subtract, 5},
    Infix{"*", Op::multiply, kHighest},
    Infix{"/", Op::divide, kHighest},
};

// Spellings of other languages.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kForeign{
    {{"**", "write '^' for powers"},
     {"=", "write '==' to compare"},
     {"&", "write '&&' for and"},
     {"|", "write '||' for or"},
     {",", "write numbers with a decimal point; a comma separates the arguments of a function"}}};

}  // namespace grammar

}  // namespace steelyard
