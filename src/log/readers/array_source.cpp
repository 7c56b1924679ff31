#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <limits>
#include <utility>

#include "array_file.hpp"
#include "isolated_file.hpp"
#include "line_reader.hpp"
#include "steelyard/core/suggest.hpp"
#include "table_source.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// How an array is read as columns of samples.
struct Shape {
  Index samples = 0;
  int columns = 0;
  Index sample_stride = 1;  // elements from one sample to the next
  Index column_stride = 0;
};

// "/log/q" and "log.q" name the same array.
std::string plain_name(std::string name) {
  if (!name.empty() && name.front() == '/') name.erase(0, 1);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

// The columns of a file of arrays. A column's number is (array, column of the array) counted through.
class ArrayColumns : public TableColumns {
 public:
  ArrayColumns(std::string path, std::unique_ptr<ArrayFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}

  int find(const std::string& name) const override {
    int array = find_array(name);
    if (array >= 0) {
      const Shape shape = shape_of(array);
      if (shape.columns > 1) {
        throw InputError(
            {fmt::format("{} is a matrix of {} columns", quoted(name), shape.columns), place(),
             "a vector, or one column of a matrix",
             fmt::format("write {}[1] for the first column, {}[{{j}}] for all joints", name, name)});
      }
      return enroll(array, 0);
    }
    int number = 0;
    const std::string base = split_index(name, number);
    array = find_array(base);
    if (array < 0) fail_unknown(base);
    const int columns = shape_of(array).columns;
    if (number < 1 || number > columns) {
      throw InputError({fmt::format("there is no column {} in {}", number, quoted(base)), place(),
                        columns == 1 ? "column 1" : fmt::format("columns 1 to {}", columns),
                        "columns are numbered from 1"});
    }
    return enroll(array, number - 1);
  }

  // Arrays that cannot be columns are left out.
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (std::size_t a = 0; a < file_->arrays().size(); ++a) {
      const ArrayInfo& array = file_->arrays()[a];
      int columns = 0;
      try {
        columns = shape_of(static_cast<int>(a)).columns;
      } catch (const InputError&) {
        continue;
      }
      if (columns == 1) all.push_back(array.name);
      for (int c = 1; c <= columns && columns > 1; ++c) all.push_back(fmt::format("{}[{}]", array.name, c));
    }
    return all;
  }

  std::string describe(int column) const override { return quoted(name_of(column)); }

  Place place(int column = -1) const override {
    return {path_, 0, 0, column < 0 ? std::string() : name_of(column)};
  }

  Index samples(int column) const override { return shape_of(at(column).first).samples; }

  // Throws InputError when the columns' arrays are too large to be held.
  void check_size(const std::vector<int>& columns) const override {
    std::uint64_t bytes = 0;
    for (const int array : arrays_of(columns)) bytes += 8 * info(array).count();
    if (bytes > kArrayLimit) fail_large(bytes >> 30, place());
  }

  // Columns one after the other into targets[k]; each array is read once.
  void read(const std::vector<int>& columns, const std::vector<double*>& targets) const override {
    std::vector<double> values;
    for (const int array : arrays_of(columns)) {
      const Shape shape = shape_of(array);
      values.resize(static_cast<std::size_t>(info(array).count()));
      file_->read(static_cast<std::size_t>(array), values.data());
      for (std::size_t k = 0; k < columns.size(); ++k) {
        if (at(columns[k]).first != array) continue;
        const double* from = values.data() + at(columns[k]).second * shape.column_stride;
        for (Index i = 0; i < shape.samples; ++i) targets[k][i] = from[i * shape.sample_stride];
      }
    }
  }

 private:
  using Column = std::pair<int, int>;  // array, and column in it from 0

  const ArrayInfo& info(int array) const { return file_->arrays()[static_cast<std::size_t>(array)]; }
  const Column& at(int column) const { return columns_[static_cast<std::size_t>(column)]; }

  std::string name_of(int column) const {
    const auto [array, number] = at(column);
    const bool vector = shape_of(array).columns == 1;
    return vector ? info(array).name : fmt::format("{}[{}]", info(array).name, number + 1);
  }

  int enroll(int array, int number) const {
    const Column column{array, number};
    const auto found = std::find(columns_.begin(), columns_.end(), column);
    if (found != columns_.end()) return static_cast<int>(found - columns_.begin());
    columns_.push_back(column);
    return static_cast<int>(columns_.size()) - 1;
  }

  // "q[3]" → "q" and 3; other names are given back whole with 0.
  static std::string split_index(const std::string& name, int& number) {
    number = 0;
    const std::size_t open = name.rfind('[');
    if (name.empty() || name.back() != ']' || open == std::string::npos) return name;
    const char* const stop = name.data() + name.size() - 1;
    const auto [end, error] = std::from_chars(name.data() + open + 1, stop, number);
    if (error == std::errc{} && end == stop) return name.substr(0, open);
    number = 0;
    return name;
  }

  // −1: there is none.
  int find_array(const std::string& name) const {
    const auto& arrays = file_->arrays();
    int found = -1;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      if (arrays[a].name == name) return static_cast<int>(a);
      if (plain_name(arrays[a].name) != plain_name(name)) continue;
      if (found >= 0) {
        throw InputError({fmt::format("{} may be {} or {}", quoted(name), quoted(info(found).name),
                                      quoted(arrays[a].name)),
                          place(), "one array", "write the name as in the file"});
      }
      found = static_cast<int>(a);
    }
    return found;
  }

  [[noreturn]] void fail_unknown(const std::string& name) const {
    std::vector<std::string> names;
    for (const ArrayInfo& array : file_->arrays()) names.push_back(array.name);
    if (names.empty())
      throw InputError({"the file holds no variables", place(), {}, "check how it was saved"});
    throw InputError(unknown("variable", name, names, place()));
  }

  std::string sizes_text(const ArrayInfo& array) const {
    std::string text;
    for (const std::uint64_t size : array.sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
    return text;
  }

  Shape shape_of(int array) const {
    const ArrayInfo& a = info(array);
    const Place place{path_, 0, 0, a.name};
    if (!a.numeric) {
      throw InputError({fmt::format("{} holds {}", quoted(a.name), a.type), place,
                        "real numbers: double, single, or integers", "convert it before saving"});
    }
    std::vector<std::uint64_t> sides;
    for (const std::uint64_t size : a.sizes) {
      if (size != 1) sides.push_back(size);
    }
    if (a.count() == 0) return {0, 1, 1, 0};
    if (a.count() > static_cast<std::uint64_t>(INT_MAX)) fail_large(a.count() / (1 << 27), place);
    if (sides.empty()) return {1, 1, 1, 0};
    if (sides.size() == 1) return {static_cast<Index>(sides[0]), 1, 1, 0};
    if (sides.size() > 2) {
      throw InputError({fmt::format("{} is an array of {}", quoted(a.name), sizes_text(a)), place,
                        "vectors and matrices", "split it before saving"});
    }
    if (sides[0] == sides[1]) {
      throw InputError({fmt::format("{} is square ({}): which dimension is time cannot be determined",
                                    quoted(a.name), sizes_text(a)),
                        place, "more samples than columns", "save each column as a vector"});
    }
    const bool first_is_time = sides[0] > sides[1];
    const Index samples = static_cast<Index>(std::max(sides[0], sides[1]));
    const Index columns = static_cast<Index>(std::min(sides[0], sides[1]));
    const bool samples_together = first_is_time != file_->last_index_is_fastest();
    return {samples, static_cast<int>(columns), samples_together ? 1 : columns,
            samples_together ? samples : 1};
  }

  [[noreturn]] static void fail_large(std::uint64_t gigabytes, const Place& place) {
    throw InputError({fmt::format("about {} GiB of numbers would have to be held in memory", gigabytes),
                      place, fmt::format("at most {} GiB", kArrayLimit >> 30),
                      "split the run, or save it as CSV, which is streamed"});
  }

  std::vector<int> arrays_of(const std::vector<int>& columns) const {
    std::vector<int> arrays;
    for (const int column : columns) arrays.push_back(at(column).first);
    std::sort(arrays.begin(), arrays.end());
    arrays.erase(std::unique(arrays.begin(), arrays.end()), arrays.end());
    return arrays;
  }

  std::string path_;
  std::unique_ptr<ArrayFile> file_;
  mutable std::vector<Column> columns_;  // those that were requested, by number
};

void check_file(const std::string& path) {
  const int file = open_log_file(path);
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0;
  ::close(file);
  if (!known || static_cast<std::uint64_t>(status.st_size) <= kArrayLimit) return;
  throw InputError({fmt::format("the file has {:.1f} GiB", static_cast<double>(status.st_size) / (1 << 30)),
                    {path, 0, 0, {}},
                    fmt::format("array files are read into memory: at most {} GiB", kArrayLimit >> 30),
                    "split the run, or save it as CSV, which is streamed"});
}

}  // namespace

std::uint64_t ArrayInfo::count() const {
  std::uint64_t product = 1;
  for (const std::uint64_t size : sizes) {
    if (__builtin_mul_overflow(product, size, &product)) return std::numeric_limits<std::uint64_t>::max();
  }
  return product;
}

ArrayFormat array_format(const std::string& path) {
  const std::string ending = file_ending(path);
  if (ending == "mat") return ArrayFormat::mat;
  if (ending == "npy") return ArrayFormat::npy;
  if (ending == "npz") return ArrayFormat::npz;
  return ending == "h5" || ending == "hdf5" ? ArrayFormat::hdf5 : ArrayFormat::none;
}

InputError damaged_array_file(const std::string& path, const std::string& what) {
  return InputError({what, {path, 0, 0, {}}, {}, "check that it was written completely, and save it again"});
}

std::unique_ptr<TableColumns> open_array_columns(const std::string& path) {
  check_file(path);
  switch (array_format(path)) {
    case ArrayFormat::mat:
      return std::make_unique<ArrayColumns>(path, open_isolated(open_mat, path));
    case ArrayFormat::hdf5:
      return std::make_unique<ArrayColumns>(path, open_isolated(open_hdf5, path));
    case ArrayFormat::npy:
      return std::make_unique<ArrayColumns>(path, open_npy(path));
    case ArrayFormat::npz:
      return std::make_unique<ArrayColumns>(path, open_npz(path));
    case ArrayFormat::none:
      break;
  }
  throw InternalError("unknown format of an array file");
}

}  // namespace steelyard
