#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>

#include "core/random_expression.hpp"
#include "steelyard/core/expression.hpp"

namespace steelyard {
namespace expression_error_test {

using ::testing::HasSubstr;
using testing::kRandomVariables;
using testing::random_expression;

const std::vector<std::string> kNames{"c3x", "gravity", "wrist.z"};

template <class Work>
Complaint complaint(Work&& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.complaint();
  }
  ADD_FAILURE() << "no InputError";
  return {};
}

Complaint parse_complaint(const std::string& text, const Place& place = {}) {
  return complaint([&] { Expression::parse(text, kNames, place); });
}

TEST(ExpressionError, PointsToTheColumn) {
  const std::vector<std::pair<const char*, int>> cases{
      {"", 1},        {"1 +", 4},        {"1 + * 2", 5},   {"(1 + 2", 7},    {"1 + 2)", 6},
      {"2 c3x", 3},   {"1 ? 2", 6},      {"1 ? 2 ; 3", 7}, {"sin()", 1},     {"sin(1, 2)", 1},
      {"min(1)", 1},  {"c3x # 2", 5},    {"1 + 1e999", 5}, {"1e-999", 1},    {".", 1},
      {"1..2", 3},    {"sin 1", 1},      {"if(1, 2)", 1},  {"1 < 2 < 3", 7}, {"1 == 2 != 3", 8},
      {"1 + foo", 5}, {"1 + foo(2)", 5}, {"min(1,,2)", 7}, {"1,5", 2},
  };
  for (const auto& [text, column] : cases) {
    const Complaint found = parse_complaint(text);
    EXPECT_EQ(found.place.column, column) << text << ": " << found.to_string();
    EXPECT_THAT(found.what, HasSubstr("column " + std::to_string(column))) << text;
  }
}

TEST(ExpressionError, NamesTheNearestName) {
  EXPECT_EQ(
      parse_complaint("1 + gravty").to_string(),
      "unknown name 'gravty' at column 5 of '1 + gravty' (known: c3x, gravity, wrist.z, pi); did you mean "
      "'gravity'?");
  EXPECT_EQ(parse_complaint("wrist_z").remedy, "did you mean 'wrist.z'?");
  EXPECT_EQ(parse_complaint("sine(1)").remedy, "did you mean 'sin'?");
  EXPECT_EQ(parse_complaint("mod(1, 2)").remedy, "did you mean 'fmod'?");
}

TEST(ExpressionError, AdvisesOnOtherLanguagesSpellings) {
  EXPECT_THAT(parse_complaint("c3x ** 2").remedy, HasSubstr("'^'"));
  EXPECT_THAT(parse_complaint("c3x = 2").remedy, HasSubstr("'=='"));
  EXPECT_THAT(parse_complaint("c3x & 2").remedy, HasSubstr("'&&'"));
  EXPECT_THAT(parse_complaint("c3x | 2").remedy, HasSubstr("'||'"));
  EXPECT_THAT(parse_complaint("2 c3x").remedy, HasSubstr("'*'"));
  EXPECT_THAT(parse_complaint("1,5").remedy, HasSubstr("decimal point"));
  EXPECT_THAT(parse_complaint("0 < c3x < 0.2").remedy, HasSubstr("a < b && b < c"));
}

TEST(ExpressionError, KeepsThePlaceInTheFile) {
  const Complaint found = parse_complaint("1 +", {"study.yaml", 14, 20, ""});
  EXPECT_EQ(found.to_string(),
            "study.yaml:14:20: the expression is incomplete at column 4 of '1 +'; "
            "docs/expressions.md describes the syntax");
  const Complaint later = complaint([] { constant("log(-1)", {"study.yaml", 3, 2, ""}); });
  EXPECT_THAT(later.to_string(), HasSubstr("study.yaml:3:2: the expression 'log(-1)' gives"));
}

TEST(ExpressionError, ShowsOnlyThePartThatMatters) {
  const std::string text = std::string(5000, ' ') + "#" + std::string(5000, ' ');
  EXPECT_LT(parse_complaint(text).to_string().size(), 200u);
  EXPECT_EQ(parse_complaint(text).place.column, 5001);
}

TEST(ExpressionError, ResultsThatAreNotFiniteNameTheValues) {
  const Expression expression = Expression::parse("log(c3x) + 1 / gravity", kNames);
  const auto at = [&](std::vector<double> values) { return complaint([&] { expression.evaluate(values); }); };
  EXPECT_THAT(at({-1.5, 2, 3}).to_string(), HasSubstr("'log(c3x) + 1 / gravity'"));
  EXPECT_EQ(at({-1.5, 2, 3}).limit, "c3x = -1.5, gravity = 2");
  EXPECT_THAT(at({1, 0, 3}).what, HasSubstr("inf"));
  std::vector<double> slopes(3);
  EXPECT_THAT(complaint([&] {
                Expression::parse("sqrt(c3x)", kNames).evaluate(std::vector<double>{0, 0, 0}, slopes);
              }).what,
              HasSubstr("derivative of 'sqrt(c3x)' by c3x is inf"));
}

TEST(ExpressionError, LanesNameTheFirstBadSample) {
  std::vector<double> x(400, 1.0), out(400);
  x[263] = -2;
  x[264] = -3;
  const std::array<const double*, 3> columns{x.data(), nullptr, nullptr};
  const Complaint found =
      complaint([&] { Expression::parse("sqrt(c3x)", kNames).evaluate(columns, 400, out.data()); });
  EXPECT_THAT(found.what, HasSubstr("at sample 263"));
  EXPECT_EQ(found.limit, "c3x = -2");
}

TEST(ExpressionError, MisuseIsOurBug) {
  EXPECT_THROW(Expression().to_text(), InternalError);
  EXPECT_THROW(Expression::parse("c3x", kNames).evaluate(std::vector<double>{1}), InternalError);
}

std::string repeat(const std::string& text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(ExpressionLimit, DeepNestsAreRefusedQuickly) {
  ExpressionLimits wide;
  wide.text = 10000000;
  wide.instructions = 1000000;
  for (const char* opening : {"(", "-", "!", "sin(", "2^", "1?", "1?2:", "min(1,", "1?(", "-("}) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string text = repeat(opening, 100000) + "1";
    const Complaint found = complaint([&] { Expression::parse(text, {}, {}, wide); });
    EXPECT_THAT(found.what, HasSubstr("nested too deeply")) << opening;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1)) << opening;
  }
}

TEST(ExpressionLimit, LongTextsAreRefused) {
  EXPECT_THAT(parse_complaint(repeat("1+", 40000) + "1").what, HasSubstr("80001 characters"));
  EXPECT_THAT(parse_complaint(repeat("1+", 3000) + "1").what, HasSubstr("too long"));
}

TEST(ExpressionLimit, WhatIsWithinTheLimitsWorksAndPrints) {
  double tower = 0;
  for (int i = 0; i < 60; ++i) tower = std::pow(2.0, -tower);
  const std::vector<std::pair<std::string, double>> cases{
      {repeat("(", 199) + "1" + repeat(")", 199), 1},
      {repeat("1+", 2000) + "1", 2001},
      {"min(" + repeat("3,", 1500) + "2)", 2},
      {repeat("0 ? 1 : ", 199) + "5", 5},
      {repeat("1 + 2 * (", 190) + "1" + repeat(")", 190), std::ldexp(1, 191) - 1},
      {repeat("2 ^ -(", 60) + "0" + repeat(")", 60), tower},
  };
  for (const auto& [text, value] : cases) {
    const Expression expression = Expression::parse(text, {});
    const double result = expression.evaluate(std::span<const double>());
    EXPECT_EQ(result, value) << text.substr(0, 40);
    const Expression again = Expression::parse(expression.to_text(), {});
    EXPECT_EQ(again.evaluate(std::span<const double>()), result) << text.substr(0, 40);
    EXPECT_LT(expression.to_c().size(), 40 * text.size());
  }
}

TEST(ExpressionLimit, NestedSignsDoNotBlowUpInC) {
  const std::string text = repeat("sign(", 190) + "-3" + repeat(")", 190);
  EXPECT_EQ(constant(text), -1);
  EXPECT_LT(Expression::parse(text, {}).to_c().size(), 100 * text.size());
}

// Garbage gives a value or an InputError; nothing else, under the sanitizers too.
TEST(ExpressionError, GarbageIsRefusedOrHasAValue) {
  constexpr std::uint64_t kSeed = 23;
  SCOPED_TRACE(kSeed);
  static constexpr std::string_view kAlphabet = "0123456789.eE+-*/^()<>=!&|?:, xyzpisncolgqrtaf_#$\0\xff";
  int refused = 0, valued = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    Random random(kSeed, "mutations", i);
    std::string text = random_expression(random, {2, false});
    for (auto n = 1 + random.below(4); n > 0 && !text.empty(); --n) {
      const auto at = random.below(text.size());
      const char byte = random.below(4) == 0 ? static_cast<char>(random.below(256))
                                             : kAlphabet[random.below(kAlphabet.size())];
      switch (random.below(3)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        default:
          text.erase(at, 1 + random.below(3));
      }
    }
    try {
      const Expression expression = Expression::parse(text, kRandomVariables);
      const std::vector<double> values{random.normal(), random.normal(), random.normal()};
      std::vector<double> slopes(3);
      EXPECT_TRUE(std::isfinite(expression.evaluate(values)));
      expression.evaluate(values, slopes);
      ++valued;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(valued, 500);
}

}  // namespace expression_error_test
}  // namespace steelyard
