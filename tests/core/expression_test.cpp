#include "steelyard/core/expression.hpp"

#include <gtest/gtest.h>
#include <muParser.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include "core/random_expression.hpp"

namespace steelyard {
namespace {

using testing::kRandomVariables;
using testing::random_expression;

double at(const std::string& text, double x) {
  const std::vector<std::string> names{"x"};
  return Expression::parse(text, names).evaluate(std::span(&x, 1));
}

// Nothing when the result is not finite.
std::optional<double> try_evaluate(const Expression& expression, const std::vector<double>& values) {
  try {
    return expression.evaluate(values);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

class MuParser {
 public:
  MuParser() {
    for (std::size_t i = 0; i < 3; ++i) parser_.DefineVar(kRandomVariables[i], &values_[i]);
    parser_.DefineConst("pi", std::numbers::pi);
    parser_.DefineFun("floor", static_cast<double (*)(double)>(std::floor));
    parser_.DefineFun("ceil", static_cast<double (*)(double)>(std::ceil));
    parser_.DefineFun("round", static_cast<double (*)(double)>(std::round));
    parser_.DefineFun("log2",
                      static_cast<double (*)(double)>(std::log2));  // its own is a quotient of logarithms
    parser_.DefineFun("hypot", static_cast<double (*)(double, double)>(std::hypot));
    parser_.DefineFun("pow", static_cast<double (*)(double, double)>(std::pow));
    parser_.DefineFun("fmod", static_cast<double (*)(double, double)>(std::fmod));
    // Its optimizer rewrites 3*x + 4*x as 7*x, which rounds differently.
    parser_.EnableOptimizer(false);
  }

  void parse(const std::string& text) { parser_.SetExpr(text); }

  double evaluate(const std::vector<double>& values) {
    values_ = values;
    return parser_.Eval();
  }

 private:
  std::vector<double> values_ = std::vector<double>(3);
  mu::Parser parser_;
};

TEST(Expression, BindsAsDocumented) {
  const std::vector<std::pair<const char*, double>> cases{
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"8 - 4 - 2", 2},
      {"16 / 4 / 2", 2},
      {"-2^2", -4},
      {"(-2)^2", 4},
      {"2^-1", 0.5},
      {"2^3^2", 512},
      {"2 * -3", -6},
      {"--2", 2},
      {"+2", 2},
      {"-2 * -3", 6},
      {"1 < 2", 1},
      {"2 <= 1", 0},
      {"3 > 2", 1},
      {"2 >= 3", 0},
      {"1 == 1", 1},
      {"1 != 1", 0},
      {"1 + 1 == 2", 1},
      {"1 < 2 == 1", 1},
      {"1 || 0 && 0", 1},
      {"(1 || 0) && 0", 0},
      {"!0", 1},
      {"!2", 0},
      {"!0 + 1", 2},
      {"!0^0", 0},
      {"!1 == 0", 1},
      {"0.5 && -3", 1},
      {"1 ? 2 : 3", 2},
      {"0 ? 2 : 3", 3},
      {"0 ? 1 : 0 ? 2 : 3", 3},
      {"1 ? 0 ? 4 : 5 : 6", 5},
      {"if(0, 1, 2)", 2},
      {"1 > 2 || 3 > 2 ? 7 : 8", 7},
      {".5", 0.5},
      {"1e-3", 1e-3},
      {"1.5E+2", 150},
      {"3.", 3},
      {"2*pi", 2 * std::numbers::pi},
      {"min(3, 1, 2)", 1},
      {"max(3, 1, 4, 2)", 4},
      {"sign(-3)", -1},
      {"sign(0)", 0},
      {"abs(-2)", 2},
      {"log(exp(2))", 2},
      {"ln(exp(2))", 2},
      {"log10(1000)", 3},
      {"log2(8)", 3},
      {"round(2.5)", 3},
      {"round(-2.5)", -3},
      {"floor(-0.5)", -1},
      {"ceil(0.5)", 1},
      {"fmod(-7, 3)", -1},
      {"hypot(3, 4)", 5},
      {"pow(2, 10)", 1024},
      {"atan2(1, -1)", 0.75 * std::numbers::pi},
      {" 1\n+\t2\r", 3},
      {"sin (0)", 0},
  };
  for (const auto& [text, value] : cases) EXPECT_DOUBLE_EQ(constant(text), value) << text;
}

TEST(Expression, ReadsNamesWithDotsDigitsAndUnderscores) {
  const std::vector<std::string> names{"c3x", "wrist.z", "_a.b_1", "e", "pi", "min"};
  const std::vector<double> values{1, 2, 4, 8, 16, 32};
  const auto evaluate = [&](const char* text) { return Expression::parse(text, names).evaluate(values); };
  EXPECT_EQ(evaluate("c3x + wrist.z + _a.b_1"), 7);
  EXPECT_EQ(evaluate("e"), 8);
  EXPECT_EQ(evaluate("pi"), 16);  // a variable hides the constant
  EXPECT_EQ(evaluate("min(min, 40)"), 32);
}

TEST(Expression, ListsTheVariablesItUses) {
  const std::vector<std::string> names{"a", "b", "c"};
  EXPECT_EQ(Expression::parse("c + a * c", names).variables(), (std::vector<std::string>{"a", "c"}));
  EXPECT_TRUE(Expression::parse("1 + 2", names).variables().empty());
}

TEST(Expression, TheBranchNotTakenDoesNotCount) {
  EXPECT_EQ(at("if(x > 0, log(x), 0)", -1), 0);
  EXPECT_EQ(at("x > 0 ? 1 / x : -1", 0), -1);
  EXPECT_EQ(at("x > 0 && log(x) > 0", -1), 0);
  EXPECT_EQ(at("x <= 0 || log(x) > 0", -1), 1);
}

TEST(Expression, WhatIsNotANumberDecidesNothing) {
  for (const char* text :
       {"sqrt(x) > 0 ? 1 : 2", "min(1, sqrt(x))", "max(sqrt(x), 1)", "!sqrt(x)", "sqrt(x) && 1",
        "0 || sqrt(x)", "sqrt(x) != sqrt(x)", "sign(sqrt(x))", "if(sqrt(x), 1, 2)"}) {
    EXPECT_THROW(at(text, -1), InputError) << text;
  }
}

// Number of finite results. Where nothing can lose a NaN on its way (`strict`), both must be finite or both
// not; otherwise we refuse more, because NaN does not decide comparisons, choices, min and max with us.
int compare_with_muparser(std::uint64_t seed, bool strict) {
  MuParser oracle;
  int finite = 0;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    Random random(seed, "muparser", i);
    const std::string text = random_expression(random, {5, strict});
    const Expression expression = Expression::parse(text, kRandomVariables);
    oracle.parse(text);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const std::vector<double> values{random.normal(), random.uniform(0, 3), random.normal(0, 10)};
      const auto ours = try_evaluate(expression, values);
      const double theirs = oracle.evaluate(values);
      EXPECT_TRUE(!strict || ours.has_value() == std::isfinite(theirs)) << text << "\n" << theirs;
      if (!ours) continue;
      ++finite;
      EXPECT_EQ(bits(*ours + 0.0), bits(theirs + 0.0)) << text << "\n"
                                                       << *ours << " " << theirs;  // + 0.0: -0 is 0
    }
  }
  return finite;
}

TEST(Expression, AgreesWithMuParserBitForBit) {
  constexpr std::uint64_t kSeed = 20240601;
  SCOPED_TRACE(kSeed);
  EXPECT_GT(compare_with_muparser(kSeed, false), 6000);
}

TEST(Expression, IsFiniteWhereMuParserIs) {
  constexpr std::uint64_t kSeed = 20240602;
  SCOPED_TRACE(kSeed);
  EXPECT_GT(compare_with_muparser(kSeed, true), 3000);
}

TEST(Expression, PrintedTextEvaluatesAlike) {
  constexpr std::uint64_t kSeed = 17;
  SCOPED_TRACE(kSeed);
  for (std::uint64_t i = 0; i < 3000; ++i) {
    Random random(kSeed, "round trip", i);
    const Expression expression = Expression::parse(random_expression(random), kRandomVariables);
    const Expression again = Expression::parse(expression.to_text(), kRandomVariables);
    EXPECT_EQ(again.to_text(), expression.to_text());
    const std::vector<double> values{random.normal(), random.uniform(0, 3), random.normal(0, 10)};
    const auto a = try_evaluate(expression, values), b = try_evaluate(again, values);
    ASSERT_EQ(a.has_value(), b.has_value()) << expression.text() << "\n" << expression.to_text();
    if (!a) continue;
    EXPECT_EQ(bits(*a), bits(*b)) << expression.text() << "\n" << expression.to_text();
  }
}

TEST(Expression, PrintsWithBracketsOnlyWhereNeeded) {
  const std::vector<std::string> names{"x", "y"};
  const std::vector<std::pair<const char*, const char*>> cases{
      {"((x)+(y))+1", "x + y + 1"},
      {"x+(y+1)", "x + (y + 1)"},
      {"-(x^2)", "-x^2"},
      {"(-x)^2", "(-x)^2"},
      {"2^(-x)", "2^-x"},
      {"(2^x)^y", "(2^x)^y"},
      {"x^(y^2)", "x^y^2"},
      {"!(x<y)", "!(x < y)"},
      {"(x<y)==(y<x)", "x < y == y < x"},
      {"(x<y)<1", "(x < y) < 1"},
      {"if(x,y,1)", "x ? y : 1"},
      {"(x?y:1)?2:3", "(x ? y : 1) ? 2 : 3"},
      {"x?y:(1?2:3)", "x ? y : 1 ? 2 : 3"},
      {"min(min(x,y),1)", "min(x, y, 1)"},
      {"min(x,min(y,1))", "min(x, min(y, 1))"},
      {"x-(y-1)", "x - (y - 1)"},
      {"0.1", "0.1"},
      {"1e22", "1e+22"},
      {"pow(x+1,y*2)", "(x + 1)^(y * 2)"},
      {"-(-x)", "--x"},
      {"(x||y)&&1", "(x || y) && 1"},
  };
  for (const auto& [text, printed] : cases) EXPECT_EQ(Expression::parse(text, names).to_text(), printed);
}

TEST(Expression, LanesEqualScalarsBitForBit) {
  constexpr std::uint64_t kSeed = 18;
  SCOPED_TRACE(kSeed);
  constexpr std::size_t kCount = 300;  // two full batches and a rest
  int compared = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    Random random(kSeed, "lanes", i);
    const Expression expression = Expression::parse(random_expression(random), kRandomVariables);
    std::vector<std::vector<double>> columns(3, std::vector<double>(kCount));
    std::vector<double> expected;
    for (std::size_t s = 0; s < kCount; ++s) {
      std::optional<double> value;
      std::vector<double> values(3);
      // Samples at which the result is finite, so that all of them can be compared.
      for (int attempt = 0; attempt < 20 && !value; ++attempt) {
        values = {random.normal(), random.uniform(0, 3), random.normal(0, 10)};
        value = try_evaluate(expression, values);
      }
      if (!value) break;
      for (std::size_t v = 0; v < 3; ++v) columns[v][s] = values[v];
      expected.push_back(*value);
    }
    std::vector<double> out(expected.size());
    const std::array<const double*, 3> pointers{columns[0].data(), columns[1].data(), columns[2].data()};
    expression.evaluate(pointers, static_cast<Index>(out.size()), out.data());
    for (std::size_t s = 0; s < out.size(); ++s) {
      ASSERT_EQ(bits(out[s]), bits(expected[s])) << expression.text() << " sample " << s;
    }
    compared += static_cast<int>(out.size());
  }
  EXPECT_GT(compared, 150000);
}

TEST(Expression, LanesMayOverwriteAColumnAndSkipUnusedOnes) {
  const std::vector<std::string> names{"x", "unused"};
  std::vector<double> x(500);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i) - 250;
  const std::array<const double*, 2> columns{x.data(), nullptr};
  Expression::parse("x > 0 ? sqrt(x) : x", names).evaluate(columns, 500, x.data());
  EXPECT_EQ(x[0], -250);
  EXPECT_EQ(x[499], std::sqrt(249.0));
  Expression::parse("x", names).evaluate(columns, 500, x.data());
  EXPECT_EQ(x[0], -250);
  Expression::parse("7", names).evaluate(columns, 500, x.data());
  EXPECT_EQ(x, std::vector<double>(500, 7));
}

}  // namespace
}  // namespace steelyard
