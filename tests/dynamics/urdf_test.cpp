// Our URDF reader and dynamics against MuJoCo's and DART's readers and dynamics, on every URDF of the data
// folder.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>

#include "agreement.hpp"
#include "compare.hpp"
#include "oracle/bare_urdf.hpp"
#include "oracle/data_folder.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

using Text = std::string (*)(const std::string& path);
using MakeFromUrdf = std::unique_ptr<oracle::Engine> (*)(const std::string&);

std::vector<std::string> urdf_files(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".urdf") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void expect_agreement_on_all_files(Text text, MakeFromUrdf make, const std::filesystem::path& folder,
                                   const oracle::Disagreement& tolerance) {
  const std::vector<std::string> files = urdf_files(folder);
  ASSERT_FALSE(files.empty()) << "no .urdf below " << folder;
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const std::string urdf = text(file);
    const Robot robot = read_robot_urdf(urdf, file).robot;
    const std::unique_ptr<oracle::Engine> engine = make(urdf);
    oracle::Disagreement worst;
    oracle::Random random(1);
    for (int sample = 0; sample < 20; ++sample) {
      worst.add(oracle::disagreement(*engine, robot, oracle::random_state(random, robot.size())));
    }
    EXPECT_LE(worst.effort, tolerance.effort);
    EXPECT_LE(worst.mass, tolerance.mass);
    std::cout << std::filesystem::path(file).filename() << ", " << robot.size()
              << " joints, 20 states: " << worst.to_string() << "\n";
  }
}

// Measured 6e-15.
TEST(Urdf, DartReadsTheSameRobots) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  expect_agreement_on_all_files(oracle::bare_urdf, oracle::make_dart_from_urdf, *data, {1e-12, 1e-12});
}

// MuJoCo diagonalises the inertias it reads to 1e-6 or so of their size: measured 3e-11 in efforts, 5e-8 in
// M. The files whose inertias are diagonal agree to 3e-15.
TEST(Urdf, MujocoReadsTheSameRobots) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  expect_agreement_on_all_files(oracle::possible_urdf, oracle::make_mujoco_from_urdf, *data, {1e-9, 1e-6});
}

}  // namespace
}  // namespace steelyard
