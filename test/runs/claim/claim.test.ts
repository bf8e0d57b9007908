import { newId } from '@hub/formats/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addApiKey } from '../../../src/accounts/api-keys.ts'
import { currentViewer } from '../../../src/auth/current-viewer.ts'
import { noViewer } from '../../../src/operation/audit.ts'
import type { AccountRef, Credentialed, RequestContext } from '../../../src/operation/context.ts'
import { claimNextRun } from '../../../src/runs/claim/claim-next-run.ts'
import { claimRun } from '../../../src/runs/claim/claim-run.ts'
import { cancelRun } from '../../../src/runs/end/cancel-run.ts'
import { sweepLeases } from '../../../src/runs/lease/sweep-leases.ts'
import { getRun } from '../../../src/runs/read/get-run.ts'
import { type Db, openDb } from '../../../src/store/db.ts'
import { type Events, openEvents } from '../../../src/store/events.ts'
import { testDb } from '../../support/database.ts'
import { putRun, type RunGiven } from '../../support/runs.ts'
import { makeWorld, type World } from '../../support/world.ts'

const t = testDb({ poolMax: 20 })
let world: World
/** A second hub on the same database. */
let otherDb: Db
let other: World
let owner: AccountRef
let ctx: RequestContext

beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  otherDb = openDb({ url: t.url, poolMax: 20 })
  other = await makeWorld({ db: otherDb })
  owner = await world.user()
  ctx = world.as(owner)
})
afterAll(async () => {
  await other?.close()
  await otherDb?.close()
  await world?.close()
})

const put = (given: Partial<RunGiven> = {}) => putRun(t.db, { ownerId: owner.id, ...given })
/** A hosted run that was given to a call with this key. */
const putHosted = ({ viewer }: RequestContext) =>
  put({ executor: 'hosted', hostedCallId: 'call_1', set: { hosted_credential: (viewer as Credentialed).credentialId } })
const keyOf = (account: AccountRef, change: Partial<Credentialed> = {}, at: World = world) =>
  at.as(account, { kind: 'key', credentialId: newId('key'), ...change })
/** A key that is there to be looked up again. */
async function keptKeyOf(account: AccountRef): Promise<RequestContext> {
  const input = { name: 'worker', scope: 'train' } as const
  const { id } = await t.db.withTx((tx) => addApiKey({ tx, ctx: noViewer, owner: account, createdBy: null, input }))
  const viewer = await currentViewer(t.db, keyOf(account, { credentialId: id }).viewer)
  if (!viewer) throw new Error('The key is not there.')
  return { ...world.as(account), viewer }
}
const attempts = (runId: string) =>
  world.sql<{ attempt: number; credential: string; end: string | null }>(
    'select attempt, credential, "end" from run_attempts where run_id = $1 order by attempt',
    [runId],
  )
const audits = async (runId: string) =>
  (await world.sql<{ action: string }>('select action from audit_log where target_id = $1 order by id', [runId])).map(
    ({ action }) => action,
  )
const notices = (runId: string) =>
  world.sql<{ stream: string; text: string }>(
    'select stream, text from run_log_chunks where run_id = $1 order by seq',
    [runId],
  )
const loseLease = (runId: string) =>
  world.sql(`update runs set lease_expires_at = now() - interval '1 ms' where id = $1`, [runId])

describe('a claim', () => {
  it('by 200 callers on 50 runs over two hubs claims each run once; the others get the holder', async () => {
    const ids = await Promise.all(Array.from({ length: 50 }, () => put()))
    const tries = Array.from({ length: 200 }, async (_, at) => {
      const [id = '', hub] = [ids[at % 50], at % 2 ? world : other]
      try {
        return { id, worker: (await claimRun(keyOf(owner, {}, hub), { runId: id, worker: `w${at}` })).claimedBy }
      } catch (error) {
        return { id, error: error as { type: string; message: string; items: { holder?: string }[] } }
      }
    })
    const ends = await Promise.all(tries)
    const won = ends.flatMap((end) => ('worker' in end ? [end] : []))
    expect(won.map(({ id }) => id).sort()).toEqual([...ids].sort())
    for (const end of ends) {
      if (!end.error) continue
      const holder = won.find(({ id }) => id === end.id)?.worker
      expect([end.error.type, end.error.items[0]?.holder]).toEqual(['conflict.already_claimed', holder])
      expect(end.error.message).toContain(`${holder} has held it since `)
    }
    for (const id of ids) {
      expect(await attempts(id)).toHaveLength(1)
      expect(await audits(id)).toEqual(['run.claim'])
    }
  })

  it('records the runner, the credential, the lease and the attempt, and starts the clock', async () => {
    const id = await put()
    const key = keyOf(owner)
    const run = await claimRun(key, { runId: id, worker: 'box 1' })
    expect(run).toMatchObject({ status: 'running', claimedBy: 'box 1', attempt: 1, finishedAt: null })
    expect(run.startedAt).toBe(run.claimedAt)
    expect(run.heartbeatAt).toBe(run.claimedAt)
    expect(Date.parse(run.leaseExpiresAt ?? '') - Date.parse(run.claimedAt ?? '')).toBe(300_000)
    expect(await attempts(id)).toEqual([
      { attempt: 1, credential: (key.viewer as Credentialed).credentialId, end: null },
    ])
    await expect(claimRun(key, { runId: id, worker: 'box 1' })).rejects.toMatchObject({
      type: 'conflict.already_claimed',
    })
  })

  it.each([
    [{ status: 'running' }, 'conflict.already_claimed'],
    [{ status: 'succeeded' }, 'conflict.terminal'],
    [{ status: 'failed' }, 'conflict.terminal'],
    [{ status: 'canceled' }, 'conflict.terminal'],
    [{ status: 'succeeded', kind: 'external' }, 'conflict.terminal'],
    [{ executor: 'hosted', hostedCallId: 'call_1' }, 'conflict.wrong_kind'],
    [{ executor: 'hosted', hostedCallId: null }, 'conflict.wrong_kind'],
  ] as const)('of %j is %s', async (given, type) => {
    await expect(claimRun(ctx, { runId: await put(given), worker: 'w' })).rejects.toMatchObject({ type })
  })

  it('requires a visible run, a train key, and access to the billed account', async () => {
    const [stranger, org] = [await world.user(), await world.org([])]
    const id = await put()
    const claim = (as: RequestContext, runId = id) => claimRun(as, { runId, worker: 'w' })
    await expect(claim(world.as(stranger))).rejects.toMatchObject({ type: 'not_found' })
    await expect(claim(ctx, newId('run'))).rejects.toMatchObject({ type: 'not_found' })
    await expect(claim(ctx, 'run_x')).rejects.toMatchObject({ type: 'not_found' })
    await expect(claim(keyOf(owner, { level: 'write' }))).rejects.toMatchObject({ type: 'forbidden.scope' })
    const left = await put({ ownerId: org.id, createdBy: owner.id })
    await expect(claim(ctx, left)).rejects.toMatchObject({ type: 'forbidden.scope' })
    expect((await getRun(ctx, id))?.status).toBe('queued')
  })

  it('of a hosted run requires the key of its current call', async () => {
    const key = keyOf(owner)
    const id = await putHosted(key)
    const claim = (hostedCallId: string | null, as = key) =>
      claimRun(as, { runId: id, worker: 'container', hostedCallId })
    for (const [call, as] of [
      ['call_2', key],
      [null, key],
      ['call_1', ctx],
      ['call_1', keyOf(owner)],
    ] as const)
      await expect(claim(call, as)).rejects.toMatchObject({ type: 'conflict.wrong_kind' })
    expect((await claim('call_1')).status).toBe('running')
  })

  it.each([
    [{ hostedCallId: 'call_1' }, ['hostedCallId']],
    [{ resumeStep: 0 }, ['resumeStep']],
    [{ hostedCallId: 'call_1', resumeStep: 10 }, ['hostedCallId', 'resumeStep']],
  ])('of a worker run with %j is 422 at each of them, and takes nothing', async (given, members) => {
    const id = await put()
    await expect(claimRun(ctx, { runId: id, worker: 'w', ...given })).rejects.toMatchObject({
      status: 422,
      items: members.map((member) => ({ type: 'validation.value', loc: [member] })),
    })
    expect(await getRun(ctx, id)).toMatchObject({ status: 'queued', attempt: 0 })
    expect((await claimRun(ctx, { runId: id, worker: 'w', hostedCallId: null, resumeStep: null })).status).toBe(
      'running',
    )
  })
})

describe('a hosted run that its own call re-claims', () => {
  const addMetrics = (runId: string, steps: readonly (number | null)[]) =>
    world.sql(
      `insert into run_metrics (run_id, seq, attempt, step, line) select $1, n, 1, step, json_build_object('at', n)
       from unnest($2::float8[]) with ordinality m(step, n)`,
      [runId, steps],
    )
  const shown = async (runId: string) =>
    (
      await world.sql<{ seq: number }>('select seq from run_metrics where run_id = $1 and not hidden order by seq', [
        runId,
      ])
    ).map(({ seq }) => seq)

  it('keeps its start and its bill, and loses the metrics past the step where it resumes', async () => {
    const key = keyOf(owner)
    const id = await putHosted(key)
    const first = await claimRun(key, { runId: id, worker: 'one', hostedCallId: 'call_1' })
    await addMetrics(id, [10, 20, null, 30, null])
    const repo = await world.repo(owner, { kind: 'model' })
    await world.upload(ctx, repo, 'checkpoints/step_0020/model.bin', Buffer.from('weights'))
    await world.sql('update runs set output_repo_id = $2, output_repo_name = $3 where id = $1', [
      id,
      repo.id,
      `${repo.owner}/${repo.repo}`,
    ])
    for (const resumeStep of [2, 200, 30])
      await expect(
        claimRun(key, { runId: id, worker: 'two', hostedCallId: 'call_1', resumeStep }),
      ).rejects.toMatchObject({
        items: [{ type: 'validation.value', loc: ['resumeStep'] }],
      })
    const curve = {
      metric: 'reward',
      points: [
        [10, 1],
        [20, 2],
        [30, 3],
      ],
      every: 1,
    }
    await world.sql(`update runs set reward_curve = $2, client_log_seq = 7 where id = $1`, [id, JSON.stringify(curve)])
    const again = await claimRun(key, { runId: id, worker: 'two', hostedCallId: 'call_1', resumeStep: 20 })
    expect(again).toMatchObject({
      status: 'running',
      claimedBy: 'two',
      attempt: 2,
      startedAt: first.startedAt,
      claimedAt: first.claimedAt,
    })
    expect(again.latestMetrics).toEqual({ at: 2 })
    expect(again.sparkline?.points).toEqual([
      [10, 1],
      [20, 2],
    ])
    expect(await shown(id)).toEqual([1, 2])
    expect(await attempts(id)).toMatchObject([{ end: 'reclaimed' }, { attempt: 2, end: null }])
    expect(await audits(id)).toEqual(['run.claim', 'run.reclaim'])
    const [row] = await world.sql<{ client_log_seq: number | null }>('select client_log_seq from runs where id = $1', [
      id,
    ])
    expect(row?.client_log_seq).toBeNull()
    await claimRun(key, { runId: id, worker: 'three', hostedCallId: 'call_1' })
    expect(await shown(id)).toEqual([])
  })

  it('rejects another call and another credential', async () => {
    const key = keyOf(owner)
    const id = await putHosted(key)
    await claimRun(key, { runId: id, worker: 'one', hostedCallId: 'call_1' })
    for (const [as, hostedCallId] of [
      [key, 'call_2'],
      [keyOf(owner), 'call_1'],
      [key, null],
    ] as const)
      await expect(claimRun(as, { runId: id, worker: 'w', hostedCallId })).rejects.toMatchObject({
        type: 'conflict.already_claimed',
      })
    expect((await getRun(ctx, id))?.attempt).toBe(1)
  })
})

describe('the next run', () => {
  it('is the oldest queued run of the accounts and repos that the key reaches', async () => {
    const [person, stranger] = [await world.user(), await world.user()]
    const org = await world.org([person])
    const repo = await world.repo(person)
    await put({ ownerId: person.id, executor: 'hosted' })
    await put({ ownerId: stranger.id })
    const elsewhere = await put({ ownerId: org.id, createdBy: null })
    const named = await put({ ownerId: person.id, repoIds: [repo.id] })
    const inBoth = { accountIds: [person.id, org.id] }
    const limited = keyOf(person, { ...inBoth, repoIds: [repo.id] })
    expect((await claimNextRun(limited, { worker: 'w' }))?.id).toBe(named)
    expect(await claimNextRun(limited, { worker: 'w' })).toBeNull()
    expect((await claimNextRun(keyOf(person, inBoth), { worker: 'w' }))?.id).toBe(elsewhere)
    expect(await claimNextRun(keyOf(person, inBoth), { worker: 'w' })).toBeNull()
    await expect(claimNextRun(keyOf(person, { level: 'write' }), { worker: 'w' })).rejects.toMatchObject({
      type: 'forbidden.scope',
    })
  })

  it('is a different one for each concurrent caller over two hubs, until none is left', async () => {
    const person = await world.user()
    const ids = await Promise.all(Array.from({ length: 30 }, () => put({ ownerId: person.id })))
    const taken: string[] = []
    const work = async (hub: World, worker: string) => {
      const key = keyOf(person, {}, hub)
      // A run that others lock at this moment is skipped, so an empty result may be premature: retry.
      for (let empty = 0; empty < 3; ) {
        const run = await claimNextRun(key, { worker })
        if (run) taken.push(run.id)
        else empty += 1
      }
    }
    await Promise.all(Array.from({ length: 16 }, (_, at) => work(at % 2 ? world : other, `w${at}`)))
    expect(taken.sort()).toEqual(ids.sort())
  })

  it('is waited for, and announced by another hub at once', async () => {
    const log = world.deps.log
    const [here, there] = [openEvents({ url: t.url, log }), openEvents({ url: t.url, log })]
    try {
      const person = await world.user()
      const run = await put({ ownerId: person.id, status: 'running' })
      await loseLease(run)
      const key = await keptKeyOf(person)
      const waiting = claimNextRun({ ...key, deps: { ...key.deps, events: here } }, { worker: 'patient', waitS: 20 })
      await listening(here, there)
      expect(await sweepLeases({ ...other.deps, events: there })).toBe(1)
      expect(await waiting).toMatchObject({ id: run, claimedBy: 'patient', attempt: 2 })
    } finally {
      await Promise.all([here.close(), there.close()])
    }
  })

  /** A hint from one reaches the other: both are connected. */
  async function listening(here: Events, there: Events): Promise<void> {
    const done = new AbortController()
    const again = setInterval(() => there.hint('probe'), 30)
    let seen = 0
    for await (const _hint of here.watch('probe', done.signal)) if (++seen === 2) break
    clearInterval(again)
    done.abort()
  }

  it('is null after the waiting time', async () => {
    const events = openEvents({ url: t.url, log: world.deps.log })
    const key = await keptKeyOf(await world.user())
    const started = performance.now()
    expect(await claimNextRun({ ...key, deps: { ...key.deps, events } }, { worker: 'w', waitS: 1 })).toBeNull()
    expect(performance.now() - started).toBeGreaterThan(900)
    await events.close()
  })
})

describe('a cancel', () => {
  it('ends a queued run at once: nothing is billed, nobody can claim it', async () => {
    const id = await put({ executor: 'hosted', hostedCallId: 'call_1' })
    const run = await cancelRun(ctx, { runId: id })
    expect(run).toMatchObject({ status: 'canceled', costUsd: 0, error: null })
    expect(run.finishedAt).toBe(run.cancelRequestedAt)
    expect(await notices(id)).toEqual([
      { stream: 'stderr', text: `The run was canceled by ${owner.handle} before a runner claimed it.\n` },
    ])
    expect(await audits(id)).toEqual(['run.cancel'])
    expect(await world.sql('select id from ledger where job_id = $1', [id])).toEqual([])
    await expect(claimRun(ctx, { runId: id, worker: 'w', hostedCallId: 'call_1' })).rejects.toMatchObject({
      type: 'conflict.terminal',
    })
  })

  it.each(['worker', 'hosted'] as const)(
    'asks a running %s run to stop, once, by anyone who sees it',
    async (executor) => {
      const org = await world.org([owner])
      const member = world.as(await world.user(), { accountIds: [org.id] })
      const id = await put({ ownerId: org.id, createdBy: null, status: 'running', executor })
      const run = await cancelRun(member, { runId: id })
      expect(run).toMatchObject({ status: 'running', finishedAt: null })
      expect(run.cancelRequestedAt).not.toBeNull()
      const again = await cancelRun(world.as(owner, { accountIds: [owner.id, org.id] }), { runId: id })
      expect(again.cancelRequestedAt).toBe(run.cancelRequestedAt)
      expect(await notices(id)).toHaveLength(1)
      expect(await audits(id)).toEqual(['run.cancel'])
    },
  )

  it('after a tripwire keeps the time of the first request, and records who else requested it', async () => {
    const id = await put({
      status: 'running',
      set: { cancel_requested_at: '2026-01-01T00:00:00Z', stop_reason: 'tripwire' },
    })
    expect(await cancelRun(ctx, { runId: id })).toMatchObject({ cancelRequestedAt: '2026-01-01T00:00:00.000Z' })
    expect(await audits(id)).toEqual(['run.cancel'])
  })

  it.each([
    [{ status: 'succeeded' }, 'conflict.terminal'],
    [{ status: 'failed' }, 'conflict.terminal'],
    [{ status: 'canceled' }, 'conflict.terminal'],
    [{ status: 'succeeded', kind: 'external' }, 'conflict.terminal'],
  ] as const)('of %j is %s', async (given, type) => {
    const id = await put(given)
    await expect(cancelRun(ctx, { runId: id })).rejects.toMatchObject({ type })
    expect(await notices(id)).toEqual([])
    expect(await audits(id)).toEqual([])
  })

  it('requires a visible run and a write key', async () => {
    const id = await put()
    await expect(cancelRun(world.as(await world.user()), { runId: id })).rejects.toMatchObject({ type: 'not_found' })
    await expect(cancelRun(keyOf(owner, { level: 'read' }), { runId: id })).rejects.toMatchObject({
      type: 'forbidden.scope',
    })
  })

  it('racing with a claim leaves one of two results, never both', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = await put()
      const [claim, cancel] = await Promise.allSettled([
        claimRun(keyOf(owner, {}, other), { runId: id, worker: 'w' }),
        cancelRun(ctx, { runId: id }),
      ])
      expect(cancel.status).toBe('fulfilled')
      const run = await getRun(ctx, id)
      if (claim.status === 'fulfilled') expect(run).toMatchObject({ status: 'running', claimedBy: 'w' })
      else expect(run).toMatchObject({ status: 'canceled', claimedBy: null })
      expect(run?.cancelRequestedAt).not.toBeNull()
    }
  })
})
