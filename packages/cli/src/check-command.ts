/**
 * `hub check`: from a folder or repo to a draft card: pushes, queues a check, follows it, and says what is left to do.
 */
import { setTimeout as delay } from 'node:timers/promises'
import {
  type HubClient,
  isHeld,
  type NewCheck,
  ProblemError,
  type RemoteCheck,
  type RemoteHold,
} from '@hub/client/internal'
import { type Command, Option } from 'commander'
import { actions, type CheckAnswers, controlClasses, modelAnswers, robotAnswers } from './check-answers.ts'
import { checkExitCode, checkText } from './check-output.ts'
import { type CheckTarget, checkTarget, type TargetOptions } from './check-target.ts'
import { type ClientIo, exitCode } from './client-output.ts'
import { type CommandResult, type CommonOptions, collect, common, runCommand } from './client-session.ts'
import type { ClientSettings } from './client-settings.ts'
import { heldText } from './hold-output.ts'
import { paintLine } from './run-output.ts'
import { inLine, print } from './terminal.ts'
import { CLAIMED_WITHIN_MS, waitsFor } from './waiting-check.ts'

interface CheckOptions extends CommonOptions, CheckAnswers, TargetOptions {
  readonly executor?: 'worker' | 'hosted'
  readonly wait: boolean
  readonly allowSecrets: string[]
}

const help = `
A folder is pushed first: to --robot or --model-repo, else to your repo of the folder's name, which is made private if it
does not exist. MuJoCo then compiles and steps the robot, and a card is drafted from the model and your answers. Nothing
is published before you say so: hub publish CHECK.

Answers about a robot, which no model file holds:
  --control-hz   the rate that policies run at on the real robot
  --action       what the output of a policy means
  --base         of a URDF: fixed or floating
  --option       action_scale, action_clip, kp, kd, armature, friction_loss (numbers), proprioception (a list),
                 command (a word), default_pose (JSON by joint), discard_visual (true or false)
A model repo, or --model-repo, makes it a model check: ENTRY is an ONNX file or a checkpoint directory, --robot the robot
that it is held against.

Exit codes:
  0    the draft can be published; with --no-wait, the check is queued
  1    the check failed or was canceled, or the hub could not be reached
  2    wrong usage
  3    not allowed
  4    not found, or not visible
  5    rejected (conflict, validation, quota, a secret in a file to push)
  6    blocked: the report failed, the draft needs an answer, or a person has to approve what it costs
  7    not logged in
  130  interrupted; the check goes on

Examples:
  $ hub check robots/arm scene.xml --control-hz 50 --action position
  $ hub check ada/arm arm.urdf --control-hz 50 --action position_offset --base fixed --option action_scale=0.25
  $ hub check out/walker step_500 --model-repo ada/walker --robot ada/biped
  $ hub check ada/walker --hf lab/walker@v1.0 --robot ada/biped --control-class reflex --obs joint_pos,joint_vel`

/** Adds it to the `hub` program. After `claimedWithinMs` it says what a check waits for that no worker has claimed. */
export function registerCheckCommand(program: Command, io: ClientIo, claimedWithinMs = CLAIMED_WITHIN_MS): void {
  common(program.command('check <what> [entry]').description('Check a robot or a model, and draft its card'), io, help)
    .option('--control-hz <hz>', 'rate of policies on the real robot')
    .addOption(new Option('--action <meaning>', 'what the output of a policy means').choices(actions))
    .addOption(new Option('--base <base>', 'base of a URDF').choices(['fixed', 'floating']))
    .option('--option <name=value>', 'further answer (repeatable)', collect, [])
    .option('--robot <repo>', 'where a folder is pushed; of a model check, the robot to compare it with')
    .option('--model-repo <repo>', 'push the folder to this model repo, and check a model')
    .option('--hf <repo>', 'import a public policy: org/name[@revision]')
    .addOption(
      new Option('--control-class <class>', 'control class of a policy that does not say').choices(controlClasses),
    )
    .option('--obs <terms>', 'what a policy sees: terms separated by commas, or a JSON object')
    .addOption(new Option('--executor <executor>', 'who executes it (default: the hub chooses)').choices(executors))
    .option('--allow-secrets <glob>', 'push files that match, also with a secret in them (repeatable)', collect, [])
    .option('--no-wait', 'queue the check and return')
    .action((what: string, entry: string | undefined, options: CheckOptions) => {
      const json = options.json ?? program.opts<CommonOptions>().json
      return runCommand(io, { ...options, json }, (client, settings) =>
        check({ io, client, settings, given: { what, entry }, options: { ...options, claimedWithinMs } }),
      )
    })
}
const executors = ['worker', 'hosted']

async function check({
  io,
  client,
  settings,
  given,
  options,
}: {
  readonly io: ClientIo
  readonly client: HubClient
  readonly settings: ClientSettings
  readonly given: { readonly what: string; readonly entry: string | undefined }
  readonly options: CheckOptions & { readonly claimedWithinMs: number }
}): Promise<CommandResult | number> {
  const answersOf = (kind: CheckTarget['kind']) => (kind === 'robot' ? robotAnswers(options) : modelAnswers(options))
  const target = await checkTarget({ io, client, cacheDir: settings.cacheDir, given, options, beforePush: answersOf })
  const request = requestOf(target, options)
  const queued = await create(io, client, request)
  if (isHeld(queued)) return { json: queued, text: heldText(queued), code: exitCode.blocked }
  if (!options.wait) return { json: queued, text: `${queued.id}\n` }
  print(io.stderr, `hub: queued ${queued.id}\n`)
  const ended = await follow(io, client, queued, options.claimedWithinMs)
  return ended === null ? exitCode.interrupted : { json: ended, text: checkText(ended), code: checkExitCode(ended) }
}

function requestOf({ kind, repo, entry }: CheckTarget, options: CheckOptions): NewCheck {
  const common = { kind, entry, executor: options.executor ?? null }
  if (kind === 'robot') return { ...common, robot_repo: repo, ...robotAnswers(options) }
  const model = { repo, ...(options.hf !== undefined && { hf_repo: options.hf }), ...modelAnswers(options) }
  return { ...common, robot_repo: options.robot ?? null, model }
}

const HASHING_MS = 2000

/** Large files are hashed by the hub after a push: the check waits for that. */
async function create(io: ClientIo, client: HubClient, request: NewCheck): Promise<RemoteCheck | RemoteHold> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await client.checks.create(request)
    } catch (error) {
      if (!(error instanceof ProblemError) || error.kind !== 'conflict.unverified') throw error
      if (!isTold) print(io.stderr, `hub: waiting: ${inLine(error.message)}\n`)
      await delay(HASHING_MS, undefined, { signal: client.signal })
    }
  }
}

/** The check as it ended; null if the command was interrupted. */
async function follow(
  io: ClientIo,
  client: HubClient,
  queued: RemoteCheck,
  claimedWithinMs: number,
): Promise<RemoteCheck | null> {
  const { id } = queued
  const isTerminal = io.stderr.isTTY === true
  const over = new AbortController()
  // A line on the way: what goes wrong with it, following the log says too.
  waitsFor(client, queued, claimedWithinMs, AbortSignal.any([client.signal, over.signal])).then(
    (text) => text !== null && !over.signal.aborted && print(io.stderr, `hub: ${inLine(text)}\n`),
    () => {},
  )
  try {
    for await (const event of client.checks.follow(id, { follow: true, stripAnsi: !isTerminal }))
      if (event.kind === 'log') print(io.stderr, paintLine(event, false))
    return await client.checks.get(id)
  } catch (error) {
    if (!client.signal.aborted) throw error
    print(io.stderr, `hub: interrupted; the check goes on: hub checks ${id}, hub logs ${id} -f\n`)
    return null
  } finally {
    over.abort()
  }
}
