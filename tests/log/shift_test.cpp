#include "steelyard/log/shift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/log/whole_run.hpp"

namespace steelyard {
namespace {

using std::numbers::pi;

std::vector<double> sine(Index samples, double frequency, double later) {
  std::vector<double> out;
  for (Index s = 0; s < samples; ++s)
    out.push_back(std::sin(2 * pi * frequency * (static_cast<double>(s) - later) + 0.3));
  return out;
}

TEST(Shift, OfSinesIsThatOfTheirArguments) {
  constexpr Index kSamples = 200;
  for (const double frequency :
       {0.0, 0.01, 0.1, 0.25, 0.4})  // of the rate: up to 0.8 of the Nyquist frequency
    for (const double shift : {-7.5, -0.3, 0.1, 0.5, 12.25}) {
      const std::vector<double> x = sine(kSamples, frequency, 0), wanted = sine(kSamples, frequency, -shift);
      std::vector<double> out(kSamples);
      shift_samples(x.data(), kSamples, shift, out.data());
      const Index reach = shift_reach(shift);
      for (Index s = reach; s < kSamples - reach; ++s)
        EXPECT_NEAR(out[static_cast<std::size_t>(s)], wanted[static_cast<std::size_t>(s)],
                    2e-3)  // see shift.hpp
            << frequency << " " << shift;
    }
}

TEST(Shift, OfWholeSamplesCopies) {
  const std::vector<double> x = {1, 2, 4, 8, 16};
  std::vector<double> out(x.size());
  shift_samples(x.data(), 5, 2, out.data());
  EXPECT_EQ(out, (std::vector<double>{4, 8, 16, 16, 16}));
  shift_samples(x.data(), 5, -1, out.data());
  EXPECT_EQ(out, (std::vector<double>{1, 1, 2, 4, 8}));
}

// Channels of two joints, joint 2 at another time; samples of a run of 1 kHz.
Run shifted_run(Index samples, double seconds) {
  Run run;
  run.samples = SampleBlock({"position", "torque"}, 2, samples);
  for (Index s = 0; s < samples; ++s) {
    run.samples.time()[s] = 1e-3 * static_cast<double>(s);
    for (Index j = 0; j < 2; ++j) {
      const double t = 1e-3 * static_cast<double>(s);
      run.samples.row(0, j)[s] = std::sin(3 * t);
      run.samples.row(1, j)[s] = std::cos(20 * (t - (j == 1 ? seconds : 0)));
    }
  }
  return run;
}

TEST(Shift, OfAChannelIsUndoneByPreparationInChunksOfAnySize) {
  constexpr double kLate = 0.0123;
  const steelyard::Run run = shifted_run(5000, kLate);
  PrepareOptions options;
  options.shifts = {{"torque", "torque", Eigen::Vector2d(0, kLate)}};
  SampleBlock before;
  for (const Index chunk : {Index{256}, Index{4096}}) {
    options.chunk_size = chunk;
    PreparedRun prepared(view_run(run), {}, options);
    const Index reach = prepared.preparation().decimation.trim;
    EXPECT_EQ(reach, shift_reach(12.3));
    const SampleBlock all = whole_run(prepared);
    ASSERT_EQ(all.size(), 5000);
    for (Index s = reach; s < all.size() - reach; ++s)
      EXPECT_NEAR(all.row(all.find("torque"), 1)[s], all.row(all.find("torque"), 0)[s],
                  1e-5);  // far below 0.8
    for (Index s = 0; s < before.size(); ++s) {
      EXPECT_EQ(all.row(all.find("torque"), 1)[s], before.row(before.find("torque"), 1)[s]);
    }
    before = all;
  }
}

TEST(Shift, OfAChannelThatIsNotThereIsRefused) {
  const steelyard::Run run = shifted_run(500, 0);
  PrepareOptions options;
  options.shifts = {{"current", "current", Eigen::Vector2d(0, 0.01)}};
  EXPECT_THROW(PreparedRun(view_run(run), {}, options), InputError);
  options.shifts = {{"torque", "torque", Eigen::Vector3d(0, 0.01, 0)}};
  EXPECT_THROW(PreparedRun(view_run(run), {}, options), InputError);
}

}  // namespace
}  // namespace steelyard
