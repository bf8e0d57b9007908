/** What every subscription of the graph has in common. Contract, "Subscriptions". */

import { newId } from '@hub/formats/ids'
import { createSourceEventStream, parse } from 'graphql'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { schema } from '../../schema/index.ts'
import { currentViewer } from '../../src/auth/current-viewer.ts'
import type { Deps, Viewer } from '../../src/operation/context.ts'
import { type RunningHub, startHub } from '../../src/start-hub.ts'
import { checksOf } from '../support/checks.ts'
import { contractHub, type Json, newName, type Person } from '../support/hub.ts'
import { endpointsOf } from '../support/hub-endpoints.ts'
import { readSubscription, type SubscriptionReader } from '../support/subscription.ts'

const hub = contractHub()
const checks = checksOf(hub)
const endpoints = endpointsOf(hub)
/** Another hub over the same database and store: all streams are on it, and all changes on the first. */
let other: RunningHub
let ada: Person
let org: string
let orgId: string
let key: string
beforeAll(async () => {
  other = await startHub({ ...hub.running.deps.config, port: 0, publicUrl: null }, pino({ level: 'silent' }))
  ada = await hub.person()
  org = await hub.org([{ user: ada.handle, role: 'owner' }])
  key = await hub.key(ada, { scope: 'train' })
  const [row] = await hub.sql<{ id: string }>('select id from accounts where handle = $1', [org])
  orgId = row?.id ?? ''
})
afterAll(() => other?.stop())

/** Something of the org that a subscription is about. */
interface Subject {
  readonly id: string
  change(): Promise<unknown>
}

const ok = async (asked: Promise<{ status: number; json: Json }>): Promise<Json> => {
  const { status, json } = await asked
  expect([status, json?.errors]).toEqual([status < 300 ? status : 200, undefined])
  return json
}

async function run(): Promise<Subject> {
  const { id } = await ok(hub.call(key, 'POST', '/v1/runs', { recipe: { template: 'act', dataset: [] }, owner: org }))
  await ok(hub.call(key, 'POST', `/v1/runs/${id}/claim`, { worker: 'box' }))
  let step = 0
  const change = () => {
    step += 1
    return ok(hub.call(key, 'POST', `/v1/runs/${id}/report`, { log_chunk: `line ${step}\n`, metrics: [{ step }] }))
  }
  // A log begins with its first line.
  await change()
  return { id, change }
}

async function check(): Promise<Subject> {
  const id = await checks.claimed(key, await checks.robot(ada, { owner: org }))
  const change = () => checks.report(key, id, { log_chunk: 'a line\n' })
  await change()
  return { id, change }
}

async function endpoint(): Promise<Subject> {
  const id = await endpoints.claimed(key, await endpoints.model(ada, undefined, { owner: org }), { owner: org })
  return { id, change: () => ok(endpoints.report(key, id, { log_chunk: newName() })) }
}

async function session(): Promise<Subject> {
  const { id } = await endpoint()
  const change = async () => {
    await endpoints.session(id)
    hub.running.deps.events.hint(id)
  }
  return { id, change }
}

async function hold(): Promise<Subject> {
  const id = newId('spend')
  await hub.sql(
    `insert into spend_holds (id, status, kind, account_id, filed_by, filed_by_name, request, summary, estimate_usd, reserve_usd, allowance_usd, expires_at)
     values ($1, 'pending', 'run', $2, 'key_x', 'x', '{}', 'A run.', 1, 1, 0, now() + interval '1 hour') returning id`,
    [id, orgId],
  )
  return { id, change: () => ok(hub.call(ada, 'POST', `/v1/spend/holds/${id}/deny`, { reason: 'no' })) }
}

async function repo(): Promise<Subject & { name: string }> {
  const name = await hub.repo(ada, { owner: org })
  const [row] = await hub.sql<{ id: string }>('select id from repos where slug = $1', [name.split('/')[1]])
  const change = () => ok(hub.call(ada, 'PATCH', `/v1/repos/${name}`, { description: newName() }))
  return { id: row?.id ?? '', name, change }
}

async function files(): Promise<Subject> {
  const { id, name } = await repo()
  return { id, change: () => hub.upload(ada, name, { [`${newName()}.txt`]: 'x' }) }
}

interface Row {
  readonly subject: () => Promise<Subject>
  /** The name of the argument that says what it is about. */
  readonly about: string
  readonly selected: string
  /** Where it continues, of an event; absent where each subscription begins with the current state. */
  readonly place?: 'cursor' | 'seq'
}

const ofOrg = { about: 'owner', selected: 'nodes { id } removedIds cursor', place: 'cursor' } as const
const rows: Readonly<Record<string, Row>> = {
  runUpdated: { subject: run, about: 'runId', selected: 'id latestMetrics' },
  runLog: { subject: run, about: 'runId', selected: 'events { line } cursor', place: 'cursor' },
  runMetrics: { subject: run, about: 'runId', selected: 'events cursor', place: 'cursor' },
  runsUpdated: { subject: run, ...ofOrg },
  robotCheckUpdated: { subject: check, about: 'checkId', selected: 'id logTail' },
  robotCheckLog: { subject: check, about: 'checkId', selected: 'events { line } cursor', place: 'cursor' },
  checksUpdated: { subject: check, ...ofOrg },
  endpointUpdated: { subject: endpoint, about: 'endpointId', selected: 'id heartbeatAt' },
  endpointsUpdated: { subject: endpoint, ...ofOrg },
  sessionsUpdated: { subject: session, ...ofOrg },
  spendHoldUpdated: { subject: hold, about: 'holdId', selected: 'id status' },
  holdsUpdated: { subject: hold, ...ofOrg },
  repoUpdated: { subject: repo, about: 'repoId', selected: 'id description' },
  repoFilesUpdated: { subject: files, about: 'repoId', selected: 'seq fileCount changes { filesAdded }', place: 'seq' },
}

it('every subscription of the schema is among those that are tested here', () => {
  expect(Object.keys(rows).toSorted()).toEqual(Object.keys(schema.getSubscriptionType()?.getFields() ?? {}).toSorted())
})

it('every subscription with an argument `after` is resumed by it here', () => {
  const fields = Object.values(schema.getSubscriptionType()?.getFields() ?? {})
  const resumable = fields.filter(({ args }) => args.some(({ name }) => name === 'after')).map(({ name }) => name)
  const resumed = Object.entries(rows).flatMap(([name, { place }]) => (place ? [name] : []))
  expect(resumed.toSorted()).toEqual(resumable.toSorted())
})

async function member(): Promise<Person> {
  const who = await hub.person()
  await hub.sql(`insert into memberships (org_id, user_id, role) values ($1, $2, 'member') returning user_id`, [
    orgId,
    who.id,
  ])
  return who
}

/** Streams look for their caller's rights after half a minute at the latest. */
async function halfAMinuteLater(act: () => Promise<unknown>): Promise<void> {
  const now = performance.now.bind(performance)
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 31_000)
  try {
    await act()
  } finally {
    clock.mockRestore()
  }
}

/** The member's session, as a request has it. */
async function viewerOf({ id }: Person): Promise<Viewer> {
  const [row] = await hub.sql<{ id: string }>('select id from sessions where account_id = $1', [id])
  const asked = { kind: 'session', credentialId: row?.id, account: { id } } as Viewer
  const viewer = await currentViewer(other.deps.db, asked)
  if (!viewer) throw new Error('The session has ended.')
  return viewer
}

describe.each(Object.keys(rows))('%s', (name) => {
  const row = rows[name] as Row
  const field = ({ id }: Subject, after?: Json) => {
    const about = row.about === 'owner' ? org : id
    const resume = after === undefined ? '' : `, after: ${JSON.stringify(after)}`
    return `${name}(${row.about}: "${about}"${resume}) { ${row.selected} }`
  }
  const watch = async (token: string, text: string): Promise<SubscriptionReader> => {
    const reader = await readSubscription(other.url, token, text)
    const [first] = await reader.until(1)
    expect(first.errors).toBeUndefined()
    return reader
  }

  it('shows changes of another instance, and ends without them for a revoked key and for who has left the org', async () => {
    const subject = await row.subject()
    const [stays, leaves, loses] = await Promise.all([member(), member(), member()])
    const text = field(subject)
    const [sees, left, revoked] = await Promise.all([
      watch(stays.token, text),
      watch(leaves.token, text),
      watch(await hub.key(loses, { scope: 'read' }), text),
    ])
    await hub.revoke('delete from memberships where user_id = $1', [leaves.id])
    await hub.revoke('update api_keys set revoked_at = now() where account_id = $1', [loses.id])
    const before = [left, revoked].map(({ events }) => events.length)
    await halfAMinuteLater(async () => {
      await subject.change()
      await sees.until(2)
      await Promise.all([left.ended, revoked.ended])
    })
    expect([left, revoked].map(({ events }) => events.length)).toEqual(before)
    sees.close()
  })

  it(row.place ? 'goes on where it was left' : 'begins with the current state, whenever it is opened', async () => {
    const subject = await row.subject()
    const reader = await watch(ada.token, field(subject))
    const [first] = reader.events
    reader.close()
    await subject.change()
    const again = await watch(ada.token, field(subject, row.place && first[name][row.place]))
    expect(again.events[0]).not.toEqual(first)
    if (row.place === 'cursor') {
      const { events, nodes } = again.events[0][name]
      expect((events ?? nodes).length).toBeGreaterThan(0)
    }
    again.close()
  })

  it('reads nothing for a reader that takes nothing, and then what is there by then', async () => {
    const subject = await row.subject()
    const leaving = new AbortController()
    let reads = 0
    const counted = <T extends object>(of: T): T =>
      new Proxy(of, {
        get(target, name) {
          const member = Reflect.get(target, name)
          if (typeof member !== 'function') return member
          return (...given: unknown[]) => {
            reads += 1
            return member.apply(target, given)
          }
        },
      })
    const { db, logs, changes, ...rest } = other.deps
    const deps: Deps = { ...rest, db: counted(db), logs: counted(logs), changes: counted(changes) }
    const contextValue = { requestId: 'x', viewer: await viewerOf(ada), signal: leaving.signal, deps }
    const document = parse(`subscription { ${field(subject)} }`)
    const source = await createSourceEventStream({ schema, document, contextValue })
    if (!(Symbol.asyncIterator in source)) throw new Error(JSON.stringify(source))
    const events = source[Symbol.asyncIterator]()
    const first = await events.next()
    const witness = await watch(ada.token, field(subject))
    const before = reads
    await subject.change()
    await witness.until(2)
    expect(reads).toBe(before)
    const next = await events.next()
    expect([next.done, reads > before]).toEqual([false, true])
    expect(next.value).not.toEqual(first.value)
    leaving.abort()
    await events.return?.()
    witness.close()
  })
})
