#include "isolated_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cmath>
#include <cstring>
#include <system_error>
#include <utility>

#include "child_reader.hpp"
#include "steelyard/core/child_process.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kBytesPerSecond = 16 << 20;
constexpr double kWaitingFactor = 10;
constexpr double kGrace = 0.1;  // [s] for a reader that has closed its side to end

MachineError reader_failure(const std::string& path, const std::string& what, const std::string& remedy) {
  return MachineError({what, {path, 0, 0, {}}, {}, remedy});
}

// Takes numbers and texts from an answer; what is missing makes it invalid.
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

std::unique_ptr<ChildProcess> start_reader(const OpenArrayFile& open, const std::string& path,
                                           const IsolationLimits& limits) {
  try {
    return std::make_unique<ChildProcess>([&](int in, int out) { serve_array_file(open, path, in, out); },
                                          limits.memory);
  } catch (const std::system_error& error) {
    throw reader_failure(path, fmt::format("no process for reading: {}", error.code().message()),
                         "free memory, close files, or raise the limits of processes and open files");
  }
}

class IsolatedFile : public ArrayFile {
 public:
  IsolatedFile(const OpenArrayFile& open, std::string path, const IsolationLimits& limits)
      : path_(std::move(path)), limits_(limits), child_(start_reader(open, path_, limits_)) {
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
    begin_answer(static_cast<double>(bytes));
    require_answer(child_->send({reinterpret_cast<const char*>(&request), sizeof request}));
    std::uint64_t length = 0;
    if (next_answer(length) != Answer::numbers || length != bytes) fail_damaged();
    receive(values, length);
  }

 private:
  void begin_answer(double bytes) {
    const double extra = bytes / kBytesPerSecond;
    child_->allow(limits_.waiting_seconds + kWaitingFactor * extra, limits_.processor_seconds + extra);
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
      const ChildProcess::Received got = child_->receive(next, static_cast<std::size_t>(count));
      require_answer(got.state);
      next += got.count;
      count -= got.count;
    }
  }

  void require_answer(ChildState state) {
    if (state == ChildState::answers) return;
    if (state == ChildState::ended) fail_damaged();
    child_->end(0);
    if (state == ChildState::loops)
      throw damaged_array_file(path_, "the file is damaged: its reader does not finish");
    throw reader_failure(path_, "the file's reader does not answer", "check the disk, and try again");
  }

  [[noreturn]] void fail_damaged() {
    const ChildEnd how = child_->end(kGrace);
    std::string what = "the file is damaged: its reader crashed";
    if (how.signal > 0) what += fmt::format(" (signal {})", how.signal);
    throw damaged_array_file(path_, what);
  }

  std::string path_;
  IsolationLimits limits_;
  std::unique_ptr<ChildProcess> child_;
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

}  // namespace steelyard
