// Stamps that are presumed from a few rows: their number is right, and what differs is found while reading.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/log/stamps.hpp"
#include "temporary_file.hpp"

namespace steelyard {
namespace presumed_stamps_test {

// A file of rows of 50 bytes that nobody has to store.
struct Rows {
  Index count;
  std::function<double(Index)> stamp;

  std::int64_t size() const { return 50 * count; }
  std::vector<double> at(std::int64_t byte, Index rows) const {
    std::vector<double> stamps;
    for (Index i = (byte + 49) / 50; i < count && static_cast<Index>(stamps.size()) < rows; ++i)
      stamps.push_back(stamp(i));
    return stamps;
  }
  std::optional<TimeScan> presumed() const {
    return presume_uniform(size(), [this](std::int64_t byte, Index rows) { return at(byte, rows); });
  }
};

double printed(double stamp, double digits) {
  return std::round(stamp * digits) / digits;
}

TEST(PresumedStamps, CountsRowsThatItHasNotRead) {
  for (const Index count : {Index{6000}, Index{300001}, Index{98765432}, Index{10} * 1000 * 1000 * 1000})
    for (const double step : {1e-3, 2e-3, 1.0 / 3000, 0.0125})
      for (const double first : {0.0, 1.7e9}) {
        // Stamps with a microsecond's digits; of 1.7e9 s a double holds a quarter of one.
        const Rows rows{count, [&](Index i) { return printed(first + step * static_cast<double>(i), 1e7); }};
        const std::optional<TimeScan> found = rows.presumed();
        ASSERT_TRUE(found) << count << " " << step << " " << first;
        EXPECT_EQ(found->samples, count);
        EXPECT_EQ(found->first, rows.stamp(0));
        EXPECT_EQ(found->last, rows.stamp(count - 1));
        EXPECT_EQ(found->mean_step, (found->last - found->first) / static_cast<double>(count - 1));
        EXPECT_TRUE(found->is_uniform());
      }
}

TEST(PresumedStamps, NothingIsPresumedOfOthers) {
  constexpr Index kCount = 3000000;
  const auto step = [](Index i) { return 1e-3 * static_cast<double>(i); };
  const auto is_presumed = [&](const std::function<double(Index)>& stamp) {
    return Rows{kCount, stamp}.presumed().has_value();
  };
  EXPECT_TRUE(is_presumed(step));
  EXPECT_FALSE(is_presumed([&](Index i) { return step(i) + 1e-6 * static_cast<double>(i % 3); })) << "jitter";
  EXPECT_FALSE(is_presumed([&](Index i) { return i < kCount - 10 ? step(i) : step(2 * i); })) << "at the end";
  EXPECT_FALSE(is_presumed([&](Index i) { return i == 100 ? step(99) : step(i); })) << "no advance";
  EXPECT_FALSE(is_presumed([&](Index i) { return i < 100 ? step(i) : step(i) - 1; })) << "back";
  EXPECT_FALSE(is_presumed([&](Index i) { return i < kCount / 2 ? step(i) : step(i) + 0.4e-3; }))
      << "half a step between";
  EXPECT_FALSE(is_presumed([&](Index i) { return i < kCount / 2 ? step(i) : -step(kCount - i); }))
      << "before";
  EXPECT_FALSE((Rows{4000, step}.presumed())) << "a short file";
}

const std::vector<LogJoint> kJoints = {{"waist", JointKind::revolute}};
constexpr Index kCount = 12000;

// Buffers so small that the file counts as a long one.
RunFile long_file(const std::string& path) {
  RunFile file;
  file.path = path;
  file.time = "t";
  file.channels = {{"position", {"q"}, {}, {}, {}, {}}, {"torque", {"tau"}, {}, {}, {}, {}}};
  file.csv.buffer = 64;
  return file;
}

std::string log_text(const std::function<std::string(Index)>& stamp) {
  std::string text = "t,q,tau\n";
  for (Index i = 0; i < kCount; ++i)
    if (const std::string t = stamp(i); !t.empty())
      text += fmt::format("{},{:.6f},{}\n", t, std::sin(0.003 * static_cast<double>(i)), i % 17);
  return text;
}

std::string uniform(Index i) {
  return fmt::format("{:.3f}", 1e-3 * static_cast<double>(i));
}

PreparedRun prepared(const std::string& path, bool presume) {
  PrepareOptions options;
  options.filter = {4, 20};
  options.chunk_size = 1000;
  options.presume_uniform = presume;
  return PreparedRun(open_run(long_file(path), kJoints), {}, options);
}

std::vector<double> read_through(PreparedRun& run) {
  std::vector<double> numbers;
  for (RawChunk raw; run.read(raw);) {
    const PreparedChunk chunk = run.prepare(raw);
    for (Index r = 0; r < chunk.samples.rows(); ++r) {
      const double* row = chunk.samples.data() + r * chunk.samples.stride();
      numbers.insert(numbers.end(), row, row + chunk.samples.size());
    }
  }
  return numbers;
}

TEST(PresumedStamps, GiveTheBytesOfAScan) {
  const TemporaryFile log(log_text(uniform));
  PreparedRun scanned = prepared(log.path(), false), presumed = prepared(log.path(), true);
  EXPECT_EQ(scanned.passes(), 1);
  ASSERT_EQ(presumed.passes(), 0) << "a pass for the stamps";
  const std::vector<double> expected = read_through(scanned);
  EXPECT_EQ(read_through(presumed), expected);
  const TimeScan &a = scanned.preparation().time, &b = presumed.preparation().time;
  EXPECT_EQ(b.samples, a.samples);
  EXPECT_EQ(b.longest_step, a.longest_step);
  EXPECT_EQ(b.shortest_step, a.shortest_step);
  EXPECT_NEAR(b.median_step / a.median_step, 1, 1e-14);  // sums of parts of the file
  presumed.rewind();
  EXPECT_EQ(read_through(presumed), expected) << "again";
}

// Interrupted passes restart the comparison.
TEST(PresumedStamps, AreComparedInAWholePass) {
  const TemporaryFile log(log_text(uniform));
  PreparedRun run = prepared(log.path(), true);
  RawChunk raw;
  run.read(raw);
  run.rewind();
  EXPECT_NO_THROW(read_through(run));
  EXPECT_EQ(run.preparation().time.samples, kCount);
}

TEST(PresumedStamps, WhatDiffersIsFoundWhileReading) {
  constexpr Index kLate = 6000;  // behind the rows that are looked at, before the last ones
  const std::pair<const char*, std::function<std::string(Index)>> cases[] = {
      {"a pause", [](Index i) { return uniform(i < kLate ? i : i + 500); }},
      {"a lost row", [](Index i) { return i == kLate ? "" : uniform(i); }},
      {"a row too many", [](Index i) { return i == kLate ? uniform(i) + "5" : uniform(i); }},
      {"jitter", [](Index i) { return i == kLate ? uniform(i) + "01" : uniform(i); }},
  };
  for (const auto& [what, stamp] : cases) {
    std::string text = log_text(stamp);
    if (std::string(what) == "a row too many")  // between two others
      text.insert(text.find("\n6.001,") + 1, "6.00075,0,0\n");
    const TemporaryFile log(text);
    PreparedRun presumed = prepared(log.path(), true), scanned = prepared(log.path(), false);
    ASSERT_EQ(presumed.passes(), 0) << what;
    EXPECT_THROW(read_through(presumed), StampsDiffer) << what;
    EXPECT_NO_THROW(read_through(scanned)) << what;
  }
}

TEST(PresumedStamps, ErrorHasItsLine) {
  const TemporaryFile log(log_text([](Index i) { return i == 6000 ? uniform(5999) : uniform(i); }));
  for (const bool presume : {false, true}) {
    try {
      PreparedRun run = prepared(log.path(), presume);
      read_through(run);
      FAIL() << "not refused";
    } catch (const InputError& error) {
      EXPECT_EQ(error.complaint().place.line, 6002);
      EXPECT_THAT(error.what(), testing::HasSubstr("does not increase"));
    }
  }
}

// A rate that is not the log's needs all stamps.
TEST(PresumedStamps, AreForLogsAtTheirOwnRate) {
  const TemporaryFile log(log_text(uniform));
  PrepareOptions options;
  options.presume_uniform = true;
  for (const double rate : {0.0, 1000.0, 500.0}) {
    options.rate = rate;
    const PreparedRun run(open_run(long_file(log.path()), kJoints), {}, options);
    EXPECT_EQ(run.passes(), rate == 500 ? 1 : 0);
  }
}

}  // namespace presumed_stamps_test
}  // namespace steelyard
