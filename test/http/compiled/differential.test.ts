// @module-tag own-graph
/** Planned documents are answered as graphql-js answers them, to the byte: values, nulls, errors, places, and what they count. */
import { readFileSync } from 'node:fs'
import { isFull } from '@hub/testing/torture'
import {
  type DocumentNode,
  execute,
  type GraphQLInputType,
  type GraphQLSchema,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  parse,
  typeFromAST,
  validate,
} from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schema as hubSchema } from '../../../schema/index.ts'
import { CompiledDocuments } from '../../../src/http/compiled/compiled-documents.ts'
import { countedSchema } from '../../../src/http/counted-schema.ts'
import { type ExecutionLimits, executionLimits } from '../../../src/http/graphql-limits.ts'
import { typedNumbers } from '../../../src/http/graphql-numbers.ts'
import { OperationMeter } from '../../../src/http/operation-meter.ts'
import type { RequestContext } from '../../../src/operation/context.ts'
import { Dice } from '../../generated-requests/dice.ts'
import { makeDocument } from '../../generated-requests/documents.ts'
import type { Lab } from '../../generated-requests/lab.ts'
import { Things } from '../../generated-requests/things.ts'
import { mockedSchema, rootOf } from './mocked-schema.ts'

const SEED = 27
const MADE = isFull ? 3000 : 120

const calm = { share: 0 }
const rough = { share: 60 }
// Of the rough one, most objects have no fault either.
const schemas = (isFull ? [calm, rough] : [rough]).map((faults) => ({
  faults,
  schema: countedSchema(mockedSchema(hubSchema, faults)),
}))

type Variables = Readonly<Record<string, unknown>>

interface Asked {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly variables: Variables
  readonly rootValue: unknown
  readonly limits: ExecutionLimits
}

/** Turns of the event loop after an answer, within which what it left behind has ended: after one, some has not. */
const TURNS = 6

/** All that an execution says: its result, and what it has counted. */
async function said({ schema, document, variables, rootValue, limits }: Asked, run: typeof execute): Promise<string> {
  const contextValue = {} as RequestContext
  const meter = new OperationMeter(contextValue, limits)
  const variableValues = typedNumbers(schema, document, null, variables)
  const result = await run({ schema, document, rootValue, contextValue, variableValues })
  const { objects, values, refusal } = meter
  // graphql-js leaves some where a list ends at an error: there are to be no more of them.
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  return JSON.stringify({ result, objects, values, refusal: refusal?.message, lost: lost.splice(0).length })
}

/** Rejections that nobody waits for, of the executor that has run. */
const lost: unknown[] = []
const noteLost = (error: unknown) => lost.push(error)
let others: NodeJS.UnhandledRejectionListener[]
beforeAll(() => {
  others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', noteLost)
})
afterAll(() => {
  process.removeAllListeners('unhandledRejection')
  for (const other of others) process.on('unhandledRejection', other)
})

/** Both answers to a document, with the values that a seed gives. */
async function answers(document: DocumentNode, variables: Variables, seed: number, kept?: CompiledDocuments[]) {
  const kind = getOperationAST(document)?.operation === 'subscription' ? 'subscription' : 'query'
  const dice = new Dice(SEED, seed)
  const few = { objects: dice.below(30), values: dice.below(200), bytes: dice.below(4000), timeMs: 60_000 }
  const all: { readonly ours: string; readonly theirs: string }[] = []
  for (const [at, { faults, schema }] of schemas.entries())
    for (const limits of [{ ...executionLimits, timeMs: 60_000 }, few]) {
      const asked = { schema, document, variables, rootValue: rootOf(schema, kind, seed, faults), limits }
      const compiled = kept?.[at] ?? new CompiledDocuments(schema)
      const theirs = await said(asked, execute)
      all.push({ theirs, ours: await said(asked, (args) => compiled.execute(args as never)) })
    }
  return all
}

/** A value of the type, with no more than it needs. */
function inputOf(type: GraphQLInputType, dice: Dice): unknown {
  if (!isNonNullType(type)) return dice.chance(0.5) ? null : inputOf({ ...type, ofType: type } as never, dice)
  const { ofType: inner } = type
  if (isListType(inner)) return []
  if (isEnumType(inner)) return dice.pick(inner.getValues()).name
  if (isInputObjectType(inner)) {
    const needed = Object.values(inner.getFields()).filter((field) => isNonNullType(field.type))
    return Object.fromEntries(needed.map((field) => [field.name, inputOf(field.type, dice)]))
  }
  return { Int: 3, SafeInt: 3, Float: 0.5, Boolean: dice.chance(0.5), JSON: { a: 1 } }[inner.name] ?? 'repo_1'
}

function variablesOf(document: DocumentNode, dice: Dice): Variables {
  const entries = (getOperationAST(document)?.variableDefinitions ?? []).flatMap(({ variable, type }) => {
    const input = typeFromAST(hubSchema, type as never) as GraphQLInputType
    const isLeft = !isNonNullType(input)
    return isLeft ? [] : [[variable.name.value, inputOf(input, dice)] as const]
  })
  return Object.fromEntries(entries)
}

const pages: string[] = JSON.parse(
  readFileSync(new URL('../../../generated/web/.documents.json', import.meta.url), 'utf8'),
)

const lab = {
  named: () => ({ name: 'x', headers: {} }),
  caller: () => ({ name: 'x', headers: {} }),
  things: new Things(),
  contents: [{ text: 'x', size: 1, sha256: 'x' }],
  claimers: new Map(),
  goodBodies: new Map(),
  names: { org: 'org', model: 'org/model', robot: 'org/robot', joiner: 'joiner' },
} as unknown as Lab

describe('a planned document', () => {
  it('of a page is answered as graphql-js answers it', async () => {
    for (const [at, text] of pages.entries()) {
      const document = parse(text)
      if (getOperationAST(document)?.operation === 'mutation') continue
      for (const seed of isFull ? [at + 1, at + 1001, at + 2001] : [at + 1])
        for (const { ours, theirs } of await answers(document, variablesOf(document, new Dice(SEED, seed)), seed))
          expect(ours, text).toBe(theirs)
    }
  })

  it('made from the schema is answered as graphql-js answers it', async () => {
    const kept = schemas.map(({ schema }) => new CompiledDocuments(schema))
    const said = { data: 0, errors: 0, refused: 0 }
    for (let at = 0; at < MADE; at += 1) {
      const made = makeDocument(hubSchema, lab, new Dice(SEED, at))
      if (made.kind === 'mutation') continue
      const document = parsed(made.query)
      if (!document) continue
      for (const { ours, theirs } of await answers(document, made.variables, at + 1, kept)) {
        expect(ours, made.query).toBe(theirs)
        if (theirs.includes('"data":{')) said.data += 1
        if (theirs.includes('"errors":[')) said.errors += 1
        if (theirs.includes('"refusal":')) said.refused += 1
      }
    }
    expect(Math.min(said.data, said.errors, said.refused)).toBeGreaterThan(10)
  })
})

/** A valid document; null for another. */
function parsed(text: string): DocumentNode | null {
  try {
    const document = parse(text)
    return validate(hubSchema, document).length === 0 ? document : null
  } catch {
    return null
  }
}
