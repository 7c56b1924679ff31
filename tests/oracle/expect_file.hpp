// A file of this repository that is made from descriptions. STEELYARD_UPDATE=1 in the environment of a test writes
// it again.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace steelyard {

inline void expect_file(const std::string& name, const std::string& text) {
  const std::string path = STEELYARD_SOURCE_DIR + name;
  if (std::getenv("STEELYARD_UPDATE") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(file), {}}), text) << path;
}

}  // namespace steelyard
