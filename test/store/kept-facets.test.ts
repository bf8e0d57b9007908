/** Facets that are kept say what a count of all rows would, whatever was changed, and whatever a fold has taken. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { VisibleRepos, VisibleRuns } from '../../src/auth/policy.ts'
import { foldFacets } from '../../src/jobs/fold-facets.ts'
import type { AccountRef } from '../../src/operation/context.ts'
import { type FacetFilter, repoFacetStatement } from '../../src/repos/facets-sql.ts'
import { runFacetStatement } from '../../src/runs/read/facets-sql.ts'
import { orderedValues } from '../../src/store/statement.ts'
import { testDb } from '../support/database.ts'
import { blocksOf, plansOf, scansOf } from '../support/plans.ts'
import { makeWorld, type World } from '../support/world.ts'

const t = testDb()
let world: World
let ada: AccountRef
let bob: AccountRef
const fold = () => foldFacets(t, AbortSignal.timeout(60_000))

/** Repos from `first` on: each third is public and every other one Ada's; tag `common`, one of 7, and one of its own. */
const addRepos = (first: number, last: number) =>
  world.sql(
    `insert into repos (id, owner_id, slug, kind, visibility, tags, card_tags, card_labels)
      select 'repo_' || lpad(n::text, 26, '0'), case when n % 2 = 0 then $1 else $2 end, 'slug-' || n,
        (array['dataset','model','robot'])[1 + n % 3]::"RepoKind",
        case when n % 3 = 0 then 'public' else 'private' end::"Visibility",
        array['common', 'of-' || n % 7, 'own-' || n], array['of-' || n % 7, 'card'],
        case when n % 5 = 0 then array['license:mit', 'other'] else '{}' end
      from generate_series($3::int, $4::int) n`,
    [ada.id, bob.id, first, last],
  )

const addRuns = (first: number, last: number) =>
  world.sql(
    `insert into runs (id, kind, status, executor, owner_id, created_by, filed_by, template, robot, recipe, recipe_hash,
        gate_total, gate_passed)
      select 'run_' || lpad(n::text, 26, '0'), 'cloud', 'queued', 'worker', case when n % 2 = 0 then $1 else $2 end,
        case when n % 5 > 0 then $1 end, 'key_x', 'act', case when n % 3 = 0 then 'Arm' when n % 3 = 1 then 'arm' end,
        '{}', repeat('a', 64), case when n % 4 = 0 then 1 end, case when n % 4 = 0 then 1 end
      from generate_series($3::int, $4::int) n`,
    [ada.id, bob.id, first, last],
  )

beforeAll(async () => {
  world = await makeWorld({ db: t.db })
  ada = await world.user()
  bob = await world.user()
})
afterAll(() => world?.close())

const repoFacets = async (viewer: VisibleRepos, filter: FacetFilter) => {
  const { statement, values } = repoFacetStatement(viewer, filter)
  return (await t.db.query(statement, values))[0]
}

/** The same by a count of all rows. */
async function countedRepos({ accountIds, repoIds }: VisibleRepos, { kind, ownerId }: FacetFilter) {
  const seen = `select facet_tags(tags, card_tags) as tags, facet_licenses(card_labels) as licenses from repos r
    where (visibility = 'public' or owner_id = any($1) and ($2::text[] is null or id = any($2)))
      and ($3::text is null or kind::text = $3) and ($4::text is null or owner_id = $4)`
  const of = (words: string) => `(select coalesce(json_agg(b), '[]') from (select word as value, count(*) as count
    from seen, unnest(seen.${words}) word group by word order by count(*) desc, word collate "C" limit 100) b)`
  const rows = await world.sql(
    `with seen as (${seen}) select (select count(*)::int from seen) as total, ${of('tags')} as tags,
      ${of('licenses')} as licenses`,
    [accountIds, repoIds, kind ?? null, ownerId ?? null],
  )
  return rows[0]
}

async function expectRepoCounts(): Promise<void> {
  const few = ['repo_00000000000000000000000001', 'repo_00000000000000000000000004']
  for (const [accountIds, repoIds] of [
    [[], null],
    [[ada.id], null],
    [[ada.id, bob.id], null],
    [[bob.id], few],
  ] as const)
    for (const filter of [
      {},
      { kind: 'model' as const },
      { ownerId: ada.id },
      { kind: 'robot' as const, ownerId: bob.id },
    ])
      expect(await repoFacets({ accountIds, repoIds }, filter)).toEqual(
        await countedRepos({ accountIds, repoIds }, filter),
      )
}

/** Counts of the runs of all owners whom `viewer` sees, `facet value` in lower case. */
async function runFacets(viewer: VisibleRuns): Promise<Record<string, number>> {
  const rows = await t.db.query(runFacetStatement(viewer), viewer)
  const shown = rows.filter(({ value, facet }) => value !== null && (value !== '' || facet === 'total'))
  return Object.fromEntries(shown.map(({ facet, value, count }) => [`${facet} ${value?.toLowerCase()}`, count]))
}

async function countedRuns({ accountIds, userId }: VisibleRuns): Promise<Record<string, number>> {
  const rows = await world.sql<{ name: string; count: number }>(
    `select facet || ' ' || lower(value) as name, count(*)::int as count from runs, lateral (values ('total', ''),
        ('kind', kind::text), ('executor', executor::text), ('status', status::text), ('robot', robot),
        ('gated', (coalesce(gate_total, 0) > 0)::text)) v(facet, value)
      where value is not null and (owner_id = any($1) or created_by = $2) group by 1`,
    [accountIds, userId],
  )
  return Object.fromEntries(rows.map((row) => [row.name, row.count]))
}

async function expectRunCounts(): Promise<void> {
  for (const accountIds of [[ada.id], [ada.id, bob.id]]) {
    const viewer = { accountIds, userId: ada.id, repoIds: null, credentialId: null }
    expect(await runFacets(viewer)).toEqual(await countedRuns(viewer))
  }
}

describe('kept counts', () => {
  it('of repos are those of a count: as they are written, folded in part, and whole', async () => {
    await addRepos(1, 150)
    await expectRepoCounts()
    await fold()
    await expectRepoCounts()
    await addRepos(151, 200)
    await world.sql(`update repos set visibility = 'public' where substr(id, 6)::int % 10 = 1`)
    await world.sql(`update repos set tags = '{}' where visibility = 'public' and substr(id, 6)::int > 30`)
    await world.sql(`update repos set owner_id = $1 where substr(id, 6)::int between 40 and 60`, [bob.id])
    await world.sql(`update repos set card_labels = array['license:mit', 'license:other'] where owner_id = $1`, [
      ada.id,
    ])
    await expectRepoCounts()
    await Promise.all([fold(), fold()])
    await expectRepoCounts()
    await world.sql('delete from repos')
    await expectRepoCounts()
    await fold()
    expect(await world.sql('select * from repo_facets')).toEqual([])
  })

  it('of runs are those of a count: as they are written, folded in part, and whole', async () => {
    await addRuns(1, 100)
    await expectRunCounts()
    await fold()
    await addRuns(101, 150)
    await world.sql(`update runs set status = 'failed', finished_at = now() where substr(id, 5)::int % 3 = 0`)
    await world.sql(`update runs set gate_total = 2, gate_passed = 1 where substr(id, 5)::int % 7 = 0`)
    await world.sql(`update runs set robot = null where substr(id, 5)::int % 11 = 0`)
    await expectRunCounts()
    await Promise.all([fold(), fold()])
    await expectRunCounts()
    await world.sql('delete from runs')
    await expectRunCounts()
    await fold()
    expect(await world.sql('select * from run_facets')).toEqual([])
  })

  it('a change of what is not counted notes nothing, and a statement of equal rows one change', async () => {
    await addRuns(1, 1)
    await world.sql(`update runs set heartbeat_at = now(), gate_total = 0, gate_passed = 0, metrics_seq = 5`)
    expect(await world.sql('select n from run_facet_changes')).toEqual([{ n: 1 }])
    await world.sql(`insert into runs (id, kind, status, executor, owner_id, filed_by, template, recipe, recipe_hash)
      select 'run_' || n, 'cloud', 'queued', 'worker', '${bob.id}', 'key_x', 'act', '{}', repeat('a', 64) from generate_series(2, 50) n`)
    expect(await world.sql('select n from run_facet_changes order by n')).toEqual([{ n: 1 }, { n: 49 }])
    await world.sql('delete from runs')
    await fold()
  })

  it('a writer waits for no other of the same account', async () => {
    await addRepos(1, 2)
    await fold()
    const retag = (n: number) => ({ name: '', text: `update repos set tags = array['same'] where slug = 'slug-${n}'` })
    await t.db.withTx(async (tx) => {
      await tx.query(retag(1))
      await t.db.query({ name: '', text: `update repos set owner_id = '${ada.id}' where slug = 'slug-2'` })
      await t.db.query(retag(2))
      await fold()
    })
    await expectRepoCounts()
  })

  it('of public repos are read by as many rows as words are shown, however many repos there are', async () => {
    await addRepos(1001, 2000)
    await fold()
    await world.sql('analyze repo_facets, repo_facet_changes, repos')
    const { statement, values } = repoFacetStatement({ accountIds: [], repoIds: null }, {})
    for (const plan of await plansOf(t.db, statement.text, orderedValues(statement, values))) {
      expect(scansOf(plan, 'repos')).toEqual([])
      expect(blocksOf(plan)).toBeLessThan(1000)
    }
  })
})
