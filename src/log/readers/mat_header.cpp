#include "mat_header.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#ifdef STEELYARD_WITH_ZLIB
#include <zlib.h>

#include <algorithm>
#include <vector>
#endif

#include "array_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;
constexpr std::uint64_t kHeader = 128;
constexpr std::uint64_t kHdf5At = 512;

std::uint32_t number(const unsigned char* bytes, bool little) {
  std::uint32_t value = 0;
  for (int k = 0; k < 4; ++k) value |= std::uint32_t{bytes[k]} << 8 * (little ? k : 3 - k);
  return value;
}

[[noreturn]] void fail_foreign(const std::string& path) {
  throw InputError({"this is not a MATLAB file of version 5, 7 or 7.3",
                    {path, 0, 0, {}},
                    {},
                    "in MATLAB, save with -v7 or -v7.3"});
}

#ifdef STEELYARD_WITH_ZLIB
// Whether the packed bytes from here on unpack to what was packed, by zlib's own checksum. What unpacks to
// more than can be read anyway is not looked at to its end.
bool unpacks(std::ifstream& in, std::uint64_t length) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::vector<unsigned char> packed(kPiece), unpacked(4 * kPiece);
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return false;
  int state = Z_OK;
  while (state == Z_OK && length > 0 && stream.total_out <= kArrayLimit) {
    const std::size_t count = std::min<std::uint64_t>(length, kPiece);
    if (!in.read(reinterpret_cast<char*>(packed.data()), static_cast<std::streamsize>(count))) break;
    length -= count;
    stream.next_in = packed.data();
    stream.avail_in = static_cast<uInt>(count);
    do {
      stream.next_out = unpacked.data();
      stream.avail_out = static_cast<uInt>(unpacked.size());
      state = inflate(&stream, Z_NO_FLUSH);
    } while (state == Z_OK && stream.avail_out == 0);
    if (state == Z_BUF_ERROR) state = Z_OK;  // more is needed
  }
  const bool good = state == Z_STREAM_END || (state == Z_OK && stream.total_out > kArrayLimit);
  inflateEnd(&stream);
  return good;
}
#else
bool unpacks(std::ifstream&, std::uint64_t) {
  return true;
}
#endif

// Every element of a file of version 5 must lie within it; matio does not look at the checksums of packed
// ones.
void check_elements(const std::string& path, std::ifstream& in, std::uint64_t size, bool little) {
  std::uint64_t at = kHeader;
  while (at < size) {
    std::array<unsigned char, 8> tag{};
    in.seekg(static_cast<std::streamoff>(at));
    const bool whole = size - at >= tag.size() && in.read(reinterpret_cast<char*>(tag.data()), tag.size());
    const std::uint32_t type = number(tag.data(), little);
    const std::uint64_t end = at + tag.size() + number(tag.data() + 4, little);
    if (whole && type != kMatrix && type != kCompressed)
      throw damaged_array_file(path, fmt::format("the MATLAB file is damaged at byte {}", at));
    if (!whole || end > size) {
      throw damaged_array_file(path, fmt::format("the MATLAB file is truncated: it ends at byte {} of {}",
                                                 size, whole ? end : at + tag.size()));
    }
    if (type == kCompressed && !unpacks(in, end - at - tag.size()))
      throw damaged_array_file(path,
                               fmt::format("the MATLAB file is damaged between bytes {} and {}", at, end));
    at = end;
  }
}

}  // namespace

void check_mat_layout(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::array<unsigned char, kHeader> header{};
  in.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(in.tellg());
  in.seekg(0);
  if (!in.read(reinterpret_cast<char*>(header.data()), header.size())) fail_foreign(path);
  const bool little = header[126] == 'I' && header[127] == 'M';
  const bool big = header[126] == 'M' && header[127] == 'I';
  if (!little && !big) fail_foreign(path);
  const int version = little ? header[124] | header[125] << 8 : header[125] | header[124] << 8;
  if (version == 0x0100) return check_elements(path, in, size, little);
  std::array<char, 8> mark{};
  in.seekg(kHdf5At);
  const bool hdf5 =
      in.read(mark.data(), mark.size()) && std::memcmp(mark.data(), "\x89HDF\r\n\x1a\n", 8) == 0;
  if (version != 0x0200 || !hdf5) fail_foreign(path);
}

}  // namespace steelyard
