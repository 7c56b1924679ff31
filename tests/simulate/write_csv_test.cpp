#include "steelyard/simulate/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "cases.hpp"
#include "log/temporary_file.hpp"
#include "steelyard/core/atomic_file.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

namespace fs = std::filesystem;

// A folder of its own, so that files left behind are seen.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / "steelyard-write-XXXXXX") {
    std::string name = path_.string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  int count() const {
    return static_cast<int>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string first_line(const std::string& path) {
  const std::string text = content(path);
  return text.substr(0, text.find('\n'));
}

Run panda_run(Index samples) {
  SimulateOptions options;
  options.samples = samples;
  options.effort_noise = cases::one(0.05);
  options.position_noise = cases::one(1e-5);
  options.jitter = 1e-4;
  const Robot robot = cases::robot("panda");
  return simulate(robot, true_parameters(robot), cases::panda_series(), options);
}

TEST(WriteCsv, ReadBackGivesTheSameBits) {
  const Folder folder;
  const std::vector<LogJoint> joints = log_joints(cases::robot("panda"));
  const steelyard::Run run = panda_run(20001);
  const RunFile file = standard_columns(folder.file("run.csv"), run.samples.channels(), joints);
  write_csv(run, file, joints);
  const steelyard::Run back = read_run(file, joints);
  ASSERT_EQ(back.samples.size(), run.samples.size());
  cases::expect_same_bytes(run.samples, back.samples, 0);
  EXPECT_EQ(folder.count(), 1);
  EXPECT_TRUE(first_line(file.path).starts_with("t_s,q1_rad,q2_rad,"));
  EXPECT_THAT(first_line(file.path), testing::HasSubstr(",q7_rad,dq1_radps,"));
  EXPECT_TRUE(first_line(file.path).ends_with(",tau6_Nm,tau7_Nm"));
}

TEST(WriteCsv, KeepsExtremeNumbers) {
  const Folder folder;
  const std::vector<double> values = {0.0, -0.0,    5e-324, -2.2250738585072014e-308, 1.7976931348623157e308,
                                      0.1, 1.0 / 3, 1e23,   123456789012345678.0};
  steelyard::Run run{{}, SampleBlock({"position"}, 1, static_cast<Index>(values.size()))};
  for (std::size_t i = 0; i < values.size(); ++i) {
    run.samples.row(0)[i] = values[i];
    run.samples.time()[i] = 1e9 + 0.001 * static_cast<double>(i);
  }
  const RunFile file = standard_columns(folder.file("run.csv"), {"position"}, {{"a", JointKind::prismatic}});
  EXPECT_EQ(file.channels[0].columns[0], "q{j}_m");
  write_csv(run, file, {{"a", JointKind::prismatic}});
  const steelyard::Run back = read_run(file, {{"a", JointKind::prismatic}});
  ASSERT_EQ(back.samples.size(), run.samples.size());
  // The reader adds its offset of zero, which makes a plain zero of the negative one.
  EXPECT_EQ(back.samples.row(0)[1], 0);
  for (std::size_t i = 2; i < values.size(); ++i) EXPECT_EQ(back.samples.row(0)[i], values[i]);
}

TEST(WriteCsv, ColumnsSeparatorsAndChannelsAreThoseOfTheRunFile) {
  const Folder folder;
  steelyard::Run run{{}, SampleBlock({"position", "torque"}, 2, 3)};
  for (Index s = 0; s < 3; ++s) {
    run.samples.time()[s] = static_cast<double>(s);
    for (Index j = 0; j < 2; ++j) run.samples.row(1, j)[s] = static_cast<double>(10 * j + s) + 0.5;
  }
  const std::vector<LogJoint> joints = {{"hip", JointKind::revolute}, {"knee", JointKind::revolute}};
  RunFile file;
  file.path = folder.file("run.csv");
  file.time = "time; s";
  file.csv.separator = Separator::semicolon;
  file.channels = {{"torque", {"m_{name}"}, {}, {}, {}, {}}};
  write_csv(run, file, joints);
  EXPECT_EQ(content(file.path), "\"time; s\";m_hip;m_knee\n0;0.5;10.5\n1;1.5;11.5\n2;2.5;12.5\n");
  EXPECT_EQ(read_run(file, joints).samples.row(0, 1)[2], 12.5);
}

TEST(WriteCsv, NamesMixedJointsByTheirUnits) {
  const std::vector<LogJoint> joints = {{"a", JointKind::revolute}, {"b", JointKind::prismatic}};
  const RunFile file =
      standard_columns("x", {"velocity", "torque", "motor_torque", "current", "temperature"}, joints);
  EXPECT_EQ(file.channels[0].columns, (std::vector<std::string>{"dq1_radps", "dq2_mps"}));
  EXPECT_EQ(file.channels[1].columns, (std::vector<std::string>{"tau1_Nm", "tau2_N"}));
  EXPECT_EQ(file.channels[2].columns, (std::vector<std::string>{"taum1_Nm", "taum2_Nm"}));
  EXPECT_EQ(file.channels[3].columns, (std::vector<std::string>{"i1_A", "i2_A"}));
  EXPECT_EQ(file.channels[4].columns, (std::vector<std::string>{"temperature{j}"}));
}

TEST(WriteCsv, StreamedRunsHaveTheBytesOfWholeOnes) {
  const Folder folder;
  const Robot robot = cases::robot("panda");
  const std::vector<LogJoint> joints = log_joints(robot);
  const steelyard::Run run = panda_run(20001);
  const RunFile whole = standard_columns(folder.file("whole.csv"), run.samples.channels(), joints);
  write_csv(run, whole, joints);
  SimulateOptions options;
  options.samples = 20001;
  options.effort_noise = cases::one(0.05);
  options.position_noise = cases::one(1e-5);
  options.jitter = 1e-4;
  for (const int threads : {1, 3}) {
    options.threads = threads;
    RunFile streamed = whole;
    streamed.path = folder.file("streamed.csv");
    write_csv(*simulated_source(Simulator(robot, true_parameters(robot), cases::panda_series(), options)),
              streamed, joints);
    EXPECT_TRUE(content(streamed.path) == content(whole.path)) << threads;
  }
}

TEST(WriteCsv, RefusesWhatCouldNotBeReadBack) {
  const Folder folder;
  const std::vector<LogJoint> joints = {{"a", JointKind::revolute}, {"b", JointKind::revolute}};
  steelyard::Run run{{}, SampleBlock({"position"}, 2, 2)};
  run.samples.time()[1] = 1;
  const RunFile good = standard_columns(folder.file("run.csv"), {"position"}, joints);
  const auto refused = [&](const RunFile& file) { EXPECT_THROW(write_csv(run, file, joints), InputError); };
  RunFile bad = good;
  bad.channels[0].columns = {"q"};  // twice
  refused(bad);
  bad = good;
  bad.channels[0].units = {"deg"};
  refused(bad);
  bad = good;
  bad.channels[0].channel = "postion";
  refused(bad);
  bad = good;
  bad.csv.header = Header::absent;
  refused(bad);
  EXPECT_THROW(write_csv(run, good, {joints[0]}), InputError);
  run.samples.row(0, 1)[1] = std::numeric_limits<double>::quiet_NaN();
  try {
    write_csv(run, good, joints);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("sample 1 of column 'q2_rad' is nan"));
  }
  EXPECT_EQ(folder.count(), 0);
}

TEST(WriteCsv, LeavesNothingWhenTheMotionBreaksALimitLateInTheRun) {
  const Folder folder;
  const Robot robot = cases::robot("panda");
  const std::vector<LogJoint> joints = log_joints(robot);
  PointToPoint moves;
  const VectorXd start = cases::panda_series().q0;
  VectorXd beyond = start;
  beyond[3] = -3.1;
  moves.points = {start, beyond};
  moves.velocity = cases::one(0.5);
  moves.acceleration = cases::one(1);
  moves.dwell = (VectorXd(2) << 20, 1).finished();
  const auto source = simulated_source(Simulator(robot, true_parameters(robot), moves, {}));
  EXPECT_THROW(
      write_csv(*source, standard_columns(folder.file("run.csv"), source->channels(), joints), joints),
      InputError);
  EXPECT_EQ(folder.count(), 0);
}

// Files may not grow beyond a limit: the disk is full for this process.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(AtomicFile, OnAFullDiskTheOldFileStaysAndNothingElse) {
  const Folder folder;
  const std::string path = folder.file("run.csv");
  std::ofstream(path) << "old";
  const steelyard::Run run = panda_run(20001);
  const std::vector<LogJoint> joints = log_joints(cases::robot("panda"));
  {
    const FullDisk full(1 << 20);
    EXPECT_THROW(write_csv(run, standard_columns(path, run.samples.channels(), joints), joints),
                 MachineError);
  }
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const Folder folder;
  const std::string path = folder.file("a");
  {
    AtomicFile file(path);
    file.write("half");
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(folder.count(), 0);
  AtomicFile file(path);
  AtomicFile other(path);  // two at a time do not disturb each other
  file.write("first");
  other.write("second");
  file.commit();
  EXPECT_EQ(content(path), "first");
  other.commit();
  EXPECT_EQ(content(path), "second");
  EXPECT_EQ(folder.count(), 1);
}

TEST(AtomicFile, RefusesFoldersDevicesAndMissingPlaces) {
  const Folder folder;
  EXPECT_THROW(AtomicFile(folder.file("")), InputError);
  EXPECT_THROW(AtomicFile("/dev/null"), InputError);
  try {
    AtomicFile file(folder.file("missing/run.csv"));
    FAIL();
  } catch (const MachineError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("missing/run.csv"));
    EXPECT_THAT(error.what(), testing::HasSubstr("No such file"));
  }
}

}  // namespace
}  // namespace steelyard
