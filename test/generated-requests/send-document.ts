/** Sends a GraphQL document in one of the ways that the hub serves, and reads its results. */
import type { Json } from '../support/hub.ts'
import type { Dice } from './dice.ts'
import type { MadeDocument } from './documents.ts'
import { jsonText } from './json-values.ts'
import type { Lab } from './lab.ts'
import { type Got, type Made, send } from './send.ts'

/** `stream`: a stream of its own; `shared`: over a stream that was reserved before. */
type Way = 'post' | 'get' | 'stream' | 'graphql stream' | 'shared'

export interface Results {
  readonly made: Made
  readonly got: Got
  readonly results: readonly Json[]
  /** What is wrong with how they came. */
  readonly faults: readonly string[]
}

const accepts = [
  'application/json',
  'application/graphql-response+json',
  'application/graphql-response+json, application/json;q=0.9',
]

export function requestOf(document: MadeDocument, dice: Dice): { readonly way: Way; readonly made: Made } {
  const { kind, query, variables, caller } = document
  const way =
    kind === 'subscription'
      ? dice.weighted<Way>([
          [6, 'stream'],
          [3, 'graphql stream'],
          [1.5, 'shared'],
          [0.3, 'post'],
        ])
      : dice.weighted<Way>([
          [80, 'post'],
          [kind === 'query' ? 9 : 1, 'get'],
          [8, 'stream'],
          [2, 'shared'],
          [2, 'graphql stream'],
        ])
  const extensions = dice.chance(0.05) ? { cost: true } : undefined
  const path = way === 'stream' || way === 'shared' ? '/graphql/stream' : '/graphql'
  const accept = way === 'stream' || way === 'graphql stream' ? 'text/event-stream' : dice.pick(accepts)
  const headers: Record<string, string> = { ...caller.headers, accept }
  const base = { operation: document.fields.join(' '), caller: caller.name, path }
  if (way === 'get') {
    const query_: [string, string][] = [
      ['query', encode(query)],
      ['variables', encode(jsonText(variables))],
    ]
    const isShort = query_.reduce((length, [, text]) => length + text.length, 0) < LONGEST_QUERY
    if (isShort) return { way, made: { ...base, method: 'GET', query: query_, headers, body: null } }
  }
  headers['content-type'] = 'application/json'
  const body = jsonText({ query, variables, extensions })
  return {
    way,
    made: { ...base, method: 'POST', query: [], headers, body: dice.chance(0.015) ? brokenBody(body, dice) : body },
  }
}

/** Characters: an address and its headers are at most 16 KiB, and what is longer is sent in a body. */
const LONGEST_QUERY = 15_000

/** A lone half of a pair has no percent-encoding. */
const encode = (text: string) => encodeURIComponent(text.toWellFormed())

const brokenBody = (body: string, dice: Dice): string =>
  dice.pick([
    '',
    '{}',
    '[]',
    'null',
    '{"query":1}',
    '{"query":null,"variables":[]}',
    body.slice(0, -2),
    `[${body}]`,
    body.replace('"variables":{', '"variables":[{'),
  ])

export async function sendDocument(
  lab: Lab,
  { way, made }: ReturnType<typeof requestOf>,
  dice: Dice,
): Promise<Results> {
  if (way === 'shared') return sendShared(lab, made, dice)
  const got = await send(lab.url, made)
  return { made, got, ...resultsOf(got) }
}

function resultsOf(got: Got): Pick<Results, 'results' | 'faults'> {
  const type = got.headers.get('content-type')?.split(';')[0]
  if (type === 'text/event-stream') return eventsOf(got)
  const isJson = type === 'application/json' || type === 'application/graphql-response+json'
  return {
    results: got.json === null ? [] : [got.json],
    faults: isJson && got.json !== null ? [] : [`type: ${got.status} is ${type} ${got.text.slice(0, 80)}`],
  }
}

function eventsOf({ text, ended }: Got): Pick<Results, 'results' | 'faults'> {
  const blocks = text.split('\n\n').slice(0, -1)
  const results: Json[] = []
  const faults: string[] = []
  for (const block of blocks) {
    const lines = block.split('\n')
    const event = lines.find((line) => line.startsWith('event: '))?.slice(7)
    const data = lines.find((line) => line.startsWith('data: '))?.slice(6)
    if (event === 'next') results.push(JSON.parse(data ?? 'null'))
    else if (event === undefined ? !lines.every((line) => /^:|^retry: \d+$|^$/.test(line)) : event !== 'complete')
      faults.push(`events: ${block.slice(0, 80)}`)
  }
  if (ended && !blocks.at(-1)?.startsWith('event: complete')) faults.push('events: the stream ended without `complete`')
  return { results, faults }
}

/** Single connection mode: reserves a stream, reads it, adds the operation, and ends it. */
async function sendShared(lab: Lab, made: Made, dice: Dice): Promise<Results> {
  const { accept: _, ...headers } = made.headers
  const bare = { ...made, path: '/graphql/stream', query: [], headers, body: null }
  const reserved = await send(lab.url, { ...bare, method: 'PUT' })
  if (reserved.status !== 201) return { made: { ...bare, method: 'PUT' }, got: reserved, ...resultsOf(reserved) }
  const token = reserved.text
  const withToken = { ...headers, 'x-graphql-event-stream-token': token }
  const reading = send(lab.url, { ...bare, method: 'GET', headers: { ...withToken, accept: 'text/event-stream' } })
  const id = `op${dice.below(100)}`
  const body =
    typeof made.body === 'string' ? made.body.replace(/^\{/, `{"extensions":{"operationId":"${id}"},`) : made.body
  const added = { ...made, method: 'POST', headers: withToken, body }
  const got = await send(lab.url, added)
  if (dice.chance(0.5))
    await send(lab.url, { ...bare, method: 'DELETE', query: [['operationId', id]], headers: withToken })
  const { text, ended } = await reading
  if (got.status !== 202) return { made: added, got, ...resultsOf(got) }
  // The body has `extensions` again after these where it asks for the cost: the last ones count.
  const { results, faults } = eventsOf({ ...got, text, ended: false })
  void ended
  return { made: added, got, results: results.map(({ payload }) => payload), faults }
}
