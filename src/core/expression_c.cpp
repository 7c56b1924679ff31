#include "core/expression_print.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

using namespace print;

// Every operand that is not a name, a number or a call gets brackets, except the left one of a sum or a
// product: C reads a + b + c as (a + b) + c too, and compilers limit the depth of brackets. Pieces of kind
// truth hold a C condition, which becomes 1.0 or 0.0 where a number is needed. Nothing is written twice, so
// the text grows with the program only.
class CPrinter {
 public:
  static void unary(std::vector<Piece>& stack, Op op) {
    Piece a = pop(stack);
    if (op == Op::logical_not) {
      stack.push_back(
          {"!" + bracketed({condition(std::move(a)), kChoice}, kPrimary), kPrefix, Op::logical_not});
    } else if (op == Op::negate) {
      stack.push_back({"-" + operand(std::move(a), kPrimary), kPrefix, op});
    } else if (op == Op::sign) {
      // 2^1123·a has at least the size of 1 for every a but 0; no number is small enough to slip through.
      const std::string huge =
          operand(std::move(a), kProduct) + " * 8.9884656743115795e+307 * 1.2676506002282294e+30";
      stack.push_back({"fmax(-1.0, fmin(1.0, " + huge + "))", kPrimary, op});
    } else {
      stack.push_back(
          {std::string(spelling(op).c) + "(" + operand(std::move(a), kChoice) + ")", kPrimary, op});
    }
  }

  static void binary(std::vector<Piece>& stack, Op op) {
    const Spelling& s = spelling(op);
    Piece b = pop(stack);
    Piece a = pop(stack);
    std::string text;
    Level level = s.level;
    if (s.level == kPrimary || op == Op::power) {
      text = std::string(s.c) + "(" + operand(std::move(a), kChoice) + ", " + operand(std::move(b), kChoice) +
             ")";
      level = kPrimary;
    } else if (op == Op::logical_and || op == Op::logical_or) {
      text = "(" + condition(std::move(a)) + ") " + s.c + " (" + condition(std::move(b)) + ")";
    } else {
      const bool chains = s.level == kSum || s.level == kProduct;
      text = operand(std::move(a), chains ? s.level : kPrimary);
      text += std::string(" ") + s.c + " " + operand(std::move(b), kPrimary);
    }
    stack.push_back({std::move(text), level, op});
  }

  static void choose(std::vector<Piece>& stack) {
    Piece no = pop(stack);
    Piece yes = pop(stack);
    Piece decides = pop(stack);
    std::string text = "(" + condition(std::move(decides)) + ") ? " + operand(std::move(yes), kPrimary) +
                       " : " + operand(std::move(no), kPrimary);
    stack.push_back({std::move(text), kChoice, Op::choose});
  }

  // As a number.
  static std::string operand(Piece piece, Level lowest) {
    if (is_truth(piece.op)) piece = {"(" + piece.text + ") ? 1.0 : 0.0", kChoice, Op::choose};
    return bracketed(std::move(piece), lowest);
  }

 private:
  static bool is_truth(Op op) { return op == Op::logical_not || (op >= Op::less && op <= Op::logical_or); }

  // As something that C's if would take.
  static std::string condition(Piece piece) {
    if (is_truth(piece.op)) return std::move(piece.text);
    return bracketed(std::move(piece), kPrimary) + " != 0.0";
  }
};

// Dots become underscores.
std::vector<std::string> plain_c_names(const ExpressionProgram& program) {
  std::vector<std::string> names = program.variables;
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (char& c : names[i]) {
      if (c == '.') c = '_';
    }
    for (std::size_t k = 0; k < i; ++k) {
      if (names[i] != names[k]) continue;
      throw InputError({"the variables " + quoted(program.variables[k]) + " and " +
                            quoted(program.variables[i]) + " would both be called " + quoted(names[i]) +
                            " in C",
                        program.place, "", "rename one of them"});
    }
  }
  return names;
}

}  // namespace

std::string Expression::to_c(std::span<const std::string> names) const {
  const ExpressionProgram& p = program();
  require(names.empty() || names.size() == static_cast<std::size_t>(p.allowed),
          "Expression: one C name per allowed variable");
  std::vector<std::string> used;
  if (names.empty()) {
    used = plain_c_names(p);
  } else {
    for (const int position : p.positions) used.push_back(names[static_cast<std::size_t>(position)]);
  }
  const auto leaf = [&](const Instruction& instruction) {
    if (instruction.op == Op::variable) return used[static_cast<std::size_t>(instruction.index)];
    std::string text = seventeen_digits(instruction.value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";  // 1/2 is 0 in C
    return text;
  };
  return CPrinter::operand(run<CPrinter>(p, leaf), kPrimary);
}

}  // namespace steelyard
