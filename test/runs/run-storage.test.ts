/** What runs keep counts against their owner's storage, in sum with files; a full quota loses no run. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerRunnerCommand } from '../../packages/cli/src/runner-command.ts'
import { measureRuns } from '../../src/jobs/run-measure.ts'
import { sweepLeases } from '../../src/runs/lease/sweep-leases.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Json, type Person, types, type Who } from '../support/hub.ts'

const QUOTA_BYTES = 50_000
const hub = contractHub({ STORAGE_QUOTA_BYTES: String(QUOTA_BYTES) })
let base: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-run-storage-'))
})
afterAll(() => rm(base, { recursive: true, force: true }))

async function running(who: Who): Promise<string> {
  const made = await hub.call(who, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
  expect((await hub.call(who, 'POST', `/v1/runs/${made.json.id}/claim`, { worker: 'box' })).status).toBe(200)
  return made.json.id
}
const report = (who: Who, run: string, body: Json) => hub.call(who, 'POST', `/v1/runs/${run}/report`, body)
const usedBy = async (who: Who): Promise<number> => (await hub.call(who, 'GET', '/v1/me')).json.storage.used_bytes
const objectsOf = async (run: string) => {
  const keys: string[] = []
  for await (const { key } of hub.running.deps.objects?.list(`runs/${run}/`) ?? []) keys.push(key)
  return keys
}

/** The counted bytes of an owner, and the sum over every row and object. */
async function recount(owner: Person): Promise<{ counted: number; found: number }> {
  const [row] = await hub.sql<{ counted: number; runs: number; rows: number; files: number }>(
    `select a.storage_bytes as counted, coalesce((select sum(total_bytes) from repos r where r.owner_id = a.id), 0)::bigint as files,
       coalesce((select sum(stored_bytes) from runs u where u.owner_id = a.id), 0)::bigint as runs,
       (select coalesce(sum(c.byte_count), 0) from run_log_chunks c join runs u on u.id = c.run_id
          where u.owner_id = a.id and c.stream = 'stdout')::bigint
       + (select coalesce(sum(octet_length(m.line::text) + 1), 0) from run_metrics m join runs u on u.id = m.run_id
          where u.owner_id = a.id)::bigint as rows
     from accounts a where a.id = $1`,
    [owner.id],
  )
  if (!row) throw new Error('The owner is gone.')
  const runs = await hub.sql<{ id: string; kind: string; config: string | null; scorecard: string | null }>(
    'select id, kind, config_key as config, scorecard_key as scorecard from runs where owner_id = $1',
    [owner.id],
  )
  const keys = runs.flatMap(({ id, kind, config, scorecard }) => [
    config,
    scorecard,
    kind === 'external' ? `runs/${id}/metrics.jsonl` : null,
  ])
  const heads = await Promise.all(
    keys.filter((key) => key !== null).map((key) => hub.running.deps.objects?.head(key) ?? null),
  )
  const artifacts = heads.reduce((sum, head) => sum + (head?.sizeBytes ?? 0), 0)
  expect(row.counted).toBe(row.files + row.runs)
  return { counted: row.counted, found: row.files + row.rows + artifacts }
}

describe('the bytes of a run', () => {
  it('are counted with their report, a replaced artifact once, and released with the run', async () => {
    const ada = await hub.person()
    const run = await running(ada)
    expect((await report(ada, run, { log_chunk: 'ä line\n', log_seq: 0 })).status).toBe(200)
    expect(await usedBy(ada)).toBe(8)
    // A repeat stores nothing.
    expect((await report(ada, run, { log_chunk: 'ä line\n', log_seq: 0 })).status).toBe(200)
    expect(await usedBy(ada)).toBe(8)
    expect((await report(ada, run, { metrics: [{ step: 1 }, { step: 22 }] })).status).toBe(200)
    expect(await usedBy(ada)).toBe(8 + 11 + 12)
    expect((await report(ada, run, { config_yaml: 'x'.repeat(100), scorecard_json: { a: 1 } })).status).toBe(200)
    expect(await usedBy(ada)).toBe(31 + 100 + 7)
    expect((await report(ada, run, { config_yaml: 'x'.repeat(40) })).status).toBe(200)
    expect(await usedBy(ada)).toBe(31 + 40 + 7)
    await hub.upload(ada, await hub.repo(ada), { 'a.txt': 'twelve bytes' })
    expect(await recount(ada)).toEqual({ counted: 90, found: 90 })
    expect((await report(ada, run, { status: 'succeeded' })).status).toBe(200)
    expect((await hub.call(ada, 'DELETE', `/v1/runs/${run}`)).status).toBe(204)
    expect(await recount(ada)).toEqual({ counted: 12, found: 12 })
  })

  it('of an import are its config, summary and scorecard', async () => {
    const ada = await hub.person()
    const artifacts = { config_yaml: 'a: 1\n', metrics_summary: 'ten bytes!', scorecard_json: { b: 2 } }
    const made = await hub.call(ada, 'POST', '/v1/runs/import', { artifacts })
    expect(made.status).toBe(201)
    expect(await recount(ada)).toEqual({ counted: 22, found: 22 })
    expect((await hub.call(ada, 'DELETE', `/v1/runs/${made.json.id}`)).status).toBe(204)
    expect(await recount(ada)).toEqual({ counted: 0, found: 0 })
  })

  it('of a lost attempt still count if they stay stored; its config and scorecard are released', async () => {
    const ada = await hub.person()
    const run = await running(ada)
    const parts = { log_chunk: 'one\n', metrics: [{ step: 1 }], config_yaml: 'a: 1\n', scorecard_json: { b: 2 } }
    expect((await report(ada, run, parts)).status).toBe(200)
    expect(await usedBy(ada)).toBe(4 + 11 + 5 + 7)
    await hub.sql(`update runs set lease_expires_at = now() - interval '1 second' where id = $1`, [run])
    await sweepLeases(hub.running.deps)
    await expect.poll(async () => (await hub.call(ada, 'GET', `/v1/runs/${run}`)).json.status).toBe('queued')
    expect(await recount(ada)).toEqual({ counted: 15, found: 15 })
  })

  it('whose size was never counted are added by a job', async () => {
    const ada = await hub.person()
    const run = await running(ada)
    const parts = { log_chunk: 'one\n', metrics: [{ step: 1 }], config_yaml: 'a: 1\n', scorecard_json: { b: 2 } }
    expect((await report(ada, run, parts)).status).toBe(200)
    const artifacts = { config_yaml: 'a: 1\n', metrics_summary: 'ten bytes!' }
    expect((await hub.call(ada, 'POST', '/v1/runs/import', { artifacts })).status).toBe(201)
    const after = await recount(ada)
    expect(after.counted).toBe(after.found)
    // In one transaction, since the hub's own job searches for runs to count too.
    const counted = await hub.running.deps.db.withTx(async (tx) => {
      const query = <T>(text: string, values: unknown[] = []) => tx.query<T>({ name: '', text }, values)
      await query(
        `update accounts a set storage_bytes = a.storage_bytes - r.bytes from (
           select owner_id, sum(coalesce(config_bytes, 0) + coalesce(scorecard_bytes, 0) + coalesce(summary_bytes, 0)) as bytes from runs group by owner_id
         ) r where a.id = r.owner_id`,
      )
      await query(`update runs set config_bytes = null, scorecard_bytes = null, summary_bytes = null,
        stored_bytes = stored_bytes - coalesce(config_bytes, 0) - coalesce(scorecard_bytes, 0) - coalesce(summary_bytes, 0)`)
      return query<{ bytes: number }>('select storage_bytes as bytes from accounts where id = $1', [ada.id])
    })
    expect(counted).toEqual([{ bytes: 15 }])
    const { deps } = hub.running
    if (!deps.objects) throw new Error('The hub has a store.')
    const measure = measureRuns(deps, deps.objects, new AbortController().signal)
    await Promise.all([measure, measureRuns(deps, deps.objects, new AbortController().signal)])
    expect(await recount(ada)).toEqual(after)
  })
})

describe("with an owner's storage full", () => {
  const fill = (owner: Person, left: number) =>
    hub.sql('update accounts set storage_bytes = $2 where id = $1', [owner.id, QUOTA_BYTES - left])

  it('a report with payload is 413 with the bytes left, and stores nothing; a heartbeat, progress and the end are accepted', async () => {
    const ada = await hub.person()
    const run = await running(ada)
    await fill(ada, 10)
    const payloads = [
      { log_chunk: 'eleven line' },
      { metrics: [{ step: 1 }, { step: 2 }] },
      { config_yaml: 'eleven: 111' },
      { scorecard_json: { eleven: 1234 } },
      { log_chunk: 'eleven line', status: 'succeeded' },
    ]
    for (const payload of payloads) {
      const refused = await report(ada, run, payload)
      expect([refused.status, types(refused)]).toEqual([413, ['quota.storage']])
      expect(refused.json.errors[0]).toMatchObject({ left_bytes: 10, limit_bytes: QUOTA_BYTES })
    }
    expect(await objectsOf(run)).toEqual([])
    expect((await report(ada, run, { log_chunk: 'ten bytes\n' })).status).toBe(200)
    expect((await report(ada, run, {})).status).toBe(200)
    expect((await report(ada, run, { progress: { iteration: 5 } })).status).toBe(200)
    expect((await hub.call(ada, 'POST', `/v1/runs/${run}/cancel`)).status).toBe(202)
    const ended = await report(ada, run, { status: 'failed', error: 'No room.' })
    expect([ended.status, ended.json.status, ended.json.error]).toEqual([200, 'failed', 'No room.'])
    expect((await hub.call(ada, 'GET', `/v1/runs/${run}/logs/download`)).text).toContain('requested the run to stop')
  })

  it('of two reports that race for the last bytes, one gets them', async () => {
    const ada = await hub.person()
    const [one, two] = [await running(ada), await running(ada)]
    await fill(ada, 10)
    // No row keeps a NUL: it is an object.
    const race = await Promise.all([one, two].map((run) => report(ada, run, { log_chunk: 'ten bytes\0' })))
    expect(race.map(({ status }) => status).sort()).toEqual([200, 413])
    expect(await usedBy(ada)).toBe(QUOTA_BYTES)
    const kept = await Promise.all([one, two].map(objectsOf))
    expect(kept.flat()).toHaveLength(1)
  })

  it('hub runner keeps rejected payload, says so at the end of the log, and ends the run as its command ended', async () => {
    const ada = await hub.person()
    const made = await hub.call(ada, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] } })
    await fill(ada, 0)
    const script = join(base, 'train.mjs')
    await writeFile(
      script,
      `import { appendFileSync, writeFileSync } from 'node:fs'
      console.log('a line')
      writeFileSync('config.yaml', 'lr: 1\\n')
      writeFileSync('scorecard.json', '{"gates":[]}')
      appendFileSync('metrics.jsonl', '{"iteration":7,"reward":1}\\n')`,
    )
    const env = {
      PATH: process.env.PATH ?? '',
      HUB_URL: hub.running.url,
      HUB_TOKEN: await hub.key(ada, { scope: 'train' }),
      HOME: base,
    }
    const ended = await runCommandLine(
      (program, io) => registerRunnerCommand(program, io, { intervalMs: 100, graceMs: 500 }),
      ['runner', '--owner', ada.handle, '--once', '--json', '--name', 'box', '--command', `node ${script}`],
      env,
    )
    expect([ended.code, JSON.parse(ended.out)]).toEqual([0, { run: made.json.id, status: 'succeeded', error: null }])
    for (const what of ['dropped rejected log lines', 'dropped rejected metrics', 'config.yaml', 'scorecard'])
      expect(ended.err).toContain(what)
    const run = (await hub.call(ada, 'GET', `/v1/runs/${made.json.id}`)).json
    expect(run).toMatchObject({ status: 'succeeded', error: null, latest_metrics: null, progress: { iteration: 7 } })
    const log = (await hub.call(ada, 'GET', `/v1/runs/${made.json.id}/logs/download`)).text.trimEnd().split('\n')
    expect(log).toEqual([
      ...['Some log lines were', 'Some metrics were', 'config.yaml was', 'scorecard.json was'].map((what) =>
        expect.stringMatching(new RegExp(`^${what} not sent: .*storage`, 'i')),
      ),
      expect.stringMatching(/^The files are kept in .* of the machine that ran it\.$/),
    ])
    expect(await usedBy(ada)).toBe(QUOTA_BYTES)
  })
})
