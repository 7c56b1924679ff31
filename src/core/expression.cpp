#include "steelyard/core/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/expression_program.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

constexpr int kBatch = 128;      // lanes: samples at a time, so that the operands stay in the first cache
constexpr int kSmallStack = 32;  // operands that need no allocation

// "log(x) is not finite (x = -1)". `value_of` gives the value of variable i of the program.
template <class ValueOf>
[[noreturn]] void refuse(const ExpressionProgram& program, const std::string& what, ValueOf&& value_of) {
  constexpr std::size_t kMaxValues = 20;
  std::string values;
  const std::size_t count = std::min(program.variables.size(), kMaxValues);
  for (std::size_t i = 0; i < count; ++i) {
    values += fmt::format("{}{} = {}", i == 0 ? "" : ", ", program.variables[i], value_of(i));
  }
  if (count < program.variables.size()) values += ", …";
  throw InputError(
      {what, program.place, values, "keep the argument of log, sqrt, asin, acos and every divisor in range"});
}

double run(const ExpressionProgram& program, std::span<const double> values, double* stack) {
  double* top = stack;  // one past the last operand
  for (const Instruction& instruction : program.code) {
    switch (operand_count(instruction.op)) {
      case 0:
        *top++ = instruction.op == Op::number
                     ? instruction.value
                     : values[static_cast<std::size_t>(
                           program.positions[static_cast<std::size_t>(instruction.index)])];
        break;
      case 1:
        visit_unary(instruction.op, [&](auto value, auto) { top[-1] = value(top[-1]); });
        break;
      case 2:
        --top;
        visit_binary(instruction.op, [&](auto value, auto) { top[-1] = value(top[-1], top[0]); });
        break;
      default:
        top -= 2;
        top[-1] = choose(top[-1], top[0], top[1]);
    }
  }
  return stack[0];
}

// Operands of the lane interpreter: a pointer to a column of the user's or to the operand's own buffer.
class LaneStack {
 public:
  explicit LaneStack(const ExpressionProgram& program)
      : program_(program),
        buffers_(static_cast<std::size_t>(program.stack) * kBatch),
        operands_(static_cast<std::size_t>(program.stack)) {}

  const double* run(std::span<const double* const> columns, Index first, int count) {
    std::size_t top = 0;
    for (const Instruction& instruction : program_.code) {
      const int operands = operand_count(instruction.op);
      top -= static_cast<std::size_t>(operands);
      double* out = buffers_.data() + top * kBatch;
      const double* a = operands_[top];
      const double* b = operands > 1 ? operands_[top + 1] : nullptr;
      const double* c = operands > 2 ? operands_[top + 2] : nullptr;
      if (instruction.op == Op::variable) {
        const int position = program_.positions[static_cast<std::size_t>(instruction.index)];
        operands_[top++] = columns[static_cast<std::size_t>(position)] + first;
        continue;
      }
      switch (operands) {
        case 0:
          std::fill_n(out, count, instruction.value);
          break;
        case 1:
          visit_unary(instruction.op, [&](auto value, auto) {
            for (int i = 0; i < count; ++i) out[i] = value(a[i]);
          });
          break;
        case 2:
          visit_binary(instruction.op, [&](auto value, auto) {
            for (int i = 0; i < count; ++i) out[i] = value(a[i], b[i]);
          });
          break;
        default:
          for (int i = 0; i < count; ++i) out[i] = choose(a[i], b[i], c[i]);
      }
      operands_[top++] = out;
    }
    return operands_[0];
  }

 private:
  const ExpressionProgram& program_;
  std::vector<double> buffers_;
  std::vector<const double*> operands_;
};

// slope·gradient, where a gradient of 0 wins: x^2 at 0 has a slope of -inf in its constant exponent, which is
// not a feasible direction.
double chain(double slope, double gradient) {
  return gradient == 0 ? 0.0 : slope * gradient;
}

// Operands with their gradients; gradient of operand k starts at k·width.
class DualStack {
 public:
  explicit DualStack(const ExpressionProgram& program)
      : program_(program),
        width_(program.variables.size()),
        values_(static_cast<std::size_t>(program.stack)),
        gradients_(static_cast<std::size_t>(program.stack) * width_) {}

  void run(std::span<const double> values) {
    std::size_t top = 0;
    for (const Instruction& instruction : program_.code) {
      const int operands = operand_count(instruction.op);
      top -= static_cast<std::size_t>(operands);
      double* a = &values_[top];
      double* ga = gradients_.data() + top * width_;
      double* gb = ga + width_;
      switch (operands) {
        case 0:
          push(instruction, values, *a, ga);
          break;
        case 1:
          visit_unary(instruction.op, [&](auto value, auto slope) {
            const double v = value(a[0]);
            const double s = slope(a[0], v);
            for (std::size_t i = 0; i < width_; ++i) ga[i] = chain(s, ga[i]);
            a[0] = v;
          });
          break;
        case 2:
          visit_binary(instruction.op, [&](auto value, auto slopes) {
            const double v = value(a[0], a[1]);
            const Slopes s = slopes(a[0], a[1], v);
            for (std::size_t i = 0; i < width_; ++i) ga[i] = chain(s.a, ga[i]) + chain(s.b, gb[i]);
            a[0] = v;
          });
          break;
        default:
          std::copy_n(a[0] != 0 ? gb : gb + width_, width_, ga);
          a[0] = choose(a[0], a[1], a[2]);
      }
      ++top;
    }
  }

  double value() const { return values_[0]; }
  double gradient(std::size_t i) const { return gradients_[i]; }

 private:
  void push(const Instruction& instruction, std::span<const double> values, double& value,
            double* gradient) const {
    std::fill_n(gradient, width_, 0.0);
    if (instruction.op == Op::number) {
      value = instruction.value;
      return;
    }
    const auto index = static_cast<std::size_t>(instruction.index);
    value = values[static_cast<std::size_t>(program_.positions[index])];
    gradient[index] = 1;
  }

  const ExpressionProgram& program_;
  std::size_t width_;
  std::vector<double> values_;
  std::vector<double> gradients_;
};

}  // namespace

Expression::Expression(std::shared_ptr<const ExpressionProgram> program) : program_(std::move(program)) {}

Expression Expression::parse(std::string_view text, std::span<const std::string> variables,
                             const Place& place, const ExpressionLimits& limits) {
  return Expression(std::make_shared<const ExpressionProgram>(parse_program(text, variables, place, limits)));
}

const ExpressionProgram& Expression::program() const {
  require(program_ != nullptr, "an empty Expression was used");
  return *program_;
}

const std::string& Expression::text() const {
  return program().text;
}
const std::vector<std::string>& Expression::variables() const {
  return program().variables;
}

double Expression::evaluate(std::span<const double> values) const {
  const ExpressionProgram& p = program();
  require(values.size() == static_cast<std::size_t>(p.allowed), "Expression: one value per allowed variable");
  double result = 0;
  if (p.stack <= kSmallStack) {
    std::array<double, kSmallStack> stack;
    result = run(p, values, stack.data());
  } else {
    std::vector<double> stack(static_cast<std::size_t>(p.stack));
    result = run(p, values, stack.data());
  }
  if (!std::isfinite(result)) {
    refuse(p, fmt::format("the expression {} gives {}", quoted(p.text), result),
           [&](std::size_t i) { return values[static_cast<std::size_t>(p.positions[i])]; });
  }
  return result;
}

double Expression::evaluate(std::span<const double> values, std::span<double> gradient) const {
  const ExpressionProgram& p = program();
  const auto allowed = static_cast<std::size_t>(p.allowed);
  require(values.size() == allowed && gradient.size() == allowed,
          "Expression: one value and one derivative per allowed variable");
  DualStack stack(p);
  stack.run(values);
  const auto value_of = [&](std::size_t i) { return values[static_cast<std::size_t>(p.positions[i])]; };
  if (!std::isfinite(stack.value())) {
    refuse(p, fmt::format("the expression {} gives {}", quoted(p.text), stack.value()), value_of);
  }
  std::fill(gradient.begin(), gradient.end(), 0.0);
  for (std::size_t i = 0; i < p.variables.size(); ++i) {
    const double slope = stack.gradient(i);
    if (!std::isfinite(slope)) {
      refuse(p, fmt::format("the derivative of {} by {} is {}", quoted(p.text), p.variables[i], slope),
             value_of);
    }
    gradient[static_cast<std::size_t>(p.positions[i])] = slope;
  }
  return stack.value();
}

void Expression::evaluate(std::span<const double* const> columns, Index count, double* out) const {
  const ExpressionProgram& p = program();
  require(columns.size() == static_cast<std::size_t>(p.allowed),
          "Expression: one column per allowed variable");
  LaneStack stack(p);
  for (Index first = 0; first < count; first += kBatch) {
    const int lanes = static_cast<int>(std::min<Index>(kBatch, count - first));
    const double* result = stack.run(columns, first, lanes);
    const double* bad =
        std::find_if(result, result + lanes, [](double value) { return !std::isfinite(value); });
    if (bad != result + lanes) {
      const Index sample = first + (bad - result);
      refuse(p, fmt::format("the expression {} gives {} at sample {}", quoted(p.text), *bad, sample),
             [&](std::size_t i) { return columns[static_cast<std::size_t>(p.positions[i])][sample]; });
    }
    // A program of one variable returns the user's own column.
    if (result != out + first) std::copy_n(result, lanes, out + first);
  }
}

double constant(std::string_view text, const Place& place) {
  return Expression::parse(text, {}, place).evaluate(std::span<const double>());
}

}  // namespace steelyard
