#include <array>
#include <charconv>
#include <utility>

#include "core/expression_program.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

namespace {

// How strongly the outermost operator of a piece of text binds.
enum Level { kChoice, kOr, kAnd, kEquality, kComparison, kSum, kProduct, kPrefix, kPower, kPrimary };

struct Spelling {
  const char* text;  // in our text
  const char* c;     // in C; null when C needs more than an operator or a function
  Level level;       // kPrimary: a function
};

Spelling spelling(Op op) {
  switch (op) {
    case Op::negate:
      return {"-", "-", kPrefix};
    case Op::logical_not:
      return {"!", "!", kPrefix};
    case Op::sin:
      return {"sin", "sin", kPrimary};
    case Op::cos:
      return {"cos", "cos", kPrimary};
    case Op::tan:
      return {"tan", "tan", kPrimary};
    case Op::asin:
      return {"asin", "asin", kPrimary};
    case Op::acos:
      return {"acos", "acos", kPrimary};
    case Op::atan:
      return {"atan", "atan", kPrimary};
    case Op::sinh:
      return {"sinh", "sinh", kPrimary};
    case Op::cosh:
      return {"cosh", "cosh", kPrimary};
    case Op::tanh:
      return {"tanh", "tanh", kPrimary};
    case Op::exp:
      return {"exp", "exp", kPrimary};
    case Op::log:
      return {"log", "log", kPrimary};
    case Op::log10:
      return {"log10", "log10", kPrimary};
    case Op::log2:
      return {"log2", "log2", kPrimary};
    case Op::sqrt:
      return {"sqrt", "sqrt", kPrimary};
    case Op::abs:
      return {"abs", "fabs", kPrimary};
    case Op::sign:
      return {"sign", nullptr, kPrimary};
    case Op::floor:
      return {"floor", "floor", kPrimary};
    case Op::ceil:
      return {"ceil", "ceil", kPrimary};
    case Op::round:
      return {"round", "round", kPrimary};
    case Op::add:
      return {"+", "+", kSum};
    case Op::subtract:
      return {"-", "-", kSum};
    case Op::multiply:
      return {"*", "*", kProduct};
    case Op::divide:
      return {"/", "/", kProduct};
    case Op::power:
      return {"^", "pow", kPower};
    case Op::less:
      return {"<", "<", kComparison};
    case Op::less_equal:
      return {"<=", "<=", kComparison};
    case Op::greater:
      return {">", ">", kComparison};
    case Op::greater_equal:
      return {">=", ">=", kComparison};
    case Op::equal:
      return {"==", "==", kEquality};
    case Op::not_equal:
      return {"!=", "!=", kEquality};
    case Op::logical_and:
      return {"&&", "&&", kAnd};
    case Op::logical_or:
      return {"||", "||", kOr};
    case Op::atan2:
      return {"atan2", "atan2", kPrimary};
    case Op::hypot:
      return {"hypot", "hypot", kPrimary};
    case Op::fmod:
      return {"fmod", "fmod", kPrimary};
    case Op::min:
      return {"min", "fmin", kPrimary};
    case Op::max:
      return {"max", "fmax", kPrimary};
    default:
      throw InternalError("expression: not an operator or a function");
  }
}

// Without locale. Shortest text that reads back to the same number, or 17 digits.
std::string number_text(double value, bool seventeen) {
  std::array<char, 40> buffer;
  char* end = buffer.data() + buffer.size();
  const auto result = seventeen ? std::to_chars(buffer.data(), end, value, std::chars_format::general, 17)
                                : std::to_chars(buffer.data(), end, value);
  return std::string(buffer.data(), result.ptr);
}

struct Piece {
  std::string text;
  Level level = kPrimary;
  Op op = Op::number;
};

// The last operand is at the back of the stack.
Piece pop(std::vector<Piece>& stack) {
  Piece piece = std::move(stack.back());
  stack.pop_back();
  return piece;
}

std::string bracketed(Piece piece, Level lowest) {
  return piece.level < lowest ? "(" + piece.text + ")" : std::move(piece.text);
}

Level above(Level level) {
  return static_cast<Level>(level + 1);
}

class TextPrinter {
 public:
  static void unary(std::vector<Piece>& stack, Op op) {
    const Spelling s = spelling(op);
    Piece a = pop(stack);
    if (s.level == kPrimary) {
      stack.push_back({std::string(s.text) + "(" + a.text + ")", kPrimary, op});
    } else {
      stack.push_back({s.text + bracketed(std::move(a), kPrefix), kPrefix, op});
    }
  }

  static void binary(std::vector<Piece>& stack, Op op) {
    const Spelling s = spelling(op);
    Piece b = pop(stack);
    Piece a = pop(stack);
    if (s.level == kPrimary) return function(stack, op, std::move(a), std::move(b));
    if (op == Op::power) {
      a.text = bracketed(std::move(a), kPrimary) + "^" + bracketed(std::move(b), kPrefix);
    } else {
      const bool chains = s.level != kComparison && s.level != kEquality;
      a.text = bracketed(std::move(a), chains ? s.level : above(s.level));
      a.text += std::string(" ") + s.text + " " + bracketed(std::move(b), above(s.level));
    }
    stack.push_back({std::move(a.text), s.level, op});
  }

  static void choose(std::vector<Piece>& stack) {
    Piece no = pop(stack);
    Piece yes = pop(stack);
    Piece condition = pop(stack);
    stack.push_back(
        {bracketed(std::move(condition), kOr) + " ? " + yes.text + " : " + no.text, kChoice, Op::choose});
  }

 private:
  // min(min(a, b), c) is written min(a, b, c), so that long lists do not become deep nests.
  static void function(std::vector<Piece>& stack, Op op, Piece a, Piece b) {
    if ((op == Op::min || op == Op::max) && a.op == op) {
      a.text.back() = ',';
      a.text += " " + b.text + ")";
    } else {
      a.text = std::string(spelling(op).text) + "(" + a.text + ", " + b.text + ")";
    }
    stack.push_back({std::move(a.text), kPrimary, op});
  }
};

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
    const Spelling s = spelling(op);
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

template <class Printer, class Leaf>
Piece print(const ExpressionProgram& program, Leaf&& leaf) {
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

std::string Expression::to_text() const {
  const ExpressionProgram& p = program();
  return print<TextPrinter>(p,
                            [&](const Instruction& instruction) {
                              return instruction.op == Op::number
                                         ? number_text(instruction.value, false)
                                         : p.variables[static_cast<std::size_t>(instruction.index)];
                            })
      .text;
}

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
  return CPrinter::operand(print<CPrinter>(p,
                                           [&](const Instruction& instruction) {
                                             if (instruction.op == Op::variable) {
                                               return used[static_cast<std::size_t>(instruction.index)];
                                             }
                                             std::string text = number_text(instruction.value, true);
                                             // 1/2 is 0 in C.
                                             if (text.find_first_of(".e") == std::string::npos) text += ".0";
                                             return text;
                                           }),
                           kPrimary);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
