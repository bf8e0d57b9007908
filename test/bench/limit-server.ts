/**
 * The limit that the hub is measured against: a hand-written Fastify and `pg` server that answers three reads of `/v1` with the same JSON. It does
 * the same work around them (request id, key check, rate, log line, ETag) and none of a graph: one statement, one map, one `JSON.stringify`.
 */

import { isKeyToken } from '@hub/formats/key-token'
import Fastify from 'fastify'
import { tokenDigest } from '../../src/auth/api-key.ts'
import { keyByDigest } from '../../src/auth/credential-rows.ts'
import { repoViewer, type VisibleRepos } from '../../src/auth/policy.ts'
import { requestId } from '../../src/http/edge.ts'
import { createLogger, pathOf, requestLogger } from '../../src/http/logger.ts'
import { createRateLimit } from '../../src/http/rate-limit.ts'
import { noneMatchCovers, strongEtag } from '../../src/platform/etag.ts'
import { repoPageStatement } from '../../src/repos/list-sql.ts'
import { type RepoRow, repoColumns, visibleRepo } from '../../src/repos/repo-shape.ts'
import { openDb } from '../../src/store/db.ts'
import { type NamedStatement, orderedValues, param, statement } from '../../src/store/statement.ts'

const url = process.env.DATABASE_URL
if (!url) throw new Error('DATABASE_URL is needed')
const db = openDb({ url, poolMax: 10 })
const rate = createRateLimit(Number(process.env.RATE_LIMIT_PER_MINUTE ?? 0))
const log = requestLogger(createLogger({ logLevel: 'info' }))
const app = Fastify({ logger: false, genReqId: (request) => requestId(request.headers['x-request-id']) })

const named = { ...repoViewer, owner: param.text(), repo: param.text() }

const repoByName = statement({
  name: 'limit-repo',
  params: named,
  text: `select ${repoColumns.sql} from repos r join accounts o on o.id = r.owner_id where o.handle = :owner and r.slug = :repo and ${visibleRepo}`,
})

interface FileRow {
  readonly path: string
  readonly size: number
  readonly etag: string | null
  readonly sha256: string | null
  readonly mime: string | null
  readonly updated_at: string
}

const tree = statement({
  name: 'limit-tree',
  params: { ...named, limit: param.int4() },
  text: `select f.path, b.size, b.etag, b.sha256, f.mime, f.updated_at from files f join blobs b on b.id = f.blob_id
    where f.repo_id = (select r.id from repos r join accounts o on o.id = r.owner_id where o.handle = :owner and r.slug = :repo and ${visibleRepo})
    and f.to_seq is null order by f.path limit :limit`,
})

/** Rows as the driver makes them. */
const rowsOf = <T, P>({ name, text, ...rest }: NamedStatement<unknown, P>, values: P) =>
  db.query<T>({ name, text }, orderedValues({ name, text, ...rest }, values))

const repoJson = (row: RepoRow) => ({
  id: row.id,
  kind: row.kind,
  owner: { id: row.ownerId, kind: row.ownerKind, handle: row.ownerHandle, name: row.ownerName },
  slug: row.slug,
  full_name: `${row.ownerHandle}/${row.slug}`,
  visibility: row.visibility,
  description: row.description,
  tags: row.tags,
  file_summary: { count: row.fileCount, total_bytes: row.totalBytes, verified_count: row.verifiedCount },
  policy_count: row.policyCount,
  commit_id: row.commitId,
  created_at: row.createdAt,
  updated_at: row.updatedAt,
})

type Names = { owner: string; repo: string }

/** What the viewer sees, after the same key check that the hub makes. */
async function accountsOf(authorization: string | undefined): Promise<VisibleRepos> {
  const token = authorization?.slice('Bearer '.length) ?? ''
  if (!isKeyToken(token)) throw new Error('bad key')
  const [row] = await db.query(keyByDigest, { tokenSha256: tokenDigest(token) })
  if (!row?.live) throw new Error('dead key')
  return { accountIds: [row.accountId, ...row.orgs.map((org) => org.id)], repoIds: null }
}

function serve(path: string, read: (viewer: VisibleRepos, names: Names, limit: number) => Promise<unknown>): void {
  app.get<{ Params: Names; Querystring: { limit?: string } }>(path, async (request, reply) => {
    const viewer = await accountsOf(request.headers.authorization)
    await rate.count(reply, { credentialId: viewer.accountIds[0] ?? '', accountIds: viewer.accountIds.slice(0, 1) })
    const text = JSON.stringify(await read(viewer, request.params, Number(request.query.limit ?? 20)))
    const etag = strongEtag(text)
    reply.headers({
      'x-request-id': request.id,
      etag,
      'cache-control': 'private, no-cache',
      vary: 'Authorization, Cookie',
    })
    if (noneMatchCovers(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(text)
  })
}

app.addHook('onResponse', (request, reply, done) => {
  log.info(
    {
      request_id: request.id,
      method: request.method,
      path: pathOf(request.url),
      status: reply.statusCode,
      ms: reply.elapsedTime,
    },
    'request',
  )
  done()
})

serve('/v1/repos/:owner/:repo', async (viewer, { owner, repo }) => {
  const [row]: RepoRow[] = await rowsOf(repoByName, { ...viewer, owner, repo })
  return row && repoJson(row)
})

serve('/v1/repos', async (viewer, _names, limit) => {
  const { statement, values } = repoPageStatement(viewer, {
    filter: {},
    sort: 'created',
    cards: true,
    after: null,
    limit: limit + 1,
  })
  const rows: RepoRow[] = await rowsOf({ ...statement, name: 'limit-list' }, values)
  return {
    items: rows.slice(0, limit).map(repoJson),
    next_cursor: rows.length > limit ? (rows[limit - 1]?.id ?? null) : null,
  }
})

serve('/v1/repos/:owner/:repo/tree', async (viewer, { owner, repo }, limit) => {
  const rows: FileRow[] = await rowsOf(tree, { ...viewer, owner, repo, limit: limit + 1 })
  return { items: rows.slice(0, limit), next_cursor: rows.length > limit ? (rows[limit - 1]?.path ?? null) : null }
})

const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit(0))
process.send?.({ url: address })
