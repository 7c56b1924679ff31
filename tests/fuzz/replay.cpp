// Feeds files to the readers without a fuzzer: fuzz_replay TARGET FILE|FOLDER…
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "feed.hpp"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

int main(int argc, char** argv) {
  const auto target =
      std::find_if(std::begin(fuzz::kTargets), std::end(fuzz::kTargets),
                   [&](const fuzz::Target& t) { return argc > 2 && argv[1] == std::string(t.name); });
  if (target == std::end(fuzz::kTargets)) {
    std::fprintf(stderr, "usage: fuzz_replay TARGET FILE|FOLDER...\n");
    return 2;
  }
  int fed = 0;
  for (int i = 2; i < argc; ++i) {
    for (const fs::path& path : files_of(argv[i])) {
      std::printf("%s\n", path.c_str());
      std::fflush(stdout);
      std::ifstream file(path, std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(file), {});
      target->feed(bytes);
      ++fed;
    }
  }
  std::printf("%d inputs of '%s' fed\n", fed, target->name);
  return fed > 0 ? 0 : 1;
}
