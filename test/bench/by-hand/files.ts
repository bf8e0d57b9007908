/**
 * Uploads of many files as a person would write them for speed: a presign is one transaction of one statement, a
 * completion one statement that claims, the work in the store, and one transaction that links all files. It keeps what
 * the hub keeps: reservations, fencing, parts that are remembered before the store assembles them, digests that the hub
 * computes, equal bytes stored once, the change of the repo and the audit log. Replays, conditions and clashes of paths
 * are left out.
 */
import { randomUUID } from 'node:crypto'
import { newId } from '@hub/formats/ids'
import { hashObject } from '../../../src/files/hash-object.ts'
import { detectMime } from '../../../src/files/mime.ts'
import { newStorageKey } from '../../../src/files/objects.ts'
import { recordChange } from '../../../src/files/versions/record-change.ts'
import { audit } from '../../../src/operation/audit.ts'
import type { RequestContext } from '../../../src/operation/context.ts'
import { column, columns } from '../../../src/store/columns.ts'
import { requireObjects } from '../../../src/store/objects/required.ts'
import { param, statement } from '../../../src/store/statement.ts'

const PART_BYTES = 100 * 1024 * 1024
const URL_SECONDS = 3600

export interface HandPresign {
  readonly files: readonly { readonly path: string; readonly size: number; readonly sha256: string }[]
}

export interface HandComplete {
  readonly uploads: readonly {
    readonly path: string
    readonly upload_id: string
    readonly parts: readonly { readonly part_number: number; readonly etag: string }[]
  }[]
}

/** The repo's name, and the person or org behind the credential. */
interface Target {
  readonly owner: string
  readonly repo: string
  readonly accountId: string
}

const opened = columns({ id: column.text('u.id') })

const open = statement({
  name: 'by-hand-presign',
  columns: opened,
  params: {
    owner: param.text(),
    repo: param.text(),
    accountId: param.text(),
    bytes: param.int8(),
    quota: param.int8(),
    ids: param.texts(),
    paths: param.texts(),
    sizes: param.int8s(),
    sha256s: param.texts(),
    keys: param.texts(),
    storeIds: param.texts(),
  },
  text: `with repo as (select r.id, r.owner_id from repos r join accounts o on o.id = r.owner_id
      where o.handle = :owner and r.slug = :repo and r.owner_id = :accountId for key share of r),
    room as (update accounts a set reserved_bytes = reserved_bytes + :bytes,
        pending_uploads = pending_uploads + cardinality(:ids::text[])
      from repo where a.id = repo.owner_id and storage_bytes + reserved_bytes + :bytes <= :quota returning a.id)
    insert into uploads as u (id, repo_id, account_id, owner_id, path, size, sha256, storage_key, store_upload_id, part_size)
    select given.id, repo.id, :accountId, repo.owner_id, path, size, sha256, key, store_id, ${PART_BYTES}
    from repo, room, unnest(:ids::text[], :paths::text[], :sizes::bigint[], :sha256s::text[], :keys::text[],
      :storeIds::text[]) as given(id, path, size, sha256, key, store_id) returning ${opened.sql}`,
})

/** Answers a URL for each file. */
export async function presign(ctx: RequestContext, target: Target, { files }: HandPresign): Promise<unknown> {
  const { db, config } = ctx.deps
  const objects = requireObjects(ctx.deps)
  const uploads = await Promise.all(
    files.map(async (file) => {
      const key = newStorageKey()
      return { ...file, id: newId('upl'), key, storeId: await objects.createUpload(key, { signal: ctx.signal }) }
    }),
  )
  const made = await db.query(open, {
    ...target,
    bytes: sum(files.map(({ size }) => size)),
    quota: config.storageQuotaBytes,
    ids: uploads.map(({ id }) => id),
    paths: uploads.map(({ path }) => path),
    sizes: uploads.map(({ size }) => size),
    sha256s: uploads.map(({ sha256 }) => sha256),
    keys: uploads.map(({ key }) => key),
    storeIds: uploads.map(({ storeId }) => storeId),
  })
  if (made.length < uploads.length) throw new Error('not opened')
  const answers = uploads.map(async ({ id, path, size, key, storeId }) => ({
    path,
    upload_id: id,
    part_size: PART_BYTES,
    parts: [
      {
        part_number: 1,
        url: await objects.signPart(key, storeId, { partNumber: 1, sizeBytes: size }, URL_SECONDS),
      },
    ],
    uploaded: [],
    uploaded_etags: [],
  }))
  return {
    uploads: await Promise.all(answers),
    expires_at: new Date(Date.now() + URL_SECONDS * 1000).toISOString(),
  }
}

const claimed = columns({
  id: column.text('u.id'),
  path: column.text('u.path'),
  size: column.int8('u.size'),
  sha256: column.text('u.sha256'),
  key: column.text('u.storage_key'),
  storeId: column.text('u.store_upload_id'),
  repoId: column.text('u.repo_id'),
})

/** The parts are those that the client names: the store compares them before it assembles. */
const claim = statement({
  name: 'by-hand-claim',
  columns: claimed,
  params: {
    owner: param.text(),
    repo: param.text(),
    accountId: param.text(),
    attempt: param.text(),
    ids: param.texts(),
    etags: param.texts(),
  },
  text: `with repo as (select r.id from repos r join accounts o on o.id = r.owner_id
      where o.handle = :owner and r.slug = :repo and r.owner_id = :accountId),
    locked as materialized (select u.id, given.etag from uploads u join repo on repo.id = u.repo_id
      join unnest(:ids::text[], :etags::text[]) as given(id, etag) on given.id = u.id
      where u.state = 'pending' order by u.id for update of u)
    update uploads u set state = 'completing', attempt = :attempt, attempt_at = now(), touched_at = now(),
      parts = jsonb_build_array(jsonb_build_object('partNumber', 1, 'etag', locked.etag, 'sizeBytes', u.size))
    from locked where u.id = locked.id returning ${claimed.sql}`,
})

const locked = columns({
  seq: column.int4('r.seq'),
  ownerId: column.text('r.owner_id'),
  equal: column.json(
    `(select coalesce(json_object_agg(sha256, id), '{}') from (select id, sha256 from blobs
      where sha256 = any(:sha256s::text[]) and state = 'live' order by id for share) b)`,
    (value) => value as Readonly<Record<string, string>>,
  ),
  replaced: column.int4(
    '(select count(*) from files f where f.repo_id = r.id and f.to_seq is null and f.path = any(:paths::text[]))::int',
  ),
})

const lock = statement({
  name: 'by-hand-link-lock',
  columns: locked,
  params: { repoId: param.text(), sha256s: param.texts(), paths: param.texts() },
  text: `select ${locked.sql} from repos r where r.id = :repoId for update`,
})

const written = columns({ path: column.text('f.path'), updatedAt: column.timestamptz('f.updated_at') })

/** Where another completion has taken one of them, the division ends the transaction. */
const link = statement({
  name: 'by-hand-link',
  columns: written,
  params: {
    repoId: param.text(),
    ownerId: param.text(),
    attempt: param.text(),
    seq: param.int4(),
    bytes: param.int8(),
    ids: param.texts(),
    paths: param.texts(),
    mimes: param.texts<readonly (string | null)[]>(),
    blobIds: param.texts(),
    newIds: param.texts(),
    newKeys: param.texts(),
    newSizes: param.int8s(),
    newEtags: param.texts(),
    newSha256s: param.texts(),
  },
  text: `with done as (update uploads set state = 'completed', touched_at = now()
      where id = any(:ids::text[]) and attempt = :attempt and state = 'completing' returning 1),
    whole as (select 1 / (case when count(*) = cardinality(:ids::text[]) then 1 else 0 end) as one from done),
    room as (update accounts set reserved_bytes = reserved_bytes - :bytes, storage_bytes = storage_bytes + :bytes,
      pending_uploads = pending_uploads - cardinality(:ids::text[]) from whole where id = :ownerId),
    blob as (insert into blobs (id, storage_key, size, etag, claimed, sha256, verified_at)
      select id, key, size, etag, sha256, sha256, now() from unnest(:newIds::text[], :newKeys::text[], :newSizes::bigint[],
        :newEtags::text[], :newSha256s::text[]) as given(id, key, size, etag, sha256) order by sha256)
    insert into files as f (repo_id, from_seq, path, blob_id, mime)
    select :repoId, :seq, path, blob_id, mime
    from unnest(:paths::text[], :blobIds::text[], :mimes::text[]) as given(path, blob_id, mime) returning ${written.sql}`,
})

/** Links every file or none. */
export async function complete(ctx: RequestContext, target: Target, { uploads }: HandComplete): Promise<unknown> {
  const { db, events } = ctx.deps
  const objects = requireObjects(ctx.deps)
  const attempt = randomUUID()
  const etags = new Map(uploads.map(({ upload_id, parts }) => [upload_id, parts[0]?.etag.replaceAll('"', '') ?? '']))
  const rows = await db.query(claim, { ...target, attempt, ids: [...etags.keys()], etags: [...etags.values()] })
  if (rows.length < uploads.length) throw new Error('not claimed')
  const stored = await Promise.all(
    rows.map(async (row) => {
      const part = { partNumber: 1, etag: etags.get(row.id) ?? '', sizeBytes: row.size }
      const head = await objects.completeUpload(row.key, row.storeId, [part], ctx.signal)
      const hashed = await hashObject(objects, row.key, ctx.signal)
      if (hashed.sha256 !== row.sha256 || head.sizeBytes !== row.size) throw new Error('other bytes')
      return {
        ...row,
        etag: head.etag,
        mime: await detectMime(row.path, hashed.firstBytes, null),
        newId: newId('blob'),
      }
    }),
  )
  const repoId = rows[0]?.repoId ?? ''
  const files = await db.withTx(async (tx) => {
    const sha256s = stored.map(({ sha256 }) => sha256)
    const paths = stored.map(({ path }) => path)
    const [repo] = await tx.query(lock, { repoId, sha256s, paths })
    if (!repo || repo.replaced > 0) throw new Error('only new files')
    const fresh = stored.filter(({ sha256 }) => !repo.equal[sha256])
    const bytes = sum(stored.map(({ size }) => size))
    const seq = repo.seq + 1
    const linked = await tx.query(link, {
      repoId,
      ownerId: repo.ownerId,
      attempt,
      seq,
      bytes,
      ids: stored.map(({ id }) => id),
      paths,
      mimes: stored.map(({ mime }) => mime),
      blobIds: stored.map((file) => repo.equal[file.sha256] ?? file.newId),
      newIds: fresh.map((file) => file.newId),
      newKeys: fresh.map(({ key }) => key),
      newSizes: fresh.map(({ size }) => size),
      newEtags: fresh.map(({ etag }) => etag),
      newSha256s: fresh.map(({ sha256 }) => sha256),
    })
    const counts = {
      added: stored.length,
      removed: 0,
      changed: 0,
      bytesAdded: bytes,
      bytesRemoved: 0,
      verified: stored.length,
    }
    await recordChange({ tx, ctx, repoId, seq, action: 'complete', counts })
    const after = { seq, files: stored.map(({ path, size, sha256 }) => ({ path, size, sha256 })) }
    await audit(tx, ctx, { action: 'files.complete', accountId: repo.ownerId, targetId: repoId, after })
    tx.afterCommit(() => events.hint(repoId))
    return linked
  })
  const updatedAt = new Map(files.map((file) => [file.path, file.updatedAt]))
  return {
    files: stored.map(({ path, size, etag, sha256, mime }) => ({
      path,
      size,
      etag,
      sha256,
      mime,
      updated_at: updatedAt.get(path),
    })),
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
