// Files that hold named arrays: MATLAB (.mat), HDF5 (.h5, .hdf5) and NumPy (.npy, .npz).
//
// A column is a vector, or one column of a matrix: "t", "q[3]" (counted from 1). Fields of structs and
// members of groups are reached with '.' or '/': "log.q[3]", "/log/q[3]". Samples run along the longer side
// of a matrix; a square one is refused, because time and columns cannot be distinguished. Arrays that are
// used are read whole, once, and must fit kArrayLimit together.
//
// MATLAB and HDF5 are read by libraries that are optional, not safe for threads, and not safe from damaged
// files: they are called in a child process only, see isolated_file.hpp. NumPy's formats are read by our own
// code. The array of an .npy file has no name and is called "data".
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"
#include "table_source.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr std::uint64_t kArrayLimit = std::uint64_t{2} << 30;  // [bytes], of a file and of its numbers

// An array in the file's table of contents.
struct ArrayInfo {
  std::string name;  // with the names of structs or groups before it
  std::string type;  // for messages: "double", "text", …
  bool numeric = false;
  std::vector<std::uint64_t> sizes;

  std::uint64_t count() const;  // elements; the largest number where that overflows
};

class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  virtual const std::vector<ArrayInfo>& arrays() const = 0;
  // Whether neighbours in memory differ in the last index (C) or in the first (Fortran).
  virtual bool last_index_is_fastest() const = 0;
  // All elements of a numeric array, as they lie in the file. Throws InputError for damaged files.
  virtual void read(std::size_t array, double* values) = 0;
};

// Throw InputError for files that are missing, damaged or of another format, MachineError without the part.
std::unique_ptr<ArrayFile> open_mat(const std::string& path);
std::unique_ptr<ArrayFile> open_hdf5(const std::string& path);
std::unique_ptr<ArrayFile> open_npy(const std::string& path);
std::unique_ptr<ArrayFile> open_npz(const std::string& path);

enum class ArrayFormat { none, mat, hdf5, npy, npz };

// By the ending of the name.
ArrayFormat array_format(const std::string& path);

std::unique_ptr<TableColumns> open_array_columns(const std::string& path);

// Message for a file that the library cannot read.
InputError damaged_array_file(const std::string& path, const std::string& what);

}  // namespace steelyard
