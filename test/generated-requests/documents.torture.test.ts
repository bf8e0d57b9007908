/** Documents made from the schema of the graph: every result is as it says. `docs/reliability.md`, "Generated requests". */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { needs } from '@hub/testing/needs'
import { buildSchema, parse, validate } from 'graphql'
import { pino } from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub } from '../support/hub.ts'
import { Coverage } from './coverage.ts'
import { Dice } from './dice.ts'
import { type MadeDocument, makeDocument } from './documents.ts'
import { resultFaults } from './graph-judge.ts'
import { type Lab, makeLab } from './lab.ts'
import { doChores } from './learn.ts'
import { wrongSums } from './recount.ts'
import { asCurl } from './send.ts'
import { type Results, requestOf, sendDocument } from './send-document.ts'
import { counts, generousSettings, seed, showsTable } from './settings.ts'

const errorLines: string[] = []
const log = pino({ level: 'error' }, { write: (line: string) => errorLines.push(line) })
const hub = contractHub(generousSettings, { log })

const AT_ONCE = 4
const CHORES_EVERY = 100
const MOST_FAULTS = 12
/** What the hub may hold more after thousands of documents than after the first ones. */
const MOST_GROWTH_BYTES = 150 * 1024 * 1024

let lab: Lab
let sdl: string
beforeAll(async () => {
  lab = await makeLab(hub, hub.running.url)
  sdl = await (await fetch(new URL('/schema.graphql', lab.url))).text()
})

/** Null here: no identity provider is set up. */
const absent = 'query identityProvider'

const faultKind = (fault: string) => fault.split(/[\d"'/]/)[0]?.slice(0, 60) ?? fault

describe(`documents made from the schema (HUB_TEST_SEED=${seed})`, () => {
  const coverage = new Coverage()
  const roots: string[] = []
  const unreachedOf = () =>
    roots.filter((name) => name !== absent && !coverage.has(name, (answer) => answer === 'data'))
  const heap: number[] = []
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')

  it('are answered as it says, in every way that they are sent', async () => {
    const schema = buildSchema(sdl)
    for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
      roots.push(...Object.keys(root?.getFields() ?? {}).map((name) => `${root?.name.toLowerCase()} ${name}`))
    const faults = new Map<string, string>()
    const parsed = (text: string) => {
      try {
        return parse(text)
      } catch {
        return null
      }
    }
    const judge = (document: MadeDocument, { made, got, results, faults: found }: Results): string[] => {
      const node = parsed(document.query)
      const sent = `${made.body} ${JSON.stringify(made.query)} ${document.query}`
      const judged = { schema, document: node, variables: document.variables, sent, secrets: lab.secrets }
      const all = [
        ...(got.fault ? [got.fault] : []),
        ...found,
        ...results.flatMap((result) => resultFaults(judged, result)),
      ]
      const isInvalid = node === null || validate(schema, node).length > 0
      if (isInvalid && results.some(({ data }) => data)) all.push('accepted: a document that is not valid')
      if (got.status >= 500 && !/not_configured|not_supported/.test(got.text)) all.push(`status: ${got.status}`)
      return all
    }
    for (let first = 0; first < counts.documents && faults.size < MOST_FAULTS; first += AT_ONCE) {
      const unreached = unreachedOf()
      const batch = Array.from({ length: AT_ONCE }, (_, at) => {
        const dice = new Dice(seed, first + at)
        const document = makeDocument(schema, lab, dice, unreached)
        return { dice, document, request: requestOf(document, dice) }
      })
      const answers = await Promise.all(batch.map(({ request, dice }) => sendDocument(lab, request, dice)))
      for (const [at, { document, request }] of batch.entries()) {
        const answer = answers[at] as Results
        for (const [index, name] of document.fields.entries()) {
          const key = document.fields.length > 1 ? `r${index}` : name
          const [result] = answer.results
          const problem =
            result?.errors?.find(({ path }: { path?: unknown[] }) => path?.[0] === key) ?? result?.errors?.[0]
          const isFine = result?.data?.[key] !== null && result?.data?.[key] !== undefined
          coverage.count(`${document.kind} ${name}`, isFine ? 'data' : (problem?.extensions?.problem?.status ?? 'null'))
        }
        for (const result of answer.results) lab.things.learn(result.data ?? null)
        for (const fault of judge(document, answer)) {
          const key = `${document.fields[0]} ${faultKind(fault)}`
          if (faults.has(key) || [...faults.keys()].filter((one) => one.endsWith(faultKind(fault))).length >= 3)
            continue
          const answered = answer.results.length > 0 ? JSON.stringify(answer.results[0]) : answer.got.text
          faults.set(
            key,
            `#${first + at} as ${document.caller.name}, ${request.way}: ${fault}\n  ${asCurl(lab.url, answer.made)}\n  ${answer.got.status} ${answered.slice(0, 900)}`,
          )
        }
      }
      if (first % CHORES_EVERY === 0) {
        await doChores(lab, hub, new Dice(seed, -first - 1))
        // Garbage of hundreds of MiB is not collected by itself.
        collect()
        heap.push(process.memoryUsage().heapUsed)
      }
    }
    if (showsTable) console.log(`${counts.documents} documents\n${coverage.table(roots)}`)
    expect([...faults.values()].join('\n\n')).toBe('')
  })

  it(
    'reach the data of every root field',
    needs(counts.documents < 5000 && 'a sample does not reach every root field'),
    () => {
      expect(unreachedOf()).toEqual([])
    },
  )

  it('leave no subscription open, the hub ready, its sums right, and no line of an error in its log', async () => {
    const open = async () => {
      const text = await (await fetch(new URL('/metrics', lab.url), { headers: lab.named('operator').headers })).text()
      return /^hub_event_streams_open (\d+)/m.exec(text)?.[1]
    }
    await expect.poll(open, { interval: 200 }).toBe('0')
    expect((await fetch(new URL('/readyz', lab.url))).status).toBe(200)
    expect(errorLines.slice(0, 3)).toEqual([])
    expect(await wrongSums(hub)).toEqual([])
  })

  it('leave its memory bounded', () => {
    const least = (part: readonly number[]) => Math.min(...part)
    const quarter = Math.max(1, Math.floor(heap.length / 4))
    expect(least(heap.slice(-quarter)) - least(heap.slice(0, quarter))).toBeLessThan(MOST_GROWTH_BYTES)
  })
})
