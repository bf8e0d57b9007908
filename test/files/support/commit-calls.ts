import { createHash } from 'node:crypto'
import { beforeAll, expect } from 'vitest'
import { contractHub, type Json, type Person } from '../../support/hub.ts'

/** Two people, the calls that make commits, and what a repo has after them. */
export function commitCalls() {
  const hub = contractHub()
  let ada: Person
  let bob: Person
  beforeAll(async () => {
    ada = await hub.person()
    bob = await hub.person()
  })
  const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
  const named = (bytes: string | Buffer) => ({ sha256: sha256(bytes), size: Buffer.byteLength(bytes) })
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const post = (repo: string, route: string, body: unknown, who: Person | string = ada) =>
    hub.call(who, 'POST', `/v1/repos/${repo}/${route}`, body)
  const commit = (repo: string, body: Json, who: Person = ada) => post(repo, 'commits', body, who)
  const tree = async (repo: string): Promise<Record<string, string | null>> => {
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${repo}/tree`)
    return Object.fromEntries(json.items.map((file: Json) => [file.path, file.sha256]))
  }
  const paths = async (repo: string) => Object.keys(await tree(repo))
  const state = async (repo: string) => (await hub.call(ada, 'GET', `/v1/repos/${repo}`)).json
  /** Storage, reservations and pending uploads of an owner, and what they must be by its rows. */
  const sums = async (handle: string) => {
    const [row] = await hub.sql(
      `select a.storage_bytes::int as stored, a.reserved_bytes::int as reserved, a.pending_uploads as pending,
      (select coalesce(sum(r.total_bytes + r.snapshot_bytes), 0)::int from repos r where r.owner_id = a.id) as files,
      (select coalesce(sum(u.size), 0)::int from uploads u where u.owner_id = a.id
        and u.state in ('pending', 'completing', 'assembled')) as open,
      (select count(*)::int from uploads u where u.owner_id = a.id
        and u.state in ('pending', 'completing', 'assembled')) as uploads
      from accounts a where a.handle = $1`,
      [handle],
    )
    const { stored, reserved, pending, files, open, uploads } = row as Record<string, number>
    expect({ stored, reserved, pending }).toEqual({ stored: files, reserved: open, pending: uploads })
    return { stored, reserved, pending }
  }
  /** Presigns and sends bytes without a path. */
  async function send(repo: string, bytes: string | Buffer, who: Person = ada) {
    const { json } = await post(repo, 'blobs/presign', { blobs: [named(bytes)] }, who)
    const { upload } = json.blobs[0]
    if (upload === null) return null
    const answer = await hub.put(upload.parts[0].url, new Uint8Array(Buffer.from(bytes)))
    return {
      upload_id: upload.upload_id as string,
      parts: [{ part_number: 1, etag: answer.headers.get('etag') ?? '' }],
    }
  }
  return {
    hub,
    sha256,
    named,
    base64,
    post,
    commit,
    tree,
    paths,
    state,
    sums,
    send,
    get ada() {
      return ada
    },
    get bob() {
      return bob
    },
  }
}
