/** Which body of a robot the view stays next to. Pure. */
import type { OpenedModel } from './protocol.ts'

/**
 * The body that carries the robot out of the picture: the first root that floats, else the last of the slides that a
 * root stands on, as a cart or a base on wheels has, where they reach further than the robot is large. Null for a robot
 * that stays where it is.
 */
export function followedBody({
  facts,
  bodies,
  extent,
}: Pick<OpenedModel, 'facts' | 'bodies' | 'extent'>): number | null {
  const roots = bodies.flatMap(({ parent }, body) => (body > 0 && parent === 0 ? [body] : []))
  const floating = roots[facts.roots.findIndex((root) => root.floating)]
  if (floating !== undefined) return floating
  for (const root of facts.roots.keys()) {
    const joints = facts.joints.filter((joint) => joint.root === root)
    const end = joints.findIndex(({ type }) => type !== 'slide')
    const slides = end < 0 ? joints : joints.slice(0, end)
    const carried = slides.filter(({ limited, range: [low, high] }) => !limited || high - low > 2 * extent)
    const last = bodies.findIndex(({ name }) => name === carried.at(-1)?.body)
    if (last > 0) return last
  }
  return null
}
