#include <algorithm>
#include <charconv>
#include <numbers>
#include <system_error>
#include <utility>

#include "core/expression_grammar.hpp"
#include "core/expression_program.hpp"
#include "steelyard/core/expression.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

using grammar::Function;
using grammar::Infix;
using grammar::kComparison;
using grammar::kEquality;
using grammar::kForeign;
using grammar::kFunctions;
using grammar::kInfix;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Parser {
 public:
  Parser(std::string_view text, std::span<const std::string> variables, const Place& place,
         const ExpressionLimits& limits)
      : text_(text), variables_(variables), place_(place), limits_(limits), slot_(variables.size(), -1) {}

  ExpressionProgram parse() {
    if (text_.size() > limits_.text) {
      fail(0, "the expression has " + std::to_string(text_.size()) + " characters",
           "at most " + std::to_string(limits_.text), "");
    }
    expression();
    if (!at_end()) unexpected();
    finish();
    return std::move(program_);
  }

 private:
  // a ? b : c
  void expression() {
    const std::size_t begin = at_;
    deeper(begin);
    infix(1);
    if (take("?")) {
      expression();
      expect(":", "the ':' of 'a ? b : c'");
      expression();
      emit({Op::choose});
    }
    --depth_;
  }

  // Operators of at least the given level. The loop makes them left associative.
  void infix(int level) {
    prefix();
    int last_level = 0;
    while (const Infix* found = peek_infix()) {
      if (found->level < level) return;
      const bool compares = found->level == kComparison || found->level == kEquality;
      if (compares && last_level == found->level) {
        fail(at_, "comparisons do not chain", "", "write 'a < b && b < c' for 'a < b < c'");
      }
      at_ += found->text.size();
      infix(found->level + 1);
      emit({found->op});
      last_level = found->level;
    }
  }

  void prefix() {
    skip_blanks();
    const std::size_t begin = at_;
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (c != '-' && c != '+' && c != '!') return power();
    deeper(begin);
    ++at_;
    prefix();
    if (c == '-') emit({Op::negate});
    if (c == '!') emit({Op::logical_not});
    --depth_;
  }

  void power() {
    primary();
    skip_blanks();
    const std::size_t begin = at_;
    if (!take("^")) return;
    deeper(begin);
    prefix();
    emit({Op::power});
    --depth_;
  }

  void primary() {
    skip_blanks();
    if (at_ >= text_.size()) fail(at_, "the expression is incomplete", "", "");
    const char c = text_[at_];
    if (take("(")) {
      expression();
      expect(")", "')'");
    } else if (is_digit(c) || c == '.') {
      number();
    } else if (is_letter(c)) {
      name();
    } else {
      unexpected();
    }
  }

  void number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::invalid_argument) unexpected();
    const std::string_view digits(begin, static_cast<std::size_t>(end - begin));
    if (error == std::errc::result_out_of_range) {
      fail(at_, "the number " + quoted(digits) + " is out of range", "between 4.9e-324 and 1.8e308", "");
    }
    at_ += digits.size();
    emit({Op::number, 0, value});
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '(') return call(word, begin);
    const auto found = std::find(variables_.begin(), variables_.end(), word);
    if (found != variables_.end()) return variable(static_cast<std::size_t>(found - variables_.begin()));
    if (word == "pi") return emit({Op::number, 0, std::numbers::pi});
    std::vector<std::string> known(variables_.begin(), variables_.end());
    known.emplace_back("pi");
    refuse_name("name", word, begin, known);
  }

  void variable(std::size_t position) {
    if (slot_[position] < 0) {
      slot_[position] = static_cast<int>(program_.variables.size());
      program_.variables.push_back(variables_[position]);
      program_.positions.push_back(static_cast<int>(position));
    }
    emit({Op::variable, slot_[position]});
  }

  void call(std::string_view word, std::size_t begin) {
    const auto function =
        std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == word; });
    if (function == kFunctions.end()) {
      std::vector<std::string> known;
      for (const Function& f : kFunctions) known.emplace_back(f.name);
      refuse_name("function", word, begin, known);
    }
    expect("(", "'('");
    int operands = 0;
    if (!take(")")) {
      do {
        expression();
        ++operands;
        if (function->operands < 0 && operands > 1) emit({function->op});
      } while (take(","));
      expect(")", "',' or ')'");
    }
    if (function->operands < 0 ? operands >= 2 : operands == function->operands) {
      if (function->operands > 0) emit({function->op});
      return;
    }
    const std::string wanted = function->operands < 0 ? "two or more" : std::to_string(function->operands);
    fail(begin, quoted(word) + " has " + std::to_string(operands) + " arguments", "takes " + wanted, "");
  }

  // Tracks the height of the stack; the program grows by one instruction.
  void emit(const Instruction& instruction) {
    if (program_.code.size() >= static_cast<std::size_t>(std::max(0, limits_.instructions))) {
      fail(at_, "the expression is too long",
           "at most " + std::to_string(limits_.instructions) + " operations", "");
    }
    program_.code.push_back(instruction);
    height_ += 1 - operand_count(instruction.op);
    program_.stack = std::max(program_.stack, height_);
  }

  // Variables in the order of the allowed ones, whatever the order of their occurrence.
  void finish() {
    program_.text = std::string(text_);
    program_.place = place_;
    program_.allowed = static_cast<int>(variables_.size());
    program_.variables.clear();
    program_.positions.clear();
    std::vector<int> renumbered(variables_.size(), 0);
    for (std::size_t i = 0; i < slot_.size(); ++i) {
      if (slot_[i] < 0) continue;
      renumbered[static_cast<std::size_t>(slot_[i])] = static_cast<int>(program_.variables.size());
      program_.variables.push_back(variables_[i]);
      program_.positions.push_back(static_cast<int>(i));
    }
    for (Instruction& instruction : program_.code) {
      if (instruction.op == Op::variable)
        instruction.index = renumbered[static_cast<std::size_t>(instruction.index)];
    }
  }

  const Infix* peek_infix() {
    skip_blanks();
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("**")) return nullptr;
    for (const Infix& candidate : kInfix) {
      if (rest.starts_with(candidate.text)) return &candidate;
    }
    return nullptr;
  }

  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }

  bool take(std::string_view token) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void expect(std::string_view token, const std::string& description) {
    if (take(token)) return;
    if (at_end()) fail(at_, "the expression ends before " + description, "", "");
    unexpected();
  }

  void deeper(std::size_t where) {
    if (++depth_ > limits_.depth) {
      fail(where, "the expression is nested too deeply",
           "at most " + std::to_string(limits_.depth) + " levels", "");
    }
  }

  [[noreturn]] void unexpected() {
    skip_blanks();
    const std::string_view rest = text_.substr(at_);
    std::string remedy;
    std::size_t length = 1;
    for (const auto& [spelling, advice] : kForeign) {
      if (!rest.starts_with(spelling)) continue;
      remedy = advice;
      length = spelling.size();
      break;
    }
    if (is_letter(rest[0])) {
      while (length < rest.size() && (is_letter(rest[length]) || is_digit(rest[length]))) ++length;
      remedy = "write '*' for products";
    }
    // The whole of a character outside ASCII.
    while (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xC0) == 0x80) ++length;
    fail(at_, "unexpected " + quoted(rest.substr(0, length)), "", remedy);
  }

  [[noreturn]] void refuse_name(const char* kind, std::string_view word, std::size_t where,
                                std::span<const std::string> known) {
    Complaint complaint = unknown(kind, word, known);
    fail(where, complaint.what, complaint.limit, complaint.remedy);
  }

  // With the column in the expression; the caller's place is kept as it is, because quotes and line breaks of
  // the file it came from are not known here.
  [[noreturn]] void fail(std::size_t where, const std::string& what, const std::string& limit,
                         const std::string& remedy) {
    Place place = place_;
    const int column = static_cast<int>(where) + 1;
    if (place.line == 0) place.column = column;
    const std::size_t begin = where > 20 ? where - 20 : 0;
    const std::string excerpt = (begin > 0 ? "…" : "") + std::string(text_.substr(begin, 61));
    throw InputError({what + " at column " + std::to_string(column) + " of " + quoted(excerpt), place, limit,
                      remedy.empty() ? "docs/expressions.md describes the syntax" : remedy});
  }

  std::string_view text_;
  std::span<const std::string> variables_;
  const Place& place_;
  const ExpressionLimits& limits_;
  std::vector<int> slot_;  // of each allowed variable among those met, -1: not met
  ExpressionProgram program_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int height_ = 0;
};

}  // namespace

ExpressionProgram parse_program(std::string_view text, std::span<const std::string> variables,
                                const Place& place, const ExpressionLimits& limits) {
  return Parser(text, variables, place, limits).parse();
}

}  // namespace steelyard
