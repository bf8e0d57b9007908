/** Checks of data sets: asked for, taken by one worker for a lease, reported, started by commits (contract). */
import { beforeAll, describe, expect, it } from 'vitest'
import { fileDatasetChecks } from '../../src/checks/datasets/file-checks.ts'
import { contractHub, type Json, type Person, types } from '../support/hub.ts'
import { aReport, datasetInfo } from './support/dataset-reports.ts'

const hub = contractHub({ DATASET_CHECK_DAILY_QUOTA: '2' })
let ada: Person
let key: string

beforeAll(async () => {
  ada = await hub.person()
  key = await hub.key(ada)
})

async function dataset(files: Record<string, string> = { 'meta/info.json': datasetInfo }): Promise<string> {
  const repo = await hub.repo(ada)
  await hub.upload(ada, repo, files)
  return repo
}
const pathOf = (repo: string) => `/v1/repos/${repo}/dataset-check`
const read = async (repo: string) => (await hub.call(ada, 'GET', pathOf(repo))).json
const ask = (repo: string) => hub.call(ada, 'POST', pathOf(repo))
const claim = async (worker = 'w', who: string | Person = key) =>
  (await hub.call(who, 'POST', '/v1/dataset-checks/claim-next', { worker })).json
const report = (repo: string, body: Json, who: string | Person = key) =>
  hub.call(who, 'POST', `${pathOf(repo)}/report`, body)
const expire = (repo: string) =>
  hub.sql(
    `update dataset_checks set lease_expires_at = now() - interval '1 second'
     where repo_id = (select id from repos where slug = $1) returning repo_id`,
    [repo.split('/')[1]],
  )
const commit = (repo: string) => hub.upload(ada, repo, { 'meta/info.json': `${datasetInfo} ` })

describe('the check of a data set', () => {
  it('is asked for, taken once, reported, and stands with its findings in both APIs', async () => {
    const repo = await dataset()
    expect((await hub.call(ada, 'GET', pathOf(repo))).status).toBe(404)
    const asked = await ask(repo)
    expect([asked.status, asked.json]).toMatchObject([202, { repo, status: 'queued', cause: 'person', attempt: 0 }])
    expect(asked.json.requester.handle).toBe(ada.handle)
    const claims = await Promise.all([claim('a'), claim('b', ada), claim('c')])
    const [mine] = claims.filter((one) => one?.repo === repo)
    expect(claims.filter((one) => one !== null && one !== undefined)).toHaveLength(1)
    const who = mine.worker === 'b' ? ada : key
    const told = await report(repo, { attempt: 1, episodes_done: 2, episodes_total: 3 }, who)
    expect(told.json).toMatchObject({ status: 'running', episodes_done: 2, episodes_total: 3 })
    const end = { attempt: 1, status: 'succeeded', report: aReport }
    expect((await report(repo, end, who)).json).toMatchObject({ status: 'succeeded', report_seq: mine.seq })
    expect(await read(repo)).toMatchObject({ is_outdated: false, error: null, report: aReport })
    const { data } = await hub.graphql(
      ada,
      `query($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) { datasetCheck { isOutdated
        report { errors findings { code episode frame joint } summary { joints { place counts } } } } } }`,
      { owner: repo.split('/')[0], slug: repo.split('/')[1] },
    )
    expect(data.repo.datasetCheck.report).toMatchObject({
      errors: 1,
      findings: [{ code: 'joint_limit', episode: 2, frame: 7, joint: 'elbow' }, { joint: 'wrist' }],
    })
    await commit(repo)
    expect(await read(repo)).toMatchObject({ is_outdated: true, report: { errors: 1 } })
  })

  it('is refused for what is not a data set of LeRobot', async () => {
    const model = await hub.repo(ada, { kind: 'model' })
    for (const repo of [model, await dataset({ 'a.txt': 'a' })]) {
      const refused = await ask(repo)
      expect([refused.status, types(refused)]).toEqual([409, ['conflict.wrong_kind']])
    }
  })

  it('goes to another worker when one is lost; the lost one is refused, and the third loss ends it', async () => {
    const repo = await dataset()
    await ask(repo)
    expect((await claim('first')).attempt).toBe(1)
    expect(await claim('early')).toBeNull()
    await expire(repo)
    expect(await claim('second')).toMatchObject({ repo, attempt: 2, worker: 'second' })
    const late = await report(repo, { attempt: 1, status: 'succeeded', report: aReport })
    expect([late.status, types(late)]).toEqual([409, ['conflict.not_claimer']])
    expect(late.json.detail).toContain('second')
    expect((await report(repo, { attempt: 2 }, ada)).status).toBe(409)
    await expire(repo)
    expect(await claim('third')).toMatchObject({ attempt: 3 })
    await expire(repo)
    expect(await claim('fourth')).toBeNull()
    await fileDatasetChecks(hub.running.deps)
    expect(await read(repo)).toMatchObject({ status: 'failed', error: expect.stringContaining('3 times') })
    await ask(repo)
    expect(await claim('fifth')).toMatchObject({ attempt: 4, status: 'running' })
    const failed = await report(repo, { attempt: 4, status: 'failed', error: 'no such file' })
    expect(failed.json).toMatchObject({ status: 'failed', error: 'no such file' })
  })

  it('goes with its repo to another account, whose workers take it', async () => {
    const repo = await dataset()
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    await ask(repo)
    const moved = await hub.call(ada, 'POST', `/v1/repos/${repo}/move`, { owner: org })
    expect(moved.status).toBe(200)
    const next = (owner: string) =>
      hub.call(ada, 'POST', '/v1/dataset-checks/claim-next', { worker: 'w', owner }).then(({ json }) => json)
    expect(await next(ada.handle)).toBeNull()
    expect(await next(org)).toMatchObject({ repo: moved.json.full_name, attempt: 1 })
  })

  it('takes a report whole or not at all', async () => {
    const repo = await dataset()
    await ask(repo)
    const { attempt } = await claim()
    const [finding] = aReport.findings
    for (const [body, status] of [
      [{ attempt, status: 'succeeded' }, 422],
      [{ attempt, report: aReport }, 422],
      [{ attempt, status: 'succeeded', report: { ...aReport, findings: [{ ...finding, severity: 'bad' }] } }, 422],
      [{ attempt, status: 'succeeded', report: { ...aReport, more: 'x'.repeat(1024 * 1024) } }, 413],
    ] as const)
      expect((await report(repo, body)).status).toBe(status)
    expect(await read(repo)).toMatchObject({ status: 'running', report: null })
    await report(repo, { attempt, status: 'succeeded', report: aReport })
  })
})

describe('a commit that brings meta/info.json', () => {
  /** An hour later, for the check and for what waits for it. */
  const again = (repo: string) =>
    hub.sql(
      `with later as (update dataset_meta set check_due_at = check_due_at - interval '1 hour'
         where repo_id = (select id from repos where slug = $1))
       update dataset_checks set requested_at = now() - interval '1 hour'
       where repo_id = (select id from repos where slug = $1) returning repo_id`,
      [repo.split('/')[1]],
    )
  const dueAt = async (repo: string) => {
    const [row] = await hub.sql<{ due: string | null }>(
      'select check_due_at as due from dataset_meta where repo_id = (select id from repos where slug = $1)',
      [repo.split('/')[1]],
    )
    return row?.due ?? null
  }
  const file = () => fileDatasetChecks(hub.running.deps)

  it('begins a check of the newest files, once more if they change while it runs', async () => {
    const eve = await hub.person()
    const repo = await hub.repo(eve)
    const [claimEve, readEve] = [() => claim('w', eve), async () => (await hub.call(eve, 'GET', pathOf(repo))).json]
    const put = (text: string) => hub.upload(eve, repo, { 'meta/info.json': text })
    await put(datasetInfo)
    await file()
    expect(await readEve()).toMatchObject({ status: 'queued', cause: 'commit', requester: null })
    await put(`${datasetInfo} `)
    const { attempt, seq } = await claimEve()
    await put(`${datasetInfo}  `)
    await file()
    expect((await report(repo, { attempt, status: 'succeeded', report: aReport }, eve)).json.status).toBe('succeeded')
    expect(await readEve()).toMatchObject({ report_seq: seq, is_outdated: true })
    // A repo that changes often waits ten minutes.
    await file()
    expect((await readEve()).status).toBe('succeeded')
    expect(await dueAt(repo)).not.toBeNull()
    await again(repo)
    await file()
    expect(await readEve()).toMatchObject({ status: 'queued', report_seq: seq })
    await claimEve()
    await put(`${datasetInfo}   `)
    await hub.call(eve, 'POST', pathOf(repo))
    const told = await report(repo, { attempt: attempt + 1, status: 'succeeded', report: aReport }, eve)
    expect(told.json).toMatchObject({ status: 'queued', report_seq: seq + 1, is_outdated: true })
    expect(await claimEve()).toMatchObject({ seq: seq + 2, attempt: attempt + 2 })
  })

  it('is looked at once, and again for each commit that follows it within a day', async () => {
    const zoe = await hub.person()
    const repo = await hub.repo(zoe)
    const put = (files: Record<string, string>) => hub.upload(zoe, repo, files)
    const seqOf = async () => (await hub.call(zoe, 'GET', pathOf(repo))).json.seq
    await put({ 'meta/info.json': datasetInfo })
    expect(await dueAt(repo)).not.toBeNull()
    await file()
    expect(await dueAt(repo)).toBeNull()
    const seq = await seqOf()
    await put({ 'data/later.parquet': 'later' })
    expect(await dueAt(repo)).not.toBeNull()
    await file()
    // The check that waits is of the newest files.
    expect([await dueAt(repo), await seqOf()]).toEqual([null, seq + 1])
    await hub.sql(
      `update dataset_meta set updated_at = now() - interval '26 hours' where repo_id =
        (select id from repos where slug = $1) returning repo_id`,
      [repo.split('/')[1]],
    )
    await put({ 'data/last.parquet': 'last' })
    expect([await dueAt(repo), await seqOf()]).toEqual([null, seq + 1])
  })

  it('keeps its mark while a claim that may have read older files is open', async () => {
    const kim = await hub.person()
    const repo = await hub.repo(kim)
    const put = (text: string) => hub.upload(kim, repo, { 'meta/info.json': text })
    await put(datasetInfo)
    await file()
    const slug = repo.split('/')[1]
    const claimed = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const open = hub.running.deps.db.withTx(async (tx) => {
      await tx.execute(`update dataset_checks set status = 'running', claim_credential = 'key_x',
        lease_expires_at = now() + interval '1 minute' where repo_id = (select id from repos where slug = '${slug}')`)
      claimed.resolve()
      await mayEnd.promise
    })
    await claimed.promise
    await put(`${datasetInfo} `)
    const looked = file()
    await expect
      .poll(() =>
        hub.sql(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
      )
      .toHaveLength(1)
    mayEnd.resolve()
    await Promise.all([open, looked])
    expect(await dueAt(repo)).not.toBeNull()
    await again(repo)
    await file()
    const [row] = await hub.sql(`select again from dataset_checks d join repos r on r.id = d.repo_id where slug = $1`, [
      slug,
    ])
    expect([row, await dueAt(repo)]).toEqual([{ again: true }, null])
  })

  it('waits for no mark and no repo that others hold, and looks at them later', async () => {
    const tom = await hub.person()
    const repos = await Promise.all([1, 2, 3].map(() => hub.repo(tom)))
    for (const repo of repos) await hub.upload(tom, repo, { 'meta/info.json': datasetInfo })
    const [marked, moved] = repos.map((repo) => repo.split('/')[1])
    const statuses = () => Promise.all(repos.map(async (repo) => (await hub.call(tom, 'GET', pathOf(repo))).status))
    await hub.running.deps.db.withTx(async (tx) => {
      await tx.execute(
        `select 1 from dataset_meta where repo_id = (select id from repos where slug = '${marked}') for update`,
      )
      await tx.execute(`select 1 from repos where slug = '${moved}' for update`)
      await file()
    })
    expect(await statuses()).toEqual([404, 404, 200])
    await file()
    expect((await statuses()).filter((status) => status === 200)).toHaveLength(2)
  })

  it('has no mark locked while a restoration waits for its account', async () => {
    const uma = await hub.person()
    const repo = await hub.repo(uma)
    for (const text of [datasetInfo, `${datasetInfo} `]) await hub.upload(uma, repo, { 'meta/info.json': text })
    const waiting = () =>
      hub.sql(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
    const restored = await hub.running.deps.db.withTx(async (tx) => {
      await tx.execute(`select 1 from accounts where handle = '${uma.handle}' for no key update`)
      const answer = hub.call(uma, 'POST', `/v1/repos/${repo}/restore`, { at: '1' })
      await expect.poll(waiting).toHaveLength(1)
      const free = `select 1 from dataset_meta where repo_id = (select id from repos where slug = $1)
        for update skip locked`
      expect(await hub.sql(free, [repo.split('/')[1]])).toHaveLength(1)
      return { answer }
    })
    expect((await restored.answer).status).toBe(200)
  })

  it('begins as many checks of an account as the setting says, and none of what is not a data set', async () => {
    const bob = await hub.person()
    const repos: string[] = []
    for (let at = 0; at < 3; at += 1) {
      const repo = await hub.repo(bob)
      await hub.upload(bob, repo, { 'meta/info.json': datasetInfo })
      repos.push(repo)
    }
    const other = await hub.repo(bob)
    await hub.upload(bob, other, { 'meta/info.json': '{}' })
    await file()
    await file()
    const states = await Promise.all(
      [...repos, other].map(async (repo) => (await hub.call(bob, 'GET', pathOf(repo))).status),
    )
    expect(states).toEqual([200, 200, 404, 404])
    expect(await Promise.all(repos.map(async (repo) => (await dueAt(repo)) === null))).toEqual([true, true, false])
    // People ask as often as they like.
    expect((await hub.call(bob, 'POST', pathOf(repos[2] ?? ''))).status).toBe(202)
  })
})
