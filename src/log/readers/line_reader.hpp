// Lines of a text file, one at a time, with bounded memory.
//
// The file must stay as it is while it is read, and between two passes: its size is compared with what it was
// at the start. Lines longer than the limit are refused before they are read whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Opens a log for reading and returns its descriptor. Throws InputError for what is missing, empty, a folder
// or not an ordinary file, MachineError when it exists but cannot be read.
int open_log_file(const std::string& path);

class LineReader {
 public:
  LineReader(std::string path, std::size_t longest_line, std::size_t buffer_size);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  const std::string& path() const { return path_; }

  // The next line without its end (LF or CRLF); false at the end of the file. Valid until the next call.
  bool next(std::string_view& line);

  // Number of the line returned last, from 1.
  Index line_number() const { return line_number_; }

  // Back to the first line. Throws InputError when the file is no longer the one that was opened.
  void rewind();

  // To the first of the lines that begin in bytes [begin, end) of the file; those are all that next() gives
  // until rewind(), and they are numbered from 1.
  void rewind_to(std::int64_t begin, std::int64_t end);

  std::int64_t file_size() const { return opened_.size; }

  // Position of the line returned last.
  Place place(int column = 0, std::string name = {}) const;

 private:
  struct Stamp {
    std::int64_t size = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp() const;
  void require_unchanged() const;
  void skip_byte_order_mark();
  void seek(std::int64_t byte);
  void refuse_binary() const;
  void refuse_old_line_ends() const;
  bool refill();

  std::string path_;
  std::size_t longest_line_;
  int file_ = -1;
  Stamp opened_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // first unread byte of the buffer
  std::size_t end_ = 0;    // behind the last byte read into the buffer
  std::int64_t read_ = 0;  // bytes read from the file, those before the part included
  std::int64_t stop_ = 0;  // where no line begins any more
  bool at_end_ = false;
  Index line_number_ = 0;
};

}  // namespace steelyard
