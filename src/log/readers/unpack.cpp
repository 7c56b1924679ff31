#include "unpack.hpp"

#include <algorithm>
#include <memory>

#include "bag_file.hpp"
#ifdef STEELYARD_WITH_LZ4
#include <lz4frame.h>
#endif
#ifdef STEELYARD_WITH_ZSTD
#include <zstd.h>
#endif

namespace steelyard::inline STEELYARD_ABI {
namespace {

[[maybe_unused]] constexpr std::size_t kUnpackStep = std::size_t{1} << 20;

[[maybe_unused]] MachineError missing_packing(const std::string& path, const std::string& name,
                                              const std::string& package, const std::string& option) {
  return MachineError(
      {"this build of Steelyard cannot read or write bags compressed with " + name,
       {path, 0, 0, {}},
       {},
       "install " + package + " and build with -D" + option + "=ON, or convert the bag without compression"});
}

[[maybe_unused]] InputError badly_packed(const std::string& path) {
  return damaged_bag(path, "the bag is damaged: its messages cannot be decompressed");
}

// Room for the next bytes; grows with what was really unpacked, whatever the file announces.
[[maybe_unused]] std::size_t make_room(std::vector<unsigned char>& bytes, std::size_t used,
                                       std::uint64_t size) {
  if (bytes.size() == used) bytes.resize(std::min<std::uint64_t>(size, std::max(2 * used, kUnpackStep)));
  return bytes.size() - used;
}

#ifdef STEELYARD_WITH_LZ4
std::vector<unsigned char> unpack_lz4(ByteSpan packed, std::uint64_t size, const std::string& path) {
  LZ4F_dctx* context = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) != 0) throw std::bad_alloc();
  const std::unique_ptr<LZ4F_dctx, LZ4F_errorCode_t (*)(LZ4F_dctx*)> owner(context,
                                                                           LZ4F_freeDecompressionContext);
  std::vector<unsigned char> bytes;
  std::size_t used = 0, at = 0, state = 1;
  unsigned char beyond = 0;
  while (state != 0) {
    std::size_t room = make_room(bytes, used, size), taken = packed.size() - at;
    const bool full = room == 0;
    if (full) room = 1;  // the frame's end may still have to be read
    state = LZ4F_decompress(context, full ? &beyond : bytes.data() + used, &room, packed.data() + at, &taken,
                            nullptr);
    if (LZ4F_isError(state) != 0 || (full && room > 0) || (state != 0 && room == 0 && taken == 0))
      throw badly_packed(path);
    if (!full) used += room;
    at += taken;
  }
  if (used != size || at != packed.size()) throw badly_packed(path);
  bytes.resize(used);
  return bytes;
}
#else
std::vector<unsigned char> unpack_lz4(ByteSpan, std::uint64_t, const std::string& path) {
  throw missing_packing(path, "LZ4", "liblz4-dev", "STEELYARD_WITH_LZ4");
}
#endif

#ifdef STEELYARD_WITH_ZSTD
std::vector<unsigned char> unpack_zstd(ByteSpan packed, std::uint64_t size, const std::string& path) {
  const std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  if (!context) throw std::bad_alloc();
  std::vector<unsigned char> bytes;
  std::size_t used = 0, state = 1;
  unsigned char beyond = 0;
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  while (state != 0 || in.pos < in.size) {
    const std::size_t room = make_room(bytes, used, size);
    ZSTD_outBuffer out{room > 0 ? bytes.data() + used : &beyond, std::max<std::size_t>(room, 1), 0};
    const std::size_t before = in.pos;
    state = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(state) != 0 || (room == 0 && out.pos > 0) ||
        (out.pos == 0 && in.pos == before && state != 0))
      throw badly_packed(path);
    used += room > 0 ? out.pos : 0;
  }
  if (used != size) throw badly_packed(path);
  bytes.resize(used);
  return bytes;
}
#else
std::vector<unsigned char> unpack_zstd(ByteSpan, std::uint64_t, const std::string& path) {
  throw missing_packing(path, "Zstandard", "libzstd-dev", "STEELYARD_WITH_ZSTD");
}
#endif

}  // namespace

std::vector<unsigned char> unpack(Packing packing, ByteSpan packed, std::uint64_t size,
                                  const std::string& path) {
  if (packing == Packing::lz4) return unpack_lz4(packed, size, path);
  if (packing == Packing::zstd) return unpack_zstd(packed, size, path);
  if (packed.size() != size) throw badly_packed(path);
  return {packed.begin(), packed.end()};
}

std::string pack(Packing packing, const std::string& bytes, [[maybe_unused]] const std::string& path) {
  if (packing == Packing::lz4) {
#ifdef STEELYARD_WITH_LZ4
    std::string packed(LZ4F_compressFrameBound(bytes.size(), nullptr), '\0');
    const std::size_t size =
        LZ4F_compressFrame(packed.data(), packed.size(), bytes.data(), bytes.size(), nullptr);
    if (LZ4F_isError(size) != 0) throw InternalError("LZ4 compression fails");
    packed.resize(size);
    return packed;
#else
    throw missing_packing(path, "LZ4", "liblz4-dev", "STEELYARD_WITH_LZ4");
#endif
  }
  if (packing == Packing::zstd) {
#ifdef STEELYARD_WITH_ZSTD
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size =
        ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), ZSTD_CLEVEL_DEFAULT);
    if (ZSTD_isError(size) != 0) throw InternalError("Zstandard compression fails");
    packed.resize(size);
    return packed;
#else
    throw missing_packing(path, "Zstandard", "libzstd-dev", "STEELYARD_WITH_ZSTD");
#endif
  }
  return bytes;
}

}  // namespace steelyard
