/**
 * The limit that the hub is measured against: a hand-written Fastify and `pg` server that answers three reads of `/v1` with the same JSON. It does
 * the same work around them (request id, key check, rate, log line, ETag) and none of a graph: one statement, one map, one `JSON.stringify`.
 */
import Fastify from 'fastify'
import { isKeyToken, tokenDigest } from '../../src/auth/api-key.ts'
import { keyByDigest } from '../../src/auth/credential-rows.ts'
import { requestId } from '../../src/http/edge.ts'
import { createLogger, pathOf, requestLogger } from '../../src/http/logger.ts'
import { createRateLimit } from '../../src/http/rate-limit.ts'
import { noneMatchCovers, strongEtag } from '../../src/platform/etag.ts'
import { repoPageStatement } from '../../src/repos/list-sql.ts'
import { repoColumns, visibleRepo } from '../../src/repos/repo-shape.ts'
import { openDb, type Statement } from '../../src/store/db.ts'

const url = process.env.DATABASE_URL
if (!url) throw new Error('DATABASE_URL is needed')
const db = openDb({ url, poolMax: 10 })
const rate = createRateLimit(Number(process.env.RATE_LIMIT_PER_MINUTE ?? 0))
const log = requestLogger(createLogger({ logLevel: 'info' }))
const app = Fastify({ logger: false, genReqId: (request) => requestId(request.headers['x-request-id']) })

interface RepoRow {
  readonly id: string
  readonly kind: string
  readonly owner_id: string
  readonly owner_kind: string
  readonly owner_handle: string
  readonly owner_name: string | null
  readonly slug: string
  readonly visibility: string
  readonly description: string | null
  readonly tags: string[]
  readonly file_count: number
  readonly total_bytes: number
  readonly verified_count: number
  readonly created_at: string
  readonly updated_at: string
  readonly policy_count: number | null
}

const repoByName: Statement<RepoRow> = {
  name: 'limit-repo',
  text: `select ${repoColumns} from repos r join accounts o on o.id = r.owner_id where o.handle = $3 and r.slug = $4 and ${visibleRepo}`,
}

const tree: Statement<{
  path: string
  size: number
  etag: string | null
  sha256: string | null
  mime: string | null
  updated_at: string
}> = {
  name: 'limit-tree',
  text: `select f.path, b.size, b.etag, b.sha256, f.mime, f.updated_at from files f join blobs b on b.id = f.blob_id
    where f.repo_id = (select r.id from repos r join accounts o on o.id = r.owner_id where o.handle = $3 and r.slug = $4 and ${visibleRepo})
    and f.to_seq is null order by f.path limit $5`,
}

const repoJson = (row: RepoRow) => ({
  id: row.id,
  kind: row.kind,
  owner: { id: row.owner_id, kind: row.owner_kind, handle: row.owner_handle, name: row.owner_name },
  slug: row.slug,
  full_name: `${row.owner_handle}/${row.slug}`,
  visibility: row.visibility,
  description: row.description,
  tags: row.tags,
  file_summary: { count: row.file_count, total_bytes: row.total_bytes, verified_count: row.verified_count },
  policy_count: row.policy_count,
  created_at: row.created_at,
  updated_at: row.updated_at,
})

type Names = { owner: string; repo: string }

/** The viewer's two parameters, after the same key check that the hub makes. */
async function accountsOf(authorization: string | undefined): Promise<[string[], null]> {
  const token = authorization?.slice('Bearer '.length) ?? ''
  if (!isKeyToken(token)) throw new Error('bad key')
  const [row] = await db.query(keyByDigest, [tokenDigest(token)])
  if (!row?.live) throw new Error('dead key')
  return [[row.account_id, ...row.orgs.map((org) => org.id)], null]
}

function serve(path: string, read: (viewer: [string[], null], names: Names, limit: number) => Promise<unknown>): void {
  app.get<{ Params: Names; Querystring: { limit?: string } }>(path, async (request, reply) => {
    const viewer = await accountsOf(request.headers.authorization)
    await rate.count(reply, { credentialId: viewer[0][0] ?? '' })
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
  const [row] = await db.query(repoByName, [...viewer, owner, repo])
  return row && repoJson(row)
})

serve('/v1/repos', async (viewer, _names, limit) => {
  const { statement, values } = repoPageStatement(viewer, {
    filter: {},
    sort: 'created',
    after: null,
    limit: limit + 1,
  })
  const rows = await db.query<RepoRow>({ name: 'limit-list', text: statement.text }, values)
  return {
    items: rows.slice(0, limit).map(repoJson),
    next_cursor: rows.length > limit ? (rows[limit - 1]?.id ?? null) : null,
  }
})

serve('/v1/repos/:owner/:repo/tree', async (viewer, { owner, repo }, limit) => {
  const rows = await db.query(tree, [...viewer, owner, repo, limit + 1])
  return { items: rows.slice(0, limit), next_cursor: rows.length > limit ? (rows[limit - 1]?.path ?? null) : null }
})

const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit(0))
process.send?.({ url: address })
