#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "bytes.hpp"
#include "npy_format.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kNpyAlignment = 64;

// Text behind 'key': up to the comma, bracket or brace that ends the value; empty when absent.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  if (rest.empty()) return {};
  const char first = rest.front();
  const std::size_t end = first == '('    ? rest.find(')')
                          : first == '['  ? rest.find(']')
                          : first == '\'' ? rest.find('\'', 1)
                                          : rest.find_first_of(",}");
  if (end == std::string_view::npos) return {};
  return first == '(' || first == '\'' || first == '[' ? rest.substr(0, end + 1) : rest.substr(0, end);
}

// "(3441, 6)"; false when it is not such a list.
bool parse_shape(std::string_view text, std::vector<std::uint64_t>& sizes) {
  if (text.size() < 2 || text.front() != '(') return false;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
    if (text.empty()) break;
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc{}) return false;
    sizes.push_back(size);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.empty() && text.front() != ',' && text.front() != ' ') return false;
  }
  return true;
}

std::string kind_name(char kind, std::int64_t size) {
  switch (kind) {
    case 'f':
      return fmt::format("float{}", 8 * size);
    case 'i':
      return fmt::format("int{}", 8 * size);
    case 'u':
      return fmt::format("uint{}", 8 * size);
    case 'c':
      return "complex numbers";
    case 'b':
      return "booleans";
    case 'U':
    case 'S':
      return "text";
    case 'O':
      return "Python objects";
    default:
      return "values that are not numbers";
  }
}

// "'<f8'": byte order, kind, size.
void parse_type(std::string_view text, NpyHeader& header) {
  if (text.starts_with('[')) {
    header.info.type = "a table with named fields";
    return;
  }
  if (text.size() < 5) return;
  const std::string_view digits = text.substr(3, text.size() - 4);
  std::from_chars(digits.data(), digits.data() + digits.size(), header.size);
  const char kind = text[2];
  header.big_endian = text[1] == '>';
  header.info.type = kind_name(kind, header.size);
  const bool whole = kind == 'i' || kind == 'u';
  const bool sized =
      header.size == 8 || header.size == 4 || (whole && (header.size == 1 || header.size == 2));
  header.info.numeric =
      (whole || kind == 'f') && sized && std::string_view("<>|=").find(text[1]) != std::string_view::npos;
  header.kind = header.info.numeric ? kind : '\0';
}

template <class Number>
void convert_numbers(const NpyHeader& header, const char* bytes, double* values) {
  const std::uint64_t count = header.info.count();
  for (std::uint64_t i = 0; i < count; ++i) {
    const char* from = bytes + i * sizeof(Number);
    values[i] = static_cast<double>(header.big_endian ? load_big<Number>(from) : load_little<Number>(from));
  }
}

class NpyFile : public ArrayFile {
 public:
  explicit NpyFile(const std::string& path) : file_(path) {
    std::string begin(static_cast<std::size_t>(std::min<std::uint64_t>(file_.size(), kLongestNpyHeader)),
                      '\0');
    file_.read(0, begin.data(), begin.size());
    header_ = parse_npy_header(begin, path, "the file");
    header_.info.name = "data";
    arrays_ = {header_.info};
    const std::uint64_t count = header_.info.count();
    if (header_.info.numeric &&
        (count > kArrayLimit ||
         header_.data_at + count * static_cast<std::uint64_t>(header_.size) > file_.size()))
      throw damaged_array_file(path, "the NumPy file is truncated");
  }

  const std::vector<ArrayInfo>& arrays() const override { return arrays_; }
  bool last_index_is_fastest() const override { return !header_.fortran_order; }

  void read(std::size_t, double* values) override {
    std::string bytes(static_cast<std::size_t>(header_.info.count()) * static_cast<std::size_t>(header_.size),
                      '\0');
    file_.read(header_.data_at, bytes.data(), bytes.size());
    convert_npy(header_, bytes.data(), values);
  }

 private:
  InputBytes file_;
  NpyHeader header_;
  std::vector<ArrayInfo> arrays_;
};

}  // namespace

NpyHeader parse_npy_header(const std::string& bytes, const std::string& path, const std::string& name) {
  const auto damaged = [&] {
    return damaged_array_file(path, fmt::format("{} is not a NumPy array, or it is damaged", name));
  };
  if (bytes.size() < 12 || !bytes.starts_with(kNpyMagic)) throw damaged();
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) throw damaged();
  const std::size_t begin = version == 1 ? 10 : 12;
  const std::size_t length = version == 1 ? load_little<std::uint16_t>(bytes.data() + 8)
                                          : load_little<std::uint32_t>(bytes.data() + 8);
  if (length > bytes.size() - begin) throw damaged();
  const std::string_view text = std::string_view(bytes).substr(begin, length);
  NpyHeader header;
  header.data_at = begin + length;
  parse_type(value_of(text, "descr"), header);
  const std::string_view order = value_of(text, "fortran_order");
  header.fortran_order = order == "True";
  if ((order != "True" && order != "False") || header.info.type.empty() ||
      !parse_shape(value_of(text, "shape"), header.info.sizes))
    throw damaged();
  return header;
}

void convert_npy(const NpyHeader& header, const char* bytes, double* values) {
  const int size = header.size;
  if (header.kind == 'f') {
    return size == 8 ? convert_numbers<double>(header, bytes, values)
                     : convert_numbers<float>(header, bytes, values);
  }
  const bool is_signed = header.kind == 'i';
  if (size == 1)
    return is_signed ? convert_numbers<std::int8_t>(header, bytes, values)
                     : convert_numbers<std::uint8_t>(header, bytes, values);
  if (size == 2)
    return is_signed ? convert_numbers<std::int16_t>(header, bytes, values)
                     : convert_numbers<std::uint16_t>(header, bytes, values);
  if (size == 4)
    return is_signed ? convert_numbers<std::int32_t>(header, bytes, values)
                     : convert_numbers<std::uint32_t>(header, bytes, values);
  return is_signed ? convert_numbers<std::int64_t>(header, bytes, values)
                   : convert_numbers<std::uint64_t>(header, bytes, values);
}

std::string make_npy_header(const std::string& descr, bool fortran_order, const std::string& shape) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                 fortran_order ? "True" : "False", shape);
  const std::size_t before = kNpyMagic.size() + 4;
  text.append(kNpyAlignment - (before + text.size() + 1) % kNpyAlignment, ' ');
  text += '\n';
  std::string header(kNpyMagic);
  header += '\1';
  header += '\0';
  store_little(header, static_cast<std::uint16_t>(text.size()));
  return header + text;
}

std::unique_ptr<ArrayFile> open_npy(const std::string& path) {
  return std::make_unique<NpyFile>(path);
}

}  // namespace steelyard
