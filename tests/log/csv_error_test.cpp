#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>
#include <optional>
#include <vector>

#include "steelyard/core/random.hpp"
#include "steelyard/log/csv.hpp"
#include "temporary_file.hpp"

namespace steelyard {
namespace {

using testing::HasSubstr;

Index read_to_end(CsvReader& reader) {
  std::vector<int> columns(static_cast<std::size_t>(reader.columns()));
  std::iota(columns.begin(), columns.end(), 0);
  reader.select(columns);
  std::vector<std::vector<double>> values(columns.size(), std::vector<double>(64));
  std::vector<double*> targets;
  for (auto& column : values) targets.push_back(column.data());
  Index rows = 0;
  while (const Index count = reader.read(64, targets.data())) rows += count;
  return rows;
}

std::optional<Complaint> complaint_about_file(const std::string& path, const CsvOptions& options = {}) {
  try {
    CsvReader reader(path, options);
    read_to_end(reader);
  } catch (const InputError& error) {
    return error.complaint();
  }
  return std::nullopt;
}

std::optional<Complaint> complaint_about(std::string_view text, const CsvOptions& options = {}) {
  const TemporaryFile file(text);
  const auto complaint = complaint_about_file(file.path(), options);
  if (complaint) {
    EXPECT_EQ(complaint->place.file, file.path());
  }
  return complaint;
}

struct Case {
  const char* text;
  const char* what;
  int line;
  int column;
  const char* name;
};

class CsvRefuses : public testing::TestWithParam<Case> {};

TEST_P(CsvRefuses, WithLineColumnNameAndRemedy) {
  const Case& expected = GetParam();
  const auto complaint = complaint_about(expected.text);
  ASSERT_TRUE(complaint) << expected.text;
  EXPECT_THAT(complaint->what, HasSubstr(expected.what));
  EXPECT_EQ(complaint->place.line, expected.line);
  EXPECT_EQ(complaint->place.column, expected.column);
  EXPECT_EQ(complaint->place.joint, expected.name);
  EXPECT_FALSE(complaint->remedy.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Rows, CsvRefuses,
    testing::Values(
        Case{"a,b\n1,2\n3\n", "1 fields", 3, 0, ""}, Case{"a,b\n1,2\n3,4,5\n", "3 fields", 3, 0, ""},
        Case{"a,b\n1,2\n3,4,\n", "3 fields", 3, 0, ""}, Case{"a b\n1 2\n3 4 5\n", "3 fields", 3, 0, ""},
        Case{"a,b\n1,x2\n", "column 2 'b' holds 'x2'", 2, 2, "b"},
        Case{"a,b\n1,2x\n", "holds '2x'", 2, 2, "b"}, Case{"a;b\n1;2,5\n", "holds '2,5'", 2, 2, "b"},
        Case{"a,b\n1,0x10\n", "'0x10'", 2, 2, "b"}, Case{"a,b\n1,+-2\n", "'+-2'", 2, 2, "b"},
        Case{"a,b\n,2\n", "column 1 'a' is empty", 2, 1, "a"},
        Case{"a,b\n1,\n", "column 2 'b' is empty", 2, 2, "b"},
        Case{"a,b\n1,\"\"\n", "column 2 'b' is empty", 2, 2, "b"},
        Case{"# c\n\na,b\n1,2\n1,nan\n", "'nan', which is not a finite", 5, 2, "b"},
        Case{"1,2\nNaN,2\n", "'NaN'", 2, 1, ""}, Case{"a\n1\n-inf\n", "'-inf'", 3, 1, "a"},
        Case{"a\n1\n1e999\n", "'1e999', which is not a finite", 3, 1, "a"},
        Case{"# only\n\n# comments\n", "no rows", 0, 0, ""}, Case{"", "is empty", 0, 0, ""}));

TEST(CsvErrors, DecimalCommasAreNamed) {
  EXPECT_THAT(complaint_about("a;b\n1;2,5\n")->remedy, HasSubstr("points"));
}

TEST(CsvErrors, MissingColumnNamesTheNearest) {
  const TemporaryFile file("t_s,q1_rad,q2_rad\n0,1,2\n");
  CsvReader reader(file.path());
  try {
    reader.find("q1_rda");
    FAIL() << "found a column that is not there";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'q1_rad'"));
  }
  EXPECT_THROW(reader.find("0"), InputError);
  EXPECT_THROW(reader.find("4"), InputError);
  EXPECT_THROW(reader.find(""), InputError);
  const TemporaryFile twice("a,a\n0,1\n");
  EXPECT_THROW(CsvReader(twice.path()).find("a"), InputError);
  const TemporaryFile nameless("0,1\n1,2\n");
  EXPECT_THROW(CsvReader(nameless.path()).find("a"), InputError);
}

TEST(CsvErrors, FilesThatAreNoLogs) {
  EXPECT_THAT(complaint_about_file("/no/such/file.csv")->what, HasSubstr("the file does not exist"));
  EXPECT_THAT(complaint_about_file(std::filesystem::temp_directory_path().string())->what,
              HasSubstr("folder"));
  EXPECT_THAT(complaint_about_file("/dev/zero")->what, HasSubstr("not a regular file"));
  EXPECT_THAT(complaint_about(std::string_view("a,b\0c\n1,2\n", 10))->what, HasSubstr("not a text file"));
  EXPECT_THAT(complaint_about("PK\x03\x04rest of an archive")->remedy, HasSubstr("zip"));
  EXPECT_THAT(complaint_about("\xff\xfe"
                              "a,b\n")
                  ->remedy,
              HasSubstr("UTF-16"));
}

TEST(CsvErrors, PipeWithoutWriterDoesNotHang) {
  const std::string path = TemporaryFile("").path() + "-pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(complaint_about_file(path));
  std::filesystem::remove(path);
}

TEST(CsvErrors, UnreadableFileIsTheMachinesFault) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TemporaryFile file("a\n1\n");
  std::filesystem::permissions(file.path(), std::filesystem::perms::none);
  EXPECT_THROW(CsvReader{file.path()}, MachineError);
}

// A sparse file of 2 GiB without a line end, of which only the first megabytes may be read.
TEST(CsvErrors, EndlessLineIsRefusedEarly) {
  const TemporaryFile file("a,b\n1,2\n" + std::string(20 << 20, '7'));
  std::filesystem::resize_file(file.path(), std::uintmax_t{2} << 30);
  const auto complaint = complaint_about_file(file.path());
  ASSERT_TRUE(complaint);
  EXPECT_THAT(complaint->what, HasSubstr("longer than 16777216 bytes"));
  EXPECT_EQ(complaint->place.line, 3);
}

TEST(CsvErrors, LineLimitIsExact) {
  CsvOptions options;
  options.longest_line = 10;
  for (const std::size_t buffer : {1, 5, 11, 12, 100}) {
    options.buffer = buffer;
    EXPECT_FALSE(complaint_about("a\n" + std::string(10, '1') + "\n", options)) << buffer;
    EXPECT_TRUE(complaint_about("a\n" + std::string(11, '1') + "\n", options)) << buffer;
    EXPECT_TRUE(complaint_about("a\n" + std::string(11, '1'), options)) << buffer;
  }
}

TEST(CsvErrors, FileThatGrowsWhileItIsRead) {
  const TemporaryFile file("a\n1\n2\n");
  CsvReader reader(file.path());
  file.append("3\n");
  try {
    read_to_end(reader);
    FAIL() << "a growing file was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("changed while it was read: 6 bytes before, 8 bytes now"));
  }
}

TEST(CsvErrors, FileThatChangesBetweenPasses) {
  const TemporaryFile file("a\n1\n2\n");
  CsvReader reader(file.path());
  EXPECT_EQ(read_to_end(reader), 2);
  file.append("3\n");
  EXPECT_THROW(reader.rewind(), InputError);
}

// Whatever bytes come, the answer is rows or an InputError.
TEST(CsvErrors, RandomBytesNeverDoAnythingElse) {
  const std::string_view alphabet = "0123456789.,;-+eE\" \t\r\n#ab";
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed, "csv garbage");
    std::string text;
    const std::uint64_t size = 1 + random.below(200);
    for (std::uint64_t i = 0; i < size; ++i) {
      text +=
          random.below(50) ? alphabet[random.below(alphabet.size())] : static_cast<char>(random.below(256));
    }
    CsvOptions options;
    options.buffer = 1 + random.below(64);
    EXPECT_NO_THROW(complaint_about(text, options)) << testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace steelyard
