#include "steelyard/feasible/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <string_view>

#include "steelyard/core/error.hpp"
#include "steelyard/core/text_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Location in messages about a mesh.
struct MeshSource {
  const std::string& path;
  const std::string& name;

  [[noreturn]] void fail(int line, const std::string& what, const std::string& limit,
                         const std::string& remedy) const {
    throw InputError(
        {fmt::format("mesh of constraint '{}': {}", name, what), {path, line, 0, ""}, limit, remedy});
  }
};

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (line = trimmed(line); !line.empty(); line = trimmed(line)) {
    const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

Vector3 vertex_of(const std::vector<std::string_view>& words, const MeshSource& source, int line) {
  Vector3 vertex;
  if (words.size() < 4)
    source.fail(line, "vertex with fewer than three numbers", "three numbers", "correct the file");
  for (int k = 0; k < 3; ++k) {
    std::string_view word = words[static_cast<std::size_t>(k) + 1];
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), vertex[k]);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(vertex[k]))
      source.fail(line, fmt::format("'{}' is not a finite number", word), "a finite number",
                  "correct the file");
  }
  return vertex;
}

// Triangles of an STL repeat their corners: equal ones become one vertex.
class VertexList {
 public:
  explicit VertexList(Mesh& mesh) : mesh_(mesh) {}
  Index add(const Vector3& vertex) {
    const auto [found, is_new] =
        indices_.try_emplace({vertex.x(), vertex.y(), vertex.z()}, static_cast<Index>(mesh_.vertices.size()));
    if (is_new) mesh_.vertices.push_back(vertex);
    return found->second;
  }

 private:
  Mesh& mesh_;
  std::map<std::array<double, 3>, Index> indices_;
};

std::uint32_t little_endian(const char* bytes) {
  std::uint32_t value = 0;
  for (int k = 3; k >= 0; --k) value = value << 8 | static_cast<unsigned char>(bytes[k]);
  return value;
}

constexpr std::size_t kStlHeader = 84, kStlTriangle = 50;

// Binary STL: 80 bytes of anything, the number of triangles, 50 bytes each. A file that has just this length
// is binary, even when its header begins with "solid".
bool is_binary_stl(const std::string& bytes) {
  return bytes.size() >= kStlHeader &&
         bytes.size() == kStlHeader + kStlTriangle * std::size_t{little_endian(bytes.data() + 80)};
}

Mesh read_binary_stl(const std::string& bytes, const MeshSource& source) {
  Mesh mesh;
  VertexList list(mesh);
  for (std::size_t at = kStlHeader; at < bytes.size(); at += kStlTriangle) {
    std::array<Index, 3> triangle{};
    for (std::size_t corner = 0; corner < 3; ++corner) {
      Vector3 vertex;
      for (int k = 0; k < 3; ++k) {
        const std::size_t offset = at + 12 * (corner + 1) + 4 * static_cast<std::size_t>(k);
        vertex[k] = std::bit_cast<float>(little_endian(bytes.data() + offset));
      }
      if (!vertex.allFinite())
        source.fail(
            0,
            fmt::format("triangle {} has a number that is not finite", (at - kStlHeader) / kStlTriangle + 1),
            "finite numbers", "export the mesh again");
      triangle[corner] = list.add(vertex);
    }
    mesh.triangles.push_back(triangle);
  }
  return mesh;
}

template <typename OnLine>
void each_line(std::string_view text, OnLine on_line) {
  int number = 1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    on_line(number++, words_of(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

Mesh read_ascii_stl(const std::string& text, const MeshSource& source) {
  Mesh mesh;
  VertexList list(mesh);
  std::vector<Index> corners;
  bool ended = false;
  each_line(text, [&](int line, const std::vector<std::string_view>& words) {
    if (words.empty()) return;
    if (words[0] == "vertex") corners.push_back(list.add(vertex_of(words, source, line)));
    if (words[0] == "endsolid") ended = true;
    if (words[0] != "endloop") return;
    if (corners.size() != 3)
      source.fail(line, fmt::format("facet with {} vertices", corners.size()), "three vertices",
                  "correct the file");
    mesh.triangles.push_back({corners[0], corners[1], corners[2]});
    corners.clear();
  });
  if (!ended) source.fail(0, "STL file ends before 'endsolid'", "a whole file", "export the mesh again");
  return mesh;
}

// "7/1/2", "7//2" or "-1": only the vertex counts; negative ones count from the last.
Index obj_index(std::string_view word, Index count, const MeshSource& source, int line) {
  const std::string_view number = word.substr(0, word.find('/'));
  Index index = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (index < 0) index += count + 1;
  if (error != std::errc() || end != number.data() + number.size() || index < 1 || index > count)
    source.fail(line, fmt::format("face names vertex '{}'", word), fmt::format("1 to {}", count),
                "correct the file");
  return index - 1;
}

Mesh read_obj(const std::string& text, const MeshSource& source) {
  Mesh mesh;
  each_line(text, [&](int line, const std::vector<std::string_view>& words) {
    if (words.empty()) return;
    if (words[0] == "v") mesh.vertices.push_back(vertex_of(words, source, line));
    if (words[0] != "f") return;
    if (words.size() < 4)
      source.fail(line, "face with fewer than three vertices", "three or more", "correct the file");
    const Index count = static_cast<Index>(mesh.vertices.size());
    const Index first = obj_index(words[1], count, source, line);
    for (std::size_t k = 3; k < words.size(); ++k)
      mesh.triangles.push_back(
          {first, obj_index(words[k - 1], count, source, line), obj_index(words[k], count, source, line)});
  });
  return mesh;
}

bool has_line(const std::string& text, std::string_view word) {
  return text.rfind(std::string(word) + " ", 0) == 0 ||
         text.find("\n" + std::string(word) + " ") != std::string::npos;
}

}  // namespace

Mesh parse_mesh(const std::string& bytes, const std::string& path, const std::string& name) {
  const MeshSource source{path, name};
  Mesh mesh;
  const std::size_t begin = std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size());
  if (is_binary_stl(bytes))
    mesh = read_binary_stl(bytes, source);
  else if (bytes.compare(begin, 5, "solid") == 0)
    mesh = read_ascii_stl(bytes, source);
  else if (has_line(bytes, "v"))
    mesh = read_obj(bytes, source);
  else
    source.fail(0, fmt::format("{} bytes that are neither STL nor OBJ", bytes.size()),
                "STL (ASCII or whole binary) or OBJ",
                "convert the mesh; a binary STL has 84 bytes plus 50 for each triangle");
  if (mesh.triangles.empty())
    source.fail(0, "no triangle in the file", "a closed surface", "export the link's surface");
  return mesh;
}

Mesh read_mesh(const std::string& path, const std::string& name) {
  return parse_mesh(read_text_file(path, fmt::format("mesh of constraint '{}'", name)), path, name);
}

Mesh placed(const Mesh& mesh, double scale, const Pose& pose) {
  Mesh result = mesh;
  for (Vector3& vertex : result.vertices) vertex = pose.rotation * (scale * vertex) + pose.position;
  return result;
}

}  // namespace steelyard
