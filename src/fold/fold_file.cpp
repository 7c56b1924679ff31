#include "steelyard/fold/fold_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "steelyard/core/atomic_file.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/sha256.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kMagic = "STEELYARD FOLD\n";
constexpr std::size_t kDigest = 32;
static_assert(std::endian::native == std::endian::little, "fold files are written as memory has them");

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string digest(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  const auto value = hash.finish();
  return std::string(value.begin(), value.end());
}

ordered_json to_json(const Layout& layout) {
  return {{"row", layout.row},
          {"unit", layout.unit},
          {"columns", layout.columns},
          {"efforts", layout.efforts},
          {"effort_units", layout.effort_units},
          {"robot", layout.robot},
          {"preparation", layout.preparation}};
}

Layout layout_from(const ordered_json& json) {
  Layout layout;
  layout.row = json.at("row");
  layout.unit = json.at("unit");
  layout.columns = json.at("columns").get<std::vector<std::string>>();
  layout.efforts = json.at("efforts").get<std::vector<std::string>>();
  layout.effort_units = json.at("effort_units").get<std::vector<std::string>>();
  layout.robot = json.at("robot");
  layout.preparation = json.at("preparation");
  return layout;
}

ordered_json sizes_json(const std::vector<Fold>& folds) {
  ordered_json list = ordered_json::array();
  for (const Fold& fold : folds) list.push_back({fold.rows(), fold.depth()});
  return list;
}

void append_triangles(const std::vector<Fold>& folds, std::string& bytes) {
  for (const Fold& fold : folds)
    for (Index i = 0; i < fold.depth(); ++i)
      for (Index j = i; j < fold.size(); ++j) append(bytes, fold(i, j));
}

// Takes bytes from the front; throws when there are too few.
class Reader {
 public:
  Reader(std::string_view bytes, std::string path) : bytes_(bytes), path_(std::move(path)) {}

  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) fail("is shorter than its header says");
    const std::string_view front = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return front;
  }
  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  bool is_empty() const { return bytes_.empty(); }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError({"fold file " + what, {path_, 0, 0, ""}, "", "make it again with `steelyard fold`"});
  }

 private:
  std::string_view bytes_;
  std::string path_;
};

std::vector<Fold> read_folds(const ordered_json& sizes,
                             const std::vector<std::shared_ptr<const Layout>>& layouts, Index block,
                             Reader& reader) {
  std::vector<Fold> folds;
  if (sizes.empty()) return folds;
  if (sizes.size() != layouts.size()) reader.fail("has another number of folds than of rows");
  for (std::size_t r = 0; r < layouts.size(); ++r) {
    const Index rows = sizes[r].at(0), depth = sizes[r].at(1), size = layouts[r]->size();
    if (rows < 0 || depth < 0 || depth > size || depth > rows)
      reader.fail("has a triangle of impossible size");
    MatrixXd R = MatrixXd::Zero(depth, size);
    for (Index i = 0; i < depth; ++i)
      for (Index j = i; j < size; ++j) R(i, j) = reader.number<double>();
    folds.push_back(fold_of_triangle(layouts[r], R, rows, block));
  }
  return folds;
}

std::string read_bytes(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw InputError({"fold file does not exist or is no file", {path, 0, 0, ""}, "", "check the path"});
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (!stream || stream.bad())
    throw MachineError({"fold file cannot be read", {path, 0, 0, ""}, "", "check the permissions"});
  return bytes;
}

}  // namespace

FoldFile to_fold_file(const FoldPass& pass, const std::string& label, double step) {
  return {label, pass.samples, step, pass.slot_samples, pass.folds.slots(), pass.folds.blocks()};
}

void write_fold_file(const FoldFile& file, const std::string& path) {
  require(!file.blocks.empty(), "a fold file has at least one block");
  ordered_json header = {{"label", file.label},
                         {"samples", file.samples},
                         {"step", file.step},
                         {"slot_samples", file.slot_samples},
                         {"slots", file.slots}};
  header["layouts"] = ordered_json::array();
  for (const Fold& fold : file.blocks[0].core) header["layouts"].push_back(to_json(fold.layout()));
  header["blocks"] = ordered_json::array();
  std::string triangles;
  for (const FoldBlock& block : file.blocks) {
    header["blocks"].push_back({{"first_slot", block.first_slot},
                                {"slots", block.slots},
                                {"core", sizes_json(block.core)},
                                {"gap", sizes_json(block.gap)}});
    append_triangles(block.core, triangles);
    append_triangles(block.gap, triangles);
  }
  const std::string text = header.dump();
  std::string bytes(kMagic);
  append(bytes, kFoldFileVersion);
  append(bytes, static_cast<std::uint64_t>(text.size()));
  bytes += text + triangles;
  bytes += digest(bytes);
  AtomicFile out(path);
  out.write(bytes);
  out.commit();
}

FoldFile read_fold_file(const std::string& path) {
  const std::string bytes = read_bytes(path);
  Reader reader(bytes, path);
  if (bytes.size() < kMagic.size() + kDigest || !bytes.starts_with(kMagic))
    reader.fail("is foreign or truncated");
  const std::size_t body = bytes.size() - kDigest;
  if (digest(std::string_view(bytes).substr(0, body)) != bytes.substr(body))
    reader.fail("is damaged: its checksum is wrong");
  reader = Reader(std::string_view(bytes).substr(0, body), path);
  reader.take(kMagic.size());
  const auto version = reader.number<std::uint32_t>();
  if (version != kFoldFileVersion)
    reader.fail(fmt::format("has format version {}, this program reads {}", version, kFoldFileVersion));
  const auto length = reader.number<std::uint64_t>();
  FoldFile file;
  try {
    const ordered_json header = ordered_json::parse(reader.take(length));
    file.label = header.at("label");
    file.samples = header.at("samples");
    file.step = header.at("step");
    file.slot_samples = header.at("slot_samples");
    file.slots = header.at("slots");
    std::vector<std::shared_ptr<const Layout>> layouts;
    for (const ordered_json& layout : header.at("layouts"))
      layouts.push_back(std::make_shared<const Layout>(layout_from(layout)));
    for (const auto& layout : layouts) layout->validate();
    for (const ordered_json& json : header.at("blocks")) {
      const Index number = static_cast<Index>(file.blocks.size());
      FoldBlock block;
      block.first_slot = json.at("first_slot");
      block.slots = json.at("slots");
      block.core = read_folds(json.at("core"), layouts, number, reader);
      block.gap = read_folds(json.at("gap"), layouts, number, reader);
      file.blocks.push_back(std::move(block));
    }
  } catch (const ordered_json::exception& error) {
    reader.fail(fmt::format("has a header that makes no sense: {}", error.what()));
  } catch (const InputError& error) {
    if (!error.complaint().place.file.empty()) throw;
    reader.fail("makes no sense: " + std::string(error.what()));
  }
  if (!reader.is_empty()) reader.fail("is longer than its header says");
  return file;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
