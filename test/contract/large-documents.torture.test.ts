/** Lists whose rows hold documents of 64 KiB each: one statement reads 16 MiB of them, and names those that it left out. */
import { beforeAll, describe, expect, it } from 'vitest'
import { episodesOfSelections } from '../../src/files/episode-selections/selection-rows.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { HubError } from '../../src/platform/errors.ts'
import { conditionsOfRollouts } from '../../src/rollouts/list-rollouts.ts'
import { mediaOfRuns, valueOfMedia } from '../../src/runs/media/list-media.ts'
import { testDb } from '../support/database.ts'

const t = testDb()
/** Of 64,000 characters each: 19.2 MB. */
const ROWS = 300
/** As many as begin below 16 MiB. */
const READ = Math.ceil((16 * 1024 * 1024) / 64_000)

const id = (prefix: string, n: number) => `${prefix}_${String(n).padStart(26, '0')}`
const long = `repeat('1,', 32000)`
const ids = (prefix: string) => Array.from({ length: ROWS }, (_, at) => id(prefix, at + 1))
const idSql = (prefix: string) => `'${prefix}_' || lpad(n::text, 26, '0')`

beforeAll(async () => {
  const hex = (letter: string) => `repeat('${letter}', 64)`
  for (const text of [
    `insert into accounts (id, kind, handle) values ('user_1', 'user', 'eve')`,
    `insert into repos (id, owner_id, slug, kind, visibility) values
      ('${id('repo', 1)}', 'user_1', 'model', 'model', 'public'), ('${id('repo', 2)}', 'user_1', 'robot', 'robot', 'public')`,
    `insert into rollouts (id, model_repo_id, model_seq, model_commit, policy_path, policy_digest, robot_repo_id,
        robot_seq, robot_commit, task, conditions, fingerprint, first_seed, seeds, successes, lowest, highest,
        mean_return, mean_seconds, software, key, model_is_public, model_owner_id)
      select ${idSql('roll')}, '${id('repo', 1)}', 1, repeat('a', 40), 'p.onnx', ${hex('b')}, '${id('repo', 2)}', 1,
        repeat('c', 40), 't', ('{"x":[' || ${long} || '1]}')::json, ${hex('d')}, 0, 1, 1, 0, 1, 0, 0, '{}',
        lpad(to_hex(n), 64, '0'), true, 'user_1' from generate_series(1, ${ROWS}) n`,
    `insert into episode_selections (repo_id, name, seq, episodes, count, total, fingerprint)
      select '${id('repo', 1)}', lpad(n::text, 4, '0'), 1, ${long} || '1', 1, 1, ${hex('e')}
      from generate_series(1, ${ROWS}) n`,
    `insert into runs (id, kind, status, executor, owner_id, filed_by, template, recipe, recipe_hash, finished_at)
      select ${idSql('run')}, 'cloud', 'succeeded', 'worker', 'user_1', 'user_1', 'act', '{}', repeat('a', 64), now()
      from generate_series(1, 3) n`,
    `insert into run_media (run_id, key, step, index, kind, value, bytes)
      select 'run_' || lpad((1 + n % 3)::text, 26, '0'), 'k', n, 0, 'text', to_json(${long}), 64000
      from generate_series(1, ${ROWS}) n`,
  ])
    await t.db.query({ name: '', text })
})

/** Which of them are an error. */
const leftOut = (values: readonly unknown[]) => values.filter((value) => value instanceof HubError)

describe('of more documents than one statement reads, those beyond are 413', () => {
  it('conditions of results', async () => {
    const read = await conditionsOfRollouts({ deps: t } as unknown as RequestContext, ids('roll'))
    expect(read[0]).toMatchObject({ x: expect.any(Array) })
    expect(leftOut(read)).toHaveLength(ROWS - READ)
    expect(leftOut(read)[0]).toMatchObject({ type: 'too_large' })
  })

  it('episodes of selections', async () => {
    const names = Array.from({ length: ROWS }, (_, at) => String(at + 1).padStart(4, '0'))
    const asked = names.map((name) => ({ repoId: id('repo', 1), name }))
    const read = await episodesOfSelections({ deps: t } as unknown as RequestContext, asked)
    expect(read[0]).toHaveLength(64_001)
    expect(leftOut(read)).toHaveLength(ROWS - READ)
  })

  it('values of media, where they are selected', async () => {
    const ctx = { deps: t, viewer: { kind: 'anonymous' } } as unknown as RequestContext
    const page = { key: null, kind: null, step: null, limit: 100, after: null }
    const pages = await mediaOfRuns(ctx, { ...page, runIds: [1, 2, 3].map((n) => id('run', n)) })
    const entries = pages.flatMap(({ nodes }) => nodes)
    expect([entries.length, valueOfMedia(entries[0] as never)]).toEqual([ROWS, '1,'.repeat(32_000)])
    const thrown = entries.filter((entry) => {
      try {
        return valueOfMedia(entry) === null
      } catch (error) {
        return error instanceof HubError && error.type === 'too_large'
      }
    })
    expect(thrown).toHaveLength(ROWS - READ)
  })
})
