// Reference problems of the NIST Statistical Reference Datasets, linear regression.
//
// Score: digits = −log10(|b − b_ref| / |b_ref|). Wampler 1 and 2 are formulas and are also made here, so that
// they are proved without the data.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "estimate/estimate_cases.hpp"
#include "oracle/data_folder.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard {
namespace {

double digits(double found, double expected) {
  if (found == expected) return 16;
  const double error = expected == 0 ? std::abs(found) : std::abs(found - expected) / std::abs(expected);
  return std::min(16.0, -std::log10(error));
}

// The set's columns as they are (Longley), or powers of x; a column of ones first unless `first_power` is 1.
Fold fold_of(const MatrixXd& table, int first_power, int last_power) {
  const bool powers = table.cols() == 2;
  std::vector<std::string> names;
  const Index columns = powers ? last_power - first_power + 1 : table.cols();
  MatrixXd rows(table.rows(), columns + 1);
  for (Index k = 0; k < columns; ++k) {
    names.push_back("b" + std::to_string(k));
    for (Index s = 0; s < table.rows(); ++s) {
      if (powers) {
        rows(s, k) = std::pow(table(s, 1), first_power + static_cast<int>(k));
      } else {
        rows(s, k) = k == 0 ? 1 : table(s, k);
      }
    }
  }
  rows.col(columns) = table.col(0);
  return fold_rows(estimate_tests::layout_of("nist", names, "1"), rows);
}

MatrixXd read_table(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const Index columns = 1 + std::count(line.begin(), line.end(), ',');
  std::vector<double> numbers;
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');)
      numbers.push_back(std::strtod(field.c_str(), nullptr));
  }
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<RowMajor>(numbers.data(), static_cast<Index>(numbers.size()) / columns, columns);
}

// The quoted numbers of the list `key` of problem `name` in certified.json.
std::vector<double> certified(const std::string& text, const std::string& name, const std::string& key) {
  const std::size_t begin = text.find('[', text.find('"' + key + '"', text.find('"' + name + '"')));
  std::istringstream list(text.substr(begin + 1, text.find(']', begin) - begin - 1));
  std::vector<double> numbers;
  for (std::string item; std::getline(list, item, ',');) {
    numbers.push_back(std::strtod(item.c_str() + item.find('"') + 1, nullptr));
  }
  return numbers;
}

struct Problem {
  const char* name;
  int first_power, last_power;
  double values, deviations;  // digits that are asked for
};

void PrintTo(const Problem& problem, std::ostream* out) {
  *out << problem.name;
}

class Nist : public testing::TestWithParam<Problem> {};

// What is asked for follows from the condition of the scaled columns: Longley 4e4, Filip 5e9, Wampler 2e3.
INSTANTIATE_TEST_SUITE_P(Sets, Nist,
                         testing::Values(Problem{"norris", 0, 1, 12, 12}, Problem{"pontius", 0, 2, 11, 11},
                                         Problem{"noint1", 1, 1, 14, 14}, Problem{"noint2", 1, 1, 14, 14},
                                         Problem{"longley", 0, 0, 9, 9}, Problem{"filip", 0, 10, 7, 7},
                                         Problem{"wampler1", 0, 5, 9, 0}, Problem{"wampler2", 0, 5, 11, 0},
                                         Problem{"wampler3", 0, 5, 9, 11}, Problem{"wampler4", 0, 5, 8, 11},
                                         Problem{"wampler5", 0, 5, 6, 11}),
                         [](const auto& set) { return std::string(set.param.name); });

TEST_P(Nist, ReachesTheDigits) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  const std::filesystem::path folder = *data / ".." / "nist";
  std::ifstream reference(folder / "certified.json");
  if (!reference) STEELYARD_SKIP_WITHOUT_DATA();
  std::stringstream text;
  text << reference.rdbuf();
  const Problem& problem = GetParam();
  const Fold fold = fold_of(read_table(folder / (std::string(problem.name) + ".csv")), problem.first_power,
                            problem.last_power);
  const Estimate found = estimate(std::vector<Fold>{fold});
  ASSERT_EQ(found.status, EstimateStatus::solved);
  const std::vector<double> values = certified(text.str(), problem.name, "coefficients");
  const std::vector<double> deviations = certified(text.str(), problem.name, "standard_deviations");
  ASSERT_EQ(static_cast<Index>(values.size()), found.values.size());
  double value_digits = 16, deviation_digits = 16;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto i = static_cast<Index>(k);
    value_digits = std::min(value_digits, digits(found.values[i], values[k]));
    if (deviations[k] > 0)
      deviation_digits = std::min(deviation_digits, digits(found.sigma[i], deviations[k]));
    if (deviations[k] == 0) {
      EXPECT_LT(found.sigma[i], 1e-6 * std::abs(values[k]));
    }
  }
  std::cout << problem.name << ": values " << value_digits << ", deviations " << deviation_digits
            << " digits; scaled condition " << found.condition_scaled << "\n";
  EXPECT_GE(value_digits, problem.values);
  EXPECT_GE(deviation_digits, problem.deviations);
}

TEST(NistFormula, WamplerOneAndTwoHaveExactCoefficients) {
  for (const double base : {1.0, 0.1}) {
    MatrixXd table(21, 2);
    for (Index s = 0; s < 21; ++s) {
      const double x = static_cast<double>(s);
      // Integers up to 5 · 20^5 are exact; for 0.1 the sums of decimals are rounded once, as in the published
      // set.
      double y = 0;
      for (int k = 5; k >= 0; --k) y = base == 1 ? y * x + 1 : y * x + std::pow(10.0, 5 - k);
      table(s, 0) = base == 1 ? y : y / 1e5;
      table(s, 1) = x;
    }
    const Estimate found = estimate(std::vector<Fold>{fold_of(table, 0, 5)});
    for (int k = 0; k <= 5; ++k)
      EXPECT_GE(digits(found.values[k], std::pow(base, k)), base == 1 ? 9 : 11) << base << ", " << k;
    EXPECT_LT(found.per_row[0].relative, 1e-14);
  }
}

}  // namespace
}  // namespace steelyard
