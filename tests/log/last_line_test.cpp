#include "steelyard/log/last_line.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "oracle/data_folder.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;

class LastLine : public testing::Test {
 protected:
  LastLine()
      : path_(fs::temp_directory_path() / ("steelyard_last_line_" + std::to_string(getpid()) + ".csv")) {}
  ~LastLine() override { fs::remove(path_); }

  std::optional<OpenLine> of(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    RunFile file;
    file.path = path_.string();
    return open_last_line(file);
  }

  fs::path path_;
};

std::string fixed_rows(int count) {
  std::string text = "t,q\n";
  for (int k = 0; k < count; ++k)
    text += std::to_string(0.001 * k) + "," + std::to_string(std::sin(0.1 * k)) + "\n";
  return text;
}

TEST_F(LastLine, WithAnEndIsNeverOpen) {
  EXPECT_FALSE(of(fixed_rows(50)));
  EXPECT_FALSE(of("t,q\r\n0,1\r\n1,2\r\n"));
  EXPECT_FALSE(of(fixed_rows(50) + "# the end"));
}

TEST_F(LastLine, WithoutAnEndIsOpenAndShortWhenDigitsAreMissing) {
  std::string text = fixed_rows(50);
  text.pop_back();
  const auto whole = of(text);
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->is_short);
  EXPECT_EQ(whole->compared, 49);
  EXPECT_EQ(whole->least, 6);
  for (const std::size_t digits : {std::size_t{1}, std::size_t{5}, std::size_t{6}, std::size_t{7}}) {
    const auto cut = of(text.substr(0, text.size() - digits));
    ASSERT_TRUE(cut) << digits;
    EXPECT_TRUE(cut->is_short) << digits;
  }
}

TEST_F(LastLine, OfAFewRowsOrOfWholeNumbersCannotBeCalledShort) {
  EXPECT_FALSE(of("t,q\n0,1.25\n1,2")->is_short);
  std::string text = "t,q\n";
  for (int k = 0; k < 50; ++k) text += std::to_string(k) + "," + std::to_string(100000 + k) + "\n";
  EXPECT_FALSE(of(text + "50,1")->is_short);
}

TEST_F(LastLine, OfRealLogsIsNotShortWhereTheyEnd) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  int logs = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*data)) {
    if (entry.path().extension() != ".csv") continue;
    RunFile file;
    file.path = entry.path().string();
    // As they are.
    if (const auto open = open_last_line(file)) {
      EXPECT_FALSE(open->is_short) << file.path;
    }
    // The end of the log without its line end.
    std::ifstream stream(entry.path(), std::ios::binary);
    const auto size = static_cast<std::streamoff>(entry.file_size());
    stream.seekg(std::max<std::streamoff>(0, size - 200000));
    std::string tail{std::istreambuf_iterator<char>(stream), {}};
    while (!tail.empty() && (tail.back() == '\n' || tail.back() == '\r')) tail.pop_back();
    const auto open = of(tail);
    EXPECT_FALSE(open && open->is_short) << file.path;
    ++logs;
  }
  EXPECT_GE(logs, 9);
}

}  // namespace
}  // namespace steelyard
