// What the printers of text and of C share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/expression_program.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace print {

// How strongly the outermost operator of a piece of text binds.
enum Level { kChoice, kOr, kAnd, kEquality, kComparison, kSum, kProduct, kPrefix, kPower, kPrimary };

struct Spelling {
  Op op;
  const char* text;  // in our text
  const char* c;     // in C; null when C needs more than an operator or a function
  Level level;       // kPrimary: a function
};

// Of operators and functions.
const Spelling& spelling(Op op);

// Without locale: the shortest text that reads back to the same number, or 17 digits.
std::string shortest_number(double value);
std::string seventeen_digits(double value);

struct Piece {
  std::string text;
  Level level = kPrimary;
  Op op = Op::number;
};

// The last operand is at the back of the stack.
inline Piece pop(std::vector<Piece>& stack) {
  Piece piece = std::move(stack.back());
  stack.pop_back();
  return piece;
}

inline std::string bracketed(Piece piece, Level lowest) {
  return piece.level < lowest ? "(" + piece.text + ")" : std::move(piece.text);
}

// Runs the program on pieces of text; leaf(instruction) writes numbers and variables.
template <class Printer, class Leaf>
Piece run(const ExpressionProgram& program, Leaf&& leaf) {
  std::vector<Piece> stack;
  for (const Instruction& instruction : program.code) {
    switch (operand_count(instruction.op)) {
      case 0:
        stack.push_back({leaf(instruction)});
        break;
      case 1:
        Printer::unary(stack, instruction.op);
        break;
      case 2:
        Printer::binary(stack, instruction.op);
        break;
      default:
        Printer::choose(stack);
    }
  }
  return pop(stack);
}

}  // namespace print

}  // namespace steelyard
