#include "steelyard/core/processes.hpp"

#include <gtest/gtest.h>

#include <new>

#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

// The second of two processes, with what the first one sends.
class SecondOfTwo : public ProcessGroup {
 public:
  int rank() const override { return 1; }
  int size() const override { return 2; }
  std::vector<std::string> exchange(const std::string& bytes) override { return {from_first, sent = bytes}; }
  std::vector<std::string> collect(const std::string&, int) override { return {}; }
  std::string spread(const std::string& bytes, int) override { return bytes; }
  [[noreturn]] void fail(const std::exception_ptr& error, Index order) override {
    failed_at = order;
    std::rethrow_exception(error);
  }

  std::string from_first, sent;
  Index failed_at = -1;
};

std::string numbers(std::initializer_list<double> values) {
  const std::uint64_t length = values.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  for (const double value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

TEST(Processes, AloneDoAllPiecesInOrder) {
  std::vector<double> taken;
  share(
      5, 3, [](Index k) { return std::vector<double>{static_cast<double>(k * k)}; },
      [&](Index k, std::span<const double> found) {
        EXPECT_EQ(k, static_cast<Index>(taken.size()));
        taken.push_back(found[0]);
      });
  EXPECT_EQ(taken, (std::vector<double>{0, 1, 4, 9, 16}));
}

TEST(Processes, TakeTurnsAndGetWhatTheOthersFound) {
  SecondOfTwo group;
  group.from_first = numbers({0}) + numbers({20, 21}) + numbers({40});
  set_processes(&group);
  std::vector<Index> own;
  std::vector<double> taken;
  share(
      5, 1,
      [&](Index k) {
        own.push_back(k);
        return std::vector<double>{10.0 * static_cast<double>(k)};
      },
      [&](Index, std::span<const double> found) { taken.insert(taken.end(), found.begin(), found.end()); });
  set_processes(nullptr);
  EXPECT_EQ(own, (std::vector<Index>{1, 3}));
  EXPECT_EQ(group.sent, numbers({10}) + numbers({30}));
  EXPECT_EQ(taken, (std::vector<double>{0, 10, 20, 21, 30, 40}));
}

TEST(Processes, TellThePieceThatFailed) {
  SecondOfTwo group;
  set_processes(&group);
  const auto work = [](Index k) -> std::vector<double> {
    if (k == 3) throw InputError({"piece 3 is bad", {}, "", ""});
    return {1.0};
  };
  EXPECT_THROW(share(6, 2, work, [](Index, std::span<const double>) {}), InputError);
  set_processes(nullptr);
  EXPECT_EQ(group.failed_at, 3);
}

TEST(Processes, ErrorsComeBackAsTheyWere) {
  const Complaint complaint{
      "time does not increase", {"log.csv", 12, 3, "elbow"}, "increasing", "split the file"};
  try {
    throw_packed(pack_error(std::make_exception_ptr(InputError(complaint))));
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), complaint.to_string());
    EXPECT_EQ(error.complaint().place.column, 3);
  }
  EXPECT_THROW(throw_packed(pack_error(std::make_exception_ptr(MachineError(complaint)))), MachineError);
  EXPECT_THROW(throw_packed(pack_error(std::make_exception_ptr(std::bad_alloc()))), std::bad_alloc);
  EXPECT_THROW(throw_packed(pack_error(std::make_exception_ptr(std::runtime_error("odd")))), InternalError);
}

}  // namespace
}  // namespace steelyard
