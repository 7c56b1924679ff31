#include "core/random_expression.hpp"

#include <array>

namespace steelyard::testing {

namespace {

enum Level { kBracketMe, kSum, kProduct, kPrefix, kPower, kPrimary };

struct Text {
  std::string text;
  Level level;
};

class Writer {
 public:
  Writer(Random& random, const RandomExpressionOptions& options) : random_(random), options_(options) {}

  Text write(int depth) {
    if (depth == 0 || random_.below(12) == 0) return leaf();
    switch (random_.below(options_.smooth ? 6 : 10)) {
      case 0:
        return chain(depth, kSum, {"+", "-"});
      case 1:
        return chain(depth, kProduct, {"*", "/"});
      case 2:
        return {"-" + bracket(write(depth - 1), kPower), kPrefix};
      case 3:
        return {bracket(write(depth - 1), kPrimary) + "^" + bracket(write(depth - 1), kPower), kPower};
      case 4:
      case 5:
        return call(depth);
      case 6:
        return comparison(depth);
      case 7:
        return {argument(depth) + (random_.below(2) ? " && " : "||") + argument(depth), kBracketMe};
      case 8:
        return {"(" + argument(depth) + " ? " + argument(depth) + " : " + argument(depth) + ")", kPrimary};
      default:
        return list(depth);
    }
  }

 private:
  Text leaf() {
    static constexpr std::array kNumbers{"0", "1", "2", "0.5", ".25", "3.", "1e-3", "2.5E+1", "10", "0.1"};
    static constexpr std::array kNames{"x", "y", "z1", "pi"};
    if (random_.below(3) == 0) return {kNumbers[random_.below(kNumbers.size())], kPrimary};
    return {kNames[random_.below(kNames.size())], kPrimary};
  }

  std::string argument(int depth) { return bracket(write(depth - 1), kPrimary); }

  std::string bracket(const Text& text, Level lowest) {
    const bool needed = text.level < lowest;
    return needed || random_.below(8) == 0 ? "(" + text.text + ")" : text.text;
  }

  Text chain(int depth, Level level, std::array<const char*, 2> operators) {
    std::string text = bracket(write(depth - 1), level);
    for (auto more = 1 + random_.below(3); more > 0; --more) {
      text += blank() + operators[random_.below(2)] + blank() +
              bracket(write(depth - 1), static_cast<Level>(level + 1));
    }
    return {text, level};
  }

  Text call(int depth) {
    static constexpr std::array kSmooth{"sin",  "cos", "tan", "asin", "acos",  "atan", "sinh", "cosh",
                                        "tanh", "exp", "log", "ln",   "log10", "log2", "sqrt"};
    static constexpr std::array kKinked{"abs", "sign", "floor", "ceil", "round"};
    static constexpr std::array kTwo{"atan2", "hypot", "pow", "fmod"};
    const auto pick = random_.below(options_.smooth ? 18 : 24);
    if (pick < 15) return {std::string(kSmooth[pick]) + "(" + write(depth - 1).text + ")", kPrimary};
    if (pick >= 19) return {std::string(kKinked[pick - 19]) + "(" + write(depth - 1).text + ")", kPrimary};
    const std::string first = write(depth - 1).text;
    return {std::string(kTwo[pick - 15]) + "(" + first + "," + blank() + write(depth - 1).text + ")",
            kPrimary};
  }

  Text list(int depth) {
    std::string text = random_.below(2) ? "min(" : "max(";
    text += write(depth - 1).text;
    for (auto more = 1 + random_.below(3); more > 0; --more) text += ", " + write(depth - 1).text;
    return {text + ")", kPrimary};
  }

  Text comparison(int depth) {
    static constexpr std::array kOperators{"<", "<=", ">", ">=", "==", "!="};
    const std::string left = argument(depth);
    return {left + blank() + kOperators[random_.below(kOperators.size())] + blank() + argument(depth),
            kBracketMe};
  }

  std::string blank() { return random_.below(2) ? " " : ""; }

  Random& random_;
  const RandomExpressionOptions& options_;
};

}  // namespace

std::string random_expression(Random& random, const RandomExpressionOptions& options) {
  return Writer(random, options).write(options.depth).text;
}

}  // namespace steelyard::testing
