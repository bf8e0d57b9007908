/** What a client does before a commit: it asks how to send each file, and sends the large ones by LFS. */
import { z } from 'zod'
import type { Call } from '../engine/call.ts'
import { badRequest, missing, Refusal } from '../engine/refusal.ts'
import { type Answer, type HfRoute, ofEachType, places, type RepoType } from '../engine/route.ts'
import { findNamedRepo, findRepo, MAIN } from '../repos/find-repo.ts'
import { MAX_PREUPLOAD_FILES, preuploadBody, preuploadOf } from './preupload.ts'
import { readEntries } from './read-files.ts'
import { assertMain } from './revision-rules.ts'

const LFS = 'application/vnd.git-lfs+json'

/** Objects of one batch: clients send at most 256. */
const MAX_OBJECTS = 512

/** The most that the graph presigns in one request. */
const PRESIGNED_AT_ONCE = 100

const batch = z.object({
  operation: z.string(),
  objects: z.array(z.object({ oid: z.string(), size: z.number().int().min(0) })),
})

export const routes: readonly HfRoute[] = ofEachType((type): HfRoute[] => {
  const { api, files } = places[type]
  const lfs = `${files}/:owner/:name/info/lfs`
  return [
    {
      operation: 'hfPreupload',
      method: 'POST',
      path: `${api}/:owner/:name/preupload/:revision`,
      documents: ['hf-find-repo', 'hf-moved-repo', 'hf-entries'],
      answer: (call) => answerPreupload(call, type),
    },
    {
      operation: 'hfLfsBatch',
      method: 'POST',
      path: `${lfs}/objects/batch`,
      documents: ['hf-find-repo', 'hf-moved-repo', 'hf-presign-blobs'],
      answer: (call) => answerBatch(call, type),
    },
    {
      operation: 'hfLfsComplete',
      method: 'POST',
      path: `${lfs}/complete`,
      documents: [],
      // Clients send it without their key. The commit asks the store which parts it has, and checks what they are.
      answer: () => ({ body: {} }),
    },
  ]
}).flat()

async function answerPreupload(call: Call, type: RepoType): Promise<Answer> {
  const { files } = call.body(preuploadBody)
  if (files.length > MAX_PREUPLOAD_FILES)
    throw new Refusal(413, 'TooLarge', `${files.length} files; one request asks about at most ${MAX_PREUPLOAD_FILES}.`)
  assertMain(call)
  const found = await findRepo(call, type)
  const entries = await readEntries(
    call,
    found,
    files.map(({ path }) => path),
  )
  const there = new Map(entries.flatMap((entry) => (typeof entry === 'string' ? [] : [[entry.path, entry] as const])))
  return { body: { files: files.map((file) => preuploadOf(file, there.get(file.path))), commitOid: found.commitId } }
}

/** Uploads for what the hub does not have yet; what it has needs no upload. */
async function answerBatch(call: Call, type: RepoType): Promise<Answer> {
  const { operation, objects } = call.body(batch)
  if (operation !== 'upload') throw badRequest('Only uploads go by LFS: files are read by resolve.', 'NotSupported')
  if (objects.length > MAX_OBJECTS)
    throw new Refusal(413, 'TooLarge', `${objects.length} objects; one batch has at most ${MAX_OBJECTS}.`)
  const name = lfsName(call.param('name'))
  const { owner, slug: repo } = await findNamedRepo(call, type, { owner: call.param('owner'), name }, MAIN)
  // Two files may have the same bytes.
  const blobs = [...new Map(objects.map(({ oid: sha256, size }) => [`${sha256} ${size}`, { sha256, size }])).values()]
  const tickets = new Map<string, Ticket | null>()
  for (let from = 0; from < blobs.length; from += PRESIGNED_AT_ONCE) {
    const input = { owner, repo, blobs: blobs.slice(from, from + PRESIGNED_AT_ONCE) }
    const presigned = await call.ask('hf-presign-blobs', { input })
    for (const { sha256, upload } of presigned?.blobs ?? []) tickets.set(sha256, upload)
  }
  const complete = `${call.origin}${places[type].files}/${owner}/${repo}.git/info/lfs/complete`
  const answers = objects.map((object) => renderObject(object, tickets.get(object.oid), complete))
  return { body: { transfer: 'multipart', objects: answers }, headers: { 'content-type': LFS } }
}

interface Ticket {
  readonly part_size: number
  /** Parts that an interrupted client has sent. */
  readonly uploaded: readonly number[]
  readonly parts: readonly { readonly part_number: number; readonly url: string }[]
}

/**
 * One part is one `PUT`; of several each has its address in `header`, by its number. Clients send all parts or none: a
 * file whose parts are all in the store is not sent again, and the commit checks what they are.
 */
function renderObject(
  { oid, size }: z.output<typeof batch>['objects'][number],
  ticket: Ticket | undefined | null,
  complete: string,
) {
  const [first, ...others] = ticket?.parts ?? []
  if (!ticket || !first || ticket.uploaded.length === ticket.parts.length) return { oid, size }
  if (others.length === 0) return { oid, size, actions: { upload: { href: first.url } } }
  const parts = Object.fromEntries(
    [first, ...others].map(({ part_number, url }) => [`${part_number}`.padStart(5, '0'), url]),
  )
  return { oid, size, actions: { upload: { href: complete, header: { chunk_size: `${ticket.part_size}`, ...parts } } } }
}

/** The name before `.git`. */
function lfsName(name: string): string {
  if (name.endsWith('.git')) return name.slice(0, -'.git'.length)
  throw missing('RepoNotFound', `${name} is not an address of LFS: it ends with .git.`)
}
