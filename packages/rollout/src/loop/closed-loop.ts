/**
 * A policy that drives a simulated robot: what it sees, what it answers, and what that does, step by step. It knows
 * neither files nor processes nor pages; its caller sets the pace, which changes no number.
 */

import type { JointMap } from '@hub/embodiment/joint-map'
import type { Tensor, TensorSpec } from '@hub/policy-server/wire/tensors'
import type { EmbodimentInterface } from '@hub/robot-card/interface-schema'
import type { Task } from '../task-schema.ts'
import { actionReader } from './actions.ts'
import { type Actuation, actuation } from './actuate.ts'
import { holding } from './condition.ts'
import { type Disturbance, gravityOf, pusher } from './disturbance.ts'
import { bitsOf, type Ending, type EpisodeStep, type Outcome } from './episode.ts'
import type { ChosenCameras, PictureSource } from './eyes.ts'
import { limbsOf } from './limbs.ts'
import { type Observer, observer, Unseeable } from './observe.ts'
import { contractFor } from './policy-contract.ts'
import { seeded } from './seeded.ts'
import { startOver } from './start.ts'
import { at, hasDiverged, placesOf, type World } from './world.ts'

export interface LoopPolicy {
  readonly inputs: readonly TensorSpec[]
  readonly outputs: readonly TensorSpec[]
  run(feeds: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>
}

export interface LoopInput {
  readonly world: World
  readonly face: EmbodimentInterface
  /** The member `contract` of the policy's manifest; null where it has none. */
  readonly contract: unknown
  /** From the joints of the policy to those of the robot; null for joints by name. */
  readonly map: JointMap | null
  readonly policy: LoopPolicy
  readonly task: Task
  readonly seed: number
  readonly disturbance: Disturbance
  /** Draws the pictures that the policy sees; a policy that sees some is refused without it. */
  readonly drawn?: PictureSource | null
}

export interface ClosedLoop {
  /** Names of the policy's joints, in its order. */
  readonly joints: readonly string[]
  readonly rateHz: number
  /** Defaults in place of what is not declared. */
  readonly notes: readonly string[]
  /** How many pictures the policy sees each time that it is asked. */
  readonly pictures: number
  /** Cameras that were chosen, by the names of pictures: those that are others than without a choice. */
  readonly cameras: ChosenCameras
  /** Whether the policy is asked before the next step. */
  isDue(): boolean
  /**
   * Shows the policy what it sees now. Rejects with its own error where it takes none of it. If it would see Infinity
   * or NaN, it is not asked, and the episode has diverged.
   */
  decide(): Promise<void>
  /** One step of the physics. */
  step(): void
  /** Once it has ended. */
  outcome(): Outcome | null
  /** A row for each decision so far. */
  episode(): readonly EpisodeStep[]
  /** From now on; a run that is changed on its way is not that of its seed. */
  disturb(change: Partial<Disturbance>): void
  /** Gives the model back as it was. */
  close(): void
}

/** Sentences: what the simulation cannot provide to this policy. */
export class LoopLacks extends Error {
  override readonly name = 'LoopLacks'
  readonly lacks: readonly string[]

  constructor(lacks: readonly string[]) {
    super(lacks.join(' '))
    this.lacks = lacks
  }
}

/** Purposes of random numbers: each has a stream of its own. */
const streams = { start: 0, observation: 1, action: 2, push: 3 } as const

const isNotFinite = (value: number) => !Number.isFinite(value)

/** Puts the robot at the start of the task. Throws a `LoopLacks`. */
export function openLoop(input: LoopInput): ClosedLoop {
  const { world, face, policy, task, seed } = input
  const { model, data, mujoco } = world
  const contract = contractFor(input.contract, face)
  const places = placesOf(world)
  const lacks: string[] = []
  const limbs = limbsOf(input.map, { contract, face }, places, lacks)
  const own = { timestep: model.opt.timestep, flags: model.opt.disableflags }
  const setGravity = gravityOf(world)
  if (face.physics_dt_s) model.opt.timestep = face.physics_dt_s
  // MuJoCo would put what diverges back to its start, and say nothing.
  model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET.value
  const rest = startOver(world, places, { face, task, limbs, random: seeded(seed, streams.start), lacks })
  const lastAction = new Float64Array(limbs.all.length)
  const sight: Observer = observer(policy.inputs, {
    contract,
    document: input.contract,
    face,
    sources: { world, places, limbs: limbs.all, rest, lastAction },
    drawn: input.drawn ?? null,
  })
  const acts: Actuation = actuation(world, limbs, rest, { contract, face })
  const read = actionReader(policy.outputs, limbs.all.length)
  lacks.push(...sight.lacks, ...acts.lacks, ...read.lacks)
  const reaches = holding(task.success.condition, world, places, lacks)
  const fails = task.fail ? holding(task.fail, world, places, lacks) : () => false
  const rewards = (task.reward ?? [{ weight: 1, condition: task.success.condition }]).map(({ weight, condition }) => ({
    weight,
    holds: holding(condition, world, places, lacks),
  }))
  const last = limbs.all.findLast(({ axis }) => axis !== null)
  const close = () => {
    model.opt.timestep = own.timestep
    model.opt.disableflags = own.flags
    setGravity(1)
    data.xfrc_applied.fill(0)
  }
  if (lacks.length > 0) {
    close()
    throw new LoopLacks([...new Set(lacks)])
  }
  return running(input, {
    rateHz: contract.rateHz,
    joints: contract.joints,
    notes: [...limbs.notes, ...sight.notes],
    sight,
    acts,
    read,
    lastAction,
    setGravity,
    reaches,
    fails,
    reward: () => rewards.reduce((sum, { weight, holds }) => sum + (holds() ? weight : 0), 0),
    pushes: pusher(world, places, last?.axis?.joint ?? 0, input.disturbance, seeded(seed, streams.push)),
    close,
  })
}

interface Parts {
  readonly rateHz: number
  readonly joints: readonly string[]
  readonly notes: readonly string[]
  readonly sight: Observer
  readonly acts: Actuation
  readonly read: ReturnType<typeof actionReader>
  readonly lastAction: Float64Array
  readonly setGravity: (factor: number) => void
  readonly reaches: () => boolean
  readonly fails: () => boolean
  readonly reward: () => number
  readonly pushes: ReturnType<typeof pusher>
  readonly close: () => void
}

/** Writes down where the robot is at each decision, and says how it ended. */
function recorder({ world, task, seed }: LoopInput, { rateHz, reaches, fails, reward }: Parts) {
  const { model, data } = world
  const dt = model.opt.timestep
  const steps: EpisodeStep[] = []
  const bits = bitsOf()
  let [sum, heldSince] = [0, Number.NaN]
  let ending: Ending | null = null
  let reason: string | null = null
  /** Whether the condition of success has held for as long as it has to. */
  const isLong = (holds: boolean) => {
    heldSince = holds ? (Number.isNaN(heldSince) ? data.time : heldSince) : Number.NaN
    return holds && data.time - heldSince >= (task.success.hold_s ?? 0) - dt / 2
  }
  return {
    steps,
    ending: () => ending,
    diverge(why: string) {
      if (ending === null) [ending, reason] = ['diverged', why]
    },
    /** `unseen`: why the policy could not be asked. */
    look(action: readonly number[], unseen: string | null = null): void {
      const holds = reaches()
      const gained = reward() / rateHz
      const [qpos, qvel] = [Array.from(data.qpos as ArrayLike<number>), Array.from(data.qvel as ArrayLike<number>)]
      sum += gained
      for (const values of [qpos, qvel, action]) for (const value of values) bits.add(value)
      const long = isLong(holds)
      const isOver = steps.length >= Math.round(task.seconds * rateHz)
      steps.push({ time: data.time, qpos, qvel, action, reward: gained, holds })
      if (unseen !== null || hasDiverged(world)) [ending, reason] = ['diverged', unseen]
      else if (fails()) ending = 'failed'
      else if (long && (task.success.when ?? 'once') === 'once') ending = 'reached'
      else if (isOver) ending = long ? 'reached' : 'missed'
    },
    outcome: (): Outcome | null =>
      ending && {
        seed,
        success: ending === 'reached',
        ending,
        return: sum,
        seconds: data.time,
        steps: steps.length,
        fingerprint: bits.text(),
        ...(reason !== null && { reason }),
      },
  }
}

function running(input: LoopInput, parts: Parts): ClosedLoop {
  const { world, policy, seed } = input
  const { mujoco, model, data } = world
  const { rateHz, sight, acts, lastAction } = parts
  const dt = model.opt.timestep
  const [seen, done] = [seeded(seed, streams.observation), seeded(seed, streams.action)]
  const record = recorder(input, parts)
  /** Actions of a chunk that have not been taken. */
  let chunk: readonly ArrayLike<number>[] = []
  /** Targets on their way, each with the step that it acts from. */
  let coming: { readonly from: number; readonly targets: Float64Array }[] = []
  let held: Float64Array | null = null
  let { disturbance } = input
  let steps = 0
  parts.setGravity(disturbance.gravity)

  /** The step that a decision belongs to: a rate that is not a whole number of steps is kept on average. */
  const stepOf = (decision: number) => Math.round(decision / (rateHz * dt))
  const nextAction = async () => {
    if (chunk.length === 0)
      chunk = parts.read.actions(await policy.run(await sight.observe(disturbance.observationNoise, seen)))
    const [action, ...rest] = chunk
    chunk = rest
    return action ?? []
  }

  return {
    joints: parts.joints,
    rateHz,
    notes: parts.notes,
    pictures: parts.sight.pictures,
    cameras: parts.sight.cameras,
    isDue: () => record.ending() === null && steps >= stepOf(record.steps.length),
    async decide() {
      const answered = await nextAction().catch((error: unknown) => {
        if (error instanceof Unseeable) return error
        throw error
      })
      if (answered instanceof Unseeable) {
        record.look([], answered.message)
        return
      }
      const raw = Float64Array.from(answered)
      lastAction.set(raw)
      record.look([...raw])
      if (disturbance.actionNoise > 0)
        for (let place = 0; place < raw.length; place += 1)
          raw[place] = at(raw, place) + disturbance.actionNoise * done.normal()
      // MuJoCo takes finite numbers only.
      const targets = acts.targets(raw)
      const answer = raw.find(isNotFinite)
      const target = targets.find(isNotFinite)
      if (answer !== undefined) record.diverge(`The policy answered ${answer}.`)
      else if (target !== undefined) record.diverge(`The answer of the policy leads to the target ${target}.`)
      else coming.push({ from: steps + Math.round(disturbance.delayMs / 1000 / dt), targets })
    },
    step() {
      while (coming[0] && coming[0].from <= steps) held = coming.shift()?.targets ?? held
      if (held) acts.drive(held)
      parts.pushes.push(disturbance.pushN)
      mujoco.mj_step(model, data)
      steps += 1
    },
    outcome: record.outcome,
    episode: () => record.steps,
    disturb(change) {
      disturbance = { ...disturbance, ...change }
      parts.setGravity(disturbance.gravity)
      // With another delay none overtakes another.
      coming = coming.map(({ targets }) => ({ from: steps, targets }))
    },
    close: parts.close,
  }
}

/** Runs a loop to its end, as fast as it goes. */
export async function runToEnd(loop: ClosedLoop): Promise<Outcome> {
  for (;;) {
    if (loop.isDue()) await loop.decide()
    const outcome = loop.outcome()
    if (outcome) return outcome
    loop.step()
  }
}
