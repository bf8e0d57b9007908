/** Inertia tensors as CAD programs export them, in models of one link. */
import type { Random } from '@hub/testing/random'

/** xx yy zz xy xz yz, as they are written. */
export type WrittenTensor = readonly [string, string, string, string, string, string]

/** Of any scale and attitude, rounded to some digits; many on the border of what a body can have, or just past it. */
export function tensorOf(random: Random): WrittenTensor {
  const scale = 10 ** random.int(-8, 2)
  const unit = () => random.int(1, 1_000_000) / 1_000_000
  const digits = random.pick([2, 3, 6, 12, 17])
  const written = (value: number) => (digits === 17 ? String(value * scale) : (value * scale).toPrecision(digits))
  if (random.chance(0.15)) {
    const off = () => (random.chance(0.4) ? 0 : unit() - 0.5)
    return [unit(), unit(), unit(), off(), off(), off()].map(written) as unknown as WrittenTensor
  }
  const [a, b] = [unit(), unit()]
  const nearly = 1 + random.pick([0, 0, 1, -1]) * 10 ** -random.int(3, 16)
  const values = random.pick([
    [a, b, unit()],
    [a, b, (a + b) * nearly],
    [a, a, 2 * a * nearly],
    [a, b, random.pick([0, -1e-3, 1e-9, -1e-9, 1e-14 / scale, 1e-15 / scale])],
    [a, a, a * 10 ** -random.int(0, 9)],
  ])
  return turned(values, random).map(written) as unknown as WrittenTensor
}

/** About other axes than its own, but where it stands straight. */
function turned(values: readonly number[], random: Random): number[] {
  if (random.chance(0.3)) return [...values, 0, 0, 0]
  let rows = [0, 1, 2].map((row) => [0, 1, 2].map((column) => (row === column ? (values[row] ?? 0) : 0)))
  for (const [p, q] of [
    [0, 1],
    [1, 2],
    [0, 2],
  ] as const) {
    const angle = random.int(0, 6283) / 1000
    rows = about(rows, p, q, Math.cos(angle), Math.sin(angle))
  }
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0
  return [at(0, 0), at(1, 1), at(2, 2), at(0, 1), at(0, 2), at(1, 2)]
}

/** The tensor turned in the plane of two axes. */
function about(rows: readonly (readonly number[])[], p: number, q: number, c: number, s: number): number[][] {
  const mixed = (of: readonly number[]) =>
    of.map((value, at) => (at === p ? c * value - s * (of[q] ?? 0) : at === q ? s * (of[p] ?? 0) + c * value : value))
  const halfway = rows.map(mixed)
  const flipped = [0, 1, 2].map((column) => halfway.map((row) => row[column] ?? 0)).map(mixed)
  return [0, 1, 2].map((column) => flipped.map((row) => row[column] ?? 0))
}

const MEMBERS = ['ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz']
const SOLID = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'

/** A model whose one link, or the last of three, has the tensor. */
export function modelWith(tensor: WrittenTensor, random: Random): string {
  const setting = random.pick(['', '', '', 'balanceinertia="true"', 'boundinertia="1e-6"', 'fusestatic="false"'])
  if (random.chance(0.4)) {
    const inertial = `<inertial pos="0 0 0" mass="1" fullinertia="${tensor.join(' ')}"/>`
    const joint = random.pick(['', '<joint/>', '<freejoint/>'])
    return `<mujoco><compiler ${setting}/><worldbody><body>${joint}${inertial}</body></worldbody></mujoco>`
  }
  const origin = random.pick(['', '', '<origin rpy="1 2 3"/>', '<origin rpy="0 1.5708 0"/>', '<origin rpy="nan 0 0"/>'])
  const members = MEMBERS.map((member, at) => `${member}="${tensor[at]}"`).join(' ')
  const inertial = `<inertial>${origin}<mass value="1"/><inertia ${members}/></inertial>`
  const joint = (name: string, parent: string, child: string) =>
    `<joint name="${name}" type="${random.pick(['revolute', 'fixed'])}"><parent link="${parent}"/><child link="${child}"/></joint>`
  const links = random.chance(0.3)
    ? `<link name="c">${inertial}</link>`
    : `<link name="a">${SOLID}</link><link name="b">${random.pick([SOLID, inertial])}</link><link name="c">${inertial}</link>` +
      joint('j', 'a', 'b') +
      joint('k', 'b', 'c')
  return `<robot name="r"><mujoco><compiler ${setting}/></mujoco>${links}</robot>`
}
