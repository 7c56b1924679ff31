// The example without signs with changes, for tests of the program.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "in_folder.hpp"
#include "program.hpp"

namespace sign_studies {

using nlohmann::json;
using program::Outcome;
using program::steelyard;
using ::testing::HasSubstr;

inline const std::string kRoot = STEELYARD_SOURCE_DIR;
inline const std::string kStudy = kRoot + "/examples/kr5-signs/study.yaml";

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline void replace_all(std::string& text, const std::string& what, const std::string& by) {
  ASSERT_NE(text.find(what), std::string::npos) << what;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

// Columns of a CSV file with a header.
inline std::vector<std::vector<double>> columns_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<std::vector<double>> columns(
      static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1);
  while (std::getline(file, line)) {
    std::stringstream fields(line);
    std::string field;
    for (auto& column : columns) {
      std::getline(fields, field, ',');
      column.push_back(std::stod(field));
    }
  }
  return columns;
}

class Signs : public program::InFolder {
 protected:
  // The example with changes: pairs of what is replaced by what.
  std::string study_with(const std::vector<std::pair<std::string, std::string>>& changes) {
    std::string text = text_of(kStudy);
    replace_all(text, "../../robots", kRoot + "/robots");
    for (const auto& [what, by] : changes) replace_all(text, what, by);
    std::ofstream(folder_ / "study.yaml") << text;
    return (folder_ / "study.yaml").string();
  }
  // The true torques of the example's run: the same motion, no noise, with signs.
  std::vector<std::vector<double>> true_log() {
    const std::string study =
        study_with({{"    unsigned: true\n", ""}, {"      relative_effort_noise: 0.05\n", ""}});
    EXPECT_EQ(steelyard({"simulate", study, "--out", (folder_ / "logs").string(), "--quiet"}).code, 0);
    return columns_of(folder_ / "logs/without_signs.csv");
  }
};

}  // namespace sign_studies
