import { expect, it } from 'vitest'
import { repoFacetStatement } from '../../src/repos/facets-sql.ts'
import { type RepoFilter, repoPageStatement } from '../../src/repos/list-sql.ts'
import { orderedValues } from '../../src/store/statement.ts'

const viewer = { accountIds: ['user_zq'], repoIds: ['repo_zq'] }
const filter: RepoFilter = { q: "zq'%", ownerId: 'user_zq', tag: ['zq'], robot: 'ZQ', interfaceFingerprint: 'zq' }

it('what a request asks for is never part of the text, and all of it is among the values', () => {
  const page = repoPageStatement(viewer, {
    filter,
    sort: 'updated',
    after: ['zq-time', 'repo_zq'],
    limit: 7,
    cards: true,
  })
  expect(page.statement.text).not.toMatch(/zq/i)
  expect(orderedValues(page.statement, page.values)).toEqual([
    ['user_zq'],
    ['repo_zq'],
    'user_zq',
    "***=zq'%",
    ['zq'],
    'zq',
    'zq',
    'zq-time',
    'repo_zq',
    7,
  ])
  const facets = repoFacetStatement(viewer, filter)
  expect(facets.statement.text).not.toMatch(/zq/i)
  expect(orderedValues(facets.statement, facets.values)).toEqual([['user_zq'], ['repo_zq'], 'user_zq', 'zq'])
})

it('shapes that are asked for all the time are put together once, and searches are not prepared', () => {
  const ask = (asked: RepoFilter) =>
    repoPageStatement(viewer, { filter: asked, sort: 'created', after: null, limit: 7, cards: true }).statement
  expect(ask({ kind: 'model' })).toBe(ask({ kind: 'model' }))
  expect(ask({ kind: 'model' })).not.toBe(ask({ kind: 'robot' }))
  expect(ask({ q: 'arm' }).name).toBe('')
})

it('a plain page computes nothing for a row, and is a statement of its own', () => {
  const query = { filter: {}, sort: 'created', after: null, limit: 7, cards: false } as const
  const [plain, whole] = [repoPageStatement(viewer, { ...query, isPlain: true }), repoPageStatement(viewer, query)]
  const subqueries = (text: string) =>
    text.slice(0, text.indexOf('from (select id')).match(/\(\s*select\b/g)?.length ?? 0
  expect(subqueries(whole.statement.text)).toBeGreaterThan(7)
  expect(subqueries(plain.statement.text)).toBe(0)
  expect(plain.statement.name).not.toBe(whole.statement.name)
})
