// The postfix program of an expression: instructions on a stack of doubles.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/expression_ops.hpp"
#include "steelyard/core/expression.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Instruction {
  Op op = Op::number;
  int index = 0;     // variable: into ExpressionProgram::variables
  double value = 0;  // number
};

struct ExpressionProgram {
  std::string text;
  Place place;
  std::vector<Instruction> code;
  std::vector<std::string> variables;  // those that occur
  std::vector<int> positions;          // of `variables` among the allowed ones
  int allowed = 0;                     // number of allowed variables
  int stack = 0;                       // most operands alive at a time
};

// Throws InputError when the text does not parse.
ExpressionProgram parse_program(std::string_view text, std::span<const std::string> variables,
                                const Place& place, const ExpressionLimits& limits);

}  // namespace steelyard
