import { afterAll, beforeAll } from 'vitest'
import type { AccountRef, RequestContext } from '../../../../src/operation/context.ts'
import { HubError } from '../../../../src/platform/errors.ts'
import type { ReportRunInput } from '../../../../src/runs/report/judge-report.ts'
import { reportRun } from '../../../../src/runs/report/report-run.ts'
import { readJobObject } from '../../../../src/work/job-objects.ts'
import { testDb } from '../../../support/database.ts'
import { putRun, type RunGiven } from '../../../support/runs.ts'
import { makeWorld, type World } from '../../../support/world.ts'

export interface ChunkRow {
  seq: number
  stream: string
  /** Null where the row has the text. */
  key: string | null
  text: string | null
  lines: number
  first: number
  bytes: number
}

/** A log chunk that is an object, however short: no row keeps a NUL. */
export const objectChunk = (text: string): string => `\0${text}`

/** Running runs, reports of their runner, and the rows and objects that these leave. */
export function reportedRun() {
  const t = testDb()
  let world: World
  let ada: AccountRef
  let runner: RequestContext
  beforeAll(async () => {
    world = await makeWorld({ db: t.db })
    ada = await world.user()
    runner = world.as(ada, { kind: 'key', credentialId: 'key_runner' })
  })
  afterAll(() => world?.close())
  const running = (change: Partial<RunGiven> = {}) =>
    putRun(t.db, { ownerId: ada.id, status: 'running', claimCredential: 'key_runner', ...change })
  const report = (runId: string, input: Omit<ReportRunInput, 'runId'> = {}, ctx = runner) =>
    reportRun(ctx, { runId, ...input })
  const refusal = (work: Promise<unknown>): Promise<HubError> =>
    work.then(
      () => Promise.reject(new Error('It was not refused.')),
      (error: unknown) => (error instanceof HubError ? error : Promise.reject(error)),
    )
  const typeOf = async (work: Promise<unknown>) => (await refusal(work)).type
  const chunksOf = (runId: string) =>
    world.sql<ChunkRow>(
      'select seq, stream, storage_key as key, text, line_count as lines, first_line as first, byte_count as bytes from run_log_chunks where run_id = $1 order by seq',
      [runId],
    )
  const logOf = async (runId: string) => {
    const chunks = await chunksOf(runId)
    const texts = await Promise.all(chunks.map(({ key, text }) => (key ? readJobObject(world.deps, key) : text)))
    return texts.join('')
  }
  const linesOf = async (runId: string) => (await chunksOf(runId)).filter(({ stream }) => stream === 'stdout').length
  const metricsOf = async (runId: string) =>
    (await world.sql<{ line: unknown }>('select line from run_metrics where run_id = $1 order by seq', [runId])).map(
      ({ line }) => line,
    )
  const objectsOf = async (runId: string) => {
    const keys: string[] = []
    for await (const { key } of world.disk.list(`runs/${runId}/`)) keys.push(key)
    return keys
  }
  const row = async (runId: string) =>
    (await world.sql<Record<string, unknown>>('select * from runs where id = $1', [runId]))[0] ?? {}
  return {
    t,
    running,
    report,
    refusal,
    typeOf,
    chunksOf,
    logOf,
    linesOf,
    metricsOf,
    objectsOf,
    row,
    get world() {
      return world
    },
    get ada() {
      return ada
    },
    get runner() {
      return runner
    },
  }
}
