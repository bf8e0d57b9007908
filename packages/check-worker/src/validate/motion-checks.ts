/** What stepping a model at its default pose showed, as checks. Pure. */
import { type Check, check } from '@hub/mjcf/verdict/check'
import type { EngineLimits } from '../engine/limits.ts'
import type { SimulationFacts } from '../engine/protocol.ts'

/** Depth to which touching bodies may overlap at the start: contacts are soft, and meshes coarse. */
const PENETRATION_M = 0.002

/** A servo that drifts further than this fails to keep its pose: 10 degrees, or 2 cm. */
const DRIFT = { hinge: 0.175, slide: 0.02 } as const

/** A base that tilts or sinks further has fallen. */
const TILT_RAD = 0.5
const SINK_OF_HEIGHT = 0.5

/** `sim.stable`: numbers stay finite and speeds those of a robot. */
export function stableCheck(simulation: SimulationFacts, { simulatedS, steppingS }: EngineLimits): Check {
  const { simulated_s, diverged, slow, max_angular_speed, max_linear_speed } = simulation
  const data = { simulated_s, max_angular_speed, max_linear_speed }
  if (diverged) {
    const joint = diverged.joint ?? 'an unnamed joint'
    return check(
      'sim.stable',
      'fail',
      `The model explodes after ${rounded(diverged.at_s)} s: ${joint} ${diverged.why}.`,
      {
        names: diverged.joint === null ? [] : [diverged.joint],
        hint:
          'Look for bodies that overlap at the default pose, gains too stiff for the timestep, and masses or ' +
          'inertias that are too small.',
        data: { ...data, diverged },
      },
    )
  }
  if (slow) {
    const message = `Only ${rounded(simulated_s)} s of ${simulatedS} s were simulated within ${steppingS} s.`
    const hint = 'Raise the timestep, or make the model simpler: a policy is trained on millions of steps.'
    return check('sim.stable', 'warn', message, { hint, data })
  }
  return check('sim.stable', 'pass', `The model moves as it should for ${rounded(simulated_s)} s.`, { data })
}

/**
 * `sim.joint_ranges`: joints with a range stay in it. If nothing holds them they fall against their stops, and only
 * their start is informative.
 */
export function rangesCheck({ out_of_range, holding }: SimulationFacts): Check {
  const data = { out_of_range }
  if (out_of_range.length === 0) return check('sim.joint_ranges', 'pass', 'Every joint stays in its range.', { data })
  const atStart = out_of_range.some(({ at_start }) => at_start)
  if (!atStart && holding === 0)
    return check('sim.joint_ranges', 'skip', 'No actuator holds the joints, so they fall against their stops.', {
      data,
    })
  const names = out_of_range.flatMap(({ joint }) => joint ?? [])
  const message = atStart
    ? `${listed(names)} begin outside of their range at the default pose.`
    : `${listed(names)} leave their range while the default pose is held.`
  const hint = atStart
    ? 'Correct the default pose or the range of the joints.'
    : 'Look at the range, the default pose, and what pulls at the joints.'
  return check('sim.joint_ranges', 'warn', message, { names, hint, data })
}

/** `sim.contacts`: no two bodies overlap at the default pose. */
export function contactsCheck({ penetrations, contacts_at_start }: SimulationFacts): Check {
  const deep = penetrations.filter(({ depth_m }) => depth_m > PENETRATION_M)
  const data = { contacts: contacts_at_start, penetrations }
  const [worst] = deep
  if (!worst) return check('sim.contacts', 'pass', 'No bodies overlap at the default pose.', { data })
  const names = [...new Set(deep.flatMap(({ bodies }) => bodies.flatMap((name) => name ?? [])))]
  const pair = worst.bodies.map((name) => name ?? 'an unnamed body').join(' and ')
  const message = `${pair} overlap by ${rounded(worst.depth_m * 1000)} mm at the default pose.`
  const hint = 'Exclude their contact, simplify their collision shapes, or choose another default pose.'
  return check('sim.contacts', 'warn', message, { names, hint, data })
}

/** `sim.rest`: servos hold the pose, and a floating base stays upright. */
export function restCheck(simulation: SimulationFacts): Check {
  const { holding, drift, bases, has_ground } = simulation
  const data = { holding, drift: drift.slice(0, MAX_TOLD), bases }
  const gaveWay = drift.filter(({ type, by }) => by > DRIFT[type])
  const fell = has_ground ? bases.filter(hasFallen) : []
  if (gaveWay.length > 0 || fell.length > 0) {
    const names = [...gaveWay.flatMap(({ joint }) => joint ?? []), ...fell.flatMap(({ body }) => body ?? [])]
    const message =
      fell.length > 0
        ? `${listed(fell.flatMap(({ body }) => body ?? 'the base'))} does not keep standing at the default pose.`
        : `${listed(names)} give way under their own weight.`
    const hint = 'Look at the gains and force limits of the actuators, and at the default pose.'
    return check('sim.rest', 'warn', message, { names, hint, data })
  }
  const moved = bases.filter(hasFallen)
  if (!has_ground && moved.length > 0)
    return check('sim.rest', 'skip', 'The model has nothing to stand on, so it falls.', { data })
  if (holding === 0 && bases.length === 0)
    return check('sim.rest', 'skip', 'No actuator of the model holds a position.', { data })
  return check('sim.rest', 'pass', 'The robot stays at its default pose.', { data })
}

function hasFallen({ height_start_m, height_end_m, tilted_rad }: SimulationFacts['bases'][number]): boolean {
  const sunk = height_start_m - height_end_m
  return tilted_rad > TILT_RAD || sunk > SINK_OF_HEIGHT * Math.max(0.1, Math.abs(height_start_m))
}

const MAX_TOLD = 20

const rounded = (value: number) => Number(value.toPrecision(3))

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5)
  const more = names.length - shown.length
  return `${shown.join(', ') || 'Unnamed joints'}${more > 0 ? ` and ${more} more` : ''}`
}
