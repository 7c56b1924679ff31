#include "log/readers/isolated_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "array_test.hpp"
#include "oracle/sanitized.hpp"

namespace steelyard {
namespace {

using testing::HasSubstr;

// Two arrays; `failure` happens when the second one is read.
class SmallFile : public ArrayFile {
 public:
  explicit SmallFile(std::function<void()> failure) : failure_(std::move(failure)) {}
  const std::vector<ArrayInfo>& arrays() const override { return arrays_; }
  bool last_index_is_fastest() const override { return true; }
  void read(std::size_t array, double* values) override {
    if (array == 1) failure_();
    std::iota(values, values + arrays_[array].count(), array == 0 ? 0.5 : 100.5);
  }

 private:
  std::function<void()> failure_;
  std::vector<ArrayInfo> arrays_ = {{"first", "double", true, {300000, 2}}, {"second", "text", false, {5}}};
};

OpenArrayFile small_file(std::function<void()> failure = [] {}) {
  return [failure = std::move(failure)](const std::string&) { return std::make_unique<SmallFile>(failure); };
}

// The text of an error of `Error` when `failure` happens in the child; the child before it must be sound.
template <class Error>
std::string text_of(std::function<void()> failure, const IsolationLimits& limits = {}) {
  const auto file = open_isolated(small_file(std::move(failure)), "run.h5", limits);
  std::vector<double> values(600000);
  file->read(0, values.data());
  EXPECT_EQ(values[7], 7.5);
  try {
    file->read(1, values.data());
  } catch (const Error& error) {
    EXPECT_EQ(error.complaint().place.file, "run.h5");
    return error.what();
  }
  return "no error";
}

TEST(IsolatedFile, GivesTheContentsAndTheNumbers) {
  const auto file = open_isolated(small_file(), "run.h5");
  ASSERT_EQ(file->arrays().size(), 2U);
  EXPECT_TRUE(file->last_index_is_fastest());
  EXPECT_EQ(file->arrays()[0].name, "first");
  EXPECT_EQ(file->arrays()[0].sizes, (std::vector<std::uint64_t>{300000, 2}));
  EXPECT_TRUE(file->arrays()[0].numeric);
  EXPECT_EQ(file->arrays()[1].type, "text");
  EXPECT_FALSE(file->arrays()[1].numeric);
  std::vector<double> values(600000);
  for (int pass = 0; pass < 2; ++pass) {
    file->read(1, values.data());
    EXPECT_EQ(values[4], 104.5);
    file->read(0, values.data());
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<double>(i) + 0.5);
  }
}

TEST(IsolatedFile, TellsTheChildsErrors) {
  const Complaint complaint{"it is wrong", {"run.h5", 0, 0, {}}, "it were right", "make it right"};
  EXPECT_EQ(text_of<InputError>([&] { throw InputError(complaint); }), complaint.to_string());
  EXPECT_EQ(text_of<MachineError>([&] { throw MachineError(complaint); }), complaint.to_string());
  EXPECT_THAT(text_of<InputError>([] { throw std::bad_alloc(); }), HasSubstr("more memory"));
  EXPECT_THAT(text_of<InputError>([] { throw 1; }), HasSubstr("the file is damaged"));
}

TEST(IsolatedFile, CallsACrashADamagedFile) {
  for (const int crash : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGKILL}) {
    EXPECT_THAT(text_of<InputError>([crash] { std::raise(crash); }),
                HasSubstr("its reader crashed (signal " + std::to_string(crash) + ")"));
  }
  EXPECT_THAT(text_of<InputError>([] { ::_exit(0); }), HasSubstr("its reader crashed;"));
  EXPECT_THAT(text_of<InputError>([] { std::abort(); }), HasSubstr("the file is damaged"));
}

TEST(IsolatedFile, CallsACrashWhileOpeningADamagedFile) {
  const OpenArrayFile crash = [](const std::string&) -> std::unique_ptr<ArrayFile> { std::abort(); };
  EXPECT_THROW(open_isolated(crash, "run.h5"), InputError);
}

TEST(IsolatedFile, EndsAReaderThatComputesOrWaitsForEver) {
  IsolationLimits limits;
  limits.processor_seconds = 0.3;
  const auto compute = [] {
    for (std::atomic<int> i = 0;;) ++i;
  };
  EXPECT_THAT(text_of<InputError>(compute, limits), HasSubstr("does not finish"));
  limits.processor_seconds = 10;
  limits.waiting_seconds = 0.5;
  EXPECT_THAT(text_of<MachineError>([] { ::pause(); }, limits), HasSubstr("does not answer"));
  limits.waiting_seconds = 0;
  EXPECT_THROW(open_isolated(small_file(), "run.h5", limits), InputError);
}

TEST(IsolatedFile, LimitsTheReadersMemory) {
  if (oracle::is_sanitized()) GTEST_SKIP() << "sanitizers need the address space";
  IsolationLimits limits;
  limits.memory = std::uint64_t{64} << 20;
  const auto ask = [] { std::vector<char>(std::size_t{256} << 20, 'x').at(5) = 'y'; };
  EXPECT_THAT(text_of<InputError>(ask, limits), HasSubstr("more memory"));
}

TEST(IsolatedFile, PrintsNothingAndClosesTheHostsFiles) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const int inherited = ends[1];
  struct stat host {};
  ASSERT_EQ(::fstat(inherited, &host), 0);
  const std::string text = text_of<InputError>([inherited, host] {
    std::printf("words\n");
    std::fflush(stdout);
    std::fprintf(stderr, "words\n");
    struct stat own {};  // the number may be that of another pipe by now
    const bool open = ::fstat(inherited, &own) == 0 && own.st_ino == host.st_ino && own.st_dev == host.st_dev;
    const std::string closed = open ? "open" : "closed";
    throw InputError({closed, {}, {}, {}});
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_THAT(text, HasSubstr("closed"));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(IsolatedFile, LeavesNoChild) {
  { const auto file = open_isolated(small_file(), "run.h5"); }
  text_of<InputError>([] { std::abort(); });
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(IsolatedFile, WorksInHostsThatIgnoreTheirChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_THAT(text_of<InputError>([] { std::abort(); }), HasSubstr("its reader crashed"));
  EXPECT_EQ(text_of<InputError>([] {}), "no error");
  std::signal(SIGCHLD, before);
}

// Threads that allocate all the time hold the allocator's locks at almost every fork. glibc takes its locks before
// fork and releases them in the child; the allocator of GCC's AddressSanitizer does not, so that a child that
// allocates may wait forever for a lock of a thread it does not have.
TEST(IsolatedFile, WorksBesideBusyThreads) {
  if (oracle::is_sanitized())
    GTEST_SKIP()
        << "AddressSanitizer's allocator is not usable after the fork of a process with busy threads";
  std::atomic<bool> stop = false;
  std::vector<std::thread> busy;
  for (int k = 0; k < 2; ++k) {
    busy.emplace_back([&stop, k] {
      std::vector<std::string> texts(64);
      for (std::size_t i = 0; !stop; ++i)
        texts[i % 64] = std::string(i * 37 % 5000, static_cast<char>('a' + k));
    });
  }
  std::vector<std::thread> readers;
  std::atomic<int> good = 0;
  for (int k = 0; k < 2; ++k) {
    readers.emplace_back([&good] {
      try {
        for (int trial = 0; trial < 20; ++trial) {
          const auto file = open_isolated(small_file(), "run.h5");
          std::vector<double> values(5);
          file->read(1, values.data());
          good += values[4] == 104.5;
        }
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    });
  }
  for (std::thread& thread : readers) thread.join();
  stop = true;
  for (std::thread& thread : busy) thread.join();
  EXPECT_EQ(good, 40);
}

}  // namespace
}  // namespace steelyard
