/** The terms of an observation: how many numbers each has, and where the simulation has them. */
import { type Limb, seen } from './limbs.ts'
import { at, type Places, type World } from './world.ts'

/** Writes its numbers from `from` on. */
export interface Term {
  readonly name: string
  readonly size: number
  write(into: Float64Array, from: number): void
}

export interface TermSources {
  readonly world: World
  readonly places: Places
  readonly limbs: readonly Limb[]
  /** Position of each joint in the default pose, as the policy sees it. */
  readonly rest: readonly number[]
  /** What the policy last answered, before noise and scales; zeros at the start. */
  readonly lastAction: ArrayLike<number>
}

/** A term that is not provided: why, as the end of a sentence. */
type Lacking = { readonly lacks: string }

type Maker = (sources: TermSources) => Omit<Term, 'name'> | Lacking

const ofLimbs =
  (read: (sources: TermSources, limb: Limb, place: number) => number): Maker =>
  (sources) => ({
    size: sources.limbs.length,
    write(into, from) {
      for (const [place, limb] of sources.limbs.entries()) into[from + place] = read(sources, limb, place)
    },
  })

const noBase: Lacking = { lacks: 'the robot has no floating base' }

const ofBase =
  (read: (sources: TermSources, base: NonNullable<Places['base']>) => readonly [number, number, number]): Maker =>
  (sources) => {
    const { base } = sources.places
    if (!base) return noBase
    return {
      size: 3,
      write(into, from) {
        for (const [place, value] of read(sources, base).entries()) into[from + place] = value
      },
    }
  }

type Vector = readonly [number, number, number]

/** A vector of the world in the frame of a body. */
function inBody({ data }: World, body: number, [x, y, z]: Vector): Vector {
  const part = (column: number) =>
    at(data.xmat, 9 * body + column) * x +
    at(data.xmat, 9 * body + 3 + column) * y +
    at(data.xmat, 9 * body + 6 + column) * z
  return [part(0), part(1), part(2)]
}

const position = ({ world }: TermSources, limb: Limb) => seen.position(world, limb)
const speed = ({ world }: TermSources, limb: Limb) => seen.speed(world, limb)

/** In SI units; of the base in its own frame. */
const makers: Readonly<Record<string, Maker>> = {
  joint_pos: ofLimbs(position),
  joint_pos_rel: ofLimbs((sources, limb, place) => position(sources, limb) - (sources.rest[place] ?? 0)),
  joint_vel: ofLimbs(speed),
  joint_vel_rel: ofLimbs(speed),
  joint_effort: ofLimbs(({ world }, limb) => seen.effort(world, limb)),
  last_action: ofLimbs(({ lastAction }, _limb, place) => lastAction[place] ?? 0),
  // MuJoCo has the speed of a free body in the world's frame, and its turning in the body's.
  base_lin_vel: ofBase(({ world }, { dof, body }) =>
    inBody(world, body, [at(world.data.qvel, dof), at(world.data.qvel, dof + 1), at(world.data.qvel, dof + 2)]),
  ),
  base_ang_vel: ofBase(({ world }, { dof }) => [
    at(world.data.qvel, dof + 3),
    at(world.data.qvel, dof + 4),
    at(world.data.qvel, dof + 5),
  ]),
  projected_gravity: ofBase(({ world }, { body }) => inBody(world, body, [0, 0, -1])),
}

/** The term of a name, or why there is none. */
export function termOf(name: string, sources: TermSources): Term | Lacking {
  const made = Object.hasOwn(makers, name) ? makers[name]?.(sources) : undefined
  if (!made) return { lacks: 'the simulation has no such term' }
  return 'lacks' in made ? made : { name, ...made }
}
