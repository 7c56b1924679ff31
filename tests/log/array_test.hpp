// What the tests of .mat and HDF5 logs share: a folder for files, a run in them, and its known values.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "oracle/sanitized.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "steelyard-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline const std::vector<LogJoint> kTwoJoints = {{"waist", JointKind::revolute},
                                                 {"arm", JointKind::revolute}};
inline constexpr Index kSamples = 50;

// Making a child is slow under sanitizers, which map terabytes: fewer trials there.
inline const int kThinned = oracle::is_sanitized() ? 8 : 1;

inline double true_time(Index i) {
  return 0.1 + 0.004 * static_cast<double>(i);
}
inline double true_position(Index i, int joint) {
  return std::sin(0.3 * static_cast<double>(i) + joint);
}

inline std::vector<double> times() {
  std::vector<double> values;
  for (Index i = 0; i < kSamples; ++i) values.push_back(true_time(i));
  return values;
}

// All samples of joint 0, then all of joint 1.
inline std::vector<double> positions() {
  std::vector<double> values;
  for (int joint = 0; joint < 2; ++joint) {
    for (Index i = 0; i < kSamples; ++i) values.push_back(true_position(i, joint));
  }
  return values;
}

// Joint 0 and 1 of the first sample, then of the second, …
inline std::vector<double> positions_by_sample() {
  std::vector<double> values;
  for (Index i = 0; i < kSamples; ++i) {
    for (int joint = 0; joint < 2; ++joint) values.push_back(true_position(i, joint));
  }
  return values;
}

inline RunFile position_run(const std::string& path, const std::string& position,
                            const std::string& time = "t") {
  RunFile file;
  file.path = path;
  file.time = time;
  file.channels = {{"position", {position}, {}, {}, {}, {}}};
  return file;
}

inline void expect_true_run(const RunFile& file) {
  const Run run = read_run(file, kTwoJoints);
  ASSERT_EQ(run.samples.size(), kSamples);
  for (Index i = 0; i < kSamples; ++i) {
    EXPECT_EQ(run.samples.time()[i], true_time(i));
    for (int joint = 0; joint < 2; ++joint) EXPECT_EQ(run.samples.row(0, joint)[i], true_position(i, joint));
  }
}

// Text of the InputError, empty when there is none; what is printed meanwhile is a failure.
inline std::string refusal(const RunFile& file, const std::vector<LogJoint>& joints = kTwoJoints) {
  std::string text;
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  try {
    read_run(file, joints);
  } catch (const InputError& error) {
    text = error.what();
    EXPECT_EQ(error.complaint().place.file, file.path);
    EXPECT_FALSE(error.complaint().remedy.empty() && error.complaint().limit.empty()) << text;
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  return text;
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Whether the file gives the true run. Other outcomes: an InputError, or other numbers.
enum class Outcome { same, refused, other };

inline Outcome outcome(const RunFile& file) {
  try {
    const Run run = read_run(file, kTwoJoints);
    bool same = run.samples.size() == kSamples;
    for (Index i = 0; same && i < kSamples; ++i) {
      same = run.samples.time()[i] == true_time(i);
      for (int joint = 0; joint < 2; ++joint) same &= run.samples.row(0, joint)[i] == true_position(i, joint);
    }
    return same ? Outcome::same : Outcome::other;
  } catch (const InputError& error) {
    EXPECT_EQ(error.complaint().place.file, file.path);
    return Outcome::refused;
  }
}

// One to four bytes replaced at random.
inline std::string damaged(std::string bytes, std::uint64_t seed, std::uint64_t trial) {
  Random random(seed, "damage", trial);
  for (std::uint64_t k = random.below(4) + 1; k > 0; --k)
    bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
  return bytes;
}

struct Outcomes {
  int same = 0;
  int refused = 0;
  int other = 0;
};

// Reads a file of bytes with seeded damage as often as asked; nothing is printed meanwhile.
inline Outcomes outcomes_of_damage(const RunFile& file, const std::string& whole, std::uint64_t seed,
                                   std::uint64_t trials) {
  Outcomes outcomes;
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (std::uint64_t trial = 0; trial < trials; trial += static_cast<std::uint64_t>(kThinned)) {
    write_bytes(file.path, damaged(whole, seed, trial));
    const Outcome one = outcome(file);
    ++(one == Outcome::same ? outcomes.same : one == Outcome::refused ? outcomes.refused : outcomes.other);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  return outcomes;
}

}  // namespace steelyard
