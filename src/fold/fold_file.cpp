#include "steelyard/fold/fold_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "steelyard/core/atomic_file.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/sha256.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view kMagic = "STEELYARD FOLD\n";
constexpr std::size_t kDigest = 32;
constexpr std::uint32_t kOldestVersion = 2;  // without findings, motion and log
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
  std::size_t left() const { return bytes_.size(); }

  [[noreturn]] void fail(const std::string& what) const {
    throw InputError({"fold file " + what, {path_, 0, 0, ""}, "", "create it again with `steelyard fold`"});
  }

 private:
  std::string_view bytes_;
  std::string path_;
};

// Numbers of the header, within what a run can have.
Index whole(const ordered_json& json, const char* key, Index min_value, Index max_value,
            const Reader& reader) {
  const ordered_json& value = json.at(key);
  if (!value.is_number_integer() || value.get<Index>() < min_value || value.get<Index>() > max_value)
    reader.fail(fmt::format("has {} {}", key, value.dump()));
  return value;
}

double real(const ordered_json& json, const char* key, double min_value, double max_value,
            const Reader& reader) {
  const ordered_json& value = json.at(key);
  if (!value.is_number() || !(value.get<double>() >= min_value && value.get<double>() <= max_value))
    reader.fail(fmt::format("has {} {}", key, value.dump()));
  return value;
}

constexpr Index kMax = std::numeric_limits<Index>::max();
constexpr double kLargest = 1e9;  // of steps [s], frequencies [Hz] and periods [samples]

std::vector<Fold> read_folds(const ordered_json& sizes,
                             const std::vector<std::shared_ptr<const Layout>>& layouts, Index block,
                             Reader& reader) {
  std::vector<Fold> folds;
  if (sizes.empty()) return folds;
  if (sizes.size() != layouts.size()) reader.fail("has different numbers of folds and rows");
  for (std::size_t r = 0; r < layouts.size(); ++r) {
    const ordered_json &count = sizes[r].at(0), &lines = sizes[r].at(1);
    if (!count.is_number_integer() || !lines.is_number_integer())
      reader.fail("has a triangle of impossible size");
    const Index rows = count, depth = lines, size = layouts[r]->size();
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
    throw InputError({"fold file does not exist or is not a file", {path, 0, 0, ""}, "", "check the path"});
  std::ifstream stream(path, std::ios::binary);
  std::string bytes(std::filesystem::file_size(path, error), '\0');
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
    throw MachineError({"fold file cannot be read", {path, 0, 0, ""}, "", "check the permissions"});
  return bytes;
}

// Folds of one run with one list of layouts; triangles go behind each other.
ordered_json blocks_json(const std::vector<FoldBlock>& blocks, std::string& triangles) {
  ordered_json json;
  json["layouts"] = ordered_json::array();
  for (const Fold& fold : blocks[0].core) json["layouts"].push_back(to_json(fold.layout()));
  json["blocks"] = ordered_json::array();
  for (const FoldBlock& block : blocks) {
    json["blocks"].push_back({{"first_slot", block.first_slot},
                              {"slots", block.slots},
                              {"core", sizes_json(block.core)},
                              {"gap", sizes_json(block.gap)}});
    append_triangles(block.core, triangles);
    append_triangles(block.gap, triangles);
  }
  return json;
}

std::vector<FoldBlock> blocks_from(const ordered_json& json, Index slots, Reader& reader) {
  std::vector<std::shared_ptr<const Layout>> layouts;
  for (const ordered_json& layout : json.at("layouts"))
    layouts.push_back(std::make_shared<const Layout>(layout_from(layout)));
  for (const auto& layout : layouts) layout->validate();
  std::vector<FoldBlock> blocks;
  for (const ordered_json& item : json.at("blocks")) {
    const Index number = static_cast<Index>(blocks.size());
    FoldBlock block;
    const Index next = blocks.empty() ? 0 : blocks.back().first_slot + blocks.back().slots;
    block.first_slot = whole(item, "first_slot", next, next, reader);
    block.slots = whole(item, "slots", 1, slots - next, reader);
    block.core = read_folds(item.at("core"), layouts, number, reader);
    block.gap = read_folds(item.at("gap"), layouts, number, reader);
    if (block.core.empty()) reader.fail("has a block without folds");
    blocks.push_back(std::move(block));
  }
  if (blocks.empty() || blocks.back().first_slot + blocks.back().slots != slots)
    reader.fail("has a run whose slots do not match its blocks");
  return blocks;
}

ordered_json filter_json(const FilterOptions& filter) {
  return {{"order", filter.order}, {"cutoff", filter.cutoff}};
}

FilterOptions filter_from(const ordered_json& json, const Reader& reader) {
  return {static_cast<int>(whole(json, "order", 0, std::numeric_limits<int>::max(), reader)),
          real(json, "cutoff", 0, kLargest, reader)};
}

ordered_json findings_json(const std::vector<Finding>& findings) {
  ordered_json list = ordered_json::array();
  for (const Finding& finding : findings)
    list.push_back({{"code", finding.code},
                    {"joint", finding.joint},
                    {"severity", static_cast<int>(finding.severity)},
                    {"evidence", finding.evidence},
                    {"remedy", finding.remedy}});
  return list;
}

std::vector<Finding> findings_from(const ordered_json& json, const Reader& reader) {
  std::vector<Finding> findings;
  for (const ordered_json& item : json) {
    Finding& finding = findings.emplace_back();
    finding.code = item.at("code");
    finding.joint = item.at("joint");
    const int severity = item.at("severity");
    if (severity < 0 || severity > static_cast<int>(Severity::error))
      reader.fail(fmt::format("has a finding of severity {}", severity));
    finding.severity = static_cast<Severity>(severity);
    finding.evidence = item.at("evidence");
    finding.remedy = item.at("remedy");
  }
  return findings;
}

ordered_json motion_json(const FoldedMotion& motion, std::string& triangles) {
  for (const double position : motion.position.reshaped()) append(triangles, position);
  return {{"step", motion.step}, {"samples", motion.position.rows()}, {"joints", motion.position.cols()}};
}

FoldedMotion motion_from(const ordered_json& json, Reader& reader) {
  FoldedMotion motion;
  motion.step = real(json, "step", 0, kLargest, reader);
  const auto max_numbers = static_cast<Index>(reader.left() / sizeof(double));
  const Index samples = whole(json, "samples", 1, max_numbers, reader),
              joints = whole(json, "joints", 1, max_numbers / samples, reader);
  if (!(motion.step > 0)) reader.fail("has a motion without a step");
  motion.position.resize(samples, joints);
  for (double& position : motion.position.reshaped()) position = reader.number<double>();
  if (!motion.position.allFinite()) reader.fail("has a motion that is not finite");
  return motion;
}

ordered_json run_json(const FoldedRun& run, std::string& triangles) {
  require(!run.blocks.empty(), "a fold file has at least one block");
  ordered_json json = {{"label", run.label},
                       {"log", run.log},
                       {"samples", run.samples},
                       {"step", run.step},
                       {"filter", filter_json(run.filter)},
                       {"column_filter", filter_json(run.column_filter)},
                       {"decimation", run.decimation},
                       {"kept_share", run.kept_share},
                       {"prepare", run.prepare},
                       {"slot_samples", run.slot_samples},
                       {"gap_samples", run.gap},
                       {"slots", run.slots},
                       {"slots_per_block", run.slots_per_block}};
  if (run.columns) json["columns"] = *run.columns;
  if (run.period) json["period"] = *run.period;
  if (run.findings) json["findings"] = findings_json(*run.findings);
  if (run.motion) json["motion"] = motion_json(*run.motion, triangles);
  json["folds"] = blocks_json(run.blocks, triangles);
  if (run.instruments.blocks.empty()) return json;
  json["instruments"] = {{"cutoff", run.instruments.cutoff}, {"simulated", run.instruments.simulated}};
  json["instruments"]["folds"] = blocks_json(run.instruments.blocks, triangles);
  return json;
}

FoldedRun run_from(const ordered_json& json, Reader& reader) {
  FoldedRun run;
  run.label = json.at("label");
  if (json.contains("log")) run.log = json.at("log");
  run.samples = whole(json, "samples", 1, kMax, reader);
  run.step = real(json, "step", 0, kLargest, reader);
  run.filter = filter_from(json.at("filter"), reader);
  run.column_filter = filter_from(json.at("column_filter"), reader);
  run.decimation = whole(json, "decimation", 1, run.samples, reader);
  run.kept_share = real(json, "kept_share", 0, 1, reader);
  run.prepare = json.at("prepare");
  run.slot_samples = whole(json, "slot_samples", 1, kMax, reader);
  run.gap = whole(json, "gap_samples", 0, run.slot_samples, reader);
  run.slots = whole(json, "slots", 1, (run.samples - 1) / run.slot_samples + 1, reader);
  run.slots_per_block = whole(json, "slots_per_block", 1, 2 * run.slots, reader);
  if (json.contains("columns")) run.columns = json.at("columns").get<std::string>();
  if (json.contains("period")) run.period = real(json, "period", 0, kLargest, reader);
  if (json.contains("findings")) run.findings = findings_from(json.at("findings"), reader);
  if (json.contains("motion")) run.motion = motion_from(json.at("motion"), reader);
  run.blocks = blocks_from(json.at("folds"), run.slots, reader);
  if (!json.contains("instruments")) return run;
  const ordered_json& instruments = json.at("instruments");
  run.instruments.cutoff = real(instruments, "cutoff", 0, kLargest, reader);
  run.instruments.simulated = instruments.at("simulated");
  run.instruments.blocks = blocks_from(instruments.at("folds"), run.slots, reader);
  return run;
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

void write_fold_file(std::span<const FoldedRun> runs, const std::string& path) {
  ordered_json header;
  header["runs"] = ordered_json::array();
  std::string triangles;
  for (const FoldedRun& run : runs) header["runs"].push_back(run_json(run, triangles));
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

std::vector<FoldedRun> read_fold_file(const std::string& path) {
  const std::string bytes = read_bytes(path);
  Reader reader(bytes, path);
  if (!bytes.starts_with(kMagic))
    reader.fail("is not a fold file: it does not start with 'STEELYARD FOLD' and has no checksum");
  if (bytes.size() < kMagic.size() + kDigest) reader.fail("is truncated: it has no checksum");
  const std::size_t body = bytes.size() - kDigest;
  const std::string found = digest(std::string_view(bytes).substr(0, body));
  if (found != std::string_view(bytes).substr(body))
    reader.fail(fmt::format("is damaged or truncated: its checksum is {}, its content has {}",
                            hex(std::string_view(bytes).substr(body)), hex(found)));
  reader = Reader(std::string_view(bytes).substr(0, body), path);
  reader.take(kMagic.size());
  const auto version = reader.number<std::uint32_t>();
  if (version < kOldestVersion || version > kFoldFileVersion)
    reader.fail(fmt::format("has format version {}, this program reads {} to {}", version, kOldestVersion,
                            kFoldFileVersion));
  const auto length = reader.number<std::uint64_t>();
  std::vector<FoldedRun> runs;
  try {
    const ordered_json header = ordered_json::parse(reader.take(length));
    for (const ordered_json& run : header.at("runs")) runs.push_back(run_from(run, reader));
  } catch (const ordered_json::exception& error) {
    reader.fail(fmt::format("has an invalid header: {}", error.what()));
  } catch (const InputError& error) {
    if (!error.complaint().place.file.empty()) throw;
    reader.fail("is invalid: " + std::string(error.what()));
  }
  if (!reader.is_empty()) reader.fail("is longer than its header says");
  return runs;
}

}  // namespace steelyard
