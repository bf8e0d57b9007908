/** Checks of data sets as a worker serves them: it reads by ranges, so nothing is kept on its disk. */
import { randomUUID } from 'node:crypto'
import { type HubClient, repoRanges } from '@hub/client/internal'
import { checkDataset } from '@hub/dataset/check-dataset'
import { type StandingReport, standingReport } from '@hub/dataset/standing-report'
import { countText } from '@hub/text/amounts'
import { pictureDecoder } from '../pictures/picture-decoder.ts'
import type { Chromium } from '../stills/find-chromium.ts'
import { type LeasedWorker, workOnLeases } from './leased-work.ts'
import { limitsOfMap } from './limits-of-map.ts'

/** What checks data sets. */
export interface DatasetWorker extends LeasedWorker {
  /** What pictures of videos are decoded in; without it they are only listed. */
  readonly chromium?: Chromium
}

interface Progress {
  episodes_done: number
  episodes_total: number | null
}

type Claimed = NonNullable<Awaited<ReturnType<HubClient['v1']['claimNextDatasetCheck']>>> & {
  readonly progress: Progress
}

/** Works until `stop` aborts, or with `once` until one check has ended. Rejects once the client gives up. */
export function workOnDatasets(worker: DatasetWorker): Promise<void> {
  const { client, stop, logLine } = worker
  const report = ({ repo: name, attempt }: Claimed, body: Report) => {
    const [owner = '', repo = ''] = name.split('/')
    return client.v1.reportDatasetCheck({ path: { owner, repo }, body: { ...body, attempt }, key: randomUUID() })
  }
  return workOnLeases<Claimed>(worker, {
    async claim(body) {
      const check = await client.v1.claimNextDatasetCheck({ body, key: randomUUID(), signal: stop })
      return check ? { ...check, progress: { episodes_done: 0, episodes_total: null } } : null
    },
    nameOf: ({ repo, seq }) => `data set ${repo} at change ${seq}`,
    idOf: ({ repo }) => repo,
    beat: (check) => report(check, check.progress),
    async work(check, signal) {
      const found = await inspect(worker, check, signal)
      logLine(`data set ${check.repo}: ${countText(found.errors, 'error')}, ${countText(found.warnings, 'warning')}`)
      const all = { episodes_done: found.episodes, episodes_total: found.episodes }
      await report(check, { status: 'succeeded', report: found, ...all })
    },
    fail: (check, error) => report(check, { status: 'failed', error }),
  })
}

type Report = Omit<Parameters<HubClient['v1']['reportDatasetCheck']>[0]['body'], 'attempt'>

async function inspect(
  { client, chromium }: DatasetWorker,
  { repo: name, seq, progress }: Claimed,
  signal: AbortSignal,
): Promise<StandingReport> {
  const [owner = '', slug = ''] = name.split('/')
  const { limits, why } = await limitsOfMap(client, { owner, slug })
  const files = await repoRanges(client, { owner, slug }, String(seq))
  const read = async (path: string, start: number, end: number) => {
    signal.throwIfAborted()
    return files.read(path, start, end)
  }
  const onEpisode = (done: number, all: number) => {
    progress.episodes_done = done
    progress.episodes_total = all
  }
  const decoder = chromium && pictureDecoder(chromium, signal)
  const report = await checkDataset({ sizes: files.sizes, read }, { limits, signal, onEpisode, decoder }).finally(() =>
    decoder?.end(),
  )
  return standingReport({ ...report, unchecked: why === null ? report.unchecked : [why, ...report.unchecked] })
}
