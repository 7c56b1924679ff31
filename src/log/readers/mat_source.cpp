#include <utility>

#include "array_file.hpp"
#ifdef STEELYARD_WITH_MATIO
#include <fmt/format.h>
#include <matio.h>

#include "hdf5_quiet.hpp"
#include "mat_header.hpp"
#include "steelyard/core/suggest.hpp"
#endif

namespace steelyard::inline STEELYARD_ABI {

#ifdef STEELYARD_WITH_MATIO
namespace {

struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

constexpr int kDeepestStruct = 16;

std::string type_name(const matvar_t& variable) {
  if (variable.isComplex) return "complex numbers";
  switch (variable.class_type) {
    case MAT_C_DOUBLE:
      return "double";
    case MAT_C_SINGLE:
      return "single";
    case MAT_C_INT8:
      return "int8";
    case MAT_C_INT16:
      return "int16";
    case MAT_C_INT32:
      return "int32";
    case MAT_C_INT64:
      return "int64";
    case MAT_C_UINT8:
      return "uint8";
    case MAT_C_UINT16:
      return "uint16";
    case MAT_C_UINT32:
      return "uint32";
    case MAT_C_UINT64:
      return "uint64";
    case MAT_C_CHAR:
      return "text";
    case MAT_C_CELL:
      return "a cell array";
    case MAT_C_STRUCT:
      return "an array of structs";
    case MAT_C_SPARSE:
      return "a sparse matrix";
    default:
      return "an object (timeseries, table, function)";
  }
}

bool is_numeric(const matvar_t& variable) {
  return !variable.isComplex && variable.class_type >= MAT_C_DOUBLE && variable.class_type <= MAT_C_UINT64;
}

template <class Number>
bool convert(const matvar_t& variable, std::uint64_t count, double* values) {
  if (variable.data == nullptr || variable.data_size != static_cast<int>(sizeof(Number)) ||
      variable.nbytes != count * sizeof(Number))
    return false;
  const Number* from = static_cast<const Number*>(variable.data);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = static_cast<double>(from[i]);
  return true;
}

// False when data are missing, or not as many as announced.
bool convert_any(const matvar_t& variable, std::uint64_t count, double* values) {
  switch (variable.class_type) {
    case MAT_C_DOUBLE:
      return convert<double>(variable, count, values);
    case MAT_C_SINGLE:
      return convert<float>(variable, count, values);
    case MAT_C_INT8:
      return convert<std::int8_t>(variable, count, values);
    case MAT_C_INT16:
      return convert<std::int16_t>(variable, count, values);
    case MAT_C_INT32:
      return convert<std::int32_t>(variable, count, values);
    case MAT_C_INT64:
      return convert<std::int64_t>(variable, count, values);
    case MAT_C_UINT8:
      return convert<std::uint8_t>(variable, count, values);
    case MAT_C_UINT16:
      return convert<std::uint16_t>(variable, count, values);
    case MAT_C_UINT32:
      return convert<std::uint32_t>(variable, count, values);
    case MAT_C_UINT64:
      return convert<std::uint64_t>(variable, count, values);
    default:
      return false;
  }
}

class MatFile : public ArrayFile {
 public:
  explicit MatFile(std::string path) : path_(std::move(path)) {
    check_mat_layout(path_);
    file_.reset(Mat_Open(path_.c_str(), MAT_ACC_RDONLY));
    if (!file_) throw damaged_array_file(path_, "the MATLAB file is damaged");
    while (const Variable variable{Mat_VarReadNextInfo(file_.get())}) {
      if (variable->name == nullptr) throw damaged_array_file(path_, "the MATLAB file is damaged");
      list(*variable, variable->name, {});
    }
  }

  const std::vector<ArrayInfo>& arrays() const override { return arrays_; }
  bool last_index_is_fastest() const override { return false; }

  void read(std::size_t array, double* values) override {
    // Fields of one struct follow each other: it is read once for all of them.
    const std::vector<std::string>& way = ways_[array];
    if (!loaded_ || loaded_name_ != way.front()) {
      loaded_.reset();
      Mat_Rewind(file_.get());
      loaded_.reset(Mat_VarRead(file_.get(), way.front().c_str()));
      loaded_name_ = way.front();
    }
    matvar_t* variable = loaded_.get();
    for (std::size_t k = 1; k < way.size() && variable != nullptr; ++k)
      variable = Mat_VarGetStructFieldByName(variable, way[k].c_str(), 0);
    if (variable == nullptr || !convert_any(*variable, arrays_[array].count(), values)) {
      throw damaged_array_file(path_,
                               fmt::format("{} cannot be read: it is damaged", quoted(arrays_[array].name)));
    }
  }

 private:
  // Adds a variable, or the fields of a struct; `way` are the names on the path to it.
  void list(matvar_t& variable, const std::string& name, std::vector<std::string> way) {
    ArrayInfo info;
    info.name = way.empty() ? name : arrays_prefix(way) + name;
    way.push_back(name);
    for (int k = 0; k < variable.rank && variable.dims != nullptr; ++k)
      info.sizes.push_back(variable.dims[k]);
    const bool one_struct = variable.class_type == MAT_C_STRUCT && info.count() == 1;
    if (one_struct && way.size() < kDeepestStruct) {
      const unsigned fields = Mat_VarGetNumberOfFields(&variable);
      char* const* names = Mat_VarGetStructFieldnames(&variable);
      for (unsigned f = 0; f < fields && names != nullptr; ++f) {
        matvar_t* field = Mat_VarGetStructFieldByIndex(&variable, f, 0);
        if (field != nullptr && names[f] != nullptr) list(*field, names[f], way);
      }
      return;
    }
    info.type = type_name(variable);
    info.numeric = is_numeric(variable);
    arrays_.push_back(std::move(info));
    ways_.push_back(std::move(way));
  }

  static std::string arrays_prefix(const std::vector<std::string>& way) {
    std::string prefix;
    for (const std::string& part : way) prefix += part + ".";
    return prefix;
  }

  struct CloseFile {
    void operator()(mat_t* file) const { Mat_Close(file); }
  };

  Hdf5Quiet quiet_;  // files of version 7.3 are HDF5
  std::string path_;
  std::unique_ptr<mat_t, CloseFile> file_;
  std::vector<ArrayInfo> arrays_;
  std::vector<std::vector<std::string>> ways_;  // of each array: variable, field, field of the field, …
  Variable loaded_;
  std::string loaded_name_;
};

}  // namespace

std::unique_ptr<ArrayFile> open_mat(const std::string& path) {
  return std::make_unique<MatFile>(path);
}

#else

std::unique_ptr<ArrayFile> open_mat(const std::string& path) {
  throw MachineError(
      {"this build of Steelyard cannot read MATLAB files",
       {path, 0, 0, {}},
       {},
       "install libmatio-dev and build with -DSTEELYARD_WITH_MATIO=ON, or save the log as CSV"});
}

#endif

}  // namespace steelyard
