#include "steelyard/log/csv.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "steelyard/core/random.hpp"
#include "temporary_file.hpp"

namespace steelyard {
namespace {

using testing::ElementsAre;
using Table = std::vector<std::vector<double>>;  // [column][row]

// All rows of the selected columns, read `chunk` rows at a time.
Table read(CsvReader& reader, std::vector<int> columns, Index chunk = 4096) {
  reader.select(columns);
  Table table(columns.size());
  Table part(columns.size(), std::vector<double>(static_cast<std::size_t>(chunk)));
  std::vector<double*> targets;
  for (auto& column : part) targets.push_back(column.data());
  while (const Index count = reader.read(chunk, targets.data())) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      table[c].insert(table[c].end(), part[c].begin(), part[c].begin() + count);
    }
  }
  return table;
}

Table read_text(std::string_view text, const CsvOptions& options = {}) {
  const TemporaryFile file(text);
  CsvReader reader(file.path(), options);
  std::vector<int> columns(static_cast<std::size_t>(reader.columns()));
  std::iota(columns.begin(), columns.end(), 0);
  return read(reader, columns);
}

std::vector<std::string> header_of(std::string_view text) {
  const TemporaryFile file(text);
  return CsvReader(file.path()).header();
}

const Table kPlain = {{1, 4}, {2, -5.5}, {3, 6e-3}};

TEST(Csv, ReadsEverySeparator) {
  EXPECT_EQ(read_text("a,b,c\n1,2,3\n4,-5.5,6e-3\n"), kPlain);
  EXPECT_EQ(read_text("a;b;c\n1;2;3\n4;-5.5;6e-3\n"), kPlain);
  EXPECT_EQ(read_text("a\tb\tc\n1\t2\t3\n4\t-5.5\t6e-3\n"), kPlain);
  EXPECT_EQ(read_text("a b c\n1 2 3\n4 -5.5 6e-3\n"), kPlain);
  EXPECT_EQ(read_text("  a   b \t c \n 1\t 2  3\n   4 -5.5   6e-3   \n"), kPlain);
  EXPECT_EQ(read_text("a, b, c\n1, 2, 3\n 4 , -5.5 ,6e-3 \n"), kPlain);
}

// Names as people write them; the row below the header tells what separates.
TEST(Csv, ReadsNamesWithBlanksAndOtherSeparators) {
  const std::vector<std::string> plain = {"Timestamp", "axis 1 position", "axis 2 load"};
  for (const char* mark : {",", ";", "\t", ", ", "; ", " \t "}) {
    const std::string m(mark);
    const std::string text =
        plain[0] + m + plain[1] + m + plain[2] + "\n1" + m + "2" + m + "3\n4" + m + "-5.5" + m + "6e-3\n";
    EXPECT_EQ(header_of(text), plain) << text;
    EXPECT_EQ(read_text(text), kPlain) << text;
  }
  const std::vector<std::string> units = {"t [s]", "q, axis 1 [rad]", "load [N m]"};
  for (const char* mark : {",", ";", "\t", " "}) {
    const std::string m(mark);
    const std::string text = "\"t [s]\"" + m + "\"q, axis 1 [rad]\"" + m + "\"load [N m]\"\n1" + m + "2" + m +
                             "3\n4" + m + "-5.5" + m + "6e-3\n";
    EXPECT_EQ(header_of(text), units) << text;
    EXPECT_EQ(read_text(text), kPlain) << text;
  }
  EXPECT_EQ(header_of("t [s]\tq, axis 1\n1\t2\n"), (std::vector<std::string>{"t [s]", "q, axis 1"}));
  EXPECT_EQ(header_of("day time\tq 1\n2020-01-01 12:00:00\t2\n"),
            (std::vector<std::string>{"day time", "q 1"}));
  EXPECT_EQ(header_of("a b\tc\n1 2\t3\n"), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Csv, GivenSeparatorWinsOverTheDetectedOne) {
  CsvOptions options;
  options.separator = Separator::semicolon;
  EXPECT_EQ(read_text("\"a,b\";c\n1;2\n", options), (Table{{1}, {2}}));
}

TEST(Csv, ReadsWindowsFilesMarksCommentsAndMissingLastLineEnd) {
  EXPECT_EQ(read_text("\xef\xbb\xbf"
                      "a,b,c\r\n1,2,3\r\n4,-5.5,6e-3\r\n"),
            kPlain);
  EXPECT_EQ(read_text("# a robot\n\n  # b\na,b,c\n# units: none\n1,2,3\n\n4,-5.5,6e-3"), kPlain);
}

TEST(Csv, FindsTheHeaderQuotedOrInAComment) {
  const TemporaryFile quoted("\"t, s\",\"q \"\"1\"\"\",c\n1,2,3\n");
  EXPECT_THAT(CsvReader(quoted.path()).header(), ElementsAre("t, s", "q \"1\"", "c"));
  const TemporaryFile comment("# made today\n# t,q1\n1,2\n");
  EXPECT_THAT(CsvReader(comment.path()).header(), ElementsAre("t", "q1"));
  EXPECT_EQ(CsvReader(comment.path()).find("q1"), 1);
  const TemporaryFile other("# made today\n1,2\n");
  EXPECT_TRUE(CsvReader(other.path()).header().empty());
}

TEST(Csv, NumbersOfColumnsAreAHeaderBeforeRowsThatAreNotWhole) {
  const TemporaryFile table("0,1,2\n0.5,1,2\n"), index(",0,1,2\n0,0.5,1,2\n"), samples("0,1,2\n1,2,3\n");
  EXPECT_THAT(CsvReader(table.path()).header(), ElementsAre("0", "1", "2"));
  EXPECT_EQ(CsvReader(table.path()).find("1"), 1);
  EXPECT_THAT(CsvReader(index.path()).header(), ElementsAre("index", "0", "1", "2"));
  EXPECT_TRUE(CsvReader(samples.path()).header().empty());
  EXPECT_EQ(read_text("0,1,2\n0.5,1,2\n"), read_text("0.5,1,2\n"));
}

TEST(Csv, ColumnsHaveNumbersWithAndWithoutHeader) {
  const TemporaryFile file("1,2,3\n4,5,6\n");
  EXPECT_EQ(CsvReader(file.path()).columns(), 3);
  EXPECT_EQ(CsvReader(file.path()).find("3"), 2);
  EXPECT_EQ(read_text("1,2,3\n4,-5.5,6e-3\n"), kPlain);
  const TemporaryFile named("3,a,b\n1,2,3\n");
  CsvReader reader(named.path());
  EXPECT_EQ(reader.find("3"), 0) << "a column that is called 3 comes before the third one";
  EXPECT_EQ(reader.find("2"), 1);
}

TEST(Csv, TakesUnusualNumbers) {
  EXPECT_EQ(read_text("a,b\n+1,\"2\"\n\" 3 \",+.5\n1e-400,-1e-400\n1.482197e-323,1E+2\n"),
            (Table{{1, 3, 0, 1.482197e-323}, {2, 0.5, -0.0, 100}}));
}

TEST(Csv, UnwantedTextIsSkippedAndCounted) {
  const TemporaryFile file("t,mode,q,note\n1,AUTO,2,\"a,b\"\n2,,3,\n3,\"x\"\"y,\",4,end\n");
  CsvReader reader(file.path());
  EXPECT_EQ(read(reader, {2, 0}), (Table{{2, 3, 4}, {1, 2, 3}}));
  const TemporaryFile blanks("t mode q note\n1 AUTO 2 \"a b\"\n2 - 3 x\n");
  CsvReader spaced(blanks.path());
  EXPECT_EQ(read(spaced, {2, 0}), (Table{{2, 3}, {1, 2}}));
}

TEST(Csv, LineNumbersCountCommentsAndHeader) {
  const TemporaryFile file("# x\na\n1\n\n# y\n2\n");
  CsvReader reader(file.path());
  double values[4];
  double* targets[] = {values};
  reader.select({0});
  EXPECT_EQ(reader.read(4, targets), 2);
  EXPECT_THAT(reader.lines(), ElementsAre(3, 6));
}

// Numbers printed with 17 digits come back bit by bit, whatever the sizes of buffer and chunks, in every
// pass.
// Wherever the file is cut, every row is in one part: also with comments, Windows line ends, a byte order
// mark and no end of the last line.
TEST(Csv, PartsOfAFileHaveEveryRowOnce) {
  for (const std::string end : {"\n", "\r\n"}) {
    const std::string text = "\xef\xbb\xbf# made" + end + "t,q" + end + "1,10" + end + "# stop" + end +
                             "22,20" + end + end + "333,30" + end + "4,40";
    const TemporaryFile file(text);
    CsvReader reader(file.path(), {.buffer = 16});
    EXPECT_EQ(reader.file_size(), static_cast<std::int64_t>(text.size()));
    reader.select({0});
    double value = 0;
    double* const target[] = {&value};
    // Behind the header, which is known in the first part alone.
    for (auto first = static_cast<std::int64_t>(text.find("t,q")) + 1; first <= reader.file_size(); ++first) {
      for (std::int64_t second = first; second <= reader.file_size(); ++second) {
        std::vector<double> rows;
        for (const auto& [from, to] : {std::pair<std::int64_t, std::int64_t>{0, first},
                                       {first, second},
                                       {second, reader.file_size()}}) {
          if (from == to) continue;
          reader.rewind_to(from, to);
          while (reader.read(1, target) == 1) rows.push_back(value);
        }
        ASSERT_THAT(rows, ElementsAre(1, 22, 333, 4)) << "cut at " << first << " and " << second;
      }
    }
    reader.rewind();
    EXPECT_EQ(reader.read(1, target), 1);
    EXPECT_EQ(value, 1);
  }
}

TEST(Csv, RandomTablesComeBackBitByBit) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed, "csv");
    const std::size_t columns = 1 + random.below(9), rows = 2 + random.below(400);
    const std::string separator(1, ",;\t "[random.below(4)]);
    const std::string end = random.below(2) ? "\n" : "\r\n";
    Table table(columns, std::vector<double>(rows));
    std::string text;
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        table[c][r] = random.normal() * std::pow(10.0, random.uniform(-300, 300));
        text += (c ? separator : "") + fmt::format("{:.17g}", table[c][r]);
      }
      text += r + 1 < rows ? end : "";
    }
    const TemporaryFile file(text);
    CsvOptions options;
    options.buffer = 1 + random.below(2000);
    CsvReader reader(file.path(), options);
    std::vector<int> all(columns);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(read(reader, all, 1 + static_cast<Index>(random.below(rows + 5))), table);
    EXPECT_EQ(read(reader, all, 7), table);
  }
}

}  // namespace
}  // namespace steelyard
