/** A small world for tests of verbs: a real database, the disk store in a throwaway directory, accounts, repos and callers. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@hub/formats/ids'
import pino from 'pino'
import { SharedChanges } from '../../src/accounts/changes/shared-changes.ts'
import { completeUpload } from '../../src/files/complete-upload.ts'
import type { RepoFileEntry } from '../../src/files/file-entry.ts'
import { presignUpload, signParts } from '../../src/files/presign-upload.ts'
import { tokenSeal } from '../../src/hosting/token-seal.ts'
import { openModelReader } from '../../src/models/reader/open-model-reader.ts'
import type { AccountRef, Credentialed, Deps, RequestContext, Viewer } from '../../src/operation/context.ts'
import { type Config, readConfig } from '../../src/platform/config.ts'
import { repoReferrers } from '../../src/repo-referrers.ts'
import type { Db } from '../../src/store/db.ts'
import type { Events } from '../../src/store/events.ts'
import { type DiskStore, openDiskStore } from '../../src/store/objects/disk.ts'
import type { ObjectStore } from '../../src/store/objects/object-store.ts'
import type { Queue } from '../../src/store/queue.ts'
import { JobLogs } from '../../src/work/log/shared-logs.ts'
import { noBackend } from './no-backend.ts'
import { noSigningKeys } from './no-signing-keys.ts'

export interface WorldRepo {
  readonly id: string
  readonly owner: string
  readonly repo: string
}

interface SentJob {
  readonly job: string
  readonly input: object
}

export interface World {
  readonly deps: Deps
  readonly disk: DiskStore
  /** What verbs enqueued, in order, when no queue was given. */
  readonly sent: SentJob[]
  /** The same world with some parts changed: a store that fails, a smaller quota. */
  with(change: { objects?: ObjectStore | null; config?: Partial<Config>; events?: Events }): World
  user(handle?: string): Promise<AccountRef>
  org(members: readonly AccountRef[], handle?: string): Promise<AccountRef>
  repo(
    owner: AccountRef,
    options?: { slug?: string; visibility?: 'private' | 'public'; kind?: string },
  ): Promise<WorldRepo>
  /** A request by a session of `account`, or by a key if `viewer` has one. */
  as(account: AccountRef, viewer?: Partial<Credentialed>): RequestContext
  anonymous(): RequestContext
  /** Sends one part to its signed place and returns its ETag. */
  putPart(url: string, bytes: Uint8Array): Promise<string>
  /** Presigns, sends and completes one file. */
  upload(ctx: RequestContext, repo: WorldRepo, path: string, bytes: Uint8Array): Promise<RepoFileEntry>
  /** Runs raw SQL: tests read rows with it and change their age. */
  sql<T>(text: string, values?: unknown[]): Promise<T[]>
  close(): Promise<void>
}

export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const nextName = (prefix: string) => `${prefix}-${randomBytes(6).toString('hex')}`

/** Opens a world on `db`; `close` removes its files and leaves the database to its maker. */
export async function makeWorld(options: { db: Db; config?: Partial<Config>; queue?: Queue }): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), 'hub-world-'))
  const disk = await openDiskStore({ dir, signingKey: randomBytes(32), baseUrl: () => 'http://hub.test' })
  const sent: SentJob[] = []
  const log = pino({ level: 'silent' })
  const models = openModelReader({ log })
  const events: Events = { hint: () => undefined, async *watch() {}, instance: null, close: async () => undefined }
  const deps: Deps = {
    config: { ...readConfig({ HUB_DATA_DIR: dir }), ...options.config },
    log,
    db: options.db,
    objects: disk,
    queue: options.queue ?? recordingQueue(sent),
    events,
    models,
    logs: new JobLogs({ db: options.db, objects: disk }),
    changes: new SharedChanges(options.db),
    hosted: noBackend,
    tokenSeal: tokenSeal('s'.repeat(32)),
    repoReferrers,
    signingKeys: noSigningKeys,
    findings: async () => [],
    stopping: new AbortController().signal,
  }
  return worldOf(deps, disk, sent, async () => {
    await models.close()
    await disk.close()
    await rm(dir, { recursive: true, force: true })
  })
}

/** Records enqueued jobs at the commit. */
function recordingQueue(sent: SentJob[]): Queue {
  return {
    async send(tx, job, input) {
      tx.afterCommit(() => sent.push({ job, input }))
    },
    async sendAll(tx, job, jobs) {
      tx.afterCommit(() => sent.push(...jobs.map(({ input }) => ({ job, input }))))
    },
    stop: async () => undefined,
  }
}

function worldOf(deps: Deps, disk: DiskStore, sent: SentJob[], close: () => Promise<void>): World {
  const sql = async <T>(text: string, values: unknown[] = []) =>
    deps.db.query<T>({ name: `test-${createHash('md5').update(text).digest('hex')}`, text }, values)
  const request = (viewer: Viewer): RequestContext => ({
    requestId: randomUUID(),
    viewer,
    signal: new AbortController().signal,
    deps,
  })
  const account = async (kind: 'user' | 'org', handle: string): Promise<AccountRef> => {
    const made = { id: newId(kind), kind, handle, name: null }
    await sql(`insert into accounts (id, kind, handle) values ($1, $2::"AccountKind", $3)`, [made.id, kind, handle])
    return made
  }
  const world: World = {
    deps,
    disk,
    sent,
    sql,
    close,
    with: ({ objects = deps.objects, events = deps.events, config }) =>
      worldOf({ ...deps, objects, events, config: { ...deps.config, ...config } }, disk, sent, close),
    user: (handle = nextName('user')) => account('user', handle),
    async org(members, handle = nextName('org')) {
      const org = await account('org', handle)
      for (const member of members) {
        await sql(`insert into memberships (org_id, user_id, role) values ($1, $2, 'member')`, [org.id, member.id])
      }
      return org
    },
    async repo(owner, { slug = nextName('repo'), visibility = 'private', kind = 'dataset' } = {}) {
      const id = newId('repo')
      await sql(
        `insert into repos (id, owner_id, slug, kind, visibility) values ($1, $2, $3, $4::"RepoKind", $5::"Visibility")`,
        [id, owner.id, slug, kind, visibility],
      )
      return { id, owner: owner.handle, repo: slug }
    },
    as: (owner, viewer = {}) => request({ ...sessionOf(owner), ...viewer }),
    anonymous: () => request({ kind: 'anonymous' }),
    async putPart(url, bytes) {
      const { pathname, searchParams } = new URL(url)
      const verdict = disk.readPartUrl(decodeURIComponent(pathname.replace(/^\/objects\//, '')), searchParams)
      if (verdict.status !== 'allowed') throw new Error(`The part URL was refused: ${verdict.status}`)
      const part = await disk.writePart(verdict.grant, chunks(bytes))
      return part.etag
    },
    async upload(ctx, repo, path, bytes) {
      const presigned = await presignUpload(ctx, {
        ...repo,
        files: [{ path, size: bytes.length, sha256: sha256Of(bytes) }],
      })
      const [ticket] = presigned.uploads
      if (!ticket) throw new Error('Nothing was presigned.')
      const urls = await signParts(ctx, ticket)
      const parts = []
      for (const { partNumber, url } of urls) {
        const start = (partNumber - 1) * ticket.partSize
        parts.push({ partNumber, etag: await world.putPart(url, bytes.subarray(start, start + ticket.partSize)) })
      }
      const { files } = await completeUpload(ctx, { ...repo, uploads: [{ path, uploadId: ticket.uploadId, parts }] })
      const [file] = files
      if (!file) throw new Error('Nothing was completed.')
      return file
    },
  }
  return world
}

function sessionOf(account: AccountRef): Credentialed {
  return {
    kind: 'session',
    isRecentSignIn: true,
    credentialId: newId('sess'),
    account,
    personId: account.kind === 'user' ? account.id : null,
    accountIds: [account.id],
    ownedOrgIds: [],
    level: 'train',
    repoIds: null,
    agent: false,
    name: null,
    dailyGpuHourQuota: null,
    expiresAt: null,
  }
}

async function* chunks(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let start = 0; start < bytes.length; start += 65_536) yield bytes.subarray(start, start + 65_536)
}
