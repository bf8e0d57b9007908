/** The run of the hub that the lines go to: started, and started or claimed again where it was lost. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { failureLine, type HubClient, ProblemError } from '@hub/client/internal'
import type { RemoteRun, StartedRun } from '@hub/client/run-shapes'
import { outputSlug } from '@hub/runner/publish-checkpoints'
import type { TrackJournal, TrackState } from './track-journal.ts'

export interface RunClaim {
  /** Begins the run, unless it is. Rejects with the client's error. */
  begin(signal?: AbortSignal): Promise<void>
  /** After a report that the hub refused as not ours: ours again, a new run, or `over`. */
  recover(refusal: ProblemError): Promise<'again' | 'over'>
}

interface ClaimOptions {
  readonly client: HubClient
  readonly journal: TrackJournal
  readonly logLine: (line: string) => void
  /** The run is ours from now on, under this attempt. */
  readonly taken: (run: RemoteRun) => void
  /** The hub ended the run as canceled. */
  readonly canceled: () => void
}

const workerName = () => `${hostname().slice(0, 100)} pid ${process.pid}`

/** The claim of a tracked run, kept in its journal. */
export function runClaim({ client, journal, logLine, taken, canceled }: ClaimOptions): RunClaim {
  function take(run: RemoteRun, logBytes: number): void {
    journal.put(newAttempt(journal.state, run, logBytes))
    taken(run)
  }

  async function begin(signal?: AbortSignal): Promise<void> {
    if (journal.state.started) return
    const { key, body } = journal.state.start
    try {
      const run = await client.runs.start({ ...body, worker: workerName() } as StartedRun, key, signal)
      for (const warning of run.warnings) logLine(warning)
      take(run, 0)
    } catch (error) {
      // Under the same key a stored refusal would only be repeated.
      if (isRefusal(error)) journal.put({ start: { key: randomUUID(), body } })
      throw error
    }
  }

  async function beginAnew(why: string, parent: string | null): Promise<'again'> {
    const { body } = journal.state.start
    logLine(`${why}: its lines go to a new run`)
    const child = parent === null ? body : { ...body, parent_run_id: parent }
    journal.put({ started: false, claimKey: null, start: { key: randomUUID(), body: child }, sending: null })
    await begin()
    return 'again'
  }

  function endWith(why: string): 'over' {
    journal.put({ gaveUp: why })
    logLine(why)
    return 'over'
  }

  async function claimAgain(runId: string): Promise<'again' | 'over'> {
    const key = journal.state.claimKey ?? randomUUID()
    journal.put({ claimKey: key })
    try {
      const run = await client.runs.claim(runId, workerName(), null, key)
      logLine(`${runId} lost its lease and is claimed again; its metrics are sent again`)
      take(run, journal.state.log.bytes)
      return 'again'
    } catch (error) {
      if (!(error instanceof ProblemError) || error.status >= 500) throw error
      journal.put({ claimKey: null })
      if (!['conflict.already_claimed', 'conflict.terminal', 'conflict.not_claimer'].includes(error.kind)) throw error
      return beginAnew(`${runId} is held by another process`, runId)
    }
  }

  return {
    begin,
    async recover(refusal) {
      const { runId, attempt, ending } = journal.state
      const run = await runIfThere(client, runId)
      if (run === null) return beginAnew(`${runId} is not there any more`, null)
      if (run.attempt === attempt && ending !== null && run.status === ending.status) {
        journal.put({ done: true })
        return 'over'
      }
      if (run.status === 'queued') return claimAgain(runId)
      if (run.status === 'running') {
        // Held under another key or attempt: once that lease has run out it can be claimed.
        if (run.attempt === attempt) throw refusal
        return beginAnew(`${runId} is held by another process`, runId)
      }
      if (run.status === 'canceled' || run.cancel_requested_at) {
        canceled()
        return endWith(`${runId} was canceled; the hub accepts no more reports`)
      }
      return beginAnew(`${runId} has ended as ${run.status}`, runId)
    },
  }
}

const runIfThere = (client: HubClient, runId: string): Promise<RemoteRun | null> =>
  client.runs.get(runId).catch((error: unknown) => {
    if (error instanceof ProblemError && error.status === 404) return null
    throw error
  })

/** The hub has nothing of the metrics of a new attempt, and counts its reports from 0. */
function newAttempt(state: TrackState, run: RemoteRun, logBytes: number): Partial<TrackState> {
  const { target, published, media, artifacts } = state
  const [owner, slug] = state.outputRepo?.split('/') ?? []
  // Files that an earlier run of these lines has in its repo stay there.
  const hasFiles = published !== null || media.run !== null || artifacts.bytes > 0
  const kept = hasFiles ? target : null
  return {
    started: true,
    claimKey: null,
    runId: run.id,
    attempt: run.attempt,
    target: kept ?? { owner: owner ?? run.owner.handle, slug: slug ?? outputSlug(run) },
    log: { bytes: logBytes, seq: 0 },
    metrics: { bytes: 0, seq: 0 },
    sending: null,
    configVersion: null,
    // What a person changed on the page meanwhile stays.
    words: run.id === state.runId ? state.words : {},
    scorecardSent: false,
    environmentSent: false,
    outputReported: false,
    media: { ...media, bytes: 0 },
  }
}

/** The hub answered, and asking again would not help. */
export function isRefusal(error: unknown): error is ProblemError {
  return (
    error instanceof ProblemError &&
    error.status < 500 &&
    ![401, 408, 425, 429].includes(error.status) &&
    !['conflict.in_progress', 'idempotency.in_flight'].includes(error.kind)
  )
}

/** Why nothing arrives, in a line. */
export const reasonOf = (error: unknown): string => failureLine(error).replace(/\.$/, '')
