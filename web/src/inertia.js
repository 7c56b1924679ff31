// Principal moments of a link, and the homogeneous ellipsoid with the same mass and inertia.

// Eigenvalues and vectors of a symmetric 3×3 matrix, by Jacobi's rotations; vectors[k] belongs to values[k].
export function eigen(matrix) {
  const a = matrix.map((row) => [...row]);
  const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 40; ++sweep) {
    const off = Math.abs(a[0][1]) + Math.abs(a[0][2]) + Math.abs(a[1][2]);
    if (off <= 1e-15 * (Math.abs(a[0][0]) + Math.abs(a[1][1]) + Math.abs(a[2][2]))) break;
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (a[p][q] === 0) continue;
      const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1));
      const c = 1 / Math.hypot(t, 1);
      const s = t * c;
      for (let k = 0; k < 3; ++k) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
      for (let k = 0; k < 3; ++k) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
      for (let k = 0; k < 3; ++k) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
    }
  }
  return { values: [a[0][0], a[1][1], a[2][2]], vectors: [0, 1, 2].map((k) => v.map((row) => row[k])) };
}

export const symmetric = ([xx, xy, xz, yy, yz, zz]) => [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];

// Principal moments about the centre of mass, smallest first.
export const principal_moments = (link) => eigen(symmetric(link.inertia_com)).values.sort((a, b) => a - b);

// Semi-axes a with I_x = m (b² + c²)/5 …; null where no body has such moments or it would have no size.
export function ellipsoid(link) {
  const { values: I, vectors } = eigen(symmetric(link.inertia_com));
  const squares = [0, 1, 2].map((k) => (2.5 / link.mass) * (I[(k + 1) % 3] + I[(k + 2) % 3] - I[k]));
  const largest = Math.max(...squares);
  if (!(largest > 0) || squares.some((square) => square < -1e-6 * largest)) return null;
  // Right-handed, as a rotation must be.
  const [x, y, z] = vectors;
  const cross = [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]];
  const turned = cross.reduce((sum, value, k) => sum + value * z[k], 0) < 0 ? z.map((value) => -value) : z;
  return { axes: squares.map((square) => Math.sqrt(Math.max(0, square))), directions: [x, y, turned] };
}
