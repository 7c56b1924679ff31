// Expressions in numbers, constraints, extra regressor columns and exported C, as flat postfix programs.
//
// Grammar, strongest first (docs/expressions.md):
//   number  name  f(a, …)  (a)
//   ^                right associative; -2^2 = -4, 2^-1 = 0.5
//   - + !            prefix
//   * /    + -    < <= > >=    == !=    &&    ||     left associative; comparisons do not chain
//   a ? b : c        right associative; if(a, b, c) is the same
// Truth is 1, falsehood 0; everything but 0 counts as true.
//
// Programs are total and pure: both branches of a choice are computed and one is picked, so that the branch
// not taken cannot change the result. A value that is not a number stays one through comparisons, choices,
// min and max: it cannot decide a branch silently. Results that are not finite are InputErrors; infinite
// intermediates are IEEE's (atan(1/0) is pi/2).
//
// Gradients are forward mode and piecewise: 0 for comparisons, sign and rounding, that of the branch taken
// for choices, of the first argument for ties of min and max, 0 for abs and hypot at 0. At a kink that is one
// element of the subdifferential, not a derivative.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Against hostile input; no sensible expression comes near.
struct ExpressionLimits {
  std::size_t text = 65536;  // bytes
  int depth = 200;           // nested brackets, calls, choices, prefixes and powers
  int instructions = 4096;
};

struct ExpressionProgram;

// Immutable; copies share the program; usable from many threads. A default one may only be assigned.
class Expression {
 public:
  Expression() = default;

  // `variables` are the allowed names; values, columns and gradients come in their order. A variable hides
  // the constant of the same name. `place` stands for the text in messages.
  static Expression parse(std::string_view text, std::span<const std::string> variables,
                          const Place& place = {}, const ExpressionLimits& limits = {});

  const std::string& text() const;                    // as parsed
  const std::vector<std::string>& variables() const;  // those that occur, in the order of the allowed ones

  double evaluate(std::span<const double> values) const;

  // Also the partial derivatives with respect to all allowed variables.
  double evaluate(std::span<const double> values, std::span<double> gradient) const;

  // out[s] for columns[v][s], s < count; same bytes as one by one. Columns of variables that do not occur may
  // be null; `out` may be one of the columns. On an error, which names the first sample, `out` is partly
  // overwritten.
  void evaluate(std::span<const double* const> columns, Index count, double* out) const;

  // Brackets only where needed; parses to the same program.
  std::string to_text() const;

  // One C99 expression of type double that needs only <math.h>. `names` are the C names of all allowed
  // variables; when empty, dots become underscores and two names that then agree are refused (C's
  // keywords are not). Nothing in the C code checks for NaN.
  std::string to_c(std::span<const std::string> names = {}) const;

 private:
  explicit Expression(std::shared_ptr<const ExpressionProgram> program);
  const ExpressionProgram& program() const;

  std::shared_ptr<const ExpressionProgram> program_;
};

// A number that may be written as an expression: "pi/2", "1e-3*2", "-0.5".
double constant(std::string_view text, const Place& place = {});

}  // namespace steelyard
