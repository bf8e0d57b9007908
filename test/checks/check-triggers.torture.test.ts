/** Spec, "States and transitions": every operation that moves a check, on a check in every state, by its worker and by another. */
import { beforeAll, describe, expect, it } from 'vitest'
import { checksOf, goodReport } from '../support/checks.ts'
import { contractHub, type Json, type Person, types, type Who } from '../support/hub.ts'
import { publishing } from './support/publishing.ts'

const hub = contractHub()
const checks = checksOf(hub)
const { robotCheck, publish } = publishing(hub)
let ada: Person
/** Claims. */
let worker: string
/** Of the same account. */
let other: string
let robot: string

beforeAll(async () => {
  ada = await hub.person()
  worker = await hub.key(ada)
  other = await hub.key(ada)
  robot = await checks.robot(ada)
})

/** A check in this state, and the credentials that act on it. */
interface Made {
  readonly check: string
  readonly worker: Who
  readonly other: Who
}
const mine = (check: string): Made => ({ check, worker, other })
const ended = async (status: 'succeeded' | 'failed') => {
  const check = await checks.claimed(worker, robot)
  await checks.report(worker, check, { status, report: goodReport })
  return mine(check)
}
const states: Record<string, () => Promise<Made>> = {
  queued: async () => mine(await checks.queue(ada, robot)),
  running: async () => mine(await checks.claimed(worker, robot)),
  succeeded: () => ended('succeeded'),
  failed: () => ended('failed'),
  canceled: async () => {
    const check = await checks.claimed(worker, robot)
    expect((await checks.post(ada, check, 'cancel')).status).toBe(202)
    return mine(check)
  },
  published: async () => {
    const made = await robotCheck()
    expect((await publish(made.person, made.check)).status).toBe(200)
    return { check: made.check, worker: made.worker, other: made.person }
  },
}

const triggers: Record<string, readonly [verb: string, body: Json]> = {
  claim: ['claim', { worker: 'box' }],
  log: ['report', { log_chunk: 'a line\n' }],
  succeed: ['report', { status: 'succeeded', report: goodReport }],
  fail: ['report', { status: 'failed', error: 'broke' }],
  artifacts: ['artifacts', { files: [{ name: 'meshes/a.stl', size: 1 }] }],
  cancel: ['cancel', {}],
  publish: ['publish', {}],
}

const terminal = {
  claim: 'terminal',
  log: 'terminal',
  succeed: 'terminal',
  fail: 'terminal',
  artifacts: 'terminal',
  cancel: 'terminal',
}
/** The status that a trigger leads to, or the last word of its refusal: of the worker, then of the other. */
const expected: Record<string, { readonly worker: Record<string, string>; readonly other: Record<string, string> }> = {
  queued: {
    worker: {
      claim: 'running',
      log: 'not_claimer',
      succeed: 'not_claimer',
      fail: 'not_claimer',
      artifacts: 'not_claimer',
      cancel: 'canceled',
      publish: 'not_succeeded',
    },
    other: {
      claim: 'running',
      log: 'not_claimer',
      succeed: 'not_claimer',
      fail: 'not_claimer',
      artifacts: 'not_claimer',
      cancel: 'canceled',
      publish: 'not_succeeded',
    },
  },
  running: {
    worker: {
      claim: 'already_claimed',
      log: 'running',
      succeed: 'succeeded',
      fail: 'failed',
      artifacts: 'running',
      cancel: 'canceled',
      publish: 'claimer',
    },
    other: {
      claim: 'already_claimed',
      log: 'not_claimer',
      succeed: 'not_claimer',
      fail: 'not_claimer',
      artifacts: 'not_claimer',
      cancel: 'canceled',
      publish: 'not_succeeded',
    },
  },
  succeeded: {
    worker: { ...terminal, publish: 'claimer' },
    other: { ...terminal, publish: 'card_missing' },
  },
  failed: {
    worker: { ...terminal, publish: 'claimer' },
    other: { ...terminal, publish: 'not_succeeded' },
  },
  canceled: {
    worker: { ...terminal, publish: 'claimer' },
    other: { ...terminal, publish: 'not_succeeded' },
  },
  published: {
    worker: { ...terminal, publish: 'claimer' },
    other: { ...terminal, publish: 'already_published' },
  },
}
const known = new Set(['queued', 'running', 'succeeded', 'failed', 'canceled'])

describe.each(Object.keys(states))('a check that is %s', (state) => {
  it.each(['worker', 'other'] as const)(
    'goes with every trigger where the table says, asked by the %s',
    async (actor) => {
      await hub.sql(`update robot_checks set created_at = now() - interval '25 hours'`)
      const found: Record<string, string> = {}
      for (const [name, [verb, body]] of Object.entries(triggers)) {
        const made = await states[state]?.()
        if (!made) throw new Error('a state of the table')
        const before = (await checks.read(made.other, made.check)).status
        const answer = await checks.post(made[actor], made.check, verb, body)
        const after = (await checks.read(made.other, made.check)).status
        const refused = answer.status >= 400
        found[name] = refused ? (types(answer)[0]?.split('.').at(-1) ?? '') : after
        if (refused) expect([name, after]).toEqual([name, before])
        if (refused) expect([name, answer.status]).toEqual([name, found[name] === 'claimer' ? 403 : 409])
        expect(known).toContain(after)
      }
      expect(found).toEqual(expected[state]?.[actor])
    },
  )
})
