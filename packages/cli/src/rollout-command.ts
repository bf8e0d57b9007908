/** `hub rollout`: a policy drives its simulated robot, many times in parallel processes. */
import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { type HubClient, LocalError } from '@hub/client/internal'
import { openReadingPool } from '@hub/mjcf/processes/reading-pool'
import type { Disturbance } from '@hub/rollout/loop/disturbance'
import type { Task } from '@hub/rollout/task-schema'
import { programOf } from '@hub/runner/worker/own-program'
import { type Command, InvalidArgumentError } from 'commander'
import { type ClientIo, exitCode } from './client-output.ts'
import {
  type CommandResult,
  type CommonOptions,
  collect,
  common,
  runCommand,
  UsageError,
  wholeFrom,
} from './client-session.ts'
import type { ClientSettings } from './client-settings.ts'
import { assertInstalled, fromWorker } from './optional-packages.ts'
import { chosenCameras, drawerOf, progressOf } from './rollout-drawing.ts'
import { fitting, sendEpisodes } from './rollout-episodes.ts'
import { assertPublishable, mapFor } from './rollout-map.ts'
import { openMotions } from './rollout-motions.ts'
import { type RolloutResult, reasonsOf, rolloutText } from './rollout-output.ts'
import { MAX_KEPT, MAX_PUBLISHED, pinned, publishResult } from './rollout-publish.ts'
import { type Source, sourceOf } from './rollout-source.ts'
import { silentLog } from './silent-log.ts'
import { print } from './terminal.ts'

interface RolloutOptions extends CommonOptions {
  readonly robot: string
  readonly task?: string
  readonly map?: string
  readonly camera: readonly string[]
  readonly count: number
  readonly seed: number
  readonly parallel?: number
  readonly output?: string
  readonly episodes?: string
  readonly publish?: boolean
  readonly keepWorst?: number
  readonly push: number
  readonly pushEvery: number
  readonly gravity: number
  readonly delay: number
  readonly observationNoise: number
  readonly actionNoise: number
}

const help = `
POLICY and --robot are each a folder, OWNER/REPO or OWNER/REPO@VERSION; a policy may name its ONNX file too:
out/policy.onnx, ada/swing:policy.onnx. A folder of a robot has its card in robot_card.json; of a repo the hub has it.

MuJoCo steps the robot and ONNX Runtime answers as the policy, in processes of their own, on one core each: a seed gives
the same bits on this machine and in a page of the hub. What the simulation cannot give the policy is named, and nothing
runs. A process that is killed takes no result with it.

A policy that sees by cameras is shown what those of the model see: of the same name, of the same slot by the card, or
as --camera says, by the policy's name of a picture and the model's of a camera. A Chromium of this machine draws it,
one for each process (apt install chromium; HUB_CHROMIUM is its path, else chromium, chromium-browser or google-chrome
of PATH). Such a result names what drew its pictures, and is not reproducible to the bit.

With --publish the motions of the worst seeds are kept with the result, to be looked at on the page of the model.

The task is a JSON file: where it starts, how long it takes, what success is (docs/rollouts.md). Without --task it is
task.json beside the policy, else ten seconds in which the motion stays finite.

A robot with other joints than the policy's is driven through a map of joints (hub map): what the policy sees becomes
its own numbers, what it asks for becomes the robot's, and joints that the map holds stay where it says. Of repos the
newest reviewed version is used by itself.

Exit codes:
  0    all rollouts ended, with success or without
  1    failed: the robot, the policy, this machine; or the simulation lacks what the policy needs
  2    wrong usage
  3    not allowed
  4    not found, or not visible
  7    not logged in
  130  interrupted

Examples:
  $ hub rollout examples/pendulum/policy --robot examples/pendulum/robot
  $ hub rollout ada/walker --robot ada/biped --task walk.json -n 100 --parallel 8 --json
  $ hub rollout ada/walker@v2 --robot ada/biped -n 20 --push 40 --delay 20 --episodes out/
  $ hub rollout ada/seeker --robot ada/arm --camera base_0_rgb=overhead
  $ hub rollout ada/walker --robot ada/biped --task walk.json -n 100 --publish`

/** Adds it to the `hub` program. */
export function registerRolloutCommand(program: Command, io: ClientIo): void {
  common(
    program
      .command('rollout <policy>')
      .description('Check how a policy does on its simulated robot, over many rollouts'),
    io,
    help,
  )
    .requiredOption('--robot <robot>', 'folder or repo of the robot')
    .option('--task <file>', 'JSON file of the task (default: task.json beside the policy)')
    .option('--map <map>', 'version of the kept map, a file of JSON, or "none" (default: the newest reviewed one)')
    .option('--camera <name=camera>', 'picture of the policy, and camera that draws it (repeatable)', collect, [])
    .option('-n, --count <n>', 'rollouts', wholeFrom(1, MAX_ROLLOUTS), 10)
    .option('--seed <seed>', 'seed of the first; the others follow it', wholeFrom(0, MAX_SEED), 1)
    .option('--parallel <n>', 'processes at once (default: one for each core)', wholeFrom(1, 256))
    .option('-o, --output <file>', 'write the results of every seed to this file')
    .option('--episodes <dir>', 'write each episode to this folder, as JSON')
    .option('--publish', 'keep the result with the model; POLICY and ROBOT are repos')
    .option('--keep-worst <n>', 'with --publish: keep the motions of so many (default: 5)', wholeFrom(0, MAX_KEPT))
    .option('--push <newtons>', 'push the robot sideways from time to time', from(0), 0)
    .option('--push-every <seconds>', 'from one push to the next', from(0.1), 2)
    .option('--gravity <factor>', "of the model's gravity", from(0), 1)
    .option('--delay <ms>', 'from what the policy sees to what it does', from(0), 0)
    .option('--observation-noise <deviation>', 'added to each number that the policy sees', from(0), 0)
    .option('--action-noise <deviation>', 'added to each number of an action', from(0), 0)
    .action((policy: string, options: RolloutOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, (client, settings) =>
        rollout({ io, client, settings, policy, options, version: program.version() ?? 'unknown' }),
      )
    })
}

const MAX_ROLLOUTS = 100_000
const KEPT = 5
const MAX_SEED = 2 ** 31 - 1 - MAX_ROLLOUTS

/** A number of at least `least`. */
function from(least: number) {
  return (text: string): number => {
    const value = Number(text)
    if (text.trim() !== '' && Number.isFinite(value) && value >= least && value <= 1e6) return value
    throw new InvalidArgumentError(`It must be a number, ${least} or more.`)
  }
}

interface Given {
  readonly io: ClientIo
  readonly client: HubClient
  readonly settings: ClientSettings
  readonly policy: string
  readonly options: RolloutOptions
  /** Of this program. */
  readonly version: string
}

/** With the names of both, which are pinned for a result that is published. */
interface Named extends Omit<Given, 'version'> {
  readonly robot: string
}

async function rollout({ policy: named, version, ...given }: Given): Promise<CommandResult> {
  const { io, client, options } = given
  const { runRollouts } = await fromWorker('rollout', () => import('@hub/rollout/processes/run-rollouts'))
  assertInstalled('rollout', '@mujoco/mujoco')
  assertInstalled('rollout', 'onnxruntime-web')
  const { summaryOf } = await import('@hub/rollout/statistics')
  const began = performance.now()
  const names = await namesOf(io, client, named, options)
  const { job, policy, policyPath, robot, used } = await prepared({ ...given, ...names })
  const seeds = Array.from({ length: options.count }, (_, place) => options.seed + place)
  const motions = await openMotions({
    task: job.task.name,
    folder: options.episodes === undefined ? null : resolve(io.cwd, options.episodes),
    worst: options.publish ? (options.keepWorst ?? KEPT) : 0,
  })
  const progress = progressOf(io, seeds.length)
  const found = await runRollouts({
    job,
    seeds,
    parallel: options.parallel ?? availableParallelism(),
    signal: AbortSignal.any([client.signal, motions.failed]),
    record: motions.areKept,
    chromium: await drawerOf(io),
    drew: progress.drew,
    done(outcome, steps) {
      progress.done(outcome.success)
      motions.add(outcome, steps ?? [])
    },
  }).finally(progress.end)
  const kept = fitting(io, await motions.ended())
  const { outcomes, redone, notes, engine, runtime, drawnBy, cameras } = found
  const software = { hub: version, mujoco: engine, onnxruntime: runtime }
  const published = options.publish
    ? await publishResult(client, {
        ...{ policy, robot, policyPath, job, software, outcomes },
        episodes: await sendEpisodes(client, policy.repo ?? '', kept),
        mapFingerprint: used?.fingerprint ?? null,
        ...{ drawnBy, cameras },
      })
    : null
  const result: RolloutResult = {
    version: 1,
    policy: shown(policy, named),
    robot: shown(robot, options.robot),
    task: job.task.name,
    map: used && { version: used.version, fingerprint: used.fingerprint, reviewed_at: used.reviewed_at },
    first_seed: options.seed,
    ...summaryOf(outcomes),
    engine,
    drawn_by: drawnBy,
    cameras,
    redone,
    notes: [...notes, ...reasonsOf(outcomes)],
    took_s: Math.round(performance.now() - began) / 1000,
    ...(published && {
      published: published.id,
      board: published.fingerprint,
      kept_seeds: kept.map(({ seed }) => seed),
    }),
  }
  const whole = { ...result, disturbance: job.disturbance, outcomes }
  if (options.output !== undefined)
    await writeFile(resolve(io.cwd, options.output), `${JSON.stringify(whole, null, 2)}\n`)
  return { json: whole, text: rolloutText(result), code: exitCode.ok }
}

/** Policy and robot, of a result that is published at the versions that they have now. */
async function namesOf(io: ClientIo, client: HubClient, policy: string, options: RolloutOptions) {
  const { robot, publish, keepWorst, count } = options
  if (keepWorst !== undefined && !publish)
    throw new UsageError('--keep-worst keeps motions with a result that --publish keeps: give both.')
  if (!publish) return { policy, robot }
  if (count > MAX_PUBLISHED)
    throw new UsageError(`--publish keeps at most ${MAX_PUBLISHED} rollouts in one result: take a smaller -n.`)
  return { policy: await pinned(io, client, policy), robot: await pinned(io, client, robot) }
}

const shown = ({ repo, at }: Source, given: string) => (repo === null ? given : `${repo}${at === null ? '' : `@${at}`}`)

/** The job of the processes. */
async function prepared({ io, client, settings, policy: named, robot: body, options }: Named) {
  const { policyIn, robotIn } = await import('@hub/rollout/processes/prepare')
  const common = { io, client, settings }
  const cameras = chosenCameras(options.camera)
  const policy = await sourceOf(named, { ...common, include: ['*.onnx', '*.json'] })
  const robot = await sourceOf(body, { ...common, include: [] })
  const used = await mapFor(io, client, options.map, { policy, robot })
  if (options.publish) assertPublishable(used)
  const card = await robot.card()
  if (card === null) throw new LocalError(`${options.robot} has no robot_card.json: hub card init drafts one.`)
  const pool = openReadingPool({ log: silentLog, programOf, processes: 1 })
  const [{ fingerprint: _, ...model }, { file, path: policyPath, contract }, task] = await Promise.all([
    robotIn(robot.folder, card, pool, client.signal),
    policyIn(policy.folder, policy.entry),
    taskOf(io, options.task, policy.folder),
  ]).finally(() => pool.close())
  const disturbance = disturbanceOf(options)
  const job = { ...model, policy: file, contract, map: used?.map ?? null, task, disturbance, cameras }
  return { job, policy, policyPath, robot, used }
}

const disturbanceOf = (options: RolloutOptions): Disturbance => ({
  gravity: options.gravity,
  delayMs: options.delay,
  observationNoise: options.observationNoise,
  actionNoise: options.actionNoise,
  pushN: options.push,
  pushEveryS: options.pushEvery,
  pushForS: 0.1,
})

async function taskOf(io: ClientIo, file: string | undefined, folder: string): Promise<Task> {
  const { enduring, readTask } = await import('@hub/rollout/task-schema')
  const { textIn } = await import('@hub/rollout/processes/prepare')
  const text =
    file === undefined ? await textIn(folder, 'task.json') : await readFile(resolve(io.cwd, file), 'utf8').catch(gone)
  if (text === null) {
    print(io.stderr, 'hub: no task: a rollout succeeds where the motion stays finite for ten seconds\n')
    return enduring
  }
  const name = file ?? 'task.json'
  try {
    return readTask(JSON.parse(text))
  } catch (error) {
    throw new LocalError(`${name} is not a task: ${error instanceof Error ? error.message : error}`)
  }
}

function gone(error: unknown): never {
  throw new LocalError(`The task cannot be read: ${error instanceof Error ? error.message : error}`)
}
