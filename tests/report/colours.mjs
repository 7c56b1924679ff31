// How far apart colours are, for people who see all of them and for people who do not.

// Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
const sights = {
  full: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

const linear = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
const times = (matrix, v) => matrix.map((row) => row.reduce((sum, m, i) => sum + m * v[i], 0));

function lab(rgb) {
  const xyz = times([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]], rgb.map((c) => Math.min(1, Math.max(0, c))));
  const [x, y, z] = [xyz[0] / 0.9505, xyz[1], xyz[2] / 1.089].map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

// The smallest distance in CIELAB over all kinds of sight, and the kind.
export function apart(a, b) {
  const list = Object.entries(sights).map(([name, matrix]) => {
    const [p, q] = [lab(times(matrix, linear(a))), lab(times(matrix, linear(b)))];
    return { sight: name, distance: Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) };
  });
  return list.reduce((least, one) => (one.distance < least.distance ? one : least));
}

// WCAG 2: 4.5 is readable as text, 3 is seen as a shape.
export function contrast(a, b) {
  const [p, q] = [a, b].map((hex) => times([[0.2126, 0.7152, 0.0722]], linear(hex))[0] + 0.05).sort((x, y) => y - x);
  return p / q;
}
