/**
 * A model or policy can make its findings as large as it likes: what the worker reports stays within what the hub
 * takes.
 */

import { describe, expect, it } from 'vitest'
import { need } from '../src/request.ts'
import { needsWithinLimits, withinHubLimits } from '../src/serve/hub-limits.ts'

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe('a report', () => {
  it('is as it was found where it fits', () => {
    const body = { report: { ok: true, model: { joints: ['a'] }, checks: [{ loc: ['a', 0], data: { b: [1, null] } }] } }
    expect(withinHubLimits(body)).toEqual(body)
  })

  it('has texts of at most 65,536 characters and lists of at most 10,000, in every member', () => {
    const name = 'n'.repeat(100_000)
    const joints = Array.from({ length: 20_000 }, (_, at) => `j${at}`)
    const fitted = withinHubLimits({ report: { model: { model: name, joints }, checks: [{ loc: [name] }] } }) as {
      report: { model: { model: string; joints: string[] }; checks: [{ loc: [string] }] }
    }
    const { model, checks } = fitted.report
    expect([model.model.length, checks[0].loc[0].length, model.joints.length]).toEqual([65_536, 65_536, 10_000])
    expect(model.model.endsWith('n…')).toBe(true)
  })

  it('has at most 7 MiB, whatever the names are', () => {
    const names = Array.from({ length: 200 }, () => '\u0001'.repeat(8_000))
    const fitted = withinHubLimits({ report: { checks: [{ names }, { names }] }, intake: { differing: names } })
    expect(bytes(fitted)).toBeLessThan(7 * 1024 * 1024)
    expect(bytes(fitted)).toBeGreaterThan(10_000)
  })

  it('cuts no surrogate pair in two', () => {
    const fitted = withinHubLimits({ message: `${'a'.repeat(65_534)}\u{1F600}b` }) as { message: string }
    expect(fitted.message.isWellFormed()).toBe(true)
  })

  it('leaves out free objects that the hub would refuse', () => {
    const shapes = Array.from({ length: 1_000 }, () => Array.from({ length: 64 }, () => 1))
    expect(withinHubLimits({ intake: { graph: { shapes }, manifest: { a: '\0' }, params: 3 } })).toEqual({
      intake: { graph: null, manifest: null, params: 3 },
    })
  })
})

describe('needs', () => {
  it('are as they were found, in their order, where they fit', () => {
    const needs = [need('advice', 'a', 'b'), need('blocking', 'c', 'd', { names: ['e'], suggestion: 'f' })]
    expect(needsWithinLimits(needs)).toEqual(needs)
  })

  it('are at most 1,000 and 512 KiB; the blocking ones stay', () => {
    const path = `policy/${'x'.repeat(1_000)}`
    const advice = Array.from({ length: 5_000 }, () => need('advice', path, path, { names: [path] }))
    const kept = needsWithinLimits([...advice, need('blocking', 'model.obs', 'unknown')])
    expect(kept.at(-1)).toMatchObject({ severity: 'blocking', field: 'model.obs' })
    expect(kept.length).toBeGreaterThan(100)
    expect(bytes(kept)).toBeLessThanOrEqual(600 * 1024)
  })

  it('have texts and names within what the hub reads', () => {
    const long = 'x'.repeat(10_000)
    const names = Array.from({ length: 3_000 }, () => long)
    const [one] = needsWithinLimits([need('blocking', long, long, { names, suggestion: long })])
    expect([one?.field.length, one?.why.length, one?.suggestion?.length]).toEqual([256, 4_000, 4_000])
    expect([one?.names.length, one?.names[0]?.length]).toEqual([200, 1_024])
  })
})
