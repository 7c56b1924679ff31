// A link's shape as a region for its centre of mass: a mesh, and the half-spaces of its convex hull.
//
//   c inside the hull  ⇔  nₖ·c ≤ dₖ for every face k  ⇔  nₖ·(m c) − dₖ m ≤ 0     (linear in the parameters)
//
// The centre of mass of a body with non-negative density lies in the convex hull of the body: the hull
// excludes no real body, the mesh itself would (a bent link may have its centre of mass outside). This holds
// only when the mesh is the whole link, in the link's frame and in metres: covers, cables and motors that are
// not in the mesh also move the centre of mass.
//
// Files: STL (ASCII and binary, distinguished by their contents) and Wavefront OBJ (`v` and `f` lines; the
// rest is ignored). Hull: quickhull (Barber, Dobkin, Huhdanpaa, ACM TOMS 22, 1996) on triangles; offsets are
// then moved out to the outermost vertex, so that every vertex is inside to the last bit.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/inertia.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Mesh {
  std::vector<Vector3> vertices;
  std::vector<std::array<Index, 3>> triangles;
};

// `name`: of the constraint the mesh belongs to, for messages. Throws InputError for files that are missing,
// truncated, of another kind, without a triangle, or with numbers that are not finite.
Mesh read_mesh(const std::string& path, const std::string& name);
Mesh parse_mesh(const std::string& bytes, const std::string& path, const std::string& name);

// Vertices scaled, then moved: x ↦ R (s x) + p.
Mesh placed(const Mesh& mesh, double scale, const Pose& pose);

struct ConvexHull {
  MatrixXd normals;               // faces × 3, unit, outward; faces of one plane are one
  VectorXd offsets;               // normals · x ≤ offsets
  std::vector<Vector3> vertices;  // corners
  double volume = 0;              // [m³]
  Vector3 centroid = Vector3::Zero();

  // Largest of normals · x − offsets: positive outside [m].
  double distance_outside(const Vector3& x) const;
};

// Throws InputError naming the constraint when the points have no volume (fewer than four, or all in one
// plane to 1e-9 of their extent).
ConvexHull convex_hull(const std::vector<Vector3>& points, const std::string& name);

}  // namespace steelyard
