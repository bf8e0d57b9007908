// @module-tag own-graph
/** Which documents are planned, and how much is held of them. */
import { buildSchema, type DocumentNode, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { CompiledDocuments } from '../../../src/http/compiled/compiled-documents.ts'
import { countedSchema } from '../../../src/http/counted-schema.ts'
import { Documents, PreparedDocument } from '../../../src/http/graphql-documents.ts'
import { OperationMeter } from '../../../src/http/operation-meter.ts'
import type { RequestContext } from '../../../src/operation/context.ts'

const schema = countedSchema(
  buildSchema(`
    type Query { name: String! self: Query! word(of: String): String }
    type Mutation { name: String! }
  `),
)
const rootValue = { name: 'hub', word: ({ of }: { of: string }) => of, self: () => rootValue }

function ask(documents: CompiledDocuments, document: DocumentNode, variableValues: Record<string, unknown> = {}) {
  const contextValue = {} as RequestContext
  new OperationMeter(contextValue)
  return documents.execute({ schema, document, rootValue, contextValue, variableValues })
}

describe('compiled documents', () => {
  it('hold at most so many documents and fields, the least recently used dropped first', async () => {
    const documents = new CompiledDocuments(schema, { documents: 3, fields: 8, fieldsOfOne: 5 })
    const of = (count: number) => parse(`{ ${Array.from({ length: count }, (_, at) => `a${at}: name`).join(' ')} }`)
    for (let at = 0; at < 5; at += 1) await ask(documents, of(1))
    expect(documents.held).toEqual({ documents: 3, fields: 3 })
    await ask(documents, of(5))
    await ask(documents, of(5))
    // Dropped when the next one is executed.
    await ask(documents, of(1))
    expect(documents.held).toEqual({ documents: 2, fields: 6 })
  })

  it('leave a document with too many fields to graphql-js', async () => {
    const documents = new CompiledDocuments(schema, { documents: 3, fields: 100, fieldsOfOne: 2 })
    const document = parse('{ a: name b: name c: name }')
    const answers = [await ask(documents, document), await ask(documents, document), await ask(documents, document)]
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(documents.held).toEqual({ documents: 1, fields: 0 })
  })

  it('have a plan for each combination of the variables in directives, up to four of them', async () => {
    const documents = new CompiledDocuments(schema)
    const few = parse('query ($a: Boolean!) { name self @skip(if: $a) { name @include(if: $a) } }')
    const said = [true, false, true].map(async (a) => JSON.stringify(await ask(documents, few, { a })))
    expect(await Promise.all(said)).toEqual([
      '{"data":{"name":"hub"}}',
      '{"data":{"name":"hub","self":{}}}',
      '{"data":{"name":"hub"}}',
    ])
    const { fields } = documents.held
    expect(fields).toBe(3)
    const names = ['a', 'b', 'c', 'd', 'e']
    const declared = names.map((name) => `$${name}: Boolean!`).join(' ')
    const many = parse(`query (${declared}) { ${names.map((name) => `${name}: name @skip(if: $${name})`).join(' ')} }`)
    const all = Object.fromEntries(names.map((name) => [name, false]))
    expect(Object.keys((await ask(documents, many, all)).data ?? {})).toEqual(names)
    expect(documents.held.fields).toBe(fields)
  })

  it('hold no mutation, and nothing of a request whose variables have faults', async () => {
    const documents = new CompiledDocuments(schema)
    await ask(documents, parse('mutation { name }'))
    expect(documents.held).toEqual({ documents: 0, fields: 0 })
    const faulty = await ask(documents, parse('query ($a: Boolean!) { name @skip(if: $a) }'), { a: 'x' })
    expect([faulty.data, faulty.errors?.length, documents.held.fields]).toEqual([undefined, 1, 0])
  })

  it('keep the text of a literal as it is, whatever is in it', async () => {
    const text = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74dglobalThis.isRun=1'
    const { data } = await ask(new CompiledDocuments(schema), parse(`{ word(of: "${text}") __proto__: name }`))
    expect(JSON.stringify(data)).toBe(`{"word":"${text}","__proto__":"hub"}`)
    expect('isRun' in globalThis).toBe(false)
  })

  it('are those executed for the third time, and those that a client named by their digest', async () => {
    const documents = new Documents(() => schema)
    const run = async (text: string) => {
      const prepared = documents.prepare(text)
      if (!(prepared instanceof PreparedDocument)) throw new Error('The document is refused.')
      await prepared.execute({ schema, document: prepared.document, rootValue, contextValue: {} as RequestContext })
      return documents.planned.documents
    }
    expect([await run('{ name }'), await run('{ name }'), await run('{ name }')]).toEqual([0, 0, 1])
    documents.notePersisted('{ self { name } }')
    expect(await run('{ self { name } }')).toBe(2)
  })
})
