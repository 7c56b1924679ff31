// Quickhull on triangles: a tetrahedron grows by the farthest point outside one of its faces, the faces that
// see it are replaced by the cone from their horizon to it.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/feasible/mesh.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

struct HullFace {
  std::array<int, 3> corners{};     // counter-clockwise seen from outside
  std::array<int, 3> neighbours{};  // across the edge corner k → k + 1
  Vector3 normal = Vector3::Zero();
  double offset = 0;
  std::vector<int> outside;  // points that this face sees; each point waits at one face
  bool alive = true;

  double height(const Vector3& x) const { return normal.dot(x) - offset; }
};

class QuickHull {
 public:
  QuickHull(const std::vector<Vector3>& points, double tolerance) : points_(points), tolerance_(tolerance) {}

  // False when rounding tore the surface: the tolerance was too small for these points.
  bool run(const std::array<int, 4>& seed) {
    start(seed);
    for (std::size_t f = 0; f < faces_.size(); ++f)
      while (faces_[f].alive && !faces_[f].outside.empty())
        if (!add_farthest(static_cast<int>(f))) return false;
    return true;
  }
  const std::vector<HullFace>& faces() const { return faces_; }

 private:
  const Vector3& point(int k) const { return points_[static_cast<std::size_t>(k)]; }
  HullFace& face(int f) { return faces_[static_cast<std::size_t>(f)]; }

  int make_face(int a, int b, int c) {
    HullFace made;
    made.corners = {a, b, c};
    const Vector3 normal = (point(b) - point(a)).cross(point(c) - point(a));
    const double length = normal.norm();
    made.normal = length > 0 ? Vector3(normal / length) : Vector3(Vector3::Zero());
    made.offset = made.normal.dot(point(a) + point(b) + point(c)) / 3;
    faces_.push_back(std::move(made));
    return static_cast<int>(faces_.size()) - 1;
  }

  void start(std::array<int, 4> seed) {
    const Vector3 normal = (point(seed[1]) - point(seed[0])).cross(point(seed[2]) - point(seed[0]));
    if (normal.dot(point(seed[3]) - point(seed[0])) > 0) std::swap(seed[1], seed[2]);
    make_face(seed[0], seed[1], seed[2]);
    make_face(seed[0], seed[3], seed[1]);
    make_face(seed[1], seed[3], seed[2]);
    make_face(seed[2], seed[3], seed[0]);
    faces_[0].neighbours = {1, 2, 3};
    faces_[1].neighbours = {3, 2, 0};
    faces_[2].neighbours = {1, 3, 0};
    faces_[3].neighbours = {2, 1, 0};
    for (int k = 0; k < static_cast<int>(points_.size()); ++k) assign(k, 0, 4);
  }

  // To the first of the faces [begin, end) that sees it; points inside are forgotten.
  void assign(int k, int begin, int end) {
    for (int f = begin; f < end; ++f)
      if (face(f).height(point(k)) > tolerance_) {
        face(f).outside.push_back(k);
        return;
      }
  }

  bool add_farthest(int f) {
    int apex = -1;
    double farthest = -std::numeric_limits<double>::infinity();
    for (int k : face(f).outside)
      if (const double height = face(f).height(point(k)); height > farthest) {
        farthest = height;
        apex = k;
      }
    std::vector<int> waiting;
    const std::vector<std::pair<int, int>> horizon = remove_seen(f, apex, waiting);
    const int begin = static_cast<int>(faces_.size());
    const int count = static_cast<int>(horizon.size());
    if (!is_loop(horizon)) return false;
    for (int k = 0; k < count; ++k) {
      const auto [outer, edge] = horizon[static_cast<std::size_t>(k)];
      const int from = face(outer).corners[static_cast<std::size_t>((edge + 1) % 3)];
      const int to = face(outer).corners[static_cast<std::size_t>(edge)];
      const int made = make_face(from, to, apex);
      face(made).neighbours = {outer, begin + (k + 1) % count, begin + (k + count - 1) % count};
      face(outer).neighbours[static_cast<std::size_t>(edge)] = made;
    }
    for (int k : waiting)
      if (k != apex) assign(k, begin, begin + count);
    return true;
  }

  bool is_loop(const std::vector<std::pair<int, int>>& horizon) {
    for (std::size_t k = 0; k < horizon.size(); ++k) {
      const auto [here, edge] = horizon[k];
      const auto [next, next_edge] = horizon[(k + 1) % horizon.size()];
      if (face(here).corners[static_cast<std::size_t>(edge)] !=
          face(next).corners[static_cast<std::size_t>((next_edge + 1) % 3)])
        return false;
    }
    return horizon.size() >= 3;
  }

  // Faces that see the apex die; the edges around them, as (face beyond, its edge), in order around the hole.
  std::vector<std::pair<int, int>> remove_seen(int first, int apex, std::vector<int>& waiting) {
    std::vector<std::pair<int, int>> horizon;
    struct Visit {
      int face;
      int from;  // edge by which it was entered
      int next;  // edges looked at
    };
    kill(first, waiting);
    std::vector<Visit> stack{{first, 2, 0}};
    while (!stack.empty()) {
      Visit& visit = stack.back();
      const int edges = stack.size() == 1 ? 3 : 2;
      if (visit.next == edges) {
        stack.pop_back();
        continue;
      }
      const int edge = (visit.from + 1 + visit.next++) % 3;
      const int beyond = face(visit.face).neighbours[static_cast<std::size_t>(edge)];
      if (!face(beyond).alive) continue;
      const int back = edge_to(beyond, visit.face, edge);
      if (face(beyond).height(point(apex)) > tolerance_) {
        kill(beyond, waiting);
        stack.push_back({beyond, back, 0});
      } else {
        horizon.emplace_back(beyond, back);
      }
    }
    return horizon;
  }

  // The edge of `beyond` that runs against edge `edge` of `f`.
  int edge_to(int beyond, int f, int edge) {
    const int to = face(f).corners[static_cast<std::size_t>((edge + 1) % 3)];
    for (int k = 0; k < 3; ++k)
      if (face(beyond).neighbours[static_cast<std::size_t>(k)] == f &&
          face(beyond).corners[static_cast<std::size_t>(k)] == to)
        return k;
    throw InternalError("convex hull: neighbouring faces do not agree");
  }

  void kill(int f, std::vector<int>& waiting) {
    face(f).alive = false;
    waiting.insert(waiting.end(), face(f).outside.begin(), face(f).outside.end());
    face(f).outside.clear();
  }

  std::span<const Vector3> points_;
  double tolerance_;
  std::vector<HullFace> faces_;
};

// The point with the largest value.
template <typename Value>
int farthest_of(const std::vector<Vector3>& points, Value value) {
  int best = 0;
  for (std::size_t k = 1; k < points.size(); ++k)
    if (value(points[k]) > value(points[static_cast<std::size_t>(best)])) best = static_cast<int>(k);
  return best;
}

[[noreturn]] void refuse_flat(const std::string& name, const std::string& why) {
  throw InputError({fmt::format("mesh of constraint '{}' has no volume: {}", name, why),
                    {},
                    "points that span a volume",
                    "give the whole closed surface of the link, or a box instead"});
}

// Four points far from each other; flat sets are refused.
std::array<int, 4> seed_of(const std::vector<Vector3>& points, const std::string& name) {
  if (points.size() < 4) refuse_flat(name, fmt::format("{} points", points.size()));
  constexpr double kFlat = 1e-9;
  const auto at = [&](int k) -> const Vector3& { return points[static_cast<std::size_t>(k)]; };
  const int a = farthest_of(points, [](const Vector3& x) { return -x.x(); });
  const int b = farthest_of(points, [&](const Vector3& x) { return (x - at(a)).norm(); });
  const double extent = (at(b) - at(a)).norm();
  if (!(extent > 0)) refuse_flat(name, "all points coincide");
  const Vector3 line = (at(b) - at(a)) / extent;
  const int c = farthest_of(points, [&](const Vector3& x) { return line.cross(x - at(a)).norm(); });
  if (line.cross(at(c) - at(a)).norm() <= kFlat * extent) refuse_flat(name, "all points are on one line");
  const Vector3 normal = line.cross(at(c) - at(a)).normalized();
  const int d = farthest_of(points, [&](const Vector3& x) { return std::abs(normal.dot(x - at(a))); });
  if (std::abs(normal.dot(at(d) - at(a))) <= kFlat * extent) refuse_flat(name, "all points are in one plane");
  return {a, b, c, d};
}

// One half-space for faces whose planes agree; slivers (their normals are noise) count with their
// neighbours.
void collect_half_spaces(const std::vector<HullFace>& faces, const std::vector<Vector3>& points,
                         double extent, ConvexHull& hull) {
  constexpr double kSamePlane =
      1e-7;  // of normals; a face of that tilt is off by less than a micrometre a metre
  std::vector<const HullFace*> sorted;
  const auto area = [&](const HullFace& f) {
    const auto at = [&](std::size_t k) { return points[static_cast<std::size_t>(f.corners[k])]; };
    return (at(1) - at(0)).cross(at(2) - at(0)).norm() / 2;
  };
  for (const HullFace& face : faces)
    if (face.alive && area(face) > 1e-12 * extent * extent) sorted.push_back(&face);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const HullFace* a, const HullFace* b) { return area(*a) > area(*b); });
  std::vector<Vector3> normals;
  for (const HullFace* face : sorted)
    if (std::none_of(normals.begin(), normals.end(), [&](const Vector3& n) {
          return (n - face->normal).lpNorm<Eigen::Infinity>() <= kSamePlane;
        }))
      normals.push_back(face->normal);
  hull.normals.resize(static_cast<Index>(normals.size()), 3);
  hull.offsets.resize(static_cast<Index>(normals.size()));
  for (std::size_t k = 0; k < normals.size(); ++k) {
    double outermost = -std::numeric_limits<double>::infinity();
    for (const Vector3& vertex : points) outermost = std::max(outermost, normals[k].dot(vertex));
    hull.normals.row(static_cast<Index>(k)) = normals[k].transpose();
    hull.offsets[static_cast<Index>(k)] = outermost;
  }
}

// Sums over tetrahedra from one corner of the hull.
void measure(const std::vector<HullFace>& faces, const std::vector<Vector3>& points, ConvexHull& hull) {
  const Vector3 top = hull.vertices.front();
  Vector3 moment = Vector3::Zero();
  for (const HullFace& face : faces) {
    if (!face.alive) continue;
    const auto edge = [&](std::size_t k) -> Vector3 {
      return points[static_cast<std::size_t>(face.corners[k])] - top;
    };
    const double volume = edge(0).dot(edge(1).cross(edge(2))) / 6;
    hull.volume += volume;
    moment += volume / 4 * (edge(0) + edge(1) + edge(2));
  }
  hull.centroid = top + moment / hull.volume;
}

}  // namespace

double ConvexHull::distance_outside(const Vector3& x) const {
  return (normals * x - offsets).maxCoeff();
}

ConvexHull convex_hull(const std::vector<Vector3>& points, const std::string& name) {
  const std::array<int, 4> seed = seed_of(points, name);
  double size = 0;
  for (const Vector3& x : points) size = std::max(size, x.lpNorm<Eigen::Infinity>());
  const double extent =
      (points[static_cast<std::size_t>(seed[1])] - points[static_cast<std::size_t>(seed[0])]).norm();
  // Heights carry errors of a few ε of the coordinates; a coarser threshold keeps nearly coplanar points from
  // making slivers. If the surface still tears, a coarser one repairs it.
  double tolerance = 1e-11 * std::max(size, extent);
  QuickHull quick(points, tolerance);
  for (int attempt = 0; !quick.run(seed); ++attempt) {
    require(attempt < 4, "convex hull: the surface is not closed at any tolerance");
    tolerance *= 10;
    quick = QuickHull(points, tolerance);
  }
  ConvexHull hull;
  std::vector<bool> is_corner(points.size(), false);
  for (const HullFace& face : quick.faces())
    if (face.alive)
      for (int k : face.corners) is_corner[static_cast<std::size_t>(k)] = true;
  for (std::size_t k = 0; k < points.size(); ++k)
    if (is_corner[k]) hull.vertices.push_back(points[k]);
  collect_half_spaces(quick.faces(), points, extent, hull);
  measure(quick.faces(), points, hull);
  return hull;
}

}  // namespace steelyard
