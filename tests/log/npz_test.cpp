#include <gmock/gmock.h>

#include "array_test.hpp"
#include "steelyard/log/contents.hpp"
#include "steelyard/log/write_log.hpp"

namespace steelyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string numpy_file(const std::string& name) {
  return std::string(STEELYARD_SOURCE_DIR) + "/tests/data/numpy/" + name;
}

// The numbers of tests/data/numpy/README.md: exact in double and in single.
void expect_numpy_run(const RunFile& file, double factor = 1) {
  const auto run = read_run(file, kTwoJoints);
  ASSERT_EQ(run.samples.size(), kSamples);
  for (Index i = 0; i < kSamples; ++i) {
    EXPECT_EQ(run.samples.time()[i], 0.1 + 0.004 * static_cast<double>(i));
    EXPECT_EQ(run.samples.row(0, 0)[i], factor * (0.25 * static_cast<double>(i) - 3));
    EXPECT_EQ(run.samples.row(0, 1)[i], factor * (0.125 * static_cast<double>(i) + 1));
  }
}

Run true_run() {
  Run run;
  run.samples = SampleBlock({"position", "torque"}, 2, kSamples);
  for (Index i = 0; i < kSamples; ++i) {
    run.samples.time()[i] = true_time(i);
    for (int j = 0; j < 2; ++j) {
      run.samples.row(0, j)[i] = true_position(i, j);
      run.samples.row(1, j)[i] = -7 * true_position(i, j);
    }
  }
  return run;
}

TEST(Npz, ReadsWhatNumPyStored) {
  const std::string path = numpy_file("stored.npz");
  expect_numpy_run(position_run(path, "q[{j}]"));
  EXPECT_THAT(log_columns(position_run(path, "q[{j}]")), ElementsAre("t", "q[1]", "q[2]"));
  EXPECT_THAT(refusal(position_run(path, "names")), HasSubstr("'names' holds text"));
  EXPECT_THAT(refusal(position_run(path, "p[{j}]")), HasSubstr("unknown variable 'p'"));
}

TEST(Npy, ReadsWhatNumPySaved) {
  RunFile file = position_run(numpy_file("plain.npy"), "data[{j+1}]", "data[1]");
  expect_numpy_run(file);
}

#ifdef STEELYARD_WITH_ZLIB
TEST(Npz, ReadsWhatNumPyPackedInOtherTypesAndByteOrders) {
  const std::string path = numpy_file("packed.npz");
  expect_numpy_run(position_run(path, "q[{j}]"));
  expect_numpy_run(position_run(path, "steps[{j}]"), 8);
  EXPECT_THAT(refusal(position_run(path, "flags[{j}]")), HasSubstr("'flags' holds booleans"));
}
#else
TEST(Npz, NeedsZlibForPackedArrays) {
  try {
    read_run(position_run(numpy_file("packed.npz"), "q[{j}]"), kTwoJoints);
    FAIL() << "no error";
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr("zlib1g-dev"));
    EXPECT_THAT(error.what(), HasSubstr("STEELYARD_WITH_ZLIB"));
  }
}
#endif

class NpzWritten : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "run.npz";
};

TEST_F(NpzWritten, ReadsBackBitForBit) {
  const auto run = true_run();
  const WrittenLog written = write_npz(*view_run(run), path_, kTwoJoints);
  EXPECT_TRUE(written.not_carried.empty());
  const auto back = read_run(written.file, kTwoJoints);
  ASSERT_EQ(back.samples.size(), run.samples.size());
  EXPECT_EQ(back.samples.channels(), run.samples.channels());
  for (Index i = 0; i < kSamples; ++i) {
    EXPECT_EQ(back.samples.time()[i], run.samples.time()[i]);
    for (Index r = 0; r < 4; ++r)
      EXPECT_EQ(back.samples.data()[r * back.samples.stride() + i],
                run.samples.data()[r * run.samples.stride() + i]);
  }
  const std::string first = bytes_of(path_);
  write_npz(*view_run(run), path_, kTwoJoints);
  EXPECT_EQ(bytes_of(path_), first);
}

TEST_F(NpzWritten, RefusesWhatIsNotFiniteAndLeavesNoFile) {
  auto run = true_run();
  run.samples.row(1, 1)[7] = std::nan("");
  EXPECT_THROW(write_npz(*view_run(run), path_, kTwoJoints), InputError);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

// Every member has a checksum: damage is seen, or it is in bytes that mean nothing to the numbers.
TEST_F(NpzWritten, DamageIsSeenOrHarmless) {
  std::vector<std::string> files = {numpy_file("stored.npz")};
#ifdef STEELYARD_WITH_ZLIB
  files.push_back(numpy_file("packed.npz"));
#endif
  write_npz(*view_run(true_run()), folder_ / "ours.npz", kTwoJoints);
  files.push_back(folder_ / "ours.npz");
  for (const std::string& source : files) {
    const std::string whole = bytes_of(source);
    const bool ours = source == files.back();
    const RunFile file = ours ? position_run(path_, "position[{j}]", "time") : position_run(path_, "q[{j}]");
    for (std::uint64_t trial = 0; trial < 200; ++trial) {
      write_bytes(path_, damaged(whole, 20240613, trial));
      try {
        const auto run = read_run(file, kTwoJoints);
        if (ours) {
          EXPECT_EQ(run.samples.row(0, 1)[11], true_position(11, 1)) << trial;
        } else {
          expect_numpy_run(file);
        }
      } catch (const InputError&) {
      } catch (const MachineError&) {
        ADD_FAILURE() << "not the machine's fault, trial " << trial;
      }
    }
    for (std::size_t length = 1; length < whole.size(); length += 61) {
      write_bytes(path_, whole.substr(0, length));
      EXPECT_NE(refusal(file), "") << length << " of " << whole.size();
    }
  }
}

TEST_F(NpzWritten, ForeignFilesAreRefused) {
  write_bytes(path_, "t,q1,q2\n0,1,2\n");
  EXPECT_THAT(refusal(position_run(path_, "q[{j}]")), HasSubstr("not a NumPy archive"));
  const std::string array = folder_ / "run.npy";
  write_bytes(array, "t,q1,q2\n0,1,2\n");
  EXPECT_THAT(refusal(position_run(array, "data[{j}]")), HasSubstr("not a NumPy array"));
  const std::string whole = bytes_of(numpy_file("plain.npy"));
  for (std::size_t length = 1; length < whole.size(); length += 61) {
    write_bytes(array, whole.substr(0, length));
    EXPECT_NE(refusal(position_run(array, "data[{j}]", "")), "") << length;
  }
  const std::string table =
      "{'descr': [('t', '<f8'), ('q', '<f8')], 'fortran_order': False, 'shape': (3,), }";
  write_bytes(array, std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(table.size()) + '\0' + table +
                         std::string(48, '\0'));
  EXPECT_THAT(refusal(position_run(array, "data", ""), {kTwoJoints[0]}),
              HasSubstr("a table with named fields"));
}

}  // namespace
}  // namespace steelyard
