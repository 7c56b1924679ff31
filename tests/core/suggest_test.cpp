#include "steelyard/core/suggest.hpp"

#include <gtest/gtest.h>

#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

const std::vector<std::string> kKeys{"gravity", "robot", "runs", "prepare", "payloads", "m"};

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("ab", "ba"), 1);
  EXPECT_EQ(edit_distance("graivty", "gravity"), 1);
  EXPECT_EQ(edit_distance("ca", "abc"), 3);  // 2 with overlapping edits, which this distance does not have
}

TEST(EditDistance, IsSymmetricAndZeroOnlyForEqualWords) {
  constexpr std::uint64_t kSeed = 7;
  SCOPED_TRACE(kSeed);
  Random random(kSeed, "words");
  const auto word = [&] {
    std::string text;
    for (auto n = random.below(6); n > 0; --n) text += static_cast<char>('a' + random.below(3));
    return text;
  };
  for (int i = 0; i < 2000; ++i) {
    const std::string a = word(), b = word();
    EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << " " << b;
    EXPECT_EQ(edit_distance(a, b) == 0, a == b) << a << " " << b;
  }
}

TEST(Nearest, FindsTypingErrors) {
  EXPECT_EQ(nearest("gravty", kKeys), "gravity");
  EXPECT_EQ(nearest("Gravity", kKeys), "gravity");
  EXPECT_EQ(nearest("rnus", kKeys), "runs");
  EXPECT_EQ(nearest("M", kKeys), "m");
}

TEST(Nearest, FindsNothingWhenNothingIsClose) {
  EXPECT_FALSE(nearest("velocity", kKeys));
  EXPECT_FALSE(nearest("", kKeys));
  EXPECT_FALSE(nearest("x", kKeys));
  EXPECT_FALSE(nearest(std::string(100000, 'a'), kKeys));
  EXPECT_FALSE(nearest("gravity", {}));
}

TEST(Unknown, NamesTheNearestKey) {
  EXPECT_EQ(did_you_mean("gravty", kKeys), "did you mean 'gravity'?");
  EXPECT_EQ(did_you_mean("velocity", kKeys), "");
  EXPECT_EQ(
      unknown("key", "gravty", kKeys, {"a.yaml", 3, 1, ""}).to_string(),
      "a.yaml:3:1: unknown key 'gravty' (known: gravity, robot, runs, prepare, payloads, m); did you mean "
      "'gravity'?");
}

TEST(Unknown, LeavesOutLongLists) {
  std::vector<std::string> many;
  for (int i = 0; i < 1000; ++i) many.push_back("parameter_" + std::to_string(i));
  EXPECT_EQ(unknown("name", "paramter_7", many).limit, "");
  EXPECT_LT(unknown("name", "other", many).to_string().size(), 1000u);
}

TEST(Quoted, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(quoted("τ·m²"), "'τ·m²'");
  EXPECT_EQ(quoted(std::string_view("a\0\n\x7f", 4)), "'a\\x00\\x0a\\x7f'");
  EXPECT_EQ(quoted("\xff\xc3"), "'\\xff\\xc3'");                    // stray bytes
  EXPECT_EQ(quoted("\xe0\x80\x80"), "'\\xe0\\x80\\x80'");           // overlong
  EXPECT_EQ(quoted("\xed\xa0\x80"), "'\\xed\\xa0\\x80'");           // surrogate
  EXPECT_EQ(quoted("\xf4\x90\x80\x80"), "'\\xf4\\x90\\x80\\x80'");  // beyond Unicode
  EXPECT_EQ(quoted("abcdef", 3), "'abc…'");
}

}  // namespace
}  // namespace steelyard
