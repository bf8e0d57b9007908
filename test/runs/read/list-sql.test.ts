import { expect, it } from 'vitest'
import { type RunFilter, runPageStatement } from '../../../src/runs/read/list-sql.ts'
import { orderedValues } from '../../../src/store/statement.ts'

const viewer = { accountIds: ['user_zq'], repoIds: null, userId: 'user_zq', credentialId: 'key_zq' }
const filter: RunFilter = { robot: "zq'--", ownerId: 'user_zq', parentRunId: 'run_zq', status: 'queued', gated: true }

it('the values of a request are never part of the text, and always parameters', () => {
  const { statement, values } = runPageStatement(viewer, { filter, after: 'run_zq', limit: 7 })
  expect(statement.text).not.toContain('zq')
  expect(orderedValues(statement, values)).toEqual([['user_zq'], 'user_zq', 'user_zq', "zq'--", 'run_zq', 'run_zq', 7])
})

it('an enum value is a constant of the SQL text, for partial indexes', () => {
  const textOf = (asked: RunFilter) => runPageStatement(viewer, { filter: asked, after: null, limit: 7 }).statement.text
  expect(textOf({ status: 'queued' })).toContain("u.status = 'queued'")
  expect(textOf({ executor: 'hosted' })).toContain("u.executor = 'hosted'")
  expect(textOf({ kind: 'external' })).toContain("u.kind = 'external'")
})

it('frequent shapes are built once, and others are not prepared', () => {
  const ask = (asked: RunFilter) => runPageStatement(viewer, { filter: asked, after: null, limit: 7 }).statement
  expect(ask({ status: 'failed' })).toBe(ask({ status: 'failed' }))
  expect(ask({ status: 'failed' })).not.toBe(ask({ status: 'running' }))
  expect(ask({ robot: 'a/b' }).name).toBe('')
})
