/**
 * One endpoint from its claim to its end: model, links, reports, and how a stop, a failure and a hub that is away are
 * met.
 */
import { rm } from 'node:fs/promises'
import { failureLine, type HubClient, LocalError, ProblemError } from '@hub/client/internal'
import type { Journal } from '@hub/runner/worker/journal'
import { fetchModel } from './fetch-model.ts'
import { KEYS_MS, REPORT_MS, REPORT_WAIT_MS, RUN_MS, UNKNOWN_KEY_MS } from './limits.ts'
import type { HeldAddress } from './links/held-address.ts'
import { closeCodes } from './links/link.ts'
import { listen, type PolicyListener } from './links/policy-listener.ts'
import { openSessionBook, type SessionBook } from './links/session-book.ts'
import { openModel, type PolicyModel } from './model/open-model.ts'
import { type Reporting, report, reportUntil } from './report-loop.ts'
import type { EndpointHub, ServedEndpoint } from './served-endpoint.ts'
import { type Claimer, journalFile, openServerJournal, type ServerState } from './server-journal.ts'
import { type HubKeys, openHubKeys } from './tokens/hub-keys.ts'
import { FrameFault } from './wire/frame-fault.ts'
import { kinds, NdArray, type TensorSpec, tensorOf } from './wire/tensors.ts'

export const defaultTiming = {
  reportMs: REPORT_MS,
  reportWaitMs: REPORT_WAIT_MS,
  keysMs: KEYS_MS,
  unknownKeyMs: UNKNOWN_KEY_MS,
  runMs: RUN_MS,
}

export interface ServerOptions {
  readonly client: HubClient
  readonly hub: EndpointHub
  readonly claimer: Claimer
  readonly address: HeldAddress
  readonly workDir: string
  /** Ends the endpoint as stopped. */
  readonly stop: AbortSignal
  /** Gives up telling the hub. */
  readonly gaveUp: AbortSignal
  readonly logLine: (line: string) => void
  readonly timing: typeof defaultTiming
}

export interface Outcome {
  readonly endpoint: string
  readonly status: 'stopped' | 'failed'
  readonly error: string | null
  readonly chunks_served: number
}

/** A model that is loaded and answers. */
export interface Prepared {
  readonly endpoint: ServedEndpoint
  readonly model: PolicyModel
}

/**
 * Downloads, verifies and loads the model. Rejects with a `LocalError` if this server cannot serve it; nothing is
 * claimed then.
 */
export async function prepare(
  { client, workDir, logLine, timing }: ServerOptions,
  endpoint: ServedEndpoint,
): Promise<Prepared> {
  const path = await fetchModel(client, endpoint, workDir)
  const model = await openModel(path, timing.runMs)
  const ms = await warmUp(model)
  const shapes = (specs: PolicyModel['inputs']) =>
    specs.map(({ name, type, shape }) => `${name} ${type}[${shape.map((size) => size || '?')}]`)
  logLine(
    `${endpoint.id}: ${endpoint.model_repo.full_name} takes ${shapes(model.inputs)} and gives ${shapes(model.outputs)}`,
  )
  if (ms !== null) logLine(`${endpoint.id}: an inference takes ${ms.toFixed(1)} ms`)
  return { endpoint, model }
}

/**
 * The second inference, for the log: the first one compiles. Open sizes are 1, zeros are observed; null for a model
 * that does not take these.
 */
async function warmUp(model: PolicyModel): Promise<number | null> {
  const feeds = Object.fromEntries(
    model.inputs.map(({ name, type, shape }) => {
      const dims = shape.map((size) => (typeof size === 'number' ? size : 1))
      const zeros = new NdArray(kinds[type].dtype, dims, new Uint8Array(sizeOf(type, dims)))
      return [name, tensorOf(type, zeros)]
    }),
  )
  try {
    await model.run(feeds)
    return (await model.run(feeds)).ms
  } catch (error) {
    if (error instanceof FrameFault) return null
    throw new LocalError(failureLine(error))
  }
}

const sizeOf = (type: TensorSpec['type'], dims: readonly number[]) =>
  dims.reduce((product, size) => product * size, kinds[type].of.BYTES_PER_ELEMENT)

/**
 * Listens, claims (or continues with the claim of an earlier process) and serves until the end. Rejects with the
 * client's errors where the claim is refused, and with the signal's reason where the hub could not be told the end; the
 * journal is then kept.
 */
export async function serveEndpoint(options: ServerOptions, { endpoint, model }: Prepared): Promise<Outcome> {
  const { claimer, workDir, hub, timing, logLine } = options
  const journal = openServerJournal(workDir, endpoint.id, claimer)
  const { url, worker, key } = journal.state
  if (url !== claimer.url)
    throw new LocalError(
      `${endpoint.id} was claimed with --url ${url}, which devices are told; start it with that one.`,
    )
  const book = openSessionBook(Date.now, journal.state.book)
  let listener: PolicyListener | null = null
  const keys = await openHubKeys(claimer.hub, timing, { refreshed: () => listener?.dropUnknownKeys(), logLine })
  try {
    listener = await open(options, { endpoint, model, keys, book })
    logLine(`${endpoint.id}: listens on ${listener.address}; devices are told ${url}`)
    try {
      if (!journal.state.isClaimed)
        await hub.claim(endpoint.id, { worker, url, model_sha256: endpoint.model_sha256 }, key)
    } catch (error) {
      // Unless the hub refused it, the claim may have been made: the next start repeats it.
      if (error instanceof ProblemError) await rm(journalFile(workDir, endpoint.id), { force: true })
      throw error
    }
    journal.put({ isClaimed: true })
    return await serveClaimed(options, endpoint, model, { journal, book, listener })
  } finally {
    keys.close()
    await listener?.close('stopped')
  }
}

const open = async (
  { address, logLine }: ServerOptions,
  parts: {
    readonly endpoint: ServedEndpoint
    readonly model: PolicyModel
    readonly keys: HubKeys
    readonly book: SessionBook
  },
) => {
  const { endpoint, model, keys, book } = parts
  const { id, model_sha256: modelSha256 } = endpoint
  const metadata = {
    protocol: 'policy/1',
    endpoint_id: id,
    model_repo: endpoint.model_repo.full_name,
    model_sha256: modelSha256,
    policy_format: endpoint.artifact.policy_format ?? 'onnx',
    control_class: endpoint.control_class,
    contract_fingerprint: endpoint.contract_fingerprint,
    inputs: model.inputs,
    outputs: model.outputs,
  }
  return listen(
    { served: { endpoint: id, modelSha256 }, model, keys, book, metadata, nowMs: Date.now, logLine },
    await address.take(),
  )
}

interface Serving {
  readonly journal: Journal<ServerState>
  readonly book: SessionBook
  readonly listener: PolicyListener
}

/** At most this much of the log is kept between two reports. */
const MAX_LOG_LINES = 200

async function serveClaimed(
  options: ServerOptions,
  { id }: ServedEndpoint,
  model: PolicyModel,
  { journal, book, listener }: Serving,
): Promise<Outcome> {
  const { hub, stop, gaveUp, timing, workDir } = options
  const lines: string[] = []
  const logLine = (line: string) => {
    options.logLine(`${id}: ${line}`)
    lines.push(`${new Date().toISOString()} ${line}\n`)
    lines.splice(0, lines.length - MAX_LOG_LINES)
  }
  const takeLog = () => lines.splice(0).join('')
  const reporting: Reporting = { hub, endpoint: id, book, takeLog, reportWaitMs: timing.reportWaitMs, logLine }
  const ending = new AbortController()
  const failed = model.failed.then((error) => {
    ending.abort(error)
    return error
  })
  const until = AbortSignal.any([stop, ending.signal])
  logLine('serves')
  const ended = await reportUntil(reporting, timing.reportMs, until, {
    reported({ closed_sessions: closed }) {
      listener.closeSessions(closed, closeCodes.policy, 'closed')
      journal.put({ book: book.stored() as ServerState['book'] })
    },
  })
  const error = ending.signal.aborted ? failureLine(await failed) : ended?.kind === 'refused' ? ended.why : null
  const status = error === null ? 'stopped' : 'failed'
  logLine(error === null ? 'stops' : `fails: ${error}`)
  // Before the last report, which has the last numbers of every session.
  await listener.close(error === null ? 'stopped' : 'failed')
  journal.put({ ending: { status, error }, book: book.stored() as ServerState['book'] })
  if (ended?.kind !== 'refused') await report(reporting, { status, error }, gaveUp)
  await rm(journalFile(workDir, id), { force: true })
  return { endpoint: id, status, error, chunks_served: book.chunksServed() }
}

/** Tells the hub how an earlier process ended; null if there is nothing to tell. */
export async function tellEnding(options: Omit<ServerOptions, 'address'>, endpoint: string): Promise<Outcome | null> {
  const { hub, claimer, workDir, gaveUp, timing, logLine } = options
  const { state } = openServerJournal(workDir, endpoint, claimer)
  if (state.ending === null) return null
  const book = openSessionBook(Date.now, state.book)
  for (const id of book.open()) book.close(id, state.ending.status)
  const reporting: Reporting = { hub, endpoint, book, takeLog: () => '', reportWaitMs: timing.reportWaitMs, logLine }
  await report(reporting, state.ending, gaveUp)
  await rm(journalFile(workDir, endpoint), { force: true })
  return { endpoint, ...state.ending, chunks_served: book.chunksServed() }
}
