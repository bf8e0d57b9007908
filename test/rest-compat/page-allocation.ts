/**
 * What the execution of a document of `/v1` allocates for a page of twenty rows, without the database, the answer's text
 * and what the server adds. A field that gets a resolver, or a scalar that is serialized again, costs a few KiB a page.
 */
import { getHeapStatistics } from 'node:v8'
import {
  type GraphQLOutputType,
  GraphQLSchema,
  getNamedType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { documentReader } from '../../rest-compat/engine/documents.ts'
import { Connection } from '../../schema/connection.ts'
import { schema } from '../../schema/index.ts'
import { planDocument, restDialect } from '../../src/http/dialect/planned-document.ts'
import type { RequestContext } from '../../src/operation/context.ts'

const ROWS = 20
const SAMPLES = 41
const DEEPEST = 3

/** 183 and 635 KiB before members lost their resolvers, ids their promises, and times their serializer. */
const pages = [
  { document: 'list-repos', root: 'repos', type: 'Repo', kib: 110 },
  { document: 'list-runs', root: 'runs', type: 'Run', kib: 170 },
]

const leaves: Readonly<Record<string, unknown>> = {
  Int: 1,
  SafeInt: 5,
  Float: 0.5,
  Boolean: true,
  JSON: { step: 1 },
  DateTime: '2026-01-31T09:30:00.000Z',
}

/** A value as a row of SQL has it; null where a resolver asks for more than its row. */
function valueOfType(type: GraphQLOutputType, depth: number): unknown {
  if (isNonNullType(type)) return valueOfType(type.ofType, depth)
  if (isListType(type)) return depth > DEEPEST ? [] : [valueOfType(type.ofType, depth + 1)]
  if (isEnumType(type)) return type.getValues()[0]?.value
  if (isLeafType(type)) return leaves[type.name] ?? 'text'
  if (!isObjectType(type) || depth > DEEPEST) return null
  const fields = Object.values(type.getFields()).filter(
    (field) => (field.resolve?.length ?? 0) < 2 && (depth < DEEPEST || isLeafType(getNamedType(field.type))),
  )
  return Object.fromEntries(fields.map((field) => [field.name, valueOfType(field.type, depth + 1)]))
}

/** Parts of a row that its resolvers read. */
const given = {
  robotCard: null,
  cardData: null,
  recipe: { template: 'act', dataset: ['a'], robot: 'r', hyperparams: { lr: 1 }, gate: null },
}

function compiledPage({ document, root, type }: (typeof pages)[number]) {
  // A copy: the resolver that is replaced below is of this page alone.
  const dialect = restDialect(new GraphQLSchema(schema.toConfig()))
  const rowType = schema.getType(type)
  const field = dialect.getQueryType()?.getFields()[root]
  if (!field || !isObjectType(rowType)) throw new Error(`The schema has no ${root} of ${type}.`)
  const nodes = Array.from({ length: ROWS }, () => ({ ...(valueOfType(rowType, 0) as object), ...given }))
  const page = new Connection({ nodes, hasNextPage: false, cursorOf: () => 'cursor' }, false)
  field.resolve = () => page
  const fail = (why: string) => {
    throw new Error(why)
  }
  return planDocument(documentReader()(document), dialect, fail).compiled()
}

/** KiB of one call, the median: a collection in between makes one of them less. */
async function allocated(work: () => unknown): Promise<number> {
  const samples: number[] = []
  for (let at = 0; at < SAMPLES; at += 1) {
    const before = getHeapStatistics().used_heap_size
    await work()
    samples.push((getHeapStatistics().used_heap_size - before) / 1024)
  }
  return samples.sort((a, b) => a - b)[Math.floor(SAMPLES / 2)] ?? Number.NaN
}

export function allocationCases(): void {
  describe('a page of twenty rows', () => {
    for (const page of pages)
      it(`of ${page.root} allocates at most ${page.kib} KiB while it is executed`, async () => {
        const { query } = compiledPage(page)
        const run = async () => query(undefined, {} as RequestContext, {})
        const { data, errors } = await run()
        expect([errors, (data as { [root: string]: { items: unknown[] } })[page.root]?.items.length]).toEqual([
          undefined,
          ROWS,
        ])
        for (let at = 0; at < 100; at += 1) await run()
        const kib = (await allocated(run)) - (await allocated(() => undefined))
        expect(kib).toBeGreaterThan(page.kib / 4)
        expect(kib).toBeLessThan(page.kib)
      })
  })
}
