/**
 * Quaternions of MuJoCo (w first) and the angles that a person sets: roll about x, then pitch about y, then yaw about
 * z. Pure.
 */

/** w, x, y, z. */
export type Turn = readonly [number, number, number, number]

/** Roll, pitch, yaw in rad; pitch from -π/2 to π/2. */
export type Angles = readonly [number, number, number]

export function anglesOf([w, x, y, z]: Turn): Angles {
  const sine = Math.max(-1, Math.min(1, 2 * (w * y - z * x)))
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    Math.asin(sine),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ]
}

export function turnOf([roll, pitch, yaw]: Angles): Turn {
  const [cr, sr] = [Math.cos(roll / 2), Math.sin(roll / 2)]
  const [cp, sp] = [Math.cos(pitch / 2), Math.sin(pitch / 2)]
  const [cy, sy] = [Math.cos(yaw / 2), Math.sin(yaw / 2)]
  return [
    cr * cp * cy + sr * sp * sy,
    sr * cp * cy - cr * sp * sy,
    cr * sp * cy + sr * cp * sy,
    cr * cp * sy - sr * sp * cy,
  ]
}

/** The quaternion x, y, z, w of a rotation matrix, row by row, from `at` on. */
export function turnOfMatrix(m: ArrayLike<number>, at: number): readonly [number, number, number, number] {
  const e = (row: number, column: number) => m[at + 3 * row + column] ?? 0
  const trace = e(0, 0) + e(1, 1) + e(2, 2)
  if (trace > 0) {
    const s = 2 * Math.sqrt(trace + 1)
    return [(e(2, 1) - e(1, 2)) / s, (e(0, 2) - e(2, 0)) / s, (e(1, 0) - e(0, 1)) / s, s / 4]
  }
  const i = e(0, 0) > e(1, 1) && e(0, 0) > e(2, 2) ? 0 : e(1, 1) > e(2, 2) ? 1 : 2
  const [j, k] = [(i + 1) % 3, (i + 2) % 3]
  const s = 2 * Math.sqrt(1 + e(i, i) - e(j, j) - e(k, k))
  const turn: [number, number, number, number] = [0, 0, 0, (e(k, j) - e(j, k)) / s]
  turn[i] = s / 4
  turn[j] = (e(j, i) + e(i, j)) / s
  turn[k] = (e(k, i) + e(i, k)) / s
  return turn
}
