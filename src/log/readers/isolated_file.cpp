#include "isolated_file.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include "child_reader.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr double kBytesPerSecond = 16 << 20;
constexpr double kWaitingFactor = 10;
constexpr int kLookEvery = 200;  // [ms]

MachineError machine_trouble(const std::string& path, const std::string& what, const std::string& remedy) {
  return MachineError({what, {path, 0, 0, {}}, {}, remedy});
}

// Takes numbers and texts from an answer; what is not there makes it bad.
class Parser {
 public:
  explicit Parser(std::string bytes) : bytes_(std::move(bytes)) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (!take(sizeof value)) return 0;
    std::memcpy(&value, bytes_.data() + at_ - sizeof value, sizeof value);
    return value;
  }
  bool flag() { return take(1) && bytes_[at_ - 1] != 0; }
  std::string text() {
    const std::uint64_t length = number();
    return take(length) ? bytes_.substr(at_ - length, length) : std::string();
  }
  bool good() const { return good_; }
  bool at_end() const { return good_ && at_ == bytes_.size(); }

 private:
  bool take(std::uint64_t count) {
    good_ = good_ && count <= bytes_.size() - at_;
    if (good_) at_ += count;
    return good_;
  }

  std::string bytes_;
  std::size_t at_ = 0;
  bool good_ = true;
};

// The child, which ends with this object at the latest.
class Child {
 public:
  Child(const OpenArrayFile& open, const std::string& path, const IsolationLimits& limits) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw machine_trouble(path, fmt::format("cannot create a socket for reading: {}", std::strerror(errno)),
                            "close files, or raise the limit on open files");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      serve_array_file(open, path, ends[1], limits);
    }
    const int error = errno;
    ::close(ends[1]);
    socket_ = ends[0];
    if (pid_ > 0) {
      ::setpgid(pid_, pid_);
      return;
    }
    ::close(socket_);
    throw machine_trouble(path, fmt::format("cannot start a process for reading: {}", std::strerror(error)),
                          "free memory, or raise the limit on processes");
  }
  ~Child() {
    ::close(socket_);
    finish();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int socket() const { return socket_; }

  double processor_seconds() const {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }

  // Ends the child. Returns the signal that had ended it before, 0 when there was none.
  int finish() {
    if (pid_ <= 0) return 0;
    int status = 0;
    pid_t ended = ::waitpid(pid_, &status, WNOHANG);
    const bool was_running = ended == 0;
    if (was_running) {
      if (::kill(-pid_, SIGKILL) != 0) ::kill(pid_, SIGKILL);
      do {
        ended = ::waitpid(pid_, &status, 0);
      } while (ended < 0 && errno == EINTR);
    }
    pid_ = -1;
    return !was_running && ended > 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

  // Waits a moment for a child whose socket has ended, so that its signal can be told.
  int finish_after_end() {
    for (int tries = 0; tries < 50; ++tries) {
      siginfo_t info{};
      const int found = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
      if (found != 0 || info.si_pid != 0) break;
      ::usleep(2000);
    }
    return finish();
  }

 private:
  pid_t pid_ = -1;
  int socket_ = -1;
};

class IsolatedFile : public ArrayFile {
 public:
  IsolatedFile(const OpenArrayFile& open, std::string path, const IsolationLimits& limits)
      : path_(std::move(path)), limits_(limits), child_(open, path_, limits_) {
    struct stat status {};
    const bool known = ::stat(path_.c_str(), &status) == 0;
    begin_answer(known ? static_cast<double>(status.st_size) : 0);
    std::uint64_t length = 0;
    if (next_answer(length) != Answer::contents || length > kLongestAnswer) fail_damaged();
    read_contents(Parser(receive_text(length)));
  }

  const std::vector<ArrayInfo>& arrays() const override { return arrays_; }
  bool last_index_is_fastest() const override { return last_index_is_fastest_; }

  void read(std::size_t array, double* values) override {
    const std::uint64_t bytes = 8 * arrays_[array].count();
    const std::uint64_t request = array;
    if (::send(child_.socket(), &request, sizeof request, MSG_NOSIGNAL) != sizeof request) fail_damaged();
    begin_answer(static_cast<double>(bytes));
    std::uint64_t length = 0;
    if (next_answer(length) != Answer::numbers || length != bytes) fail_damaged();
    receive(values, length);
  }

 private:
  void begin_answer(double bytes) {
    const double extra = bytes / kBytesPerSecond;
    processor_until_ = child_.processor_seconds() + limits_.processor_seconds + extra;
    const double waiting = limits_.waiting_seconds + kWaitingFactor * extra;
    wait_until_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(waiting));
  }

  // Throws the child's error, if that is the answer.
  Answer next_answer(std::uint64_t& length) {
    char kind = 0;
    receive(&kind, 1);
    receive(&length, sizeof length);
    const auto answer = static_cast<Answer>(kind);
    const bool error = answer == Answer::input_error || answer == Answer::machine_error;
    if (!error) return answer;
    if (length > kLongestAnswer) fail_damaged();
    Parser parser(receive_text(length));
    Complaint complaint;
    complaint.place.file = path_;
    complaint.what = parser.text();
    complaint.limit = parser.text();
    complaint.remedy = parser.text();
    if (!parser.at_end()) fail_damaged();
    if (answer == Answer::machine_error) throw MachineError(std::move(complaint));
    throw InputError(std::move(complaint));
  }

  void read_contents(Parser parser) {
    last_index_is_fastest_ = parser.flag();
    const std::uint64_t count = parser.number();
    for (std::uint64_t a = 0; a < count && parser.good(); ++a) {
      ArrayInfo info;
      info.name = parser.text();
      info.type = parser.text();
      info.numeric = parser.flag();
      const std::uint64_t rank = parser.number();
      for (std::uint64_t k = 0; k < rank && parser.good(); ++k) info.sizes.push_back(parser.number());
      arrays_.push_back(std::move(info));
    }
    if (!parser.at_end()) fail_damaged();
  }

  std::string receive_text(std::uint64_t length) {
    std::string bytes(static_cast<std::size_t>(length), '\0');
    receive(bytes.data(), length);
    return bytes;
  }

  void receive(void* target, std::uint64_t count) {
    char* next = static_cast<char*>(target);
    while (count > 0) {
      wait_for_bytes();
      const ssize_t got = ::recv(child_.socket(), next, static_cast<std::size_t>(count), 0);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) fail_damaged();
      next += got;
      count -= static_cast<std::uint64_t>(got);
    }
  }

  void wait_for_bytes() {
    for (;;) {
      pollfd waiting{child_.socket(), POLLIN, 0};
      if (::poll(&waiting, 1, kLookEvery) > 0) return;
      if (child_.processor_seconds() > processor_until_) {
        child_.finish();
        throw damaged_array_file(path_, "the file is damaged: its reader does not finish");
      }
      if (Clock::now() > wait_until_) {
        child_.finish();
        throw machine_trouble(path_, "the file's reader does not answer", "check the disk, and try again");
      }
    }
  }

  [[noreturn]] void fail_damaged() {
    const int signal = child_.finish_after_end();
    std::string what = "the file is damaged: its reader crashed";
    if (signal > 0) what += fmt::format(" (signal {})", signal);
    throw damaged_array_file(path_, what);
  }

  using Clock = std::chrono::steady_clock;

  std::string path_;
  IsolationLimits limits_;
  Child child_;
  double processor_until_ = 0;  // [s] of the child
  Clock::time_point wait_until_;
  std::vector<ArrayInfo> arrays_;
  bool last_index_is_fastest_ = false;
};

}  // namespace

void IsolationLimits::validate() const {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  if (positive(processor_seconds) && positive(waiting_seconds) && memory > 0) return;
  throw InputError({fmt::format("the limits of a reader are {} s of CPU time, {} s and {} bytes",
                                processor_seconds, waiting_seconds, memory),
                    {},
                    "positive numbers",
                    {}});
}

std::unique_ptr<ArrayFile> open_isolated(const OpenArrayFile& open, const std::string& path,
                                         const IsolationLimits& limits) {
  limits.validate();
  return std::make_unique<IsolatedFile>(open, path, limits);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
