#include "steelyard/result/fix.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace steelyard::inline STEELYARD_ABI {
namespace {

// "3" of the path "runs", "3", …
bool is_of_run(const StudyEdit& edit) {
  return edit.path.size() > 2 && edit.path[0] == "runs" && !edit.path[1].empty() && edit.path[1].size() < 9 &&
         std::all_of(edit.path[1].begin(), edit.path[1].end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string edit_text(const StudyEdit& edit) {
  const std::size_t first = is_of_run(edit) ? 2 : 0;
  std::string line = edit.value;
  for (std::size_t k = edit.path.size(); k-- > first;)
    line = k == first ? fmt::format("{}: {}", edit.path[k], line)
                      : fmt::format("{{{}: {}}}", edit.path[k], line);
  return first > 0 ? fmt::format("run {}: {}", std::stoi(edit.path[1]) + 1, line) : line;
}

}  // namespace steelyard
