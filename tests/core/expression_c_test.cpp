// Exported C, compiled with the C compiler of the build and run, against our own evaluation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/random_expression.hpp"
#include "steelyard/core/expression.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;
using testing::kRandomVariables;
using testing::random_expression;

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-c-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

struct Case {
  Expression expression;
  std::vector<double> values;
  double expected;
};

std::vector<Case> make_cases(std::uint64_t seed, std::size_t count) {
  std::vector<Case> cases;
  for (std::uint64_t i = 0; cases.size() < count; ++i) {
    Random random(seed, "c", i);
    const Expression expression = Expression::parse(random_expression(random), kRandomVariables);
    const std::vector<double> values{random.normal(), random.uniform(0, 3), random.normal(0, 10)};
    try {
      cases.push_back({expression, values, expression.evaluate(values)});
    } catch (const InputError&) {
      continue;  // not finite
    }
  }
  return cases;
}

// One function per case; the program writes the results as raw doubles.
void write_program(const std::string& path, const std::string& results, const std::vector<Case>& cases) {
  std::ofstream out(path);
  out << "#include <math.h>\n#include <stdio.h>\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    out << "static double f" << i
        << "(double x, double y, double z1) {\n  (void)x, (void)y, (void)z1;\n  return "
        << cases[i].expression.to_c() << ";\n}\n";
  }
  out << "int main(void) {\n  double r[" << cases.size() << "];\n  FILE* file = fopen(\"" << results
      << "\", \"wb\");\n"
      << "  if (!file) return 1;\n"
      << std::hexfloat;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& v = cases[i].values;
    out << "  r[" << i << "] = f" << i << "(" << v[0] << ", " << v[1] << ", " << v[2] << ");\n";
  }
  out << "  return fwrite(r, sizeof r, 1, file) == 1 && fclose(file) == 0 ? 0 : 1;\n}\n";
}

TEST(ExpressionC, CompiledCodeGivesTheSameBytes) {
  constexpr std::uint64_t kSeed = 31;
  SCOPED_TRACE(kSeed);
  const TemporaryFolder folder;
  const std::vector<Case> cases = make_cases(kSeed, 400);
  write_program(folder.file("f.c"), folder.file("results"), cases);
  // -fno-builtin: otherwise the compiler computes sin(2) itself, to half an ulp, where the C library may be
  // off by one. Self-comparison is what random expressions do, and C compilers warn about.
  const std::string compile =
      std::string(STEELYARD_C_COMPILER) +
      " -std=c99 -pedantic -Wall -Werror -Wno-tautological-compare -O1 -fno-builtin -o " + folder.file("f") +
      " " + folder.file("f.c") + " -lm";
  ASSERT_EQ(std::system(compile.c_str()), 0);
  ASSERT_EQ(std::system(folder.file("f").c_str()), 0);
  std::vector<double> results(cases.size());
  std::ifstream in(folder.file("results"), std::ios::binary);
  in.read(reinterpret_cast<char*>(results.data()),
          static_cast<std::streamsize>(results.size() * sizeof(double)));
  ASSERT_TRUE(in.good());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    // + 0.0: C leaves the sign of fmin(-0.0, 0.0) open.
    EXPECT_EQ(std::bit_cast<std::uint64_t>(results[i] + 0.0),
              std::bit_cast<std::uint64_t>(cases[i].expected + 0.0))
        << cases[i].expression.text() << "\n"
        << cases[i].expression.to_c() << "\n"
        << results[i];
  }
}

TEST(ExpressionC, ReadsWell) {
  const std::vector<std::string> names{"x", "y"};
  const std::vector<std::pair<const char*, const char*>> cases{
      {"x + y + 1", "(x + y + 1.0)"},
      {"x - (y - 0.5)", "(x - (y - 0.5))"},
      {"-x^2", "(-pow(x, 2.0))"},
      {"x < y", "((x < y) ? 1.0 : 0.0)"},
      {"if(x < y && x, sin(x), 2)", "(((x < y) && (x != 0.0)) ? sin(x) : 2.0)"},
      {"!x", "((!(x != 0.0)) ? 1.0 : 0.0)"},
      {"min(x, y, 0.1)", "fmin(fmin(x, y), 0.10000000000000001)"},
      {"abs(x)", "fabs(x)"},
  };
  for (const auto& [text, c] : cases) EXPECT_EQ(Expression::parse(text, names).to_c(), c);
}

TEST(ExpressionC, NamesAreMadeFitOrGiven) {
  const std::vector<std::string> names{"wrist.z", "unused", "q"};
  const Expression expression = Expression::parse("wrist.z * q", names);
  EXPECT_EQ(expression.to_c(), "(wrist_z * q)");
  const std::vector<std::string> c_names{"p[0]", "p[1]", "p[2]"};
  EXPECT_EQ(expression.to_c(c_names), "(p[0] * p[2])");
}

TEST(ExpressionC, NamesThatCollideAreRefused) {
  const std::vector<std::string> names{"a.b", "a_b"};
  const Expression expression = Expression::parse("a.b + a_b", names);
  try {
    expression.to_c();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'a.b' and 'a_b' would both be called 'a_b' in C"));
  }
}

}  // namespace
}  // namespace steelyard
