#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "log/readers/bytes.hpp"
#include "log/readers/npy_format.hpp"
#include "steelyard/core/atomic_file.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/log/write_log.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::uint64_t kZipLimit = 0xFFFFFFFF;
constexpr std::uint16_t kZipVersion = 20;
constexpr std::uint32_t kZipDate = 0x00210000;  // 1 January 1980: the same bytes whenever it is written

// A zip archive of stored members.
class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path) : file_(path) {}

  void add(const std::string& name, const std::string& head, const char* data, std::size_t size) {
    const std::uint32_t crc = crc32(data, size, crc32(head.data(), head.size()));
    std::string fields;
    store_little(fields, kZipVersion);
    store_little(fields, std::uint32_t{0});  // no flags, stored
    store_little(fields, kZipDate);
    store_little(fields, crc);
    for (int k = 0; k < 2; ++k) store_little(fields, static_cast<std::uint32_t>(head.size() + size));
    store_little(fields, static_cast<std::uint32_t>(name.size()));  // and no extra field
    std::string local;
    store_little(local, std::uint32_t{0x04034b50});
    local += fields + name;
    store_little(directory_, std::uint32_t{0x02014b50});
    store_little(directory_, kZipVersion);
    directory_ += fields;
    directory_.append(10, '\0');
    store_little(directory_, static_cast<std::uint32_t>(written_));
    directory_ += name;
    put(local);
    put(head);
    put({data, size});
    ++members_;
  }

  void finish() {
    std::string end;
    store_little(end, std::uint32_t{0x06054b50});
    store_little(end, std::uint32_t{0});
    for (int k = 0; k < 2; ++k) store_little(end, members_);
    store_little(end, static_cast<std::uint32_t>(directory_.size()));
    store_little(end, static_cast<std::uint32_t>(written_));
    store_little(end, std::uint16_t{0});
    file_.write(directory_);
    file_.write(end);
    file_.commit();
  }

 private:
  void put(std::string_view bytes) {
    file_.write(bytes);
    written_ += bytes.size();
  }

  AtomicFile file_;
  std::uint64_t written_ = 0;
  std::uint16_t members_ = 0;
  std::string directory_;
};

void check_run(const SampleBlock& samples, const std::string& path) {
  const Place place{path, 0, 0, {}};
  if (samples.size() < 2)
    throw InputError(
        {fmt::format("a run of {} samples cannot be written", samples.size()), place, "at least 2", {}});
  const std::uint64_t bytes =
      8 * static_cast<std::uint64_t>(samples.size()) * static_cast<std::uint64_t>(samples.rows() + 1);
  if (bytes > kZipLimit - (1 << 20))
    throw InputError(
        {fmt::format("the run has {} GiB of numbers", bytes >> 30), place, "at most 4 GiB", "write CSV"});
  for (Index r = 0; r < samples.rows(); ++r) {
    const double* row = samples.data() + r * samples.stride();
    for (Index i = 0; i < samples.size(); ++i) {
      if (!std::isfinite(row[i])) {
        throw InputError(
            {fmt::format("sample {} of {} is {}", i + 1,
                         quoted(samples.channels()[static_cast<std::size_t>(r / samples.joints())]), row[i]),
             place,
             "finite numbers",
             {}});
      }
    }
  }
}

// Code points of UTF-8, for NumPy's text type; bytes that are no UTF-8 become question marks.
std::u32string code_points(const std::string& text) {
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const int more = byte < 0x80 ? 0 : byte >> 5 == 6 ? 1 : byte >> 4 == 14 ? 2 : byte >> 3 == 30 ? 3 : -1;
    char32_t point = more <= 0 ? byte : byte & (0x3F >> more);
    bool good = more >= 0 && i + static_cast<std::size_t>(std::max(more, 0)) < text.size();
    for (int k = 1; k <= more && good; ++k) {
      const auto next = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
      good = next >> 6 == 2;
      point = point << 6 | (next & 0x3F);
    }
    points += good ? point : U'?';
    i += good ? static_cast<std::size_t>(more) + 1 : 1;
  }
  return points;
}

void add_joint_names(ZipWriter& archive, const std::vector<LogJoint>& joints) {
  std::size_t longest = 1;
  std::vector<std::u32string> names;
  for (const LogJoint& joint : joints) {
    names.push_back(code_points(joint.name));
    longest = std::max(longest, names.back().size());
  }
  std::string bytes;
  for (std::u32string& name : names) {
    name.resize(longest);
    for (const char32_t point : name) store_little(bytes, static_cast<std::uint32_t>(point));
  }
  archive.add("joint_names.npy",
              make_npy_header(fmt::format("<U{}", longest), false, fmt::format("({},)", joints.size())),
              bytes.data(), bytes.size());
}

}  // namespace

WrittenLog write_npz(SampleSource& source, const std::string& path, const std::vector<LogJoint>& joints) {
  require(static_cast<Index>(joints.size()) == source.joints(), "as many joints are named as the run has");
  const SampleBlock samples = read_all(source);
  check_run(samples, path);
  ZipWriter archive(path);
  const auto add = [&](const std::string& name, const double* data, Index columns) {
    const std::string shape =
        columns < 0 ? fmt::format("({},)", samples.size()) : fmt::format("({}, {})", samples.size(), columns);
    const std::size_t count = static_cast<std::size_t>(samples.size() * std::abs(columns));
    archive.add(name + ".npy", make_npy_header("<f8", columns >= 0, shape),
                reinterpret_cast<const char*>(data), 8 * count);
  };
  WrittenLog written;
  written.file.path = path;
  written.file.time = "time";
  add("time", samples.time(), -1);
  for (std::size_t c = 0; c < samples.channels().size(); ++c) {
    const std::string& name = samples.channels()[c];
    add(name, samples.row(static_cast<Index>(c)), samples.joints());
    ChannelColumns columns;
    columns.channel = name;
    columns.columns = {name + "[{j}]"};
    written.file.channels.push_back(std::move(columns));
  }
  add_joint_names(archive, joints);
  archive.finish();
  return written;
}

}  // namespace steelyard
