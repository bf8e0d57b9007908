/**
 * Eigenvalues of a symmetric 3x3 matrix given as xx yy zz xy xz yz, unsorted. Jacobi rotations: exact to about 1e-15 of
 * the largest, even if two are equal.
 */
export function eigenvalues(
  matrix: readonly [number, number, number, number, number, number],
): [number, number, number] {
  const [xx, yy, zz, xy, xz, yz] = matrix
  const a = [
    [xx, xy, xz],
    [xy, yy, yz],
    [xz, yz, zz],
  ] as [Row, Row, Row]
  for (let sweep = 0; sweep < 50 && a[0][1] ** 2 + a[0][2] ** 2 + a[1][2] ** 2 > 0; sweep++) {
    rotate(a, 0, 1)
    rotate(a, 0, 2)
    rotate(a, 1, 2)
  }
  return [a[0][0], a[1][1], a[2][2]]
}

type Row = [number, number, number]
type Place = 0 | 1 | 2

/** Sets the off-diagonal element to zero. */
function rotate(a: [Row, Row, Row], p: Place, q: Place): void {
  const off = a[p][q]
  if (off === 0) return
  const theta = (a[q][q] - a[p][p]) / (2 * off)
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1))
  const c = 1 / Math.hypot(t, 1)
  const s = t * c
  const r = (3 - p - q) as Place
  const [pr, qr] = [a[p][r], a[q][r]]
  a[p][p] -= t * off
  a[q][q] += t * off
  a[p][q] = a[q][p] = 0
  a[p][r] = a[r][p] = c * pr - s * qr
  a[q][r] = a[r][q] = s * pr + c * qr
}
