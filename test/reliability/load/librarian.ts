/** Owns a repo: uploads, links, deletes, restores and names states of its files, and keeps what the hub acknowledged. */
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { OWNER } from '../lab/lab.ts'
import { assertStatus } from './actor.ts'
import type { Client, Json } from './client.ts'

export interface KeptFile {
  readonly sha256: string
  readonly size: number
}

/** What was acknowledged of one repo. */
export interface RepoJournal {
  readonly slug: string
  files: Map<string, KeptFile>
  readonly snapshots: Map<string, Map<string, KeptFile>>
  /** Acknowledged changes of files; each is one state. */
  seq: number
  description: string
}

const PATHS = 40
const SMALL_BYTES = 64 * 1024

export class Librarian {
  readonly client: Client
  readonly journal: RepoJournal
  readonly #largeBytes: number
  #isMade = false
  #count = 0

  constructor(client: Client, slug: string, largeBytes: number) {
    this.client = client
    this.#largeBytes = largeBytes
    this.journal = { slug, files: new Map(), snapshots: new Map(), seq: 0, description: '' }
  }

  /** One operation. */
  async step(): Promise<void> {
    if (!this.#isMade) return this.#make()
    const chance = Math.random()
    if (this.journal.files.size < 3 || chance < 0.5) return this.#upload()
    if (chance < 0.6) return this.#delete()
    if (chance < 0.7) return this.#link()
    if (chance < 0.78) return this.#snapshot()
    if (chance < 0.84) return this.#restore()
    if (chance < 0.92) return this.#describe()
    return this.#download()
  }

  get #path(): string {
    return `/v1/repos/${OWNER}/${this.journal.slug}`
  }

  async #make(): Promise<void> {
    const made = await this.client.ask('POST', '/v1/repos', { kind: 'dataset', slug: this.journal.slug })
    assertStatus('createRepo', made, 201)
    this.#isMade = true
  }

  async #upload(): Promise<void> {
    const made = new Map<string, Buffer>()
    for (let left = randomInt(1, 4); left > 0; left -= 1) {
      const isLarge = Math.random() < 0.1
      made.set(
        `data/file-${randomInt(PATHS)}.bin`,
        randomBytes(isLarge ? randomInt(SMALL_BYTES, this.#largeBytes) : randomInt(1, SMALL_BYTES)),
      )
    }
    const kept = await upload(this.client, this.#path, made)
    for (const [path, file] of kept) this.journal.files.set(path, file)
    this.journal.seq += 1
  }

  async #delete(): Promise<void> {
    const path = this.#anyPath()
    const deleted = await this.client.ask('POST', `${this.#path}/files/delete`, { paths: [path] })
    assertStatus('deleteFiles', deleted, 200)
    if (deleted.json.deleted.length !== 1) throw new Error(`deleteFiles: ${path} was missing`)
    this.journal.files.delete(path)
    this.journal.seq += 1
  }

  async #link(): Promise<void> {
    const file = this.journal.files.get(this.#anyPath()) as KeptFile
    const path = `linked/file-${randomInt(PATHS)}.bin`
    const linked = await this.client.ask('POST', `${this.#path}/files/link`, { files: [{ path, ...file }] })
    assertStatus('linkFiles', linked, 200)
    if (linked.json.files.length === 0) return
    this.journal.seq += 1
    this.journal.files.set(path, file)
  }

  async #snapshot(): Promise<void> {
    this.#count += 1
    const name = `state-${this.#count}`
    const made = await this.client.ask('POST', `${this.#path}/snapshots`, { name })
    assertStatus('createSnapshot', made, 201)
    this.journal.snapshots.set(name, new Map(this.journal.files))
  }

  async #restore(): Promise<void> {
    const names = [...this.journal.snapshots.keys()]
    const name = names[randomInt(Math.max(1, names.length))]
    if (name === undefined) return
    const wanted = this.journal.snapshots.get(name) as Map<string, KeptFile>
    const restored = await this.client.ask('POST', `${this.#path}/restore`, { at: name })
    assertStatus('restoreState', restored, 200)
    const { added, removed, changed } = restored.json
    if (added + removed + changed > 0) this.journal.seq += 1
    this.journal.files = new Map(wanted)
  }

  /** Over the graph: a repeat sets the same. */
  async #describe(): Promise<void> {
    this.#count += 1
    const description = `described ${this.#count} times`
    const data = await this.client.graph(
      'mutation ($input: UpdateRepoInput!) { updateRepo(input: $input) { repo { description } } }',
      { input: { owner: OWNER, repo: this.journal.slug, description } },
    )
    if (data?.updateRepo?.repo?.description !== description) throw new Error('updateRepo: not so')
    this.journal.description = description
  }

  async #download(): Promise<void> {
    const path = this.#anyPath()
    const sha256 = await downloaded(this.client, this.#path, path)
    if (sha256 !== this.journal.files.get(path)?.sha256) throw new Error(`${path} has other bytes than were uploaded`)
  }

  #anyPath(): string {
    const paths = [...this.journal.files.keys()]
    return paths[randomInt(paths.length)] ?? ''
  }
}

/** Presigns, puts and completes; what the hub acknowledged. */
export async function upload(
  client: Client,
  repo: string,
  files: ReadonlyMap<string, Buffer>,
): Promise<Map<string, KeptFile>> {
  const kept = new Map<string, KeptFile>()
  for (const [path, bytes] of files) kept.set(path, { size: bytes.length, sha256: sha256Of(bytes) })
  const asked = [...kept].map(([path, file]) => ({ path, ...file }))
  const presigned = await client.ask('POST', `${repo}/files/presign-upload`, { files: asked })
  assertStatus('presignUpload', presigned, 200)
  const uploads: Json[] = []
  for (const { path, upload_id, parts } of presigned.json.uploads) {
    const put = await client.signed('PUT', parts[0].url, files.get(path))
    assertStatus('PUT of a part', put, 200)
    uploads.push({ path, upload_id, parts: [{ part_number: 1, etag: put.headers.etag }] })
  }
  const completed = await client.ask('POST', `${repo}/files/complete`, { uploads })
  assertStatus('completeUpload', completed, 200)
  return kept
}

/** The digest of what the store gives for a file; of a state where one is named. */
export async function downloaded(client: Client, repo: string, path: string, at?: string): Promise<string> {
  const state = at === undefined ? '' : `?at=${at}`
  for (let tries = 1; ; tries += 1) {
    const found = await client.ask('GET', `${repo}/resolve/${path}${state}`)
    assertStatus('resolveFile', found, 302)
    const got = await client.signed('GET', String(found.headers.location))
    if (got.status === 200) return sha256Of(got.bytes)
    // A hub whose clock has moved meanwhile does not take what it signed before: it is asked again.
    if (tries === 3) assertStatus('GET of a file', got, 200)
  }
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
