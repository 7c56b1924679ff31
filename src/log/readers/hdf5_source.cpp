#include <utility>

#include "array_file.hpp"
#ifdef STEELYARD_WITH_HDF5
#include <fmt/format.h>
#include <hdf5.h>

#include "hdf5_quiet.hpp"
#include "steelyard/core/suggest.hpp"
#endif

namespace steelyard::inline STEELYARD_ABI {

#ifdef STEELYARD_WITH_HDF5
namespace {

// An identifier of the library that is closed with its scope.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

constexpr std::size_t kMaxNames = 100000;

// Collects the names of links. MATLAB keeps its own objects in groups that begin with '#'; links into other
// files are left alone.
herr_t add_name(hid_t, const char* name, const H5L_info_t* link, void* names) {
  auto& list = *static_cast<std::vector<std::string>*>(names);
  if (name[0] == '#' || (link->type != H5L_TYPE_HARD && link->type != H5L_TYPE_SOFT)) return 0;
  try {
    list.emplace_back(name);
  } catch (...) {
    return -1;
  }
  return list.size() < kMaxNames ? 0 : 1;
}

std::string type_name(hid_t type, bool& numeric) {
  numeric = false;
  const std::size_t bits = 8 * H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_FLOAT:
      numeric = true;
      return fmt::format("float{}", bits);
    case H5T_INTEGER:
      numeric = true;
      return fmt::format("{}int{}", H5Tget_sign(type) == H5T_SGN_NONE ? "u" : "", bits);
    case H5T_STRING:
      return "text";
    case H5T_COMPOUND:
      return "compound values (complex numbers or a table)";
    case H5T_ENUM:
      return "an enumeration (or booleans)";
    case H5T_REFERENCE:
      return "references (a cell array)";
    case H5T_VLEN:
      return "lists of different lengths";
    default:
      return "values that are not numbers";
  }
}

class Hdf5File : public ArrayFile {
 public:
  explicit Hdf5File(std::string path)
      : path_(std::move(path)), file_(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    if (!file_) throw damaged_array_file(path_, "this is not an HDF5 file, or it is damaged");
    std::vector<std::string> names;
    if (H5Lvisit(file_.id(), H5_INDEX_NAME, H5_ITER_INC, add_name, &names) < 0)
      throw damaged_array_file(path_, "the contents of the HDF5 file cannot be listed");
    for (const std::string& name : names) add(name);
  }

  const std::vector<ArrayInfo>& arrays() const override { return arrays_; }
  bool last_index_is_fastest() const override { return true; }

  void read(std::size_t array, double* values) override {
    const Handle dataset(H5Dopen2(file_.id(), arrays_[array].name.c_str(), H5P_DEFAULT), H5Dclose);
    if (dataset && H5Dread(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0)
      return;
    throw damaged_array_file(
        path_, fmt::format("{} cannot be read: it is damaged, or compressed by a filter that is "
                           "not installed",
                           quoted(arrays_[array].name)));
  }

 private:
  // Groups, and links that lead nowhere, are passed over.
  void add(const std::string& name) {
    const Handle object(H5Oopen(file_.id(), name.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object || H5Iget_type(object.id()) != H5I_DATASET) return;
    const Handle type(H5Dget_type(object.id()), H5Tclose);
    const Handle space(H5Dget_space(object.id()), H5Sclose);
    if (!type || !space) return;
    ArrayInfo info;
    info.name = name;
    info.type = type_name(type.id(), info.numeric);
    const int rank = H5Sget_simple_extent_ndims(space.id());
    std::vector<hsize_t> sizes(static_cast<std::size_t>(rank > 0 ? rank : 0));
    if (rank > 0) H5Sget_simple_extent_dims(space.id(), sizes.data(), nullptr);
    info.sizes.assign(sizes.begin(), sizes.end());
    if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) info.sizes = {0};
    arrays_.push_back(std::move(info));
  }

  Hdf5Quiet quiet_;
  std::string path_;
  Handle file_;
  std::vector<ArrayInfo> arrays_;
};

}  // namespace

std::unique_ptr<ArrayFile> open_hdf5(const std::string& path) {
  return std::make_unique<Hdf5File>(path);
}

#else

std::unique_ptr<ArrayFile> open_hdf5(const std::string& path) {
  throw MachineError({"this build of Steelyard cannot read HDF5 files",
                      {path, 0, 0, {}},
                      {},
                      "install libhdf5-dev and build with -DSTEELYARD_WITH_HDF5=ON, or save the log as CSV"});
}

#endif

}  // namespace steelyard
