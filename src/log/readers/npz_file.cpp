// .npz: a zip archive of .npy members, stored or deflated. Read by its central directory, with the 64-bit
// extensions that NumPy writes; members must have the checksums and sizes of the directory.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bytes.hpp"
#include "npy_format.hpp"
#include "steelyard/core/suggest.hpp"
#ifdef STEELYARD_WITH_ZLIB
#include <zlib.h>
#endif

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::uint32_t kLocal = 0x04034b50;
constexpr std::uint32_t kDirectory = 0x02014b50;
constexpr std::uint32_t kZipEnd = 0x06054b50;
constexpr std::uint32_t kZipEnd64 = 0x06064b50;
constexpr std::uint32_t kZipLocator64 = 0x07064b50;
constexpr std::size_t kZipEndLength = 22;
constexpr std::size_t kLongestComment = 65535;
constexpr std::uint32_t kSee64 = 0xFFFFFFFF;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;

struct ZipMember {
  std::string name;
  std::uint16_t method = 0;
  bool encrypted = false;
  std::uint32_t crc = 0;
  std::uint64_t packed = 0;
  std::uint64_t size = 0;
  std::uint64_t local = 0;  // where its own header begins
  NpyHeader header;
};

class NpzFile : public ArrayFile {
 public:
  explicit NpzFile(const std::string& path) : file_(path), path_(path) {
    read_directory();
    for (ZipMember& member : members_) {
      const std::string begin =
          unpacked(member, std::min<std::uint64_t>(member.size, kLongestNpyHeader), false);
      member.header = parse_npy_header(begin, path_, quoted(member.name));
      ArrayInfo& info = member.header.info;
      info.name = member.name;
      const std::uint64_t count = info.count();
      const bool fits =
          count <= kArrayLimit &&
          member.header.data_at + count * static_cast<std::uint64_t>(member.header.size) == member.size;
      if (info.numeric && !fits)
        throw damaged_array_file(path_, fmt::format("{} is damaged", quoted(member.name)));
      // All columns use the index order of the whole file: members of the other order are transposed.
      if (member.header.fortran_order) std::reverse(info.sizes.begin(), info.sizes.end());
      arrays_.push_back(info);
    }
  }

  const std::vector<ArrayInfo>& arrays() const override { return arrays_; }
  bool last_index_is_fastest() const override { return true; }

  void read(std::size_t array, double* values) override {
    const ZipMember& member = members_[array];
    const std::string bytes = unpacked(member, member.size, true);
    convert_npy(member.header, bytes.data() + member.header.data_at, values);
  }

 private:
  InputError bad_archive() const {
    return damaged_array_file(path_, "this is not a NumPy archive (.npz), or it is truncated or damaged");
  }

  void read_directory() {
    const std::uint64_t tail = std::min<std::uint64_t>(file_.size(), kZipEndLength + kLongestComment);
    std::string bytes(static_cast<std::size_t>(tail), '\0');
    file_.read(file_.size() - tail, bytes.data(), bytes.size());
    std::string mark;
    store_little(mark, kZipEnd);
    const std::size_t at = bytes.rfind(mark);
    if (at == std::string::npos || bytes.size() - at < kZipEndLength) throw bad_archive();
    std::uint64_t count = load_little<std::uint16_t>(bytes.data() + at + 10);
    std::uint64_t length = load_little<std::uint32_t>(bytes.data() + at + 12);
    std::uint64_t begin = load_little<std::uint32_t>(bytes.data() + at + 16);
    if (begin == kSee64 || length == kSee64 || count == 0xFFFF) {
      if (at < 20 || load_little<std::uint32_t>(bytes.data() + at - 20) != kZipLocator64) throw bad_archive();
      char end[56];
      const auto end_at = load_little<std::uint64_t>(bytes.data() + at - 12);
      if (end_at > file_.size() || file_.size() - end_at < sizeof end) throw bad_archive();
      file_.read(end_at, end, sizeof end);
      if (load_little<std::uint32_t>(end) != kZipEnd64) throw bad_archive();
      count = load_little<std::uint64_t>(end + 32);
      length = load_little<std::uint64_t>(end + 40);
      begin = load_little<std::uint64_t>(end + 48);
    }
    if (begin > file_.size() || length > file_.size() - begin) throw bad_archive();
    std::string directory(static_cast<std::size_t>(length), '\0');
    file_.read(begin, directory.data(), directory.size());
    std::size_t next = 0;
    for (std::uint64_t k = 0; k < count; ++k) next = read_entry(directory, next);
    if (members_.empty()) throw damaged_array_file(path_, "the archive holds no NumPy arrays");
  }

  // Returns where the next entry begins.
  std::size_t read_entry(const std::string& directory, std::size_t at) {
    if (directory.size() - at < 46) throw bad_archive();
    const char* entry = directory.data() + at;
    if (load_little<std::uint32_t>(entry) != kDirectory) throw bad_archive();
    ZipMember member;
    member.encrypted = (load_little<std::uint16_t>(entry + 8) & 1) != 0;
    member.method = load_little<std::uint16_t>(entry + 10);
    member.crc = load_little<std::uint32_t>(entry + 16);
    member.packed = load_little<std::uint32_t>(entry + 20);
    member.size = load_little<std::uint32_t>(entry + 24);
    member.local = load_little<std::uint32_t>(entry + 42);
    const std::size_t name = load_little<std::uint16_t>(entry + 28),
                      extra = load_little<std::uint16_t>(entry + 30),
                      comment = load_little<std::uint16_t>(entry + 32);
    if (directory.size() - at - 46 < name + extra + comment) throw bad_archive();
    member.name.assign(entry + 46, name);
    read_long_sizes(std::string_view(entry + 46 + name, extra), member);
    if (member.name.ends_with(".npy")) {
      member.name.resize(member.name.size() - 4);
      members_.push_back(std::move(member));
    }
    return at + 46 + name + extra + comment;
  }

  // 64-bit sizes stand, in this order, for those fields that are all ones.
  static void read_long_sizes(std::string_view extra, ZipMember& member) {
    while (extra.size() >= 4) {
      const auto id = load_little<std::uint16_t>(extra.data());
      const std::size_t length = load_little<std::uint16_t>(extra.data() + 2);
      extra.remove_prefix(4);
      std::string_view field = extra.substr(0, std::min(length, extra.size()));
      extra.remove_prefix(field.size());
      if (id != 1) continue;
      for (std::uint64_t* value : {&member.size, &member.packed, &member.local}) {
        if (*value != kSee64 || field.size() < 8) continue;
        *value = load_little<std::uint64_t>(field.data());
        field.remove_prefix(8);
      }
    }
  }

  // The first `wanted` bytes of a member; with `whole`, all of them and their checksum.
  std::string unpacked(const ZipMember& member, std::uint64_t wanted, bool whole) const {
    const auto damaged = [&] {
      return damaged_array_file(path_, fmt::format("{} is damaged", quoted(member.name)));
    };
    if (member.encrypted || (member.method != kStored && member.method != kDeflated)) {
      throw InputError(
          {fmt::format("{} is encrypted, or uses an unsupported compression", quoted(member.name)),
           {path_, 0, 0, {}},
           "stored or deflated",
           "save it with numpy.savez or numpy.savez_compressed"});
    }
    char local[30];
    if (member.local > file_.size() || file_.size() - member.local < sizeof local) throw damaged();
    file_.read(member.local, local, sizeof local);
    if (load_little<std::uint32_t>(local) != kLocal) throw damaged();
    const std::uint64_t data = member.local + sizeof local + load_little<std::uint16_t>(local + 26) +
                               load_little<std::uint16_t>(local + 28);
    if (data > file_.size() || member.packed > file_.size() - data || member.size > 2 * kArrayLimit)
      throw damaged();
    std::string bytes;
    if (member.method == kStored) {
      if (member.packed != member.size) throw damaged();
      bytes.resize(static_cast<std::size_t>(wanted));
      file_.read(data, bytes.data(), bytes.size());
    } else {
      bytes = inflated(member, data, wanted);
    }
    if (bytes.size() != wanted || (whole && crc32(bytes.data(), bytes.size()) != member.crc)) throw damaged();
    return bytes;
  }

#ifdef STEELYARD_WITH_ZLIB
  // As much as there is, at most `wanted`.
  std::string inflated(const ZipMember& member, std::uint64_t at, std::uint64_t wanted) const {
    constexpr std::size_t kPiece = std::size_t{64} << 10;
    std::string bytes, packed(kPiece, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    std::uint64_t left = member.packed;
    int state = Z_OK;
    while (state == Z_OK && bytes.size() < wanted) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, kPiece));
      if (stream.avail_in == 0) {
        if (count == 0) break;
        file_.read(at, packed.data(), count);
        at += count;
        left -= count;
        stream.next_in = reinterpret_cast<Bytef*>(packed.data());
        stream.avail_in = static_cast<uInt>(count);
      }
      const std::size_t used = bytes.size();
      bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(wanted, used + 4 * kPiece)));
      stream.next_out = reinterpret_cast<Bytef*>(bytes.data() + used);
      stream.avail_out = static_cast<uInt>(bytes.size() - used);
      state = inflate(&stream, Z_NO_FLUSH);
      if (state == Z_BUF_ERROR) state = Z_OK;
      bytes.resize(bytes.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    return bytes;
  }
#else
  std::string inflated(const ZipMember&, std::uint64_t, std::uint64_t) const {
    throw MachineError(
        {"this build of Steelyard cannot decompress NumPy archives",
         {path_, 0, 0, {}},
         {},
         "install zlib1g-dev and build with -DSTEELYARD_WITH_ZLIB=ON, or save with numpy.savez"});
  }
#endif

  InputBytes file_;
  std::string path_;
  std::vector<ZipMember> members_;
  std::vector<ArrayInfo> arrays_;
};

}  // namespace

std::unique_ptr<ArrayFile> open_npz(const std::string& path) {
  return std::make_unique<NpzFile>(path);
}

}  // namespace steelyard
