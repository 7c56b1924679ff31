// Where the public data sets are: the environment variable STEELYARD_DATA, or ../shared/data beside the
// source tree.
//
// Tests over data skip aloud when the folder is not there, and fail when STEELYARD_REQUIRE_DATA=1:
//   const auto data = oracle::data_folder();
//   if (!data) STEELYARD_SKIP_WITHOUT_DATA();
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace steelyard::oracle {

inline std::filesystem::path wanted_data_folder() {
  const char* given = std::getenv("STEELYARD_DATA");
  if (given != nullptr && *given != 0) return given;
  return std::filesystem::path(STEELYARD_SOURCE_DIR) / ".." / "shared" / "data";
}

inline std::optional<std::filesystem::path> data_folder() {
  std::error_code error;
  const std::filesystem::path folder = wanted_data_folder();
  if (!std::filesystem::is_directory(folder, error)) return std::nullopt;
  return folder;
}

inline bool is_data_required() {
  const char* required = std::getenv("STEELYARD_REQUIRE_DATA");
  return required != nullptr && std::string(required) == "1";
}

}  // namespace steelyard::oracle

// Leaves the test: a failure when the data are required, a skip that says so otherwise.
#define STEELYARD_SKIP_WITHOUT_DATA()                                                                   \
  do {                                                                                                  \
    if (steelyard::oracle::is_data_required()) {                                                        \
      FAIL() << "STEELYARD_REQUIRE_DATA=1, but no data at " << steelyard::oracle::wanted_data_folder(); \
    }                                                                                                   \
    GTEST_SKIP() << "skipped: no data at " << steelyard::oracle::wanted_data_folder();                  \
  } while (false)
