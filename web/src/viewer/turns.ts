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
