/** `hub data check --on-hub` and `hub data report`: the check of a data set by a worker, and its report. */
import { setTimeout as delay } from 'node:timers/promises'
import { type HubClient, LocalError } from '@hub/client/internal'
import type { DatasetReport } from '@hub/dataset/check-dataset'
import type { StandingReport } from '@hub/dataset/standing-report'
import { type ClientIo, countText } from './client-output.ts'
import { type CommandResult, pathOf } from './client-session.ts'
import { dataText } from './data-output.ts'
import { inLine, print } from './terminal.ts'

/** Between two questions. */
const POLL_MS = 3000
/** A worker that waits for work takes a check within a fraction of this. */
const TAKEN_WITHIN_MS = 5000

/** Asks for the check of a repo, waits for its end, and shows what it found. */
export async function checkOnHub(
  io: ClientIo,
  client: HubClient,
  what: string,
  options: { readonly robot?: string; readonly at?: string; readonly degrees?: boolean },
): Promise<CommandResult> {
  const own = (['robot', 'at', 'degrees'] as const).find((name) => options[name] !== undefined)
  if (own) throw new LocalError(`--${own} is for a check on this machine; leave out --on-hub, or it.`)
  const path = pathOf(what)
  const asked = await client.v1.requestDatasetCheck({ path })
  const say = (text: string) => print(io.stderr, `hub: ${inLine(text)}\n`)
  say(`asked for a check of ${asked.repo} at change ${asked.seq}`)
  const since = performance.now()
  let isTold = false
  let done = 0
  for (;;) {
    const now = await client.v1.getDatasetCheck({ path })
    if (now.status !== 'queued' && now.status !== 'running') {
      if (now.status === 'failed') throw new LocalError(`The check of ${asked.repo} failed: ${now.error}`)
      return shown(what, now)
    }
    if (now.status === 'queued' && !isTold && performance.now() - since > TAKEN_WITHIN_MS) {
      isTold = true
      say(`it waits for a worker of ${path.owner}; start one with: hub check-worker --only data-sets`)
    }
    if (now.episodes_total !== null && now.episodes_done !== done) {
      done = now.episodes_done
      say(`checked ${done} of ${countText(now.episodes_total, 'episode')}`)
    }
    await delay(POLL_MS, undefined, { signal: client.signal })
  }
}

type Check = Awaited<ReturnType<HubClient['v1']['getDatasetCheck']>>

/** The report that stands on a repo. */
export async function showReport(client: HubClient, what: string): Promise<CommandResult> {
  return shown(what, await client.v1.getDatasetCheck({ path: pathOf(what) }))
}

function shown(what: string, check: Check): CommandResult {
  const { report, status, error } = check
  if (!report) {
    const why =
      status === 'failed'
        ? `its check failed: ${error}; ask again with: hub data check ${what} --on-hub`
        : `its check is ${status}; wait, or start a worker with: hub check-worker --only data-sets`
    throw new LocalError(`There is no report of ${what} yet: ${why}`)
  }
  const standing = report as unknown as StandingReport
  const full: DatasetReport = { ...standing, summary: { ...standing.summary, moreTasks: 0, moreJoints: 0 } }
  const notes = [
    ...standing.omitted,
    ...(check.is_outdated ? [`The files have changed since: the report is of change ${check.report_seq}.`] : []),
  ]
  const text = `${dataText(what, full)}${notes.map((note) => `${inLine(note)}\n`).join('')}`
  return { json: check, text, code: standing.errors > 0 ? 1 : 0 }
}
