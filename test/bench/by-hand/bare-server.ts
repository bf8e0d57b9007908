/**
 * The least that answers the reads of `reads.ts`: Fastify and `pg` with request id, key check, rate, log line and ETag,
 * and none of the hub's other duties; and parts of uploads. What a first version by hand would be.
 */
import { isKeyToken } from '@hub/formats/key-token'
import Fastify from 'fastify'
import { tokenDigest } from '../../../src/auth/api-key.ts'
import { keyByDigest } from '../../../src/auth/credential-rows.ts'
import { requestId } from '../../../src/http/edge.ts'
import { createLogger, pathOf, requestLogger } from '../../../src/http/logger.ts'
import { createRateLimit } from '../../../src/http/rate-limit.ts'
import { openDb } from '../../../src/store/db.ts'
import { sendTagged } from './answer.ts'
import { partRoutes } from './parts.ts'
import { type Asked, reads, type Seer } from './reads.ts'

const url = process.env.DATABASE_URL
if (!url) throw new Error('DATABASE_URL is needed')
const db = openDb({ url, poolMax: 10 })
const rate = createRateLimit(Number(process.env.RATE_LIMIT_PER_MINUTE ?? 0))
const log = requestLogger(createLogger({ logLevel: 'info' }))
const app = Fastify({ logger: false, genReqId: (request) => requestId(request.headers['x-request-id']) })

/** What the key's account sees, after the same check that the hub makes. */
async function seerOfKey(authorization: string | undefined): Promise<Seer & { readonly accountId: string }> {
  const token = authorization?.slice('Bearer '.length) ?? ''
  if (!isKeyToken(token)) throw new Error('bad key')
  const [row] = await db.query(keyByDigest, { tokenSha256: tokenDigest(token) })
  if (!row?.live) throw new Error('dead key')
  const accountIds = [row.accountId, ...row.orgs.map((org) => org.id)]
  const runs = { accountIds, repoIds: null, userId: row.accountId, credentialId: null }
  return { accountId: row.accountId, repos: { accountIds, repoIds: null }, runs }
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

for (const { path, read } of reads)
  app.get(path, async (request, reply) => {
    const seer = await seerOfKey(request.headers.authorization)
    await rate.count(reply, { credentialId: seer.accountId, accountIds: [seer.accountId] })
    reply.header('x-request-id', request.id)
    return sendTagged(request, reply, await read(db, seer, request as Asked))
  })

await partRoutes(app, process.env.HUB_DATA_DIR ?? '')

const address = await app.listen({ port: 0, host: '127.0.0.1' })
process.on('SIGTERM', () => process.exit(0))
process.send?.({ url: address })
