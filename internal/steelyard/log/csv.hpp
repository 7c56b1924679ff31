// Numbers from a text table, in chunks of rows, with bounded memory.
//
// A table is lines of fields with one separator. Lines that begin with # and empty lines are skipped. The
// first other line is the header when one of its fields is not a number; a header in the last comment line
// before the numbers is used when it has as many fields as they have. Fields may be quoted ("…", a quote
// inside doubled), but not broken over lines. UTF-8 with or without byte order mark, LF or CRLF, last line
// with or without its end.
//
// Only the selected columns are converted; of the others, unless a single one is selected, the fields are
// counted. Numbers are read by std::from_chars: points, never commas. Every pass gives the same bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {

class CsvReader {
 public:
  // Opens the file and reads up to the first row of numbers. Throws InputError for files that are missing,
  // empty, not text or a folder, MachineError when the file exists but cannot be read.
  explicit CsvReader(std::string path, const CsvOptions& options = {});
  ~CsvReader();
  CsvReader(CsvReader&&) noexcept;
  CsvReader& operator=(CsvReader&&) noexcept;

  const std::string& path() const;
  int columns() const;
  const std::vector<std::string>& header() const;  // empty when the file has none
  Separator separator() const;

  // Index of the column of that name, or of that number ("3", counted from 1) when no column is called so.
  // Throws InputError with the nearest name when there is none, or when two columns have the name.
  int find(const std::string& name) const;

  // "column 3 'q1_rad'" or "column 3".
  std::string describe(int column) const;

  // The columns that read() gives, in this order; none twice. Also begins a new pass.
  void select(std::vector<int> columns);

  // Begins a new pass. Throws InputError when the file has changed.
  void rewind();

  // Begins a pass over the rows whose lines begin in bytes [begin, end) of the file, behind the header; line
  // numbers, also in errors, count from the first of them.
  void rewind_to(std::int64_t begin, std::int64_t end);
  std::int64_t file_size() const;  // [bytes]

  // Reads up to `rows` rows; selected column k goes to values[k][0 …]. Returns how many rows, 0 at the end.
  // Throws InputError with line and column for ragged rows, empty fields, fields that are not numbers, NaN
  // and infinity.
  Index read(Index rows, double* const* values);

  // Line numbers, from 1, of the rows that the last read() gave.
  const std::vector<Index>& lines() const;

  // Place in the file: line number (0: none), column index (−1: none).
  Place place(Index line, int column = -1) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steelyard
