/**
 * Checks of data sets as a worker serves them: it reads by ranges, so nothing is kept on its disk, and a check whose
 * worker dies goes to the next one when its lease ends.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { failureLine, type HubClient, ProblemError, repoRanges } from '@hub/client/internal'
import { checkDataset } from '@hub/dataset/check-dataset'
import { type StandingReport, standingReport } from '@hub/dataset/standing-report'
import { countText } from '@hub/text/amounts'
import { pictureDecoder } from '../pictures/picture-decoder.ts'
import type { Chromium } from '../stills/find-chromium.ts'
import { limitsOfMap } from './limits-of-map.ts'
import type { CheckOutcome } from './serve-check.ts'

/** What checks data sets. */
export interface DatasetWorker {
  /** Retries for as long as the worker lives. */
  readonly client: HubClient
  readonly name: string
  readonly owner: string | null
  /** Stop after one check. */
  readonly once: boolean
  /** Ends the worker: the check in progress goes to another one when its lease ends. */
  readonly stop: AbortSignal
  readonly logLine: (line: string) => void
  readonly ended: (outcome: CheckOutcome) => void
  /** What pictures of videos are decoded in; without it they are only listed. */
  readonly chromium?: Chromium
  /** Between signs of life; the hub gives a lease of two minutes. */
  readonly beatMs?: number
  /** The hub's maximum is 30. */
  readonly waitS?: number
}

type Claimed = NonNullable<Awaited<ReturnType<HubClient['v1']['claimNextDatasetCheck']>>>

const BEAT_MS = 15_000
const WAIT_S = 30

/** Works until `stop` aborts, or with `once` until one check has ended. Rejects once the client gives up. */
export async function workOnDatasets(worker: DatasetWorker): Promise<void> {
  const { client, name, owner, stop, once, logLine, ended, waitS = WAIT_S } = worker
  while (!stop.aborted) {
    const startedMs = performance.now()
    const body = { worker: name, wait_s: waitS, owner }
    const check = await client.v1
      .claimNextDatasetCheck({ body, key: randomUUID(), signal: stop })
      .catch((error: unknown) => {
        if (stop.aborted) return null
        throw error
      })
    if (check) {
      logLine(`data set ${check.repo}: claimed, its files of change ${check.seq}`)
      const outcome = await serveDataset(worker, check)
      if (outcome) ended(outcome)
      if (once) return
    } else if (performance.now() - startedMs < 1000) {
      // Avoids a busy loop if the hub answers without waiting.
      await delay(1000, undefined, { signal: stop }).catch(() => {})
    }
  }
}

/** Null where the worker was stopped. */
async function serveDataset(worker: DatasetWorker, check: Claimed): Promise<CheckOutcome | null> {
  const { client, stop, logLine, beatMs = BEAT_MS } = worker
  const lost = new AbortController()
  const signal = AbortSignal.any([stop, lost.signal, client.signal])
  const progress = { episodes_done: 0, episodes_total: null as number | null }
  const report = reporterOf(client, check)
  const beats = setInterval(() => {
    report(progress).catch((error: unknown) => {
      if (isLost(error)) lost.abort(error)
      else if (!client.signal.aborted) logLine(`data set ${check.repo}: a report is delayed: ${failureLine(error)}`)
    })
  }, beatMs)
  const outcome = (status: CheckOutcome['status'], error: string | null) => ({ check: check.repo, status, error })
  try {
    const found = await inspect(worker, check, signal, (done, all) => {
      progress.episodes_done = done
      progress.episodes_total = all
    })
    logLine(`data set ${check.repo}: ${countText(found.errors, 'error')}, ${countText(found.warnings, 'warning')}`)
    await report({ status: 'succeeded', report: found, episodes_done: found.episodes, episodes_total: found.episodes })
    return outcome('succeeded', null)
  } catch (error) {
    if (stop.aborted) return null
    if (client.signal.aborted) throw error
    if (lost.signal.aborted || isLost(error)) return outcome('lost', failureLine(lost.signal.reason ?? error))
    const why = failureLine(error).slice(0, 4000)
    await report({ status: 'failed', error: why }).catch((refused: unknown) => {
      if (!isLost(refused)) throw refused
    })
    return outcome('failed', why)
  } finally {
    clearInterval(beats)
  }
}

type Report = Omit<Parameters<HubClient['v1']['reportDatasetCheck']>[0]['body'], 'attempt'>

function reporterOf(client: HubClient, { repo: name, attempt }: Claimed) {
  const [owner = '', repo = ''] = name.split('/')
  return (body: Report) =>
    client.v1.reportDatasetCheck({ path: { owner, repo }, body: { ...body, attempt }, key: randomUUID() })
}

/** Another worker has the check, or its repo is gone. */
const isLost = (error: unknown) => error instanceof ProblemError && [401, 403, 404, 409].includes(error.status)

async function inspect(
  { client, chromium }: DatasetWorker,
  { repo: name, seq }: Claimed,
  signal: AbortSignal,
  onEpisode: (done: number, all: number) => void,
): Promise<StandingReport> {
  const [owner = '', slug = ''] = name.split('/')
  const { limits, why } = await limitsOfMap(client, { owner, slug })
  const files = await repoRanges(client, { owner, slug }, String(seq))
  const read = async (path: string, start: number, end: number) => {
    signal.throwIfAborted()
    return files.read(path, start, end)
  }
  const decoder = chromium && pictureDecoder(chromium, signal)
  const report = await checkDataset({ sizes: files.sizes, read }, { limits, signal, onEpisode, decoder }).finally(() =>
    decoder?.end(),
  )
  return standingReport({ ...report, unchecked: why === null ? report.unchecked : [why, ...report.unchecked] })
}
