/** Requests made from the OpenAPI document: every answer is as it says. `docs/reliability.md`, "Generated requests". */

import { needs } from '@hub/testing/needs'
import { pino } from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import { allOperations } from '../support/documented.ts'
import { contractHub } from '../support/hub.ts'
import { Coverage } from './coverage.ts'
import { Dice } from './dice.ts'
import { faultsOf } from './judge.ts'
import { type Lab, makeEmptyLab, makeLab } from './lab.ts'
import { doChores, learnFrom } from './learn.ts'
import { wrongSums } from './recount.ts'
import { reduced } from './reduce.ts'
import { makeRequest, makeTwins } from './requests.ts'
import { asCurl, type Got, type Made, send } from './send.ts'
import { counts, generousSettings, seed, showsTable } from './settings.ts'

const errorLines: string[] = []
const log = pino({ level: 'error' }, { write: (line: string) => errorLines.push(line) })

const hub = contractHub(generousSettings, { log })

/** How many are sent at once. What is in one batch is made before any of its answers is known, so a seed makes the same requests again. */
const AT_ONCE = 4
const CHORES_EVERY = 100
/** After so many kinds of faults the run ends: one cause has many. */
const MOST_FAULTS = 12

let lab: Lab
beforeAll(async () => {
  lab = await makeLab(hub, hub.running.url)
})

const faultKind = (fault: string) => fault.split(/[\d"'/]/)[0] ?? fault

describe(`requests made from the OpenAPI document (HUB_TEST_SEED=${seed})`, () => {
  const coverage = new Coverage()

  it('are answered as it says, by every kind of caller', async () => {
    const faults = new Map<string, string>()
    const note = async (number: number, made: Made, got: Got) => {
      const found = faultsOf(lab, made, got)
      for (const fault of found) {
        const key = `${made.operation} ${faultKind(fault)}`
        if (faults.has(key) || [...faults.keys()].filter((one) => one.endsWith(faultKind(fault))).length >= 3) continue
        faults.set(key, '')
        const smallest = await reduced(made, key, async (candidate) => {
          const again = await send(lab.url, candidate)
          return (
            faultsOf(lab, candidate, again)
              .map((one) => `${made.operation} ${faultKind(one)}`)
              .find((one) => one === key) ?? null
          )
        })
        const answer = `${got.status} ${got.text.slice(0, 700)}`
        faults.set(key, `#${number} as ${made.caller}: ${fault}\n  ${asCurl(lab.url, smallest)}\n  ${answer}`)
      }
    }
    for (let first = 0; first < counts.requests && faults.size < MOST_FAULTS; first += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, (_, at) => makeRequest(lab, new Dice(seed, first + at)))
      const answers = await Promise.all(batch.map((made) => send(lab.url, made)))
      for (const [at, made] of batch.entries()) {
        const got = answers[at] as Got
        coverage.count(made.operation, got.status)
        await note(first + at, made, got)
        await learnFrom(lab, made, got)
      }
      if (first % CHORES_EVERY === 0) await doChores(lab, hub, new Dice(seed, -first - 1))
    }
    const { seen, documented } = coverage.pairs()
    if (showsTable)
      console.log(
        `${counts.requests} requests; of ${documented} documented pairs of operation and status ${seen} were seen\n${coverage.table(allOperations.map(({ operation }) => operation.operationId))}`,
      )
    expect([...faults.values()].join('\n\n')).toBe('')
  })

  it('are answered for hidden things as for those that are not there', async () => {
    const told: string[] = []
    for (let number = 0; number < counts.requests / 10; number += 1) {
      const twins = makeTwins(lab, new Dice(seed + 1, number))
      if (!twins) continue
      const [hidden, absent] = await Promise.all(twins.map((made) => send(lab.url, made)))
      const [one, other] = twins.map(({ path }) => path.split('/'))
      const names = (one ?? []).flatMap((part, at) => (part === other?.[at] ? [] : [part, other?.[at] ?? '']))
      const said = ({ status, json }: Got) =>
        names.reduce((text, name) => text.replaceAll(name, '…'), JSON.stringify([status, json?.type, json?.errors]))
      if (hidden && absent && said(hidden) !== said(absent) && told.length < 5)
        told.push(
          `${asCurl(lab.url, twins[0])}\n  ${said(hidden)}\n  of a hidden thing, and of none:\n  ${said(absent)}`,
        )
    }
    expect(told.join('\n\n')).toBe('')
  })

  it(
    'reach the success of every operation',
    needs(counts.requests < 10_000 && 'a sample does not reach every operation'),
    () => {
      const never = allOperations
        .map(({ operation }) => operation.operationId)
        .filter((name) => !coverage.has(name, (status) => Number(status) < 400))
      expect(never).toEqual([])
    },
  )

  it('leave the hub ready, its sums right, and no line of an error in its log', async () => {
    expect((await fetch(new URL('/readyz', lab.url))).status).toBe(200)
    expect(errorLines.slice(0, 3)).toEqual([])
    expect(await wrongSums(hub)).toEqual([])
  })
})

/** Two a minute, and a fifth of that for an address: nearly all are refused. */
const narrow = contractHub({ RATE_LIMIT_PER_MINUTE: '2' })

describe('requests over the limit of their callers', () => {
  it('are answered as the document says', async () => {
    const tight = await makeEmptyLab(narrow, narrow.running.url)
    const statuses = new Set<number>()
    const faults: string[] = []
    for (let number = 0; number < 150; number += 1) {
      const asked = makeRequest(tight, new Dice(seed + 2, number))
      const got = await send(tight.url, asked)
      statuses.add(got.status)
      faults.push(...faultsOf(tight, asked, got).map((fault) => `${asCurl(tight.url, asked)}\n  ${fault}`))
    }
    expect(faults.slice(0, 3).join('\n\n')).toBe('')
    expect([...statuses]).toContain(429)
  })
})
