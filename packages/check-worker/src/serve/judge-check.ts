/**
 * From a claimed check and its files to a verdict: which request the hub's answer makes, and which files and members
 * the verdict has.
 */
import { mkdir, rm } from 'node:fs/promises'
import { type ClaimedCheck, type HubClient, LocalError, ProblemError } from '@hub/client/internal'
import { withDoubles, writeExact } from '@hub/formats/exact-json'
import { freeFormFaults } from '@hub/formats/free-form-faults'
import type { ReadingPool } from '@hub/mjcf/processes/reading-pool'
import { checkRobot } from '../check-robot.ts'
import { checkModel } from '../policy/check-model.ts'
import type { ModelCheckRequest } from '../policy/model-request.ts'
import type { CheckAction, CheckOptions, Need } from '../request.ts'
import type { Chromium } from '../stills/find-chromium.ts'
import type { CheckFiles } from './check-files.ts'
import { needsWithinLimits } from './hub-limits.ts'
import type { MadeArtifact, Verdict } from './verdict.ts'

export interface Judge {
  readonly client: HubClient
  /** Reads models within limits of its own; one serves many checks. */
  readonly pool: ReadingPool
  /** `HF_ENDPOINT`; null for Hugging Face itself. */
  readonly mirror: string | null
  /** Draws the stills of robots. */
  readonly chromium: Chromium
}

export interface Judging {
  readonly check: ClaimedCheck
  readonly files: CheckFiles
  readonly log: (line: string) => void
  readonly signal: AbortSignal
}

/** The hub reads a card of so many bytes at most. */
const MAX_CARD_BYTES = 1024 * 1024

/**
 * Rejects with `signal`'s reason, and for what is wrong with this machine or the hub; whatever is wrong with the model
 * is in the verdict.
 */
export function judgeCheck(judge: Judge, judging: Judging): Promise<Verdict> {
  return judging.check.kind === 'model' ? judgeModel(judge, judging) : judgeRobot(judge, judging)
}

async function judgeRobot({ pool, chromium }: Judge, { check, files, log, signal }: Judging): Promise<Verdict> {
  const request = {
    entry: check.entry ?? '',
    base: check.base,
    control_hz: check.control_hz,
    action: check.action as CheckAction | null,
    // Answers are numbers to calculate with, whatever their spelling.
    options: withDoubles(check.options) as CheckOptions | null,
  }
  const found = await checkRobot({
    ...{ folder: files.sources, request, pool, chromium, log, signal },
    checkId: check.id,
    checkedAt: new Date(),
  })
  const { report, draft, engine, converted, stills } = found
  const card = found.card && cardArtifact({ ...found.card, needs_you: needsWithinLimits(found.needs) }, log)
  const artifacts: MadeArtifact[] = card ? [card] : []
  // The hub takes the MJCF of a file that is named as a URDF; of any other, a need says so.
  if (converted && /\.urdf$/i.test(request.entry))
    artifacts.push({ name: converted.path, contentType: 'application/xml', text: converted.text })
  artifacts.push(...stills.map(({ name, bytes }) => ({ name, contentType: 'image/png', bytes })))
  return { report, draft, engine, intake: null, artifacts }
}

/** Without its validation record where it is too large with it. Null where the hub would not keep the card. */
function cardArtifact(card: Readonly<Record<string, unknown>>, log: Judging['log']): MadeArtifact | null {
  const { validation: _, ...bare } = card
  for (const one of [card, bare]) {
    const text = `${JSON.stringify(one, null, 2)}\n`
    if (Buffer.byteLength(text) <= MAX_CARD_BYTES && freeFormFaults(one).length === 0)
      return { name: 'robot_card.json', contentType: 'application/json', text }
  }
  log(`The draft card has more than ${MAX_CARD_BYTES} bytes or too many values, so it cannot be published.`)
  return null
}

async function judgeModel({ client, mirror }: Judge, { check, files, log, signal }: Judging): Promise<Verdict> {
  const request = (check.model ?? {}) as ModelCheckRequest
  const isFetched = Boolean(request.hf_repo)
  if (isFetched) {
    // A fetch begins with an empty folder.
    await rm(files.fetched, { recursive: true, force: true })
    await mkdir(files.fetched, { recursive: true, mode: 0o700 })
  }
  const found = await checkModel({
    ...{ request, mirror, log, signal },
    folder: isFetched ? files.fetched : files.sources,
    entry: check.entry,
    robotCard: await robotCardOf(client, check),
  })
  const { report, draft, intake, needs } = found
  return {
    ...{ report, draft, intake },
    engine: { name: 'static', version: null },
    artifacts: [...found.artifacts, ...(needs.length > 0 ? [needsArtifact(needs)] : [])],
  }
}

/** The questions of a model check reach the hub as those of a robot's do: in a card, which here has nothing else. */
function needsArtifact(needs: readonly Need[]): MadeArtifact {
  const text = `${JSON.stringify({ needs_you: needsWithinLimits(needs) }, null, 2)}\n`
  return { name: 'robot_card.json', contentType: 'application/json', text }
}

/** Null for a check without a robot, and for a robot without a card. */
async function robotCardOf(client: HubClient, { robot_repo: robot }: ClaimedCheck): Promise<string | null> {
  if (!robot) return null
  const [owner = '', slug = ''] = robot.full_name.split('/')
  try {
    return writeExact(await client.robotCard({ owner, slug }))
  } catch (error) {
    if (!(error instanceof ProblemError) || error.status !== 404) throw error
    await assertSeen(client, { owner, slug })
    return null
  }
}

/** A robot that the worker cannot see is not one without a card. */
async function assertSeen(client: HubClient, robot: { readonly owner: string; readonly slug: string }): Promise<void> {
  const found = await client.getRepo(robot).catch((error: unknown) => {
    if (error instanceof ProblemError && error.status === 404) return null
    throw error
  })
  if (found) return
  const name = `${robot.owner}/${robot.slug}`
  throw new LocalError(`The key of the worker does not see the robot ${name}: start a worker with a key of its owner.`)
}
