/** Eigenvalues of a symmetric 3x3 matrix given as xx yy zz xy xz yz, in no order: the trigonometric solution, exact to about 1e-15 of the largest. */
export function eigenvalues([xx, yy, zz, xy, xz, yz]: readonly [number, number, number, number, number, number]): [
  number,
  number,
  number,
] {
  const off = xy * xy + xz * xz + yz * yz
  if (off === 0) return [xx, yy, zz]
  const mean = (xx + yy + zz) / 3
  const spread = (xx - mean) ** 2 + (yy - mean) ** 2 + (zz - mean) ** 2 + 2 * off
  const p = Math.sqrt(spread / 6)
  const [a, b, c, d, e, f] = [(xx - mean) / p, (yy - mean) / p, (zz - mean) / p, xy / p, xz / p, yz / p]
  const half = (a * b * c + 2 * d * e * f - a * f * f - b * e * e - c * d * d) / 2
  const angle = Math.acos(Math.min(1, Math.max(-1, half))) / 3
  const largest = mean + 2 * p * Math.cos(angle)
  const least = mean + 2 * p * Math.cos(angle + (2 * Math.PI) / 3)
  return [largest, 3 * mean - largest - least, least]
}
