/** A search for the dearest operation that is accepted, on data as large as it may be. */

import { isFull, testSeed } from '@hub/testing/torture'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../schema/index.ts'
import { countedSchema } from '../../src/http/counted-schema.ts'
import { Documents } from '../../src/http/graphql-documents.ts'
import { beginningsOf } from '../support/hostile-beginnings.ts'
import { type HostileLab, makeHostileLab } from '../support/hostile-lab.ts'
import { contractHub } from '../support/hub.ts'
import { loopWatch } from '../support/loop-watch.ts'
import { type Beginning, documentOf, searchDearest, seeded } from '../support/operation-search.ts'

const hub = contractHub({ RATE_LIMIT_PER_MINUTE: '0' }, { alone: true })
const documents = new Documents(() => countedSchema(schema))
let lab: HostileLab
let beginnings: readonly Beginning[]
beforeAll(async () => {
  lab = await makeHostileLab(
    hub,
    isFull ? { copies: 150, files: 100_000, metricLines: 50_000 } : { copies: 50, files: 10_000, metricLines: 5000 },
  )
  beginnings = beginningsOf(lab)
})

describe('the dearest operation', () => {
  it('uses no more than the limits, and is answered', async () => {
    const watch = loopWatch()
    const measure = async (text: string) => {
      watch.begin()
      const answer = await hub.send(lab.owner, 'POST', '/graphql', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: text, extensions: { cost: true } }),
      })
      const { longestCpuMs } = watch.end()
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
      return longestCpuMs
    }
    const random = seeded(testSeed())
    const untilMs = performance.now() + (isFull ? Number(process.env.HUB_SEARCH_MS ?? 120_000) : 12_000)
    // A machine may be slow, and then tries no fewer.
    const search = { documents, beginnings, random, untilMs, atLeast: 11, keep: 12, measure }
    const { dearest, tried } = await searchDearest(search)
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
