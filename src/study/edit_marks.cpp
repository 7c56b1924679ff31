#include "steelyard/study/edit_marks.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "steelyard/core/text_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr const char* kMark = "# EDIT ";

}  // namespace

std::vector<Finding> edit_mark_findings(const Study& study) {
  std::vector<Finding> findings;
  for (const std::string& path : {study.path, study.robot ? std::string() : study.robot_path}) {
    if (!std::filesystem::is_regular_file(path)) continue;
    std::istringstream lines(read_text_file(path, "study"));
    std::vector<std::string> marked;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const std::size_t at = line.find_first_not_of(' ');
      if (at == std::string::npos || line.compare(at, std::string(kMark).size(), kMark) != 0) continue;
      const std::string rest = line.substr(at + std::string(kMark).size());
      marked.push_back(fmt::format("{} (line {})", rest.substr(0, rest.find(':')), number));
    }
    if (!marked.empty())
      findings.push_back(make_finding(
          "edit-mark", "",
          fmt::format("{} still contains what `steelyard init` could not guess: {}",
                      std::filesystem::path(path).filename().string(), fmt::join(marked, ", "))));
  }
  return findings;
}

}  // namespace steelyard
