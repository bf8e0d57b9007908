// @module-tag own-graph
/** Answers that are projected are those of the executor, to the byte: values, nulls, errors, and what is left out. */
import { isFull } from '@hub/testing/torture'
import { type GraphQLObjectType, GraphQLSchema, getNullableType, isObjectType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { documentReader } from '../../../rest-compat/engine/documents.ts'
import { planRoutes } from '../../../rest-compat/engine/mount.ts'
import { routes } from '../../../rest-compat/routes.ts'
import { schema } from '../../../schema/index.ts'
import { runDocument } from '../../../src/http/dialect/planned-document.ts'
import type { RequestContext } from '../../../src/operation/context.ts'
import { objectOf } from './mocked-schema.ts'

const SEEDS = isFull ? 400 : 40

// A copy, whose resolvers are replaced below.
const own = new GraphQLSchema(schema.toConfig())
const reads = planRoutes({ schema: own, routes, readDocument: documentReader() }).filter(({ projected }) => projected)
type Plan = (typeof reads)[number]

let source: unknown = null
let isRefused = false
let timesRead = 0

/** Instead of what reads the database. */
function readSource(): unknown {
  timesRead += 1
  if (isRefused) throw new Error('no such thing')
  return source
}

beforeAll(() => {
  // Before any of them is compiled.
  for (const { rootField } of reads) rootField.resolve = readSource
})

const rowType = ({ rootField }: Plan): GraphQLObjectType | null => {
  const type = getNullableType(rootField.type)
  return isObjectType(type) ? type : null
}

/** Variables that a route needs, and those that select more. */
function variablesOf({ variables }: Plan, facets: boolean): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const { name, isRequired } of variables)
    if (name === 'facets') given[name] = facets
    else if (isRequired) given[name] = 'x'
  return given
}

async function said(plan: Parameters<typeof runDocument>[0], variables: Record<string, unknown>): Promise<string> {
  try {
    const value = await runDocument(plan, { name: 'read', ctx: {} as RequestContext, variables })
    return JSON.stringify({ value })
  } catch (error) {
    return `${error}`
  }
}

const projectable = reads.filter((plan) => plan.projected?.projection(variablesOf(plan, false)))

describe('a read of /v1', () => {
  it('is projected where its fields are at hand', () => {
    const names = projectable.map(({ route }) => route.operation)
    expect(names).toEqual(expect.arrayContaining(['getRun', 'listRuns', 'getRepoTree', 'getRobotCard']))
    // Facets are read, and so are the checkpoints of a run.
    const runs = reads.find(({ route }) => route.operation === 'listRuns') as Plan
    expect(runs.projected?.projection(variablesOf(runs, true))).toBe(null)
    expect(names).not.toContain('listRunCheckpoints')
  })

  it.each(projectable.map((plan) => [plan.route.operation, plan] as const))(
    '%s is answered as by the executor',
    async (_operation, plan) => {
      const type = rowType(plan) as GraphQLObjectType
      let once = 0
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const share = seed % 2 === 0 ? 20 : 0
        source = seed % 19 === 0 ? null : objectOf(schema, type, seed * 7 + 1, { share, isAtHand: true })
        isRefused = seed % 23 === 0
        const variables = variablesOf(plan, false)
        timesRead = 0
        const ours = await said(plan, variables)
        once += timesRead === 1 ? 1 : 0
        expect(timesRead).toBeLessThan(2)
        const theirs = await said({ ...plan, projected: null }, variables)
        expect(ours).toBe(theirs)
      }
      expect(once).toBeGreaterThan(0)
    },
  )

  it('is read once, also where its projection finds that something is wrong with it', async () => {
    const plan = reads.find(({ route }) => route.operation === 'getRepoTree') as Plan
    const nodes = [{ path: 'a"ü\u2028', size: 5, etag: null, sha256: 'x', mime: null, updatedAt: null }]
    source = { nodes, pageInfo: { endCursor: null, hasNextPage: false } }
    isRefused = false
    timesRead = 0
    expect(await said(plan, variablesOf(plan, false))).toContain('Cannot return null')
    expect(timesRead).toBe(1)
    source = { nodes: [{ ...nodes[0], updatedAt: '2026-01-31T09:30:00.000Z' }], pageInfo: { hasNextPage: false } }
    timesRead = 0
    expect(await said(plan, variablesOf(plan, false))).toContain('a\\"ü\u2028')
    expect(timesRead).toBe(1)
  })
})
