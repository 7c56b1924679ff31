#include "core/expression_print.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

using namespace print;

Level above(Level level) {
  return static_cast<Level>(level + 1);
}

class TextPrinter {
 public:
  static void unary(std::vector<Piece>& stack, Op op) {
    const Spelling& s = spelling(op);
    Piece a = pop(stack);
    if (s.level == kPrimary) {
      stack.push_back({std::string(s.text) + "(" + a.text + ")", kPrimary, op});
    } else {
      stack.push_back({s.text + bracketed(std::move(a), kPrefix), kPrefix, op});
    }
  }

  static void binary(std::vector<Piece>& stack, Op op) {
    const Spelling& s = spelling(op);
    Piece b = pop(stack);
    Piece a = pop(stack);
    if (s.level == kPrimary) return function(stack, op, std::move(a), b);
    std::string text;
    if (op == Op::power) {
      text = bracketed(std::move(a), kPrimary) + "^" + bracketed(std::move(b), kPrefix);
    } else {
      const bool chains = s.level != kComparison && s.level != kEquality;
      text = bracketed(std::move(a), chains ? s.level : above(s.level));
      text += std::string(" ") + s.text + " " + bracketed(std::move(b), above(s.level));
    }
    stack.push_back({std::move(text), s.level, op});
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
  static void function(std::vector<Piece>& stack, Op op, Piece a, const Piece& b) {
    if ((op == Op::min || op == Op::max) && a.op == op) {
      a.text.back() = ',';
      a.text += " " + b.text + ")";
    } else {
      a.text = std::string(spelling(op).text) + "(" + a.text + ", " + b.text + ")";
    }
    stack.push_back({std::move(a.text), kPrimary, op});
  }
};

}  // namespace

std::string Expression::to_text() const {
  const ExpressionProgram& p = program();
  return run<TextPrinter>(p,
                          [&](const Instruction& instruction) {
                            return instruction.op == Op::number
                                       ? shortest_number(instruction.value)
                                       : p.variables[static_cast<std::size_t>(instruction.index)];
                          })
      .text;
}

}  // namespace steelyard
