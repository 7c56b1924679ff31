// What an output may replace: nothing, or something this program has written and can reproduce. A user's own
// files stay, and the output is refused.
//
// Folders: every output folder has a list of its files, ".steelyard", with their sizes and SHA-256. A folder
// may be replaced when it is empty, or when every file in it is on its list and unchanged. Pages on the list
// may have been written again (`report --page`). Files above 32 MiB are known by their size, run.json by its
// name: it differs from run to run and contains no user's work. Folders without a list are those of versions
// before it: result.json, run.json, report.html, fleet.json and fleet.html are then known by what they begin
// with. Links are never ours. A folder that holds an input is never replaced.
//
// Files: a fold file may replace a fold file, a page one of our pages.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr const char* kWrittenList = ".steelyard";

// The list of what is in a folder now, for kWrittenList.
std::string written_list(const std::filesystem::path& folder);

// Throws InputError that names the folder, as `given`, and the first file that is in the way; nothing when
// there is no such folder. `folder` is absolute, without links on its way.
void check_replaceable_folder(const std::filesystem::path& folder, const std::filesystem::path& given,
                              const std::vector<std::filesystem::path>& inputs);

enum class FileKind { fold, page };

// Throws InputError when something else is at the file's place.
void check_replaceable_file(const std::filesystem::path& file, FileKind kind);

}  // namespace steelyard
