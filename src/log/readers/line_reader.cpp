#include "line_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

namespace steelyard::inline STEELYARD_ABI {
namespace {

[[noreturn]] void fail_to_open(const std::string& path, int error) {
  const Place place{path, 0, 0, {}};
  if (error == ENOENT || error == ENOTDIR) {
    throw InputError({"the file does not exist", place, {}, "check the path"});
  }
  throw MachineError({fmt::format("the file cannot be read: {}", std::strerror(error)), place, {}, {}});
}

// Signatures of files that are mistaken for text.
const char* known_format(std::string_view bytes) {
  if (bytes.starts_with("MATLAB 5.0")) return "a MATLAB file; rename it to end in .mat";
  if (bytes.starts_with("\x89HDF")) return "an HDF5 file; rename it to end in .h5";
  if (bytes.starts_with("\x1f\x8b")) return "compressed with gzip; decompress it first";
  if (bytes.starts_with("PK\x03\x04"))
    return "a zip archive or spreadsheet; unzip it or save it as CSV (NumPy archives end in .npz)";
  if (bytes.starts_with("\x93NUMPY")) return "a NumPy array; rename it to end in .npy";
  if (bytes.starts_with("\x89MCAP")) return "an MCAP bag; rename it to end in .mcap";
  if (bytes.starts_with("SQLite format 3"))
    return "an SQLite database; if it is a ROS 2 bag, rename it to end in .db3";
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return "UTF-16 text; save it as UTF-8";
  return nullptr;
}

}  // namespace

int open_log_file(const std::string& path) {
  // O_NONBLOCK: opening a pipe without a writer must not hang; it has no effect on regular files.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) fail_to_open(path, errno);
  const Place place{path, 0, 0, {}};
  try {
    struct stat status {};
    if (::fstat(file, &status) != 0) fail_to_open(path, errno);
    if (S_ISDIR(status.st_mode)) {
      throw InputError(
          {"this is a folder, not a log", place, {}, "give the file inside it (of a bag: .db3 or .mcap)"});
    }
    if (!S_ISREG(status.st_mode)) {
      throw InputError({"this is not a regular file", place, "logs are read more than once",
                        "save the stream to a file first"});
    }
    if (status.st_size == 0) throw InputError({"the file is empty", place, {}, "check that it was written"});
  } catch (...) {
    ::close(file);
    throw;
  }
  return file;
}

LineReader::LineReader(std::string path, std::size_t longest_line, std::size_t buffer_size)
    : path_(std::move(path)), longest_line_(longest_line), buffer_(std::max<std::size_t>(buffer_size, 16)) {
  file_ = open_log_file(path_);
  try {
    opened_ = stamp();
    stop_ = opened_.size;
    refill();
    refuse_binary();
    refuse_old_line_ends();
    skip_byte_order_mark();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

LineReader::~LineReader() {
  ::close(file_);
}

Place LineReader::place(int column, std::string name) const {
  return {path_, static_cast<int>(std::min<Index>(line_number_, INT_MAX)), column, std::move(name)};
}

LineReader::Stamp LineReader::stamp() const {
  struct stat status {};
  if (::fstat(file_, &status) != 0) fail_to_open(path_, errno);
  return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

void LineReader::require_unchanged() const {
  const Stamp now = stamp();
  if (now == opened_ && read_ <= opened_.size && (!at_end_ || read_ == opened_.size)) return;
  throw InputError({fmt::format("the file changed while it was read: {} bytes before, {} bytes now",
                                opened_.size, std::max(now.size, read_)),
                    {path_, 0, 0, {}},
                    {},
                    "wait until the log is complete, or work on a copy"});
}

void LineReader::skip_byte_order_mark() {
  if (std::string_view(buffer_.data(), end_).starts_with("\xef\xbb\xbf")) begin_ = 3;
}

void LineReader::refuse_binary() const {
  const std::string_view bytes(buffer_.data(), end_);
  const char* format = known_format(bytes);
  if (format == nullptr && bytes.find('\0') == std::string_view::npos) return;
  throw InputError({"this is not a text file",
                    place(),
                    {},
                    format ? fmt::format("it looks like {}", format) : "logs are read as CSV text"});
}

// CR alone, as old spreadsheets write it: the whole file would be one line.
void LineReader::refuse_old_line_ends() const {
  const std::string_view bytes(buffer_.data(), end_);
  const std::size_t at = bytes.find('\r');
  if (at == std::string_view::npos || at + 1 >= bytes.size() || bytes.find('\n') != std::string_view::npos)
    return;
  throw InputError({"lines end with CR only",
                    {path_, 1, static_cast<int>(std::min<std::size_t>(at + 1, INT_MAX)), {}},
                    "LF or CR LF",
                    "convert the line endings: tr '\\r' '\\n' < old.csv > new.csv"});
}

// Moves the unread bytes to the front and reads behind them; false when there is nothing more.
bool LineReader::refill() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ > longest_line_) {
    ++line_number_;
    throw InputError({fmt::format("the line is longer than {} bytes", longest_line_), place(),
                      fmt::format("at most {} bytes per line", longest_line_),
                      "check that the file is a log with line endings"});
  }
  if (end_ == buffer_.size()) buffer_.resize(std::min(2 * buffer_.size(), longest_line_ + 2));
  ssize_t got = 0;
  do {
    got = ::read(file_, buffer_.data() + end_, buffer_.size() - end_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) fail_to_open(path_, errno);
  end_ += static_cast<std::size_t>(got);
  read_ += got;
  at_end_ = got == 0;
  if (at_end_ || read_ > opened_.size) require_unchanged();
  return !at_end_;
}

bool LineReader::next(std::string_view& line) {
  std::size_t searched = begin_;
  const char* stop = nullptr;
  while ((stop = static_cast<const char*>(std::memchr(buffer_.data() + searched, '\n', end_ - searched))) ==
         nullptr) {
    const std::size_t unread = end_ - begin_;
    if (!refill()) break;
    searched = begin_ + unread;
  }
  if (stop == nullptr && begin_ == end_) return false;
  if (read_ - static_cast<std::int64_t>(end_ - begin_) >= stop_) return false;
  const char* first = buffer_.data() + begin_;
  const char* last = stop ? stop : buffer_.data() + end_;
  begin_ = static_cast<std::size_t>(last - buffer_.data()) + (stop ? 1 : 0);
  if (last > first && last[-1] == '\r') --last;
  ++line_number_;
  line = {first, static_cast<std::size_t>(last - first)};
  if (line.size() > longest_line_) {
    throw InputError({fmt::format("the line has {} bytes", line.size()), place(),
                      fmt::format("at most {} bytes per line", longest_line_),
                      "check that the file is a log with line endings"});
  }
  return true;
}

void LineReader::seek(std::int64_t byte) {
  if (::lseek(file_, byte, SEEK_SET) < 0) fail_to_open(path_, errno);
  begin_ = end_ = 0;
  read_ = byte;
  at_end_ = false;
  line_number_ = 0;
  require_unchanged();
  refill();
}

void LineReader::rewind() {
  seek(0);
  skip_byte_order_mark();
  stop_ = opened_.size;
}

void LineReader::rewind_to(std::int64_t begin, std::int64_t end) {
  rewind();
  if (begin > 0) {
    seek(begin - 1);
    std::string_view line_before;  // or its end alone
    next(line_before);
    line_number_ = 0;
  }
  stop_ = std::min(end, opened_.size);
}

}  // namespace steelyard
