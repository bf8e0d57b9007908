/** The one transaction of a commit. Locks in order: repo, account, uploads, blobs. */
import { lockAccounts } from '../../accounts/lock-accounts.ts'
import { audit } from '../../operation/audit.ts'
import type { RequestContext } from '../../operation/context.ts'
import { notFound } from '../../platform/errors.ts'
import { turns } from '../../platform/turns.ts'
import { currentCommitOf, lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import type { Tx } from '../../store/db.ts'
import { linkBlobs } from '../link-blobs.ts'
import { finishUploads, hashLater, insertFiles, moveReservation, setDatasetMeta } from '../link-files.ts'
import { mimeFor } from '../mime.ts'
import { assertNoClash } from '../path-clashes.ts'
import type { Brought } from '../read-dataset-info.ts'
import { contentOf } from '../readable-blobs.ts'
import { countBytes } from '../reservation.ts'
import type { UploadRow } from '../upload-sql.ts'
import { keptBytes, settleKept } from '../versions/kept-bytes.ts'
import { closeFiles, recordChange } from '../versions/record-change.ts'
import { assertParent, type CommitRequest, type Committed, placesOf } from './commit-input.ts'
import { type FoundFile, findCopied, findDeleted, findLive } from './live-paths.ts'
import type { SourceBlob } from './sources.ts'

export interface CommitWork extends CommitRequest, Brought {
  /** Fences the uploads; null where all are checked and none is claimed. */
  readonly attempt: string | null
  readonly uploads: readonly UploadRow[]
  /** The bytes to link, by content. */
  readonly blobs: ReadonlyMap<string, SourceBlob>
}

/** A file as the commit makes it. */
interface NewFile {
  readonly path: string
  readonly blobId: string
  readonly size: number
  readonly sha256: string | null
  readonly mime: string | null
}

/** The most files that an audit row names. */
const NAMED = 1000

/** About fifteen statements for any number of operations, and one for each file that a job has to hash. */
export async function applyCommit(ctx: RequestContext, tx: Tx, work: CommitWork): Promise<Committed> {
  const { input, targets } = work
  const repo = await lockRepo(tx, work.repo.id)
  if (!repo) throw notFound(`The repo ${work.repo.fullName}`)
  const before = (await currentCommitOf(tx, repo.id)) ?? ''
  assertParent(repo, before, input.parentCommit)
  const deleted = await findDeleted(tx, repo, input.delete ?? [])
  const live = await findLive(
    tx,
    repo.id,
    targets.map(({ path }) => path),
  )
  const copied = await findCopied(tx, repo, work.copies)
  await lockAccounts(tx, [repo.ownerId])
  await endUploads(tx, repo, work)
  const files = [...(await linkAdded(tx, work)), ...copied.map((file, index) => toCopy(file, work.copies[index]?.path))]
  await turns.next()
  const fresh = files.filter((file) => live.get(file.path)?.blobId !== file.blobId)
  const isTarget = new Set(targets.map(({ path }) => path))
  const removed = [...deleted.values()].filter(({ path }) => !isTarget.has(path))
  const replaced = fresh.flatMap(({ path }) => live.get(path) ?? [])
  const counts = { added: fresh.length - replaced.length, changed: replaced.length, removed: removed.length }
  if (fresh.length + removed.length === 0) return { commitId: before, seq: repo.seq, ...counts }
  const seq = repo.seq + 1
  const closed = [...removed, ...replaced]
  const touched = [...removed.map(({ path }) => path), ...fresh.map(({ path }) => path)]
  const kept = await keptBytes(tx, repo, touched)
  if (closed.length > 0) await tx.query(closeFiles, { repoId: repo.id, seq, paths: closed.map(({ path }) => path) })
  if (fresh.length > 0) await insert(tx, repo, seq, fresh, placesOf(targets))
  const [bytesAdded, bytesRemoved] = [bytesOf(fresh), bytesOf(closed)]
  await countBytes(tx, ctx.deps.config, repo.ownerId, bytesAdded - bytesRemoved)
  const commitId = await recordChange({
    tx,
    ctx,
    repoId: repo.id,
    seq,
    action: fresh.length > 0 ? 'complete' : 'delete',
    runId: input.runId ?? null,
    message: input.message,
    readme: work.readme,
    body: work.body ?? null,
    counts: { ...counts, bytesAdded, bytesRemoved, verified: verifiedOf(fresh) - verifiedOf(closed) },
  })
  await settleKept(tx, repo, touched, kept)
  await audit(tx, ctx, {
    action: 'files.commit',
    accountId: repo.ownerId,
    targetId: repo.id,
    before: { files: closed.slice(0, NAMED).map(toNamed) },
    after: { seq, commitId, ...counts, files: fresh.slice(0, NAMED).map(toNamed) },
  })
  if (work.datasetInfo) await setDatasetMeta(ctx, tx, repo, work.datasetInfo)
  const blobs = fresh.map(({ blobId: id, sha256 }) => ({ id, sha256 }))
  await hashLater(ctx, tx, blobs)
  tx.afterCommit(() => ctx.deps.events.hint(repo.id))
  return { commitId, seq, ...counts }
}

/** Ends the uploads and their reservation; the bytes are counted once it is known which of them are new. */
async function endUploads(tx: Tx, repo: RepoFacts, { uploads, attempt }: CommitWork): Promise<void> {
  if (uploads.length === 0) return
  const ids = uploads.map(({ id }) => id)
  await finishUploads(tx, { ids, attempt })
  const reservedBytes = bytesOf(uploads)
  await tx.query(moveReservation, { ownerId: repo.ownerId, reservedBytes, netBytes: 0, uploads: uploads.length })
}

async function linkAdded(tx: Tx, { added, blobs }: CommitWork): Promise<NewFile[]> {
  const keys = [...new Set(added.map(contentOf))]
  const sources = keys.flatMap((key) => blobs.get(key) ?? [])
  const linked =
    sources.length === 0
      ? []
      : await linkBlobs(
          tx,
          sources.map(({ blob }) => blob),
        )
  const byKey = new Map(keys.map((key, index) => [key, { linked: linked[index], source: sources[index] }]))
  return added.map((file) => {
    const { linked: blob, source } = byKey.get(contentOf(file)) ?? {}
    if (!blob || !source) throw new Error('Each file of a commit has its bytes.')
    const { path, size } = file
    return { path, size, blobId: blob.id, sha256: blob.sha256, mime: mimeFor(path, source.mime) }
  })
}

function toCopy({ blobId, size, sha256, mime }: FoundFile, path: string | undefined): NewFile {
  if (path === undefined) throw new Error('Each copy has its path.')
  return { path, blobId, size, sha256, mime }
}

async function insert(
  tx: Tx,
  { id: repoId }: RepoFacts,
  seq: number,
  fresh: readonly NewFile[],
  locOf: ReturnType<typeof placesOf>,
): Promise<void> {
  const paths = fresh.map(({ path }) => path)
  // What the commit deletes is closed by now, so a file may take the place of a folder.
  await assertNoClash(tx, repoId, paths, locOf)
  const [blobIds, mimes] = [fresh.map(({ blobId }) => blobId), fresh.map(({ mime }) => mime)]
  await tx.query(insertFiles, { repoId, fromSeq: seq, paths, blobIds, mimes })
}

const bytesOf = (files: readonly { readonly size: number }[]) => files.reduce((sum, { size }) => sum + size, 0)
const verifiedOf = (files: readonly { readonly sha256: string | null }[]) =>
  files.filter(({ sha256 }) => sha256 !== null).length
const toNamed = ({ path, size, sha256 }: NewFile | FoundFile) => ({ path, size, sha256 })
