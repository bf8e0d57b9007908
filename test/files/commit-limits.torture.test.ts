/** The bounds of one commit that no count of its operations shows. */
import { expect, it } from 'vitest'
import { checkOperations, targetsOf } from '../../src/files/commit/commit-input.ts'
import { atOnce } from '../../src/platform/slices.ts'
import { contractHub } from '../support/hub.ts'

const hub = contractHub({ RATE_LIMIT_PER_MINUTE: '0' })

const MOST_REMOVED = 200_000
const MOST_CHARACTERS = 32 * 1024 * 1024

it('removes at most 200,000 files, however few folders they are in', async () => {
  const person = await hub.person()
  const name = await hub.repo(person)
  await hub.upload(person, name, { first: 'bytes' })
  const ofRepo = `select f.repo_id, f.blob_id from files f join repos r on r.id = f.repo_id
    join accounts o on o.id = r.owner_id where o.handle || '/' || r.slug = $1 and f.path = 'first'`
  await hub.sql(
    `insert into files (repo_id, from_seq, path, blob_id)
     select f.repo_id, 1, case when n % 2 = 0 then 'a/' else 'b/' end || n, f.blob_id
     from (${ofRepo}) f, generate_series(1, $2) n`,
    [name, MOST_REMOVED + 1],
  )
  const removed = () => hub.call(person, 'POST', `/v1/repos/${name}/commits`, { delete: ['a/', 'b/'] })
  const refused = await removed()
  expect([refused.status, refused.json.type, refused.json.limit]).toEqual([413, '/problems/too_large', MOST_REMOVED])
  // Of one folder it has half.
  expect((await hub.call(person, 'POST', `/v1/repos/${name}/commits`, { delete: ['a/', 'c/'] })).status).toBe(404)
})

it('has folders of at most 32 Mi characters, each written out from the root', () => {
  // The folders above a path of 500 levels of one letter, after a first one of five.
  const level = (at: number) => `${at}`.padStart(5, '0') + '/a'.repeat(499)
  const characters = Array.from({ length: 500 }, (_, above) => 5 + 2 * above).reduce((sum, length) => sum + length, 0)
  const most = Math.floor(MOST_CHARACTERS / characters)
  const check = (count: number) => {
    const add = Array.from({ length: count }, (_, at) => ({ path: `${level(at)}/file`, sha256: 'a'.repeat(64) }))
    const input = { owner: 'a', repo: 'b', add }
    return () => atOnce(checkOperations(input, targetsOf(input)))
  }
  expect(check(most)).not.toThrow()
  expect(check(most + 1)).toThrow(
    expect.objectContaining({ type: 'too_large', facts: { limit: MOST_CHARACTERS, used: null } }),
  )
})
