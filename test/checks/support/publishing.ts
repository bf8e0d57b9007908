/** Checks that wait to be published, made through `/v1`: a person, a worker's key, a repo and what the worker reported. */
import { expect } from 'vitest'
import { goodCard } from '../../../packages/robot-card/test/support/card.ts'
import type { contractHub, Json, Person, Who } from '../../support/hub.ts'

type Hub = ReturnType<typeof contractHub>

export const arm = (model = 'arm') => `<mujoco model="${model}"><worldbody><body name="base"><geom size=".1"/>
  <body name="hand"><joint name="shoulder"/><geom size=".1"/><site name="tip"/>
  <body name="finger"><joint name="elbow" type="slide"/><geom size=".1"/></body></body></body></worldbody></mujoco>`

const goodReport = { ok: true, grade: 'pass', source: 'job', engine: 'mujoco', checks: [] }
/** A digest of the form that a fingerprint has. */
export const fingerprint = 'ab'.repeat(32)
export const goodIntake = {
  embodiment: 'unstamped',
  policy_type: 'act',
  policy_format: 'onnx',
  control_class: 'reflex',
  embodiment_fingerprint: fingerprint,
}

export interface Asked {
  /** Text by name; the card of the arm unless given. */
  readonly artifacts?: Readonly<Record<string, string>>
  /** Members of the report that ends the check. */
  readonly end?: Json
  /** Members of the request. */
  readonly request?: Json
  /** Files of the repo that is checked. */
  readonly files?: Readonly<Record<string, string>>
}

/** A check that its worker has ended. */
export interface Reported {
  readonly person: Person
  /** Of the same account, and the claimer. */
  readonly worker: string
  /** The repo that it is about, `owner/slug`. */
  readonly repo: string
  readonly check: string
}

export const cardText = (change: Json = {}) => JSON.stringify(goodCard(change))

/** Helpers on a hub. */
export function publishing(hub: Hub) {
  const post = (who: Who, check: string, verb: string, body: Json = {}, headers: Record<string, string> = {}) =>
    hub.call(who, 'POST', `/v1/robot-checks/${check}/${verb}`, body, headers)

  async function send(worker: Who, check: string, artifacts: Readonly<Record<string, string>>): Promise<void> {
    const files = Object.entries(artifacts).map(([name, text]) => ({ name, size: Buffer.byteLength(text) }))
    if (files.length === 0) return
    const { uploads } = (await post(worker, check, 'artifacts', { files })).json
    for (const { name, url } of uploads) expect((await hub.put(url, artifacts[name] ?? '')).status).toBe(200)
  }

  async function begin(kind: 'robot' | 'model', { request, files }: Asked, owner?: Person): Promise<Reported> {
    const person = owner ?? (await hub.person())
    const worker = await hub.key(person)
    const repo = await hub.repo(person, { kind })
    await hub.upload(person, repo, files ?? (kind === 'robot' ? { 'arm.xml': arm() } : { 'walk.onnx': 'old policy' }))
    const robot = { robot_repo: repo, entry: 'arm.xml', control_hz: 50, action: 'position' }
    const asked = kind === 'robot' ? robot : { model: { repo }, entry: 'walk.onnx' }
    const made = await hub.call(person, 'POST', '/v1/robot-checks', { kind, ...asked, ...request })
    expect([made.status, made.json.errors]).toEqual([201, undefined])
    const check = made.json.id as string
    expect((await post(worker, check, 'claim', { worker: 'box' })).status).toBe(200)
    return { person, worker, repo, check }
  }

  async function end({ worker, check }: Reported, artifacts: Readonly<Record<string, string>>, end: Json) {
    await send(worker, check, artifacts)
    const named = Object.keys(artifacts).map((path) => ({ path }))
    const body = { status: 'succeeded', report: goodReport, artifacts: named, ...end }
    const done = await post(worker, check, 'report', body)
    expect([done.status, done.json.errors]).toEqual([200, undefined])
    return done.json
  }

  async function robotCheck(asked: Asked = {}, owner?: Person): Promise<Reported> {
    const begun = await begin('robot', asked, owner)
    await end(begun, asked.artifacts ?? { 'robot_card.json': cardText() }, asked.end ?? {})
    return begun
  }

  async function modelCheck(asked: Asked = {}, owner?: Person): Promise<Reported> {
    const begun = await begin('model', asked, owner)
    const artifacts = { 'walk.onnx': 'new policy', 'manifest.json': '{}' }
    await end(begun, asked.artifacts ?? artifacts, { intake: goodIntake, ...asked.end })
    return begun
  }

  const publish = (who: Who, check: string, body: Json = {}, headers: Record<string, string> = {}) =>
    post(who, check, 'publish', body, headers)
  const shown = async ({ person, check }: Reported) => (await hub.call(person, 'GET', `/v1/robot-checks/${check}`)).json

  const treeOf = async (who: Who, repo: string): Promise<Record<string, string>> => {
    const { items } = (await hub.call(who, 'GET', `/v1/repos/${repo}/tree`)).json
    return Object.fromEntries(items.map(({ path, sha256 }: Json) => [path, sha256]))
  }

  /** Everything that publishing may change, on the whole hub: rows by table, sums, and the keys of the store. Files of deleted repos are closed by a job, whenever. */
  async function everything(): Promise<Json> {
    const [rows] = await hub.sql(`select
      (select json_agg(row(id, seq, visibility, file_count, total_bytes, verified_count) order by id) from repos) as repos,
      (select count(*)::int from files) as files, (select count(*)::int from files f join repos r on r.id = f.repo_id where f.to_seq is null) as live,
      (select count(*)::int from blobs where state = 'live') as blobs,
      (select count(*)::int from uploads where state in ('pending', 'completing', 'assembled')) as uploads,
      (select json_agg(row(repo_id, card::text, updated_at) order by repo_id) from robot_cards) as cards,
      (select json_agg(row(repo_id, policy_type, updated_at) order by repo_id) from model_meta) as meta,
      (select json_agg(row(id, storage_bytes, reserved_bytes, pending_uploads) order by id) from accounts) as accounts,
      (select count(*)::int from robot_checks where published_at is not null) as published,
      (select count(*)::int from audit_log) as audit, (select count(*)::int from repo_references) as refs`)
    const keys: string[] = []
    for await (const { key } of hub.running.deps.objects?.list('') ?? []) keys.push(key)
    return { rows, keys: keys.toSorted() }
  }

  return { post, send, begin, end, robotCheck, modelCheck, publish, shown, treeOf, everything }
}
