#include "steelyard/result/replaceable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>

#include "steelyard/core/error.hpp"
#include "steelyard/core/sha256.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kListHead =
    "Steelyard has written this folder and replaces it as long as these files, unchanged, are all that is in "
    "it.\n";
constexpr std::uintmax_t kLargestHashed = std::uintmax_t{32} << 20;
constexpr const char* kRunRecord = "run.json";

[[noreturn]] void throw_as_machine(const fs::filesystem_error& error, const fs::path& folder) {
  throw MachineError({"the output folder cannot be listed: " + error.code().message(),
                      {folder.string(), 0, 0, ""},
                      "",
                      "check its permissions"});
}

std::string beginning(const fs::path& path, std::size_t bytes) {
  std::ifstream file(path, std::ios::binary);
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  return text;
}

bool is_our_page(const fs::path& path) {
  const std::string text = beginning(path, std::size_t{1} << 16);
  return text.starts_with("<!DOCTYPE html>") && text.find(" — Steelyard report</title>") != std::string::npos;
}

bool is_fold_file(const fs::path& path) {
  return beginning(path, 64).starts_with("STEELYARD FOLD");
}

// A file of a folder that has no list yet.
bool was_written_before_lists(const std::string& name, const fs::path& path) {
  if (name == "report.html" || name == "fleet.html") return is_our_page(path);
  const auto has = [&](const char* key) {
    const std::string text = beginning(path, std::size_t{1} << 12);
    return text.starts_with("{") && text.find(key) != std::string::npos;
  };
  if (name == "result.json" || name == "fleet.json") return has("\"format_version\"");
  return name == kRunRecord && has("\"peak_memory_bytes\"");
}

struct Written {
  std::string size, sha256;  // "-": unknown
};

Written written_now(const std::string& name, const fs::path& path) {
  if (name == kRunRecord) return {"-", "-"};
  const std::uintmax_t size = fs::file_size(path);
  return {std::to_string(size), size > kLargestHashed ? "-" : sha256_file(path.string())};
}

using List = std::map<std::string, Written>;

// Nothing when there is none, or one that is not ours.
std::optional<List> read_list(const fs::path& folder) {
  const fs::path path = folder / kWrittenList;
  if (fs::is_symlink(path) || !fs::is_regular_file(path)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string line;
  if (!std::getline(file, line) || line + "\n" != kListHead) return std::nullopt;
  List list;
  while (std::getline(file, line)) {
    const std::size_t first = line.find(' ');
    const std::size_t second = first == std::string::npos ? first : line.find(' ', first + 1);
    if (second == std::string::npos) return std::nullopt;
    list[line.substr(second + 1)] = {line.substr(0, first), line.substr(first + 1, second - first - 1)};
  }
  return list;
}

// Names relative to the folder, sorted; links and whatever else is no folder are among them.
std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_symlink() || !entry.is_directory())
      names.push_back(entry.path().lexically_relative(folder).string());
  std::sort(names.begin(), names.end());
  return names;
}

enum class Origin { ours, changed, foreign };

Origin origin_of(const std::string& name, const fs::path& path, const std::optional<List>& list) {
  if (fs::is_symlink(path) || !fs::is_regular_file(path)) return Origin::foreign;
  if (!list) return was_written_before_lists(name, path) ? Origin::ours : Origin::foreign;
  if (name == kWrittenList) return Origin::ours;
  const auto known = list->find(name);
  if (known == list->end()) return Origin::foreign;
  const Written now = written_now(name, path);
  const bool same = now.size == known->second.size && now.sha256 == known->second.sha256;
  return same || is_our_page(path) ? Origin::ours : Origin::changed;
}

// True when `folder` is `inner` or contains it.
bool holds(const fs::path& folder, const fs::path& inner) {
  return std::mismatch(folder.begin(), folder.end(), inner.begin(), inner.end()).first == folder.end();
}

fs::path without_links(const fs::path& path) {
  std::error_code error;
  const fs::path plain = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : plain;
}

}  // namespace

std::string written_list(const fs::path& folder) try {
  std::string text(kListHead);
  for (const std::string& name : files_in(folder)) {
    if (name == kWrittenList) continue;
    const Written now = written_now(name, folder / name);
    text += fmt::format("{} {} {}\n", now.size, now.sha256, name);
  }
  return text;
} catch (const fs::filesystem_error& error) {
  throw_as_machine(error, folder);
}

void check_replaceable_folder(const fs::path& folder, const fs::path& given,
                              const std::vector<fs::path>& inputs) {
  constexpr const char* kLimit = "an existing output folder is replaced as a whole";
  for (const fs::path& input : inputs)
    if (!input.empty() && holds(folder, without_links(input)) && fs::exists(input))
      throw InputError(
          {fmt::format("the output folder contains {}, which is an input here", quoted(input.string(), 200)),
           {given.string(), 0, 0, ""},
           kLimit,
           "name another folder with --out"});
  try {
    if (!fs::is_directory(folder)) return;
    const std::optional<List> list = read_list(folder);
    for (const std::string& name : files_in(folder)) {
      const Origin origin = origin_of(name, folder / name, list);
      if (origin == Origin::ours) continue;
      throw InputError({fmt::format("the output folder contains {}, which {}", quoted(name, 200),
                                    origin == Origin::changed ? "was changed after it was written"
                                                              : "Steelyard did not write"),
                        {given.string(), 0, 0, ""},
                        kLimit,
                        "name another folder with --out, or remove the file"});
    }
  } catch (const fs::filesystem_error& error) {
    throw_as_machine(error, given);
  }
}

void check_replaceable_file(const fs::path& file, FileKind kind) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return;  // AtomicFile reports what is not a regular file
  if (kind == FileKind::fold ? is_fold_file(file) : is_our_page(file)) return;
  throw InputError({kind == FileKind::fold ? "the file already exists and is not a fold file"
                                           : "the file already exists and is not a page written by Steelyard",
                    {file.string(), 0, 0, ""},
                    kind == FileKind::fold ? "only fold files are replaced" : "only such pages are replaced",
                    "choose another name for the output, or remove the file"});
}

}  // namespace steelyard
