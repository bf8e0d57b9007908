/** What keeps a repo from being deleted. Contract, "Deleting a repo" and "Deleting a repo". */

import { newId } from '@hub/formats/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AccountRef, Credentialed, RequestContext } from '../../src/operation/context.ts'
import { HubError } from '../../src/platform/errors.ts'
import { deleteRepo } from '../../src/repos/delete-repo.ts'
import { lockRepo } from '../../src/repos/get-repo.ts'
import { addReferences, dropReferences, type Referrer, replaceReference } from '../../src/repos/references.ts'
import type { RepoReferrer, RepoReferrers } from '../../src/repos/referrers.ts'
import { createRun } from '../../src/runs/create/create-run.ts'
import { importRun } from '../../src/runs/create/import-run.ts'
import { reportRun } from '../../src/runs/report/report-run.ts'
import { testDb } from '../support/database.ts'
import { putRun } from '../support/runs.ts'
import { makeWorld, type World, type WorldRepo } from '../support/world.ts'

const t = testDb({ poolMax: 20 })
let world: World
let ada: AccountRef
let mallory: AccountRef
let ctx: RequestContext

beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  ada = await world.user()
  mallory = await world.user()
  ctx = world.as(ada)
})
afterAll(() => world?.close())

const nameOf = ({ owner, repo }: WorldRepo) => `${owner}/${repo}`
const rowsOf = ({ id }: WorldRepo) =>
  world.sql('select referrer_id, referrer_kind, owner_id, reason from repo_references where repo_id = $1', [id])
const isThere = async ({ id }: WorldRepo) => (await world.sql('select 1 from repos where id = $1', [id])).length === 1
const refusal = async (work: Promise<unknown>): Promise<HubError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof HubError)) throw new Error(`It was not refused: ${String(error)}`)
  return error
}
const credentialOf = ({ viewer }: RequestContext) => (viewer as Credentialed).credentialId
const runNaming = (who: RequestContext, recipe: object) => createRun(who, { recipe: { template: 'act', ...recipe } })

it('a run waits for a commit to its data set, so that what it pins is live when it is there', async () => {
  const repo = await world.repo(ada)
  let run: Promise<unknown> = Promise.resolve()
  await t.db.withTx(async (tx) => {
    await lockRepo(tx, repo.id)
    run = runNaming(ctx, { dataset: [`svc://${nameOf(repo)}`] })
    const waiting = () =>
      world.sql(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    await expect.poll(async () => (await waiting()).length).toBe(1)
    expect(await rowsOf(repo)).toEqual([])
  })
  await run
  expect(await rowsOf(repo)).toHaveLength(1)
})

describe('each way to refer to a repo', () => {
  const ways: readonly [string, (ctx: RequestContext) => Promise<{ repo: WorldRepo; referrer: string }>][] = [
    [
      'dataset',
      async (who) => {
        const repo = await world.repo(ada)
        return { repo, referrer: (await runNaming(who, { dataset: [`svc://${nameOf(repo)}`] })).id }
      },
    ],
    [
      'robot',
      async (who) => {
        const repo = await world.repo(ada, { kind: 'robot' })
        return { repo, referrer: (await runNaming(who, { dataset: [], robot: nameOf(repo) })).id }
      },
    ],
    [
      'dataset',
      async (who) => {
        const repo = await world.repo(ada)
        const artifacts = { configYaml: 'a: 1', metricsSummary: '{}' }
        return { repo, referrer: (await importRun(who, { artifacts, dataset: [`svc://${nameOf(repo)}`] })).id }
      },
    ],
    [
      'output',
      async (who) => {
        const repo = await world.repo(ada, { kind: 'model' })
        const referrer = await putRun(t.db, { ownerId: ada.id, status: 'running', claimCredential: credentialOf(who) })
        await reportRun(who, { runId: referrer, outputModelRepo: nameOf(repo) })
        return { repo, referrer }
      },
    ],
  ]

  it.each(ways)('as %s is one row with the account that is billed, and keeps the repo', async (reason, refer) => {
    const { repo, referrer } = await refer(ctx)
    expect(await rowsOf(repo)).toEqual([{ referrer_id: referrer, referrer_kind: 'run', owner_id: ada.id, reason }])
    const refused = await refusal(deleteRepo(ctx, repo))
    expect([refused.type, refused.message]).toEqual([
      'conflict.referenced',
      `${nameOf(repo)} is still referenced and cannot be deleted. Delete the runs first.`,
    ])
    expect(refused.items).toEqual([
      { type: 'conflict.referenced', detail: `${referrer} references it (${reason}).`, referrer },
    ])
    await dropReferences(t.db, referrer)
    await deleteRepo(ctx, repo)
    expect(await isThere(repo)).toBe(false)
  })

  it('as output is one at a time: another repo takes the place of the first', async () => {
    const [one, two] = [await world.repo(ada, { kind: 'model' }), await world.repo(ada, { kind: 'model' })]
    const run: Referrer = { id: newId('run'), kind: 'run', ownerId: ada.id }
    for (const { id } of [one, two, two]) await replaceReference(t.db, run, { repoId: id, reason: 'output' })
    expect([(await rowsOf(one)).length, (await rowsOf(two)).length]).toEqual([0, 1])
  })
})

/** A second kind of job next to runs, as a later subject registers it. */
function withChecks(forgetRepo: RepoReferrer['forgetRepo']): RequestContext {
  const check: RepoReferrer = {
    singular: 'a check',
    plural: 'Checks',
    remedy: 'Cancel the checks, or wait until they have ended.',
    forgetRepo,
  }
  return { ...ctx, deps: { ...ctx.deps, repoReferrers: { ...ctx.deps.repoReferrers, check } as RepoReferrers } }
}
const checkOf = (account: AccountRef): Referrer => ({
  id: newId('run'),
  kind: 'check' as keyof RepoReferrers,
  ownerId: account.id,
})

describe('jobs of any kind', () => {
  it('keep a repo together, and the refusal says what to do about each kind', async () => {
    const repo = await world.repo(ada)
    const check = checkOf(ada)
    await addReferences(t.db, check, [{ repoId: repo.id, reason: 'check' }])
    await runNaming(ctx, { dataset: [`svc://${nameOf(repo)}`] })
    const refused = await refusal(
      deleteRepo(
        withChecks(async () => undefined),
        repo,
      ),
    )
    expect(refused.items.length).toBe(2)
    expect(refused.message).toContain('Cancel the checks, or wait until they have ended.')
    expect(refused.message).toContain('Delete the runs first.')
  })

  it('of strangers keep a public repo and no private one: it goes, and each kind forgets it', async () => {
    const repo = await world.repo(ada, { visibility: 'public' })
    const forgotten: string[] = []
    const deleter = withChecks(async (_tx, repoId) => void forgotten.push(repoId))
    const check = checkOf(mallory)
    await addReferences(t.db, check, [{ repoId: repo.id, reason: 'check' }])
    const run = await runNaming(world.as(mallory), { dataset: [`svc://${nameOf(repo)}`] })
    const refused = await refusal(deleteRepo(deleter, repo))
    expect(refused.message).toContain('of other accounts reference it because they can see it: make it private first.')
    expect(refused.items.map(({ detail }) => detail).sort()).toEqual(
      [
        `${check.id} references it (check; a check of another account).`,
        `${run.id} references it (dataset; a run of another account).`,
      ].sort(),
    )
    expect(forgotten).toEqual([])
    await world.sql(`update repos set visibility = 'private' where id = $1`, [repo.id])
    await deleteRepo(deleter, repo)
    expect([await isThere(repo), await rowsOf(repo), forgotten]).toEqual([false, [], [repo.id]])
    expect(await world.sql('select ref, repo_id, seq from run_datasets where run_id = $1', [run.id])).toEqual([
      { ref: `svc://${nameOf(repo)}`, repo_id: null, seq: null },
    ])
  })

  it('keep it whole where a kind fails to forget it', async () => {
    const repo = await world.repo(ada)
    await addReferences(t.db, checkOf(mallory), [{ repoId: repo.id, reason: 'check' }])
    const deleter = withChecks(async () => {
      throw new Error('a row is in the way')
    })
    await expect(deleteRepo(deleter, repo)).rejects.toThrow('a row is in the way')
    expect([await isThere(repo), (await rowsOf(repo)).length]).toEqual([true, 1])
  })
})

describe('a repo that is deleted while', () => {
  const settled = async (work: readonly Promise<unknown>[]) =>
    (await Promise.allSettled(work)).map((end) => (end.status === 'fulfilled' ? null : end.reason))

  it('a run that names it is made is either kept by the run or gone for it', async () => {
    for (let round = 0; round < 25; round += 1) {
      const repo = await world.repo(ada)
      const make = () => runNaming(ctx, { dataset: [`svc://${nameOf(repo)}`] })
      const remove = () => deleteRepo(ctx, repo)
      const [first, second] = await settled(round % 2 ? [make(), remove()] : [remove(), make()])
      const [made, deleted] = round % 2 ? [first, second] : [second, first]
      expect(made).toBeNull()
      const pins = await world.sql('select repo_id from run_datasets where ref = $1', [`svc://${nameOf(repo)}`])
      if (deleted === null) expect([await isThere(repo), pins]).toEqual([false, [{ repo_id: null }]])
      else {
        expect(deleted).toMatchObject({ type: 'conflict.referenced' })
        expect([await isThere(repo), (await rowsOf(repo)).length, pins]).toEqual([true, 1, [{ repo_id: repo.id }]])
      }
    }
  })

  it('a report names it as output is either kept by the run, or the report is refused whole', async () => {
    for (let round = 0; round < 25; round += 1) {
      const repo = await world.repo(ada, { kind: 'model' })
      const runId = await putRun(t.db, { ownerId: ada.id, status: 'running', claimCredential: credentialOf(ctx) })
      const report = () => reportRun(ctx, { runId, outputModelRepo: nameOf(repo) })
      const remove = () => deleteRepo(ctx, repo)
      const [first, second] = await settled(round % 2 ? [report(), remove()] : [remove(), report()])
      const [reported, deleted] = round % 2 ? [first, second] : [second, first]
      const output = (await world.sql('select output_repo_id from runs where id = $1', [runId]))[0]
      if (deleted === null) {
        expect(reported).toMatchObject({ type: 'validation.value' })
        expect([await isThere(repo), output]).toEqual([false, { output_repo_id: null }])
      } else {
        expect([deleted.type, reported]).toEqual(['conflict.referenced', null])
        expect([(await rowsOf(repo)).length, output]).toEqual([1, { output_repo_id: repo.id }])
      }
    }
  })
})
