/** Contract, "The operator": room, jobs that failed, and findings. */
import { describe, expect, it } from 'vitest'
import { newestFailed } from '../../src/deployment/failed-jobs.ts'
import { FAILED_QUEUE } from '../../src/store/failed-queue.ts'
import { contractHub, type Json, newName, type Who } from '../support/hub.ts'
import { plansOf, scansOf } from '../support/plans.ts'
import { statementsOf } from '../support/request-statements.ts'

const hub = contractHub({}, { alone: true })
const operator = () => hub.running.operatorToken ?? ''
const typeOf = ({ errors }: Json) => errors?.[0]?.extensions.problem.type.split('/').at(-1)

const findings = (who: Who) => hub.graphql(who, '{ hubFindings { name status detail fix } }')
const storage = (who: Who) =>
  hub.graphql(who, '{ hubStorage { store freeBytes diskBytes databaseBytes doomedObjects doomedBytes quotaBytes } }')
const largest = (who: Who, variables: Json = {}) =>
  hub.graphql(
    who,
    `query ($first: Int, $after: String) { accountStorage(first: $first, after: $after) {
      nodes { account { handle } usedBytes reservedBytes } pageInfo { hasNextPage endCursor } } }`,
    variables,
  )
const failed = (who: Who) => hub.graphql(who, '{ failedJobs { id queue failedAt sentAt attempts error } }')
const retry = (who: Who, id: string) =>
  hub.graphql(who, 'mutation ($input: RetryFailedJobInput!) { retryFailedJob(input: $input) { id } }', {
    input: { id },
  })

it('is for the operator alone', async () => {
  const ada = await hub.person()
  for (const ask of [findings, storage, largest, failed, (who: Who) => retry(who, newName())])
    expect([typeOf(await ask(null)), typeOf(await ask(ada))]).toEqual(['auth.missing', 'forbidden.scope'])
})

describe('findings', () => {
  it('are those of the command, each with its fix, and made once for all who ask at once', async () => {
    const both = await Promise.all([findings(operator()), findings(operator())])
    const [{ data }] = both
    const byName = new Map(data.hubFindings.map((one) => [one.name, one]))
    for (const name of ['version', 'database', 'migrations', 'clock', 'queue', 'secret', 'object store', 'public url'])
      expect([name, byName.get(name)?.status]).toEqual([name, 'OK'])
    for (const { status, fix } of data.hubFindings) expect(fix === null).toBe(status === 'OK')
    expect(both[1].data).toEqual(data)
  })
})

describe('storage', () => {
  it('says what disk and database have, and what waits for its deletion', async () => {
    const { data } = await storage(operator())
    expect(data.hubStorage).toMatchObject({
      store: 'DISK',
      doomedObjects: 0,
      doomedBytes: 0,
      quotaBytes: 100 * 1024 ** 3,
    })
    expect(data.hubStorage.freeBytes).toBeGreaterThan(0)
    expect(data.hubStorage.diskBytes).toBeGreaterThan(data.hubStorage.freeBytes)
    expect(data.hubStorage.databaseBytes).toBeGreaterThan(1_000_000)
    const dooms = `insert into blobs (id, storage_key, size, claimed, state, doomed_at)
      select 'blob_' || n, 'blobs/' || n, 10, repeat('a', 64),
      'doomed', now() from generate_series(1, 3) n`
    await hub.sql(dooms)
    expect((await storage(operator())).data.hubStorage).toMatchObject({ doomedObjects: 3, doomedBytes: 30 })
    await hub.sql(`delete from blobs where id like 'blob_%'`)
    expect(await statementsOf(hub.running.deps.db, () => storage(operator()))).toBe(2)
  })

  it('of accounts is listed largest first, page by page, those with nothing left out', async () => {
    const people = []
    for (let at = 0; at < 4; at += 1) people.push(await hub.person())
    const bytes = [2 ** 40, 0, 2 ** 41, 2 ** 40]
    for (const [at, { id }] of people.entries())
      await hub.sql('update accounts set storage_bytes = $2, reserved_bytes = 7 where id = $1', [id, bytes[at]])
    const seen: Json[] = []
    for (let after: string | null = null; ; ) {
      const { nodes, pageInfo }: Json = (await largest(operator(), { first: 1, after })).data.accountStorage
      seen.push(...nodes)
      if (!pageInfo.hasNextPage) break
      after = pageInfo.endCursor
    }
    const [first, ...rest] = seen
    expect(first).toEqual({ account: { handle: people[2]?.handle }, usedBytes: 2 ** 41, reservedBytes: 7 })
    expect(rest.map(({ account }) => account.handle).toSorted()).toEqual(
      [people[0]?.handle, people[3]?.handle].toSorted(),
    )
    expect(await statementsOf(hub.running.deps.db, () => largest(operator()))).toBe(2)
  })
})

describe('a job that failed', () => {
  const put = async (queue: string, data: Json, error: Json) => {
    const [row] = await hub.sql<Json>(
      `insert into pgboss.job (name, data, output, source_name, source_id, source_created_on, source_retry_count,
        keep_until) values ($1, $2, $3, $4, gen_random_uuid(), now() - interval '1 hour', 2, now() + interval '1 day')
       returning id::text`,
      [FAILED_QUEUE, data, error, queue],
    )
    return row.id as string
  }

  it('comes to the list after its last attempt, in a line, and is sent again once, with its input', async () => {
    // The run is not there, so the job succeeds when it is sent again.
    const id = await put('run-purge', { runId: 'run_gone' }, { message: `no luck\n${'x'.repeat(400)}` })
    expect((await failed(operator())).data.failedJobs[0]).toMatchObject({
      id,
      queue: 'run-purge',
      attempts: 3,
      error: 'no luck',
    })
    const [one, other] = await Promise.all([retry(operator(), id), retry(operator(), id)])
    expect([typeOf(one), typeOf(other)].toSorted()).toEqual(['not_found', undefined])
    expect((await failed(operator())).data.failedJobs).toEqual([])
    const sent = () =>
      hub.sql<Json>(`select state::text as state, data from pgboss.job where name = 'run-purge' and data @> $1`, [
        { runId: 'run_gone' },
      ])
    await expect.poll(async () => (await sent()).map(({ state }) => state)).toEqual(['completed'])
    const [entry] = await hub.sql<Json>('select action, after from audit_log where target_id = $1', [id])
    expect(entry).toEqual({ action: 'job.retry', after: { job: 'run-purge' } })
  })

  it('is not waiting for anyone, and is not in a count of waiting jobs', async () => {
    const id = await put('blob-verify', { blobId: 'blob_x' }, { value: { message: 'job timed out' } })
    expect((await failed(operator())).data.failedJobs[0]).toMatchObject({ error: 'job timed out' })
    const text = await (await fetch(new URL('/metrics', hub.running.url))).text()
    expect(text).toContain('hub_background_jobs_waiting{queue="blob-verify"}')
    expect(text).not.toContain(`queue="${FAILED_QUEUE}"`)
    await hub.sql('delete from pgboss.job where id = $1', [id])
  })

  it('of a kind that this hub does not have stays, and what is not an id is a 404', async () => {
    const id = await put('long-gone', {}, {})
    for (const one of [id, 'x', "'", '00000000-0000-0000-0000-000000000000'])
      expect(typeOf(await retry(operator(), one))).toBe('not_found')
    expect((await failed(operator())).data.failedJobs.map((job) => job.id)).toEqual([id])
    await hub.sql('delete from pgboss.job where id = $1', [id])
  })

  it('is found along an index, without a sort', async () => {
    await hub.sql(
      `insert into pgboss.job (name, source_name, keep_until, created_on)
       select $1, 'run-purge', now() + interval '1 day', now() - make_interval(secs => n) from generate_series(1, 5000) n`,
      [FAILED_QUEUE],
    )
    await hub.sql('analyze pgboss.job_common')
    for (const plan of await plansOf(hub.running.deps.db, newestFailed.text, []))
      expect([scansOf(plan, 'job_common'), plan.map((node) => node['Node Type']).includes('Sort')]).toEqual([[], false])
    expect((await failed(operator())).data.failedJobs).toHaveLength(100)
    expect(await statementsOf(hub.running.deps.db, () => failed(operator()))).toBe(2)
    await hub.sql('delete from pgboss.job where name = $1', [FAILED_QUEUE])
  })
})
