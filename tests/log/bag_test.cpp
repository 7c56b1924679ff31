#include <gmock/gmock.h>

#include <limits>

#include "array_test.hpp"
#include "bag_writer.hpp"
#include "log/readers/bytes.hpp"
#include "oracle/data_folder.hpp"
#include "steelyard/log/contents.hpp"
#include "steelyard/log/write_log.hpp"

namespace steelyard {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kDate = 1700000000'100000000;  // true_time(0) is 0.1 s
constexpr std::int64_t kStep = 4000000;

// How a bag is written; chunk 0: MCAP without chunks.
struct BagForm {
  std::string ending;
  std::string packing;
  std::size_t chunk = 0;
  Order order = Order::little;
};

void PrintTo(const BagForm& form, std::ostream* out) {
  *out << form.ending << " " << form.packing << " " << form.chunk << (form.order == Order::big ? " big" : "");
}

void write_bag(const std::string& path, const BagForm& form, const std::vector<TestMessage>& messages) {
  std::filesystem::remove(path);
#ifdef STEELYARD_WITH_SQLITE3
  if (form.ending == "db3") {
    ASSERT_TRUE(write_db3(path, messages));
    return;
  }
#endif
  write_bytes(path, mcap_bytes(messages, form.chunk, form.packing));
}

// Joints in another order than the robot's, and a gripper on the same topic between them.
std::vector<TestMessage> true_messages(Order order, const std::string& topic = "/joint_states") {
  std::vector<TestMessage> messages;
  for (Index i = 0; i < kSamples; ++i) {
    const std::int64_t stamp = kDate + kStep * i;
    const double waist = true_position(i, 0), arm = true_position(i, 1);
    messages.push_back(
        {topic, kJointStateType, stamp + 700,
         joint_state(order, stamp, {"arm", "tool", "waist"}, {arm, 5, waist}, {}, {3 * arm, 6, 3 * waist})});
    messages.push_back(
        {topic, kJointStateType, stamp + 900, joint_state(order, stamp, {"gripper"}, {0.01}, {}, {1})});
  }
  return messages;
}

RunFile bag_run(const std::string& path, const std::string& topic = {}) {
  RunFile file = position_run(path, "position[{name}]", "stamp");
  file.topic = topic;
  return file;
}

// The times of true_time() are rounded sums; those of a bag are nanoseconds.
void expect_true_bag(const RunFile& file) {
  const auto run = read_run(file, kTwoJoints);
  ASSERT_EQ(run.samples.size(), kSamples);
  for (Index i = 0; i < kSamples; ++i) {
    EXPECT_EQ(run.samples.time()[i], static_cast<double>(100000000 + kStep * i) / 1e9);
    for (int joint = 0; joint < 2; ++joint) EXPECT_EQ(run.samples.row(0, joint)[i], true_position(i, joint));
  }
}

class BagOf : public testing::TestWithParam<BagForm> {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_ / ("run." + GetParam().ending);
};

TEST_P(BagOf, GivesJointsByNameAndPassesOthersOver) {
  write_bag(path_, GetParam(), true_messages(GetParam().order));
  expect_true_bag(bag_run(path_));
  expect_true_bag(bag_run(path_, "/joint_states"));
  RunFile efforts = bag_run(path_);
  efforts.channels.push_back({"torque", {"effort[{name}]"}, {}, {}, {}, {}});
  const auto run = read_run(efforts, kTwoJoints);
  for (Index i = 0; i < kSamples; ++i) EXPECT_EQ(run.samples.row(1, 1)[i], 3 * true_position(i, 1));
  EXPECT_THAT(log_columns(bag_run(path_)), ElementsAre("stamp", "received", "position[arm]", "position[tool]",
                                                       "position[waist]", "position[gripper]", "effort[arm]",
                                                       "effort[tool]", "effort[waist]", "effort[gripper]"));
}

TEST_P(BagOf, GivesNumbersOfArraysByTheRecordersTime) {
  std::vector<TestMessage> messages;
  for (Index i = 0; i < kSamples; ++i)
    messages.push_back({"/q", kMultiArrayType, kDate + kStep * i,
                        multi_array(GetParam().order, {9, true_position(i, 0), true_position(i, 1)})});
  std::rotate(messages.begin(), messages.begin() + 20, messages.end());  // recorders need not keep the order
  write_bag(path_, GetParam(), messages);
  expect_true_bag(position_run(path_, "data[{j+1}]", "received"));
  EXPECT_THAT(refusal(position_run(path_, "data[{j+2}]", "received")), HasSubstr("unknown column 'data[4]'"));
  EXPECT_THAT(refusal(position_run(path_, "data[{j}]", "stamp")), HasSubstr("unknown column 'stamp'"));
}

TEST_P(BagOf, NamesTheTopicsThereAre) {
  std::vector<TestMessage> messages = true_messages(GetParam().order);
  messages.push_back({"/tf", "tf2_msgs/msg/TFMessage", kDate, "x"});
  write_bag(path_, GetParam(), messages);
  expect_true_bag(bag_run(path_));  // the only one that can be read
  EXPECT_THAT(refusal(bag_run(path_, "/joint_state")),
              testing::AllOf(HasSubstr("there is no topic '/joint_state'"),
                             HasSubstr("did you mean '/joint_states'?"),
                             HasSubstr("'/tf' (tf2_msgs/msg/TFMessage, 1 messages)")));
  EXPECT_THAT(refusal(bag_run(path_, "/tf")),
              testing::AllOf(HasSubstr("topic '/tf' holds tf2_msgs/msg/TFMessage"),
                             HasSubstr("'/joint_states' (sensor")));
  messages.push_back({"/other", kMultiArrayType, kDate, multi_array(Order::little, {1, 2})});
  write_bag(path_, GetParam(), messages);
  EXPECT_THAT(refusal(bag_run(path_)),
              testing::AllOf(HasSubstr("2 topics of the bag can be read"), HasSubstr("'/other'")));
  expect_true_bag(bag_run(path_, "/joint_states"));
  write_bag(path_, GetParam(), {{"/tf", "tf2_msgs/msg/TFMessage", kDate, "x"}});
  EXPECT_THAT(refusal(bag_run(path_)), HasSubstr("the bag has no topic that can be read"));
  write_bag(path_, GetParam(), {{"/joint_states", kJointStateType, kDate, "{}", "json"}});
  EXPECT_THAT(refusal(bag_run(path_, "/joint_states")),
              HasSubstr("holds sensor_msgs/msg/JointState in json"));
}

TEST_P(BagOf, RefusesMessagesThatDoNotFit) {
  const Order order = GetParam().order;
  const auto with = [&](const std::string& data) {
    std::vector<TestMessage> messages = true_messages(order);
    messages[6].data = data;
    write_bag(path_, GetParam(), messages);
    return refusal(bag_run(path_));
  };
  const std::string good = true_messages(order)[6].data;
  for (std::size_t length = 0; length < good.size(); length += 3)
    EXPECT_THAT(with(good.substr(0, length)), HasSubstr("message 7 of topic '/joint_states' cannot be read"))
        << length;
  EXPECT_THAT(with(std::string("\0\3\0\0", 4) + good.substr(4)), HasSubstr("encapsulation is 0x00 0x03"));
  EXPECT_THAT(with(joint_state(order, kDate + 3 * kStep, {"arm", "tool"}, {1, 2}, {}, {})),
              HasSubstr("but not 'waist'"));
  EXPECT_THAT(with(joint_state(order, kDate + 3 * kStep, {"arm", "waist"}, {1, 2, 3}, {}, {})),
              HasSubstr("has 3 positions for 2 joints"));
  EXPECT_THAT(with(joint_state(order, kDate, {"arm", "waist"}, {1, 2}, {}, {})),
              HasSubstr("time does not increase"));
  EXPECT_THAT(with(joint_state(order, kDate + 3 * kStep, {"arm", "waist"}, {1, std::nan("")}, {}, {})),
              HasSubstr("sample 4 of 'position[waist]' holds 'nan'"));
  // As 64 bits a time beyond 2262 is one before 1970; their difference to others is beyond 64 bits.
  std::vector<TestMessage> messages = true_messages(order);
  messages[6].time = std::numeric_limits<std::int64_t>::min() + 4;
  write_bag(path_, GetParam(), messages);
  EXPECT_THAT(refusal(bag_run(path_)), HasSubstr("a message was received before 1970 or after 2262"));
  write_bag(path_, GetParam(), true_messages(order));
  RunFile velocity = bag_run(path_);
  velocity.channels.push_back({"velocity", {"velocity[{name}]"}, {}, {}, {}, {}});
  EXPECT_THAT(refusal(velocity), HasSubstr("unknown column 'velocity[waist]'"));
}

// MCAP has checksums over everything; SQLite has none, so numbers may be other ones there.
TEST_P(BagOf, DamageNeverGoesBeyondNumbers) {
  write_bag(path_, GetParam(), true_messages(GetParam().order));
  const std::string whole = bytes_of(path_);
  for (std::size_t length = 1; length < whole.size(); length += 197) {
    write_bytes(path_, whole.substr(0, length));
    EXPECT_NE(refusal(bag_run(path_)), "") << length << " of " << whole.size();
  }
  write_bytes(path_, whole);
  const auto good = read_run(bag_run(path_), kTwoJoints);
  int refused = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    write_bytes(path_, damaged(whole, 20240614, trial));
    try {
      const auto run = read_run(bag_run(path_), kTwoJoints);
      if (GetParam().ending != "mcap") continue;
      ASSERT_EQ(run.samples.size(), good.samples.size()) << trial;
      for (Index i = 0; i < kSamples; ++i)
        ASSERT_EQ(run.samples.row(0, 1)[i], good.samples.row(0, 1)[i]) << trial;
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, GetParam().ending == "mcap" ? 150 : 3);
}

std::vector<BagForm> forms() {
  std::vector<BagForm> all = {
      {"mcap", "", 0, Order::little}, {"mcap", "", 0, Order::big}, {"mcap", "", 7, Order::little}};
#ifdef STEELYARD_WITH_LZ4
  all.push_back({"mcap", "lz4", 7, Order::little});
#endif
#ifdef STEELYARD_WITH_ZSTD
  all.push_back({"mcap", "zstd", 1000, Order::big});
#endif
#ifdef STEELYARD_WITH_SQLITE3
  all.push_back({"db3", "", 0, Order::little});
  all.push_back({"db3", "", 0, Order::big});
#endif
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, BagOf, testing::ValuesIn(forms()));

TEST(Bag, ChecksumIsThatOfTheDefinition) {
  EXPECT_EQ(crc32("123456789", 9), 0xCBF43926U);  // the check value of CRC-32/ISO-HDLC
  Random random(5, "crc", 0);
  std::string bytes;
  for (int k = 0; k < 100; ++k) {
    EXPECT_EQ(crc32(bytes.data(), bytes.size()), plain_crc(bytes));
    EXPECT_EQ(crc32(bytes.data() + k / 2, bytes.size() - k / 2, crc32(bytes.data(), k / 2)),
              plain_crc(bytes));
    bytes += static_cast<char>(random.below(256));
  }
}

TEST(Bag, RefusesForeignFiles) {
  const TemporaryFolder folder;
  write_bytes(folder / "run.mcap", "t,q\n0,1\n");
  EXPECT_THAT(refusal(bag_run(folder / "run.mcap")), HasSubstr("not an MCAP file"));
  write_bytes(folder / "run.mcap", mcap_bytes(true_messages(Order::little), 5, "brotli"));
  EXPECT_THAT(refusal(bag_run(folder / "run.mcap")), HasSubstr("compressed with 'brotli'"));
  EXPECT_THAT(refusal(bag_run(folder / "none.mcap")), HasSubstr("the file does not exist"));
#ifdef STEELYARD_WITH_SQLITE3
  write_bytes(folder / "run.db3", std::string(5000, 'x'));
  EXPECT_THAT(refusal(bag_run(folder / "run.db3")), HasSubstr("not an SQLite database"));
  sqlite3* base = nullptr;
  ASSERT_EQ(sqlite3_open((folder / "other.db3").c_str(), &base), SQLITE_OK);
  sqlite3_exec(base, "CREATE TABLE songs(id INTEGER)", nullptr, nullptr, nullptr);
  sqlite3_close(base);
  EXPECT_THAT(refusal(bag_run(folder / "other.db3")), HasSubstr("this database is not a ROS 2 bag"));
#endif
}

#if !defined(STEELYARD_WITH_SQLITE3) || !defined(STEELYARD_WITH_LZ4) || !defined(STEELYARD_WITH_ZSTD)
TEST(Bag, SaysWhichPartIsMissing) {
  const TemporaryFolder folder;
  const auto text = [](const RunFile& file) -> std::string {
    try {
      read_run(file, kTwoJoints);
    } catch (const MachineError& error) {
      return error.what();
    }
    return "no error";
  };
#ifndef STEELYARD_WITH_SQLITE3
  write_bytes(folder / "run.db3", "SQLite format 3");
  EXPECT_THAT(text(bag_run(folder / "run.db3")), HasSubstr("libsqlite3-dev"));
  EXPECT_THAT(text(bag_run(folder / "run.db3")), HasSubstr("STEELYARD_WITH_SQLITE3"));
#endif
#ifndef STEELYARD_WITH_LZ4
  write_bytes(folder / "run.mcap", mcap_bytes(true_messages(Order::little), 5, "lz4"));
  EXPECT_THAT(text(bag_run(folder / "run.mcap")), HasSubstr("STEELYARD_WITH_LZ4"));
#endif
#ifndef STEELYARD_WITH_ZSTD
  write_bytes(folder / "run.mcap", mcap_bytes(true_messages(Order::little), 5, "zstd"));
  EXPECT_THAT(text(bag_run(folder / "run.mcap")), HasSubstr("STEELYARD_WITH_ZSTD"));
#endif
}
#endif

std::vector<McapPacking> packings() {
  std::vector<McapPacking> all = {McapPacking::none};
#ifdef STEELYARD_WITH_LZ4
  all.push_back(McapPacking::lz4);
#endif
#ifdef STEELYARD_WITH_ZSTD
  all.push_back(McapPacking::zstd);
#endif
  return all;
}

TEST(Bag, WrittenAsMcapReadsBackBitForBit) {
  const TemporaryFolder folder;
  steelyard::Run run;
  run.samples = SampleBlock({"torque", "current", "position"}, 2, 3000);
  for (Index i = 0; i < run.samples.size(); ++i) {
    run.samples.time()[i] = static_cast<double>(2500000 + kStep * i) / 1e9;
    for (Index r = 0; r < 6; ++r)
      run.samples.data()[r * run.samples.stride() + i] = std::sin(0.1 * static_cast<double>(i * r));
  }
  for (const McapPacking packing : packings()) {
    const WrittenLog written = write_mcap(*view_run(run), folder / "run.mcap", kTwoJoints, packing);
    EXPECT_THAT(written.not_carried, ElementsAre("current"));
    const auto back = read_run(written.file, kTwoJoints);
    ASSERT_EQ(back.samples.size(), run.samples.size());
    for (Index i = 0; i < run.samples.size(); ++i) {
      ASSERT_EQ(back.samples.time()[i], run.samples.time()[i]);
      for (Index j = 0; j < 2; ++j) {
        ASSERT_EQ(back.samples.row(0, j)[i], run.samples.row(0, j)[i]);
        ASSERT_EQ(back.samples.row(1, j)[i], run.samples.row(2, j)[i]);
      }
    }
  }
  run.samples.time()[0] = -1;
  EXPECT_THROW(write_mcap(*view_run(run), folder / "run.mcap", kTwoJoints), InputError);
}

#ifdef STEELYARD_WITH_SQLITE3
// A recorded UR10, and what its authors' tools made of it with nine digits.
TEST(Bag, OfTheUr10EqualsItsTableAndOurMcapOfIt) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  const std::string folder = (*data / "ur10_unisa").string();
  std::vector<LogJoint> joints;
  for (const char* name : {"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint",
                           "wrist_2_joint", "wrist_3_joint"})
    joints.push_back({name, JointKind::revolute});
  RunFile bag = bag_run(folder + "/ur10_exciting_trajectory.db3");
  bag.channels.push_back({"velocity", {"velocity[{name}]"}, {}, {}, {}, {}});
  bag.channels.push_back({"torque", {"effort[{name}]"}, {}, {}, {}, {}});
  RunFile table;
  table.path = folder + "/ur10_exciting_125Hz.csv";
  table.channels = {{"position", {"q{j}_rad"}, {}, {}, {}, {}},
                    {"velocity", {"dq{j}_radps"}, {}, {}, {}, {}},
                    {"torque", {"tau{j}_Nm"}, {}, {}, {}, {}}};
  const auto recorded = read_run(bag, joints), printed = read_run(table, joints);
  ASSERT_EQ(recorded.samples.size(), 3441);
  ASSERT_EQ(printed.samples.size(), 3441);
  // Nine digits: half a unit of the ninth is at most 5e-9 of the number.
  const auto near = [](double exact, double text) {
    return std::abs(exact - text) <= 5.0001e-9 * std::abs(exact);
  };
  for (Index i = 0; i < 3441; ++i) {
    ASSERT_TRUE(near(recorded.samples.time()[i], printed.samples.time()[i])) << i;
    for (Index r = 0; r < 18; ++r) {
      const double exact = recorded.samples.data()[r * recorded.samples.stride() + i];
      ASSERT_TRUE(near(exact, printed.samples.data()[r * printed.samples.stride() + i])) << i << " " << r;
    }
  }
  const TemporaryFolder target;
  for (const McapPacking packing : packings()) {
    const WrittenLog written = write_mcap(*view_run(recorded), target / "run.mcap", joints, packing);
    const auto back = read_run(written.file, joints);
    ASSERT_EQ(back.samples.size(), 3441);
    for (Index i = 0; i < 3441; ++i) {
      ASSERT_EQ(back.samples.time()[i], recorded.samples.time()[i]);
      for (Index r = 0; r < 18; ++r)
        ASSERT_EQ(back.samples.data()[r * back.samples.stride() + i],
                  recorded.samples.data()[r * recorded.samples.stride() + i]);
    }
  }
}
#endif

}  // namespace
}  // namespace steelyard
