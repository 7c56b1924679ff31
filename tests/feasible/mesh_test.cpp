// Meshes: both STL forms and OBJ give the same hull; hulls against closed forms and against every triple of
// points; what has no volume is refused by the constraint's name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstring>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/feasible/mesh.hpp"

namespace steelyard {
namespace {

using testing::HasSubstr;

std::vector<Vector3> box_corners(const Vector3& low, const Vector3& high) {
  std::vector<Vector3> corners;
  for (int k = 0; k < 8; ++k)
    corners.emplace_back(k & 1 ? high.x() : low.x(), k & 2 ? high.y() : low.y(), k & 4 ? high.z() : low.z());
  return corners;
}

std::string ascii_stl(const Mesh& mesh) {
  std::string text = "solid link\n";
  for (const auto& triangle : mesh.triangles) {
    text += "  facet normal 0 0 0\n    outer loop\n";
    for (Index k : triangle) {
      const Vector3& v = mesh.vertices[static_cast<std::size_t>(k)];
      text += "      vertex " + std::to_string(v.x()) + " " + std::to_string(v.y()) + " " +
              std::to_string(v.z()) + "\n";
    }
    text += "    endloop\n  endfacet\n";
  }
  return text + "endsolid link\n";
}

std::string binary_stl(const Mesh& mesh) {
  std::string bytes(84, ' ');
  std::memcpy(bytes.data(), "solid but binary", 16);  // some programs write that
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  std::memcpy(bytes.data() + 80, &count, 4);
  for (const auto& triangle : mesh.triangles) {
    char record[50] = {};
    for (std::size_t corner = 0; corner < 3; ++corner)
      for (int k = 0; k < 3; ++k) {
        const auto value = static_cast<float>(mesh.vertices[static_cast<std::size_t>(triangle[corner])][k]);
        std::memcpy(record + 12 * (corner + 1) + 4 * static_cast<std::size_t>(k), &value, 4);
      }
    bytes.append(record, 50);
  }
  return bytes;
}

std::string obj(const Mesh& mesh) {
  std::string text = "# a link\nmtllib none.mtl\n";
  for (const Vector3& v : mesh.vertices)
    text += "v " + std::to_string(v.x()) + " " + std::to_string(v.y()) + " " + std::to_string(v.z()) + "\n";
  for (const auto& t : mesh.triangles)
    text += "f " + std::to_string(t[0] + 1) + "/1 " + std::to_string(t[1] + 1) + "//2 " +
            std::to_string(t[2] - static_cast<Index>(mesh.vertices.size())) + "\n";
  return text;
}

// A closed box whose sides are powers of two: exact in single precision and in six printed digits.
Mesh box_mesh() {
  Mesh mesh;
  mesh.vertices = box_corners(Vector3(-0.25, 0, 0.5), Vector3(0.25, 0.125, 1));
  for (const auto& quad : {std::array<Index, 4>{0, 2, 3, 1},
                           {4, 5, 7, 6},
                           {0, 1, 5, 4},
                           {2, 6, 7, 3},
                           {0, 4, 6, 2},
                           {1, 3, 7, 5}}) {
    mesh.triangles.push_back({quad[0], quad[1], quad[2]});
    mesh.triangles.push_back({quad[0], quad[2], quad[3]});
  }
  return mesh;
}

TEST(Mesh, AllThreeFormatsGiveTheSameBox) {
  const Mesh mesh = box_mesh();
  for (const std::string& bytes : {ascii_stl(mesh), binary_stl(mesh), obj(mesh)}) {
    const Mesh read = parse_mesh(bytes, "box", "shape");
    EXPECT_EQ(read.vertices.size(), 8u);
    EXPECT_EQ(read.triangles.size(), 12u);
    const ConvexHull hull = convex_hull(read.vertices, "shape");
    EXPECT_EQ(hull.normals.rows(), 6);
    EXPECT_NEAR(hull.volume, 0.5 * 0.125 * 0.5, 1e-15);
    EXPECT_TRUE(hull.centroid.isApprox(Vector3(0, 0.0625, 0.75), 1e-14));
  }
}

TEST(Mesh, ScaledAndPlacedPointsKeepTheirDistances) {
  Pose pose;
  pose.rotation = turn(2, 0.3);
  pose.position = Vector3(1, 2, 3);
  const ConvexHull hull = convex_hull(placed(box_mesh(), 0.001, pose).vertices, "shape");
  EXPECT_NEAR(hull.volume, 0.5 * 0.125 * 0.5 * 1e-9, 1e-22);
  EXPECT_TRUE(hull.centroid.isApprox(pose.rotation * Vector3(0, 0.0625e-3, 0.75e-3) + pose.position, 1e-12));
}

TEST(ConvexHull, KnowsInsideFromOutside) {
  const ConvexHull hull = convex_hull(box_mesh().vertices, "shape");
  EXPECT_NEAR(hull.distance_outside(Vector3(0, 0.0625, 0.75)), -0.0625, 1e-15);
  EXPECT_NEAR(hull.distance_outside(Vector3(0.5, 0.0625, 0.75)), 0.25, 1e-15);
  EXPECT_NEAR(hull.distance_outside(Vector3(0, 0.125, 0.75)), 0, 1e-15);
}

// Many points on every face: no sliver may become a face of its own.
TEST(ConvexHull, GridOnTheFacesOfABoxHasSixFaces) {
  std::vector<Vector3> points;
  for (int i = 0; i <= 9; ++i)
    for (int j = 0; j <= 9; ++j)
      for (int k = 0; k <= 9; ++k)
        if (i % 9 == 0 || j % 9 == 0 || k % 9 == 0)
          points.emplace_back(0.1 * i / 9, 0.2 * j / 9, 0.7 * k / 9);
  const Matrix3 R = turn(0, 0.7) * turn(1, -0.4);
  for (Vector3& p : points) p = R * p + Vector3(0.3, -0.1, 5);
  const ConvexHull hull = convex_hull(points, "shape");
  EXPECT_EQ(hull.normals.rows(), 6);
  EXPECT_NEAR(hull.volume, 0.1 * 0.2 * 0.7, 1e-12);
  for (const Vector3& p : points) EXPECT_LE(hull.distance_outside(p), 0);
}

TEST(ConvexHull, PrismOfManySidesHasItsVolume) {
  constexpr int kSides = 360;
  std::vector<Vector3> points;
  for (int k = 0; k < kSides; ++k)
    for (double y : {-1.42, 0.08})
      points.emplace_back(0.15 * std::cos(2 * M_PI * k / kSides), y, 0.15 * std::sin(2 * M_PI * k / kSides));
  const ConvexHull hull = convex_hull(points, "shape");
  EXPECT_EQ(hull.normals.rows(), kSides + 2);
  EXPECT_NEAR(hull.volume, 1.5 * 0.5 * kSides * 0.15 * 0.15 * std::sin(2 * M_PI / kSides), 1e-12);
}

// The definition: a plane through three points with all others on one side is a face, and there are no
// others.
TEST(ConvexHull, AgreesWithEveryTripleOfPoints) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed, "hull");
    std::vector<Vector3> points;
    for (int k = 0; k < 30; ++k)
      points.emplace_back(random.normal(), random.normal(), 0.01 * random.normal());
    const ConvexHull hull = convex_hull(points, "shape");
    int faces = 0;
    for (std::size_t a = 0; a < points.size(); ++a)
      for (std::size_t b = a + 1; b < points.size(); ++b)
        for (std::size_t c = b + 1; c < points.size(); ++c) {
          Vector3 n = (points[b] - points[a]).cross(points[c] - points[a]).normalized();
          int above = 0, below = 0;
          for (const Vector3& p : points) {
            const double h = n.dot(p - points[a]);
            above += h > 1e-12;
            below += h < -1e-12;
          }
          if (above > 0 && below > 0) continue;
          if (above > 0) n = -n;
          ++faces;
          EXPECT_LE((hull.normals.rowwise() - n.transpose()).rowwise().norm().minCoeff(), 1e-9);
        }
    EXPECT_EQ(hull.normals.rows(), faces);
    for (const Vector3& p : points) EXPECT_LE(hull.distance_outside(p), 0);
  }
}

TEST(ConvexHull, FineSphereConvergesToTheBall) {
  Random random(3, "sphere");
  std::vector<Vector3> points;
  for (int k = 0; k < 3000; ++k)
    points.push_back(Vector3(random.normal(), random.normal(), random.normal()).normalized());
  const ConvexHull hull = convex_hull(points, "shape");
  EXPECT_EQ(hull.vertices.size(), points.size());
  EXPECT_EQ(hull.normals.rows(), 2 * 3000 - 4);  // Euler: all faces are triangles
  EXPECT_NEAR(hull.volume, 4 * M_PI / 3, 0.02);
}

void expect_refused(const std::string& bytes, const std::string& part) {
  try {
    convex_hull(parse_mesh(bytes, "link3.stl", "shape of link 3").vertices, "shape of link 3");
    FAIL() << "accepted: " << part;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(part));
    EXPECT_THAT(error.what(), HasSubstr("shape of link 3"));
  }
}

TEST(Mesh, WithoutVolumeIsRefusedByTheNameOfItsConstraint) {
  Mesh flat = box_mesh();
  for (Vector3& v : flat.vertices) v.z() = v.x() + 2 * v.y();
  expect_refused(ascii_stl(flat), "all points are in one plane");
  for (Vector3& v : flat.vertices) v = Vector3(v.x(), 2 * v.x(), 0);
  expect_refused(obj(flat), "no volume");
  expect_refused(binary_stl(Mesh{}), "no triangle");
}

TEST(Mesh, DamagedFilesAreRefused) {
  const std::string binary = binary_stl(box_mesh());
  expect_refused(binary.substr(0, binary.size() - 7), "");
  const std::string text = ascii_stl(box_mesh());
  expect_refused(text.substr(0, text.size() - 20), "endsolid");
  std::string word = text;
  word.replace(word.find("vertex -0.25"), 12, "vertex x.25z");
  expect_refused(word, "'x.25z0000' is not a finite number");
  expect_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "1 to 3");
  expect_refused("v 0 0 0\nv nan 0 0\n", "finite");
  expect_refused("PK\x03\x04", "neither STL nor OBJ");
  EXPECT_THROW(read_mesh("/does/not/exist.stl", "shape"), InputError);
}

}  // namespace
}  // namespace steelyard
