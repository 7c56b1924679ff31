// Logs and options that are wrong in ways the tests of the single formats do not meet.
#include <gmock/gmock.h>

#include <limits>

#include "array_test.hpp"
#include "bag_writer.hpp"
#include "steelyard/log/csv.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/log/write_log.hpp"

namespace steelyard {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <typename Do>
std::string complaint(Do&& act) {
  try {
    act();
  } catch (const InputError& error) {
    EXPECT_NE(error.complaint().limit + error.complaint().remedy, "") << error.what();
    return error.what();
  }
  return "accepted";
}

constexpr std::int64_t kSecond = 1000000000;

std::vector<TestMessage> arrays(const std::string& last) {
  std::vector<TestMessage> messages;
  for (int k = 0; k < 3; ++k)
    messages.push_back({"/q", kMultiArrayType, kSecond + k, multi_array(Order::little, {1.0 * k, 2})});
  messages.push_back({"/q", kMultiArrayType, kSecond + 9, last});
  return messages;
}

class BagRefusal : public testing::Test {
 protected:
  std::string of(const std::vector<TestMessage>& messages, RunFile file) {
    write_bytes(path_, mcap_bytes(messages, 0, ""));
    file.path = path_;
    return refusal(file);
  }

  TemporaryFolder folder_;
  std::string path_ = folder_ / "run.mcap";
  RunFile arrays_ = position_run(path_, "data[{j}]", "received");
};

TEST_F(BagRefusal, NamesTheMessageOfAnArrayThatDoesNotFit) {
  const std::string good = multi_array(Order::little, {3, 4});
  EXPECT_EQ(of(arrays(good), arrays_), "");
  EXPECT_THAT(of(arrays(good.substr(0, good.size() - 4)), arrays_),
              HasSubstr("message 4 of topic '/q' cannot be read"));
  EXPECT_THAT(of(arrays(multi_array(Order::little, {3})), arrays_),
              HasSubstr("message 4 of topic '/q' has 1 numbers, but 'data[2]' is requested"));
}

TEST_F(BagRefusal, NamesATopicOfAnotherTypeOrEncoding) {
  std::vector<TestMessage> messages = arrays(multi_array(Order::little, {3, 4}));
  messages.push_back({"/tf", "tf2_msgs/msg/TFMessage", kSecond, "x"});
  messages.push_back({"/json", kMultiArrayType, kSecond, "{}", "json"});
  RunFile file = arrays_;
  file.topic = "/tf";
  EXPECT_THAT(of(messages, file), HasSubstr("topic '/tf' holds tf2_msgs/msg/TFMessage"));
  file.topic = "/json";
  EXPECT_THAT(of(messages, file), HasSubstr("in json"));
}

TEST_F(BagRefusal, SaysThatTheJointsMustComeTogether) {
  std::vector<TestMessage> messages;
  for (int k = 0; k < 4; ++k)
    messages.push_back(
        {"/s", kJointStateType, kSecond + k,
         joint_state(Order::little, kSecond + k, {k % 2 == 0 ? "waist" : "arm"}, {1}, {}, {})});
  EXPECT_THAT(of(messages, position_run(path_, "position[{name}]", "stamp")),
              HasSubstr("must come in one message"));
}

TEST_F(BagRefusal, SeesEveryEndThatIsNoEnd) {
  const std::string whole = mcap_bytes(arrays(multi_array(Order::little, {3, 4})), 0, "");
  const auto read = [&](const std::string& bytes) {
    write_bytes(path_, bytes);
    RunFile file = arrays_;
    file.path = path_;
    return refusal(file);
  };
  const std::string magic = whole.substr(0, 8);
  EXPECT_THAT(read(magic + "abc"), HasSubstr("truncated"));
  EXPECT_THAT(read(magic + "abc" + magic), HasSubstr("truncated"));  // no room for a record
  // The footer is the record before the end mark: 1 + 8 bytes of head, 20 of content.
  const std::size_t footer = whole.size() - 8 - 29;
  std::string longer = whole;
  longer[footer + 1] = 21;
  EXPECT_NE(read(longer), "");
  longer[footer + 1] = 19;
  EXPECT_THAT(read(longer), HasSubstr("truncated"));
  std::string other_count = whole;
  other_count[footer - 10] ^= 1;  // of the statistics' eight bytes and two, the first
  EXPECT_THAT(read(other_count), HasSubstr("messages of"));
}

#ifdef STEELYARD_WITH_SQLITE3
TEST_F(BagRefusal, OfDatabasesWithPackedOrWithoutMessages) {
  const std::string path = folder_ / "run.db3";
  std::vector<TestMessage> messages = arrays(std::string("\x28\xb5\x2f\xfd", 4) + "packed");
  ASSERT_TRUE(write_db3(path, messages));
  RunFile file = arrays_;
  file.path = path;
  EXPECT_THAT(refusal(file), HasSubstr("compressed individually"));
  sqlite3* base = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &base), SQLITE_OK);
  sqlite3_exec(base, "DELETE FROM messages", nullptr, nullptr, nullptr);
  sqlite3_close(base);
  file.topic = "/q";
  EXPECT_THAT(refusal(file), HasSubstr("topic '/q' has no messages"));
}
#endif

TEST(ArrayRefusal, OfVersionsAndArchivesOfAnotherKind) {
  const TemporaryFolder folder;
  const std::string array = folder / "run.npy";
  write_bytes(array, std::string("\x93NUMPY\x09\x00", 8) + std::string(40, ' '));
  EXPECT_THAT(refusal(position_run(array, "data[{j}]", "")), HasSubstr("not a NumPy array"));

  // A ZIP file's end record, with the marks that the true numbers stand in a 64-bit record before it.
  const std::string archive = folder / "run.npz";
  const std::string end =
      std::string("PK\5\6", 4) + std::string(8, '\xff') + std::string(8, '\xff') + std::string(2, '\0');
  const auto read = [&](const std::string& bytes) {
    write_bytes(archive, bytes);
    return refusal(position_run(archive, "q[{j}]"));
  };
  const std::string head("PK\3\4", 4);
  EXPECT_NE(read(head + end), "");  // no locator
  const auto located = [&](std::uint64_t at) {
    std::string text = std::string("PK\6\7", 4) + std::string(4, '\0');
    text.append(reinterpret_cast<const char*>(&at), sizeof at);
    return text + std::string(4, '\0');
  };
  EXPECT_NE(read(head + std::string(60, ' ') + located(1 << 20) + end), "");  // beyond the file
  EXPECT_NE(read(head + std::string(60, ' ') + located(2) + end), "");        // not such a record
  const std::string empty = std::string("PK\5\6", 4) + std::string(18, '\0');
  EXPECT_THAT(read(empty), HasSubstr("no NumPy arrays"));
}

TEST(CsvRefusal, OfOptionsOutOfRange) {
  CsvOptions options;
  options.longest_line = 1;
  EXPECT_THAT(complaint([&] { options.validate(); }), HasSubstr("the longest line is 1 bytes"));
  options = {};
  options.buffer = 0;
  EXPECT_THAT(complaint([&] { options.validate(); }), HasSubstr("the reading buffer has 0 bytes"));
}

TEST(PrepareRefusal, OfOptionsOutOfRange) {
  PrepareOptions options;
  EXPECT_NO_THROW(options.validate());
  options.rate = -1;
  EXPECT_THAT(complaint([&] { options.validate(); }), HasSubstr("the sampling rate is -1 Hz"));
  options = {};
  options.filter = {11, 5};
  EXPECT_THAT(complaint([&] { options.validate(); }), HasSubstr("a filter has order 11"));
}

TEST(RunRefusal, OfAnOffsetThatIsNoNumber) {
  const TemporaryFolder folder;
  write_bytes(folder / "run.csv", "t,q1,q2\n0,1,2\n1,2,3\n");
  RunFile file = position_run(folder / "run.csv", "q{j}");
  EXPECT_NO_THROW(read_run(file, kTwoJoints));
  file.channels[0].offset = {0, std::numeric_limits<double>::infinity()};
  EXPECT_THAT(complaint([&] { read_run(file, kTwoJoints); }), HasSubstr("an offset for 'position' is inf"));
}

TEST(WriteRefusal, OfRunsThatTheFormatCannotHold) {
  const TemporaryFolder folder;
  EXPECT_THAT(complaint([] { parse_mcap_packing("zip"); }), HasSubstr("unknown packing 'zip'"));
  write_bytes(folder / "late.csv", "t,q1,q2\n-1,1,2\n1,2,3\n");
  const auto late = read_run(position_run(folder / "late.csv", "q{j}"), kTwoJoints);
  EXPECT_THAT(complaint([&] { write_mcap(*view_run(late), folder / "out.mcap", kTwoJoints); }),
              HasSubstr("a sample is stamped -1 s"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out.mcap"));
}

}  // namespace
}  // namespace steelyard
