/** Generated keyframes, with vectors of the right length and now and then of another. */
import { type Names, nameOf } from './names.ts'
import { type Tag, tag } from './tag.ts'

export interface Sizes {
  readonly nq: number
  readonly nv: number
  readonly nu: number
  readonly na: number
}

/** Keyframe sections; without sizes the same ones, without their vectors. */
export function keyframes(names: Names, sizes: Sizes | null): Tag[] {
  const { random } = names
  if (!random.chance(0.45)) return []
  const sections: Tag[] = []
  const count = random.pick([1, 1, 1, 2])
  for (let i = 0; i < count; i++) {
    const keys = Array.from({ length: random.int(1, 3) }, () => {
      const drawn = random.fork()
      return tag('key', { name: nameOf(names, 'key'), ...vectors(drawn, sizes) })
    })
    sections.push(tag('keyframe', {}, keys))
  }
  return sections
}

function vectors(random: Names['random'], sizes: Sizes | null): Record<string, string> {
  if (!sizes) return {}
  const chosen = { qpos: sizes.nq, qvel: sizes.nv, ctrl: sizes.nu, act: sizes.na }
  const present = Object.entries(chosen).filter(([name]) => random.chance(name === 'qpos' ? 0.6 : 0.2))
  return Object.fromEntries(
    present.map(([name, length]) => {
      const count = random.chance(0.04) ? Math.max(0, length + random.pick([-1, 1, -7])) : length
      return [name, Array.from({ length: count }, () => '0').join(' ')]
    }),
  )
}
