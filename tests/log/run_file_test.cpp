#include "steelyard/log/run_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "steelyard/core/error.hpp"
#include "steelyard/log/columns.hpp"
#include "steelyard/log/resample.hpp"
#include "steelyard/log/source.hpp"
#include "temporary_file.hpp"

namespace steelyard {
namespace run_file_test {

using testing::HasSubstr;

const std::vector<LogJoint> kJoints = {{"waist", JointKind::revolute}, {"lift", JointKind::prismatic}};

std::string message_of(const RunFile& file) {
  try {
    const auto source = open_run(file, kJoints);
    read_all(*source);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

RunFile plain_file(const std::string& path) {
  RunFile file;
  file.path = path;
  file.time = "t";
  file.channels = {{"position", {"q{j}"}, {}, {}, {}, {}}, {"torque", {"tau_{name}"}, {}, {}, {}, {}}};
  return file;
}

const char* const kLog = "t,q1,q2,tau_waist,tau_lift\n0,1,2,3,4\n0.5,5,6,7,8\n1,9,10,11,12\n";

TEST(RunFile, PatternsNameColumns) {
  EXPECT_EQ(expand_pattern("q{j}_rad", 0, kJoints[0]), "q1_rad");
  EXPECT_EQ(expand_pattern("{j-1}/{j+9}/{name}", 1, kJoints[1]), "1/11/lift");
  EXPECT_EQ(expand_pattern("{{{j}}}", 1, kJoints[1]), "{2}");
  for (const char* bad : {"q{k}", "q{j", "q{}", "q{j*2}", "q{j+}", "q{j+-1}", "q{jj}", "q{j 1}"}) {
    EXPECT_THROW(expand_pattern(bad, 0, kJoints[0]), InputError) << bad;
  }
}

TEST(RunFile, ChannelsAreStoredByChannelJointSample) {
  const TemporaryFile file(kLog);
  const auto run = read_run(plain_file(file.path()), kJoints);
  EXPECT_EQ(run.samples.size(), 3);
  EXPECT_EQ(run.samples.stride(), 3);
  const std::vector<double> data(run.samples.data(), run.samples.data() + 12);
  EXPECT_EQ(data, (std::vector<double>{1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12}));
  EXPECT_EQ(run.samples.time()[1], 0.5);
  EXPECT_EQ(run.samples.find("torque"), 1);
  EXPECT_EQ(run.samples.find("current"), -1);
}

TEST(RunFile, UnitsScalesSignsAndOffsetsApplyPerJoint) {
  const TemporaryFile text(kLog);
  RunFile file = plain_file(text.path());
  file.time_unit = "ms";
  file.channels[0].units = {"deg", "mm"};
  file.channels[0].sign = {-1, 1};
  file.channels[0].offset = {0.5, 0};
  file.channels[1].units = {"%"};
  file.channels[1].scale = {10};
  const auto run = read_run(file, kJoints);
  const double eps = 1e-15;
  EXPECT_NEAR(run.samples.row(0, 0)[1], -5 * std::numbers::pi / 180 + 0.5, eps);
  EXPECT_NEAR(run.samples.row(0, 1)[1], 6e-3, eps);
  EXPECT_NEAR(run.samples.row(1, 0)[1], 0.7, eps);
  EXPECT_NEAR(run.samples.row(1, 1)[1], 0.8, eps);
  EXPECT_NEAR(run.samples.time()[2], 1e-3, eps);
}

TEST(RunFile, FilesWithoutTimeHaveARate) {
  const TemporaryFile text("1 2\n3 4\n5 6\n");
  RunFile file;
  file.path = text.path();
  file.time = "";
  file.channels = {{"position", {"{j}"}, {}, {}, {}, {}}};
  EXPECT_THAT(message_of(file), HasSubstr("rate"));
  file.rate = 4;
  const auto run = read_run(file, kJoints);
  EXPECT_EQ(run.samples.time()[2], 0.5);
  EXPECT_EQ(run.samples.row(0, 1)[2], 6);
}

// The link of a stiff joint has no encoder of its own.
TEST(RunFile, LinkAndMotorOfAJointMayShareAColumn) {
  const TemporaryFile text(kLog);
  RunFile file = plain_file(text.path());
  file.channels[1] = {"theta", {"q1", "tau_lift"}, {}, {}, {-1, 1}, {}};
  const auto run = read_run(file, kJoints);
  EXPECT_EQ(run.samples.row(0, 0)[2], 9);
  EXPECT_EQ(run.samples.row(0, 1)[2], 10);
  EXPECT_EQ(run.samples.row(1, 0)[2], -9);
  EXPECT_EQ(run.samples.row(1, 1)[2], 12);
  file.channels[1].columns = {"q2", "tau_lift"};
  EXPECT_THAT(message_of(file), HasSubstr("as position of joint 'lift' and as theta of joint 'waist'"));
}

TEST(RunFile, RefusesWrongColumnsListsAndUnits) {
  const TemporaryFile text(kLog);
  RunFile file = plain_file(text.path());
  file.channels[0].columns = {"p{j}"};
  EXPECT_THAT(message_of(file), HasSubstr("'p1'"));
  file.channels[0].columns = {"q1"};
  EXPECT_THAT(message_of(file),
              HasSubstr("column 2 'q1' is used twice: as position of joint 'waist' and as position "
                        "of joint 'lift'"));
  file.channels[0].columns = {"q1", "t"};
  EXPECT_THAT(message_of(file), HasSubstr("as time and as position"));
  file.channels[0].columns = {"q1", "q2", "t"};
  EXPECT_THAT(message_of(file), HasSubstr("3 entries"));
  file.channels[0].columns = {};
  EXPECT_THAT(message_of(file), HasSubstr("no columns"));
  file = plain_file(text.path());
  file.channels[0].units = {"deg"};
  EXPECT_THAT(message_of(file), HasSubstr("lift")) << "a prismatic joint does not move by degrees";
  file.channels[0].units = {"A"};
  EXPECT_THAT(message_of(file), HasSubstr("current"));
  file = plain_file(text.path());
  file.channels[0].sign = {2};
  EXPECT_THAT(message_of(file), HasSubstr("sign"));
  file = plain_file(text.path());
  file.channels[0].scale = {0};
  EXPECT_THAT(message_of(file), HasSubstr("scale"));
  file = plain_file(text.path());
  file.channels[1].channel = "position";
  EXPECT_THAT(message_of(file), HasSubstr("given twice"));
  file = plain_file(text.path());
  file.time_unit = "m";
  EXPECT_NE(message_of(file), "");
}

TEST(RunFile, RefusesTimeThatDoesNotAdvance) {
  for (const char* stamp : {"0.5", "0.4"}) {
    const TemporaryFile text(std::string("t,q1,q2,tau_waist,tau_lift\n0,1,2,3,4\n0.5,5,6,7,8\n") + stamp +
                             ",9,10,11,12\n");
    EXPECT_THAT(message_of(plain_file(text.path())),
                HasSubstr(":4:1, 't': time does not increase: column 1 't' = " + std::string(stamp)));
  }
}

TEST(RunFile, RefusesNoRowAndOneRow) {
  const std::string header = "t,q1,q2,tau_waist,tau_lift\n";
  const TemporaryFile none(header), one(header + "0,1,2,3,4\n"), two(header + "0,1,2,3,4\n1,1,2,3,4\n");
  EXPECT_THAT(message_of(plain_file(none.path())), HasSubstr("no row"));
  EXPECT_THAT(message_of(plain_file(one.path())), HasSubstr("one row"));
  EXPECT_EQ(message_of(plain_file(two.path())), "");
}

TEST(RunFile, StreamsTheSameBytesInEveryPass) {
  std::string text = "t,q1,q2,tau_waist,tau_lift\n";
  for (int i = 0; i < 500; ++i)
    text += std::to_string(i) + ",1." + std::to_string(i) + ",2,3,0.1" + std::to_string(i) + "\n";
  const TemporaryFile csv(text);
  RunFile file = plain_file(csv.path());
  file.channels[0].scale = {0.1};
  const auto source = open_run(file, kJoints);
  const SampleBlock first = read_all(*source);
  source->rewind();
  SampleBlock second(source->channels(), source->joints()), block;
  for (source->read(7, block); block.size() > 0; source->read(7, block))
    second.append(block, 0, block.size());
  second.pack();
  ASSERT_EQ(second.size(), 500);
  EXPECT_EQ(std::vector<double>(first.data(), first.data() + 2000),
            std::vector<double>(second.data(), second.data() + 2000));
}

TEST(RunFile, MimicJointsHaveNoColumns) {
  Robot robot;
  robot.joints.resize(3);
  robot.joints[0].name = "a";
  robot.joints[1].name = "b";
  robot.joints[2].name = "c";
  robot.mimics = {{1, 0, 2.0, 0.0}};
  const auto joints = log_joints(robot);
  ASSERT_EQ(joints.size(), 2u);
  EXPECT_EQ(joints[1].name, "c");
}

// Small buffers make many parts.
TEST(RunFile, StampsOfLongFilesAreScannedInParts) {
  std::string text = "t,q1,q2,tau_waist,tau_lift\n";
  for (int i = 0; i < 2000; ++i) text += fmt::format("{:.4f},1,2,3,{}\n", 0.0005 * i * i + i, i);
  const TemporaryFile log(text);
  RunFile file = plain_file(log.path());
  const TimeScan whole = scan_time(*open_run(file, kJoints));
  EXPECT_EQ(whole.samples, 2000);
  file.csv.buffer = 16;
  const TimeScan one = scan_time(*open_run(file, kJoints)), two = scan_time(*open_run(file, kJoints), 2);
  for (const TimeScan& scan : {one, two}) {
    EXPECT_EQ(scan.samples, whole.samples);
    EXPECT_EQ(scan.first, whole.first);
    EXPECT_EQ(scan.last, whole.last);
    EXPECT_EQ(scan.shortest_step, whole.shortest_step);
    EXPECT_EQ(scan.longest_step, whole.longest_step);
    EXPECT_NEAR(scan.jitter / whole.jitter, 1, 1e-12);  // sums in another order
  }
  EXPECT_EQ(one.jitter, two.jitter);
  EXPECT_EQ(one.median_step, two.median_step);
}

TEST(RunFile, ErrorInAPartHasItsLine) {
  for (const bool text_in_it : {true, false}) {
    std::string text = "t,q1,q2,tau_waist,tau_lift\n";
    for (int i = 0; i < 2000; ++i) {
      const std::string stamp = i != 1500 ? std::to_string(i) : text_in_it ? "late" : "1499";
      text += stamp + ",1,2,3,4\n";
    }
    const TemporaryFile log(text);
    RunFile file = plain_file(log.path());
    file.csv.buffer = 16;
    // Many times: whichever thread meets it, and whatever the other has just finished.
    for (int repeat = 0; repeat < 50; ++repeat) {
      try {
        scan_time(*open_run(file, kJoints), 2);
        FAIL() << "not refused";
      } catch (const InputError& error) {
        ASSERT_EQ(error.complaint().place.line, 1502) << error.what();
        ASSERT_THAT(error.what(), HasSubstr(text_in_it ? "late" : "does not increase"));
      }
    }
  }
}

}  // namespace run_file_test
}  // namespace steelyard
