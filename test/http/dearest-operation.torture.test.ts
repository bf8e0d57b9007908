/** A search for the dearest operation that is accepted, on data as large as it may be. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { countedSchema } from '../../src/http/counted-schema.ts'
import { Documents } from '../../src/http/graphql-documents.ts'
import { contractHub } from '../contract/support/hub.ts'
import { type HostileLab, makeHostileLab } from '../support/hostile-lab.ts'
import { loopWatch } from '../support/loop-watch.ts'
import { type Beginning, documentOf, searchDearest } from '../support/operation-search.ts'
import { isFull, testSeed } from '../support/torture.ts'

const hub = contractHub({ RATE_LIMIT_PER_MINUTE: '0' }, { alone: true })
const documents = new Documents(countedSchema(schema))
let lab: HostileLab
let beginnings: readonly Beginning[]
beforeAll(async () => {
  lab = await makeHostileLab(
    hub,
    isFull ? { copies: 150, files: 100_000, metricLines: 50_000 } : { copies: 50, files: 10_000, metricLines: 5000 },
  )
  beginnings = beginningsOf(lab)
})

function beginningsOf({ robot, dataset, run, check, owner, ids }: HostileLab): Beginning[] {
  const named = (name: string) => `owner: "${name.split('/')[0]}", slug: "${name.split('/')[1]}"`
  const list = (of: readonly string[]) => JSON.stringify(of)
  return [
    'repos',
    'repos(first: 100)',
    'repos(q: "long", first: 100)',
    `repos(owner: "${owner.handle}", kind: ROBOT, first: 100)`,
    `repo(${named(robot)})`,
    `repo(${named(dataset)})`,
    `tree(${named(dataset)}, first: 1000)`,
    `robotCard(${named(robot)})`,
    `account(handle: "${owner.handle}")`,
    'viewer',
    'runs(first: 100)',
    `run(id: "${run}")`,
    'robotChecks(first: 100)',
    `robotCheck(id: "${check}")`,
    `node(id: "${run}")`,
    `nodes(ids: ${list(ids.repos)})`,
    `nodes(ids: ${list(ids.runs.slice(0, 30))})`,
    `nodes(ids: ${list(ids.checks)})`,
  ].map((text) => ({ kind: 'query' as const, text, field: text.split('(')[0] ?? '' }))
}

describe('the dearest operation', () => {
  it('uses no more than the limits, and is answered', async () => {
    const watch = loopWatch()
    const measure = async (text: string) => {
      watch.begin()
      const answer = await hub.send(lab.owner, 'POST', '/graphql', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: text, extensions: { cost: true } }),
      })
      const { longestMs } = watch.end()
      expect([text, answer.status]).toEqual([text, 200])
      const { errors, extensions } = JSON.parse(answer.text)
      const others = (errors ?? []).filter(
        (error: { extensions: { status: number } }) => error.extensions.status >= 500,
      )
      expect([text, others.slice(0, 1)]).toEqual([text, []])
      if (!errors) {
        expect([text, extensions.cost.objects.used]).toEqual([text, expect.toSatisfy((used: number) => used <= 10_020)])
        expect([text, extensions.cost.values.used]).toEqual([text, expect.toSatisfy((used: number) => used <= 200_000)])
      }
      return longestMs
    }
    const random = seeded(testSeed())
    const untilMs = performance.now() + (isFull ? Number(process.env.HUB_SEARCH_MS ?? 120_000) : 12_000)
    const { dearest, tried } = await searchDearest({ documents, beginnings, random, untilMs, keep: 12, measure })
    watch.stop()
    expect(tried).toBeGreaterThan(10)
    for (const { text, score } of dearest.slice(0, isFull ? 8 : 2))
      console.log(`${Math.round(score)} ms: ${text.slice(0, 700)}`)
    // A machine may be busy with other things: the measured goal is in docs/performance.md.
    expect(dearest[0]?.score).toBeLessThan(3000)
  })

  it('is found among documents that are all valid, whatever the tape', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 20, maxLength: 120 }),
        (cells) => {
          const text = documentOf(documents, beginnings, cells)
          if (text !== null) expect(text).toMatch(/^query/)
        },
      ),
      { numRuns: 50, seed: testSeed() },
    )
  })
})

/** A small generator of numbers from 0 to below 1, which repeats with its seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
