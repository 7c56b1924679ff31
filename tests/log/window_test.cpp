// A window of a log has the samples from ≤ t < to, however they are read.
#include "steelyard/log/window.hpp"

#include <gmock/gmock.h>

#include "steelyard/core/error.hpp"

namespace steelyard {
namespace window_test {

using testing::HasSubstr;

// Stamps 0, 0.1, …, 99.9 s; the position is the number of the sample.
Run counted_run() {
  steelyard::Run run{{}, SampleBlock({"position"}, 1, 1000)};
  for (Index s = 0; s < 1000; ++s) {
    run.samples.time()[s] = 0.1 * static_cast<double>(s);
    run.samples.row(0)[s] = static_cast<double>(s);
  }
  return run;
}

std::vector<double> read_all(SampleSource& source, Index piece) {
  std::vector<double> out;
  SampleBlock block;
  for (source.read(piece, block); block.size() > 0; source.read(piece, block))
    out.insert(out.end(), block.row(0), block.row(0) + block.size());
  return out;
}

TEST(Window, HasTheSamplesBetweenItsTimes) {
  const steelyard::Run run = counted_run();
  for (const Index piece : {1, 7, 100, 4096}) {
    const auto source = cut_to_window(view_run(run), {20, 30});
    for (int pass = 0; pass < 2; ++pass) {
      const std::vector<double> samples = read_all(*source, piece);
      ASSERT_EQ(samples.size(), 100U);
      EXPECT_EQ(samples.front(), 200);
      EXPECT_EQ(samples.back(), 299);
      source->rewind();
    }
  }
}

TEST(Window, OpenEndsAreTheLogs) {
  const steelyard::Run run = counted_run();
  TimeWindow window;
  window.from = 90;
  EXPECT_EQ(read_all(*cut_to_window(view_run(run), window), 64).size(), 100U);
  window = {};
  window.to = 5;
  EXPECT_EQ(read_all(*cut_to_window(view_run(run), window), 64).size(), 50U);
  EXPECT_EQ(read_all(*cut_to_window(view_run(run), {}), 64).size(), 1000U);
}

TEST(Window, SharesPartEverySampleOnce) {
  const steelyard::Run run = counted_run();
  for (const double share : {0.1, 0.3, 0.5, 0.77}) {
    const auto first = read_all(*cut_to_window(view_run(run), {10, 60}, {0, share}), 64);
    const auto rest = read_all(*cut_to_window(view_run(run), {10, 60}, {share, 1}), 64);
    EXPECT_EQ(first.size() + rest.size(), 500U);
    EXPECT_EQ(first.back() + 1, rest.front());
    EXPECT_NEAR(static_cast<double>(first.size()), 500 * share, 1);
  }
}

TEST(Window, WithoutSamplesSaysWhatTheLogHas) {
  const steelyard::Run run = counted_run();
  try {
    cut_to_window(view_run(run), {200, 300});
    FAIL() << "a window behind the log was accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("from 200 s to 300 s"));
    EXPECT_THAT(error.what(), HasSubstr("from 0 s to 99.9 s"));
  }
}

}  // namespace window_test
}  // namespace steelyard
