/** Every document of the pages is valid, within the limits of the graph, and costs a known number of SQL statements. */
import { Kind, NoDeprecatedCustomRule, type OperationDefinitionNode, print, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { assertCost, assertShape, eventLimits, executionLimits } from '../../src/http/graphql-limits.ts'
import { costFunction } from '../../src/http/operation-cost.ts'
import { COMPARED, CONFIGS_AT_ONCE } from '../../web/src/pages/runs/compared.ts'
import { MAX_METRICS } from '../../web/src/pages/runs/run-view.ts'
import { hostedFunction } from '../support/hosted-function.ts'
import { contractHub, type Json } from '../support/hub.ts'
import { statementsOf } from '../support/request-statements.ts'
import { pageDocuments } from './support/documents.ts'
import { type Lab, labSettings, makeLab } from './support/lab.ts'
import { statements } from './support/statements.ts'

const documents = await pageDocuments()
const queries = documents.filter(({ operation }) => operation.operation === 'query')

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `run_${index}`)
/** Variables that set sizes, where pages give them: the most that they give. */
const largest: Readonly<Record<string, Json>> = {
  compareRuns: { ids: idsOf(CONFIGS_AT_ONCE) },
  finalValues: { ids: idsOf(COMPARED) },
  runs: { metrics: Array.from({ length: MAX_METRICS }, (_, at) => `k${at}`) },
  runMetrics: { ids: idsOf(COMPARED) },
  RepoFileSizes: { first: 1000 },
  RepoFileSizesAt: { first: 1000 },
}

const program = hostedFunction()
afterAll(() => program.remove())
const hub = contractHub(labSettings(program.command))
let lab: Lab
beforeAll(async () => {
  lab = await makeLab(hub)
})

describe('the documents of the pages', () => {
  it('have names of their own', () => {
    const names = documents.map(({ name }) => name)
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
  })

  it('are valid, and none is over a limit of the graph', () => {
    for (const { file, document } of documents) {
      expect([file, validate(schema, document)]).toEqual([file, []])
      assertShape(document)
    }
  })

  it('may be asked for the most that the pages ask for', () => {
    for (const { name, operation, document } of documents) {
      const cost = costFunction(schema, document, operation)(largest[name] ?? {})
      expect(() =>
        assertCost(cost, operation.operation === 'subscription' ? eventLimits : executionLimits),
      ).not.toThrow()
    }
  })

  it('select no deprecated field', () => {
    for (const { file, document } of documents)
      expect([file, validate(schema, document, [NoDeprecatedCustomRule])]).toEqual([file, []])
  })

  it('that ask are all counted, and nothing else is', () => {
    expect(Object.keys(statements).toSorted()).toEqual(queries.map(({ name }) => name).toSorted())
  })

  it.each(queries.map((one) => [one.name, one] as const))(
    '%s sends a known number of statements',
    async (name, one) => {
      const variables = variablesFor(one.file, one.operation, lab)
      const ask = async (): Promise<Json> => {
        // What concerns the whole hub is for its operator alone.
        const who = one.file.includes('/operator/') ? hub.running.operatorToken : lab.ada
        const answer = await hub.graphql(who, one.text, variables)
        expect([name, answer.errors]).toEqual([name, undefined])
        return answer
      }
      expect([name, await statementsOf(hub.running.deps.db, ask)]).toEqual([name, statements[name]])
    },
  )
})

/** A value for each variable, by its name: what the lab has of it. */
function variablesFor(file: string, { variableDefinitions = [] }: OperationDefinitionNode, of: Lab): Json {
  const [owner, slug] = (file.includes('/robot') || file.includes('/repo/') ? of.robot : of.dataset).split('/')
  const values: Record<string, unknown> = {
    episode: 0,
    owner,
    repo: slug,
    slug,
    name: `${owner}/${slug}`,
    handle: of.ada.handle,
    org: of.org,
    account: of.ada.handle,
    id: idFor(file, of),
    robot: of.robot,
    runId: of.run,
    checkId: of.check,
    endpointId: of.endpoint,
    holdId: of.hold,
    a: of.run,
    b: of.ended,
    ids: [of.run, of.ended],
    path: 'meshes/a.txt',
    from: '1',
    to: '1',
    version: '1',
    commitId: '1',
    canWrite: true,
    q: 'arm',
    key: 'camera',
    kind: 'IMAGE',
    step: 1,
    withRun: true,
    fingerprint: 'a'.repeat(64),
    other: 'roll_01m812yvrpextatj8nx4n20001',
    otherOwner: owner,
    otherRepo: slug,
    month: new Date().toISOString().slice(0, 7),
  }
  return Object.fromEntries(
    variableDefinitions
      .map(({ variable, type }) => [variable.name.value, type] as const)
      // What a page may leave out stays out.
      .filter(([name, type]) => type.kind === Kind.NON_NULL_TYPE || name === 'owner' || name === 'repo')
      .map(([name, type]) => {
        if (values[name] === undefined) throw new Error(`${file}: no value for $${name}: ${print(type)}`)
        return [name, values[name]]
      }),
  )
}

const idFor = (file: string, of: Lab) =>
  file.includes('/checks/')
    ? of.check
    : file.includes('/endpoints/')
      ? of.endpoint
      : file.includes('/holds/')
        ? of.hold
        : of.run
