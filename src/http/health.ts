/**
 * `/healthz`: the process is up. `/readyz`: the database and the object store also respond and have space; 503 names
 * the one that does not.
 */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../operation/context.ts'
import { hubVersion } from '../platform/version.ts'
import { type ObjectStore, ObjectStoreError } from '../store/objects/object-store.ts'

const PING_TIMEOUT_MS = 2000

type Answer = 'ok' | 'not configured' | 'no answer' | 'full'

/** `ping` resolves to false if the disk is full. */
async function check(ping: (signal: AbortSignal) => Promise<boolean>): Promise<Answer> {
  const signal = AbortSignal.timeout(PING_TIMEOUT_MS)
  const late = new Promise<Answer>((resolve) =>
    signal.addEventListener('abort', () => resolve('no answer'), { once: true }),
  )
  const result = ping(signal).then(
    (hasRoom): Answer => (hasRoom ? 'ok' : 'full'),
    (): Answer => 'no answer',
  )
  return Promise.race([result, late])
}

async function storeHasRoom(objects: ObjectStore, signal: AbortSignal): Promise<boolean> {
  try {
    await objects.ping(signal)
    return true
  } catch (error) {
    if (error instanceof ObjectStoreError && error.code === 'full') return false
    throw error
  }
}

/** Needs no credential and has no rate limit. `isStopping` turns readiness off before the listener closes. */
export function registerHealth(app: FastifyInstance, deps: Deps, isStopping: () => boolean): void {
  app.get('/healthz', async () => ({ status: 'ok', version: hubVersion }))
  app.get('/readyz', async (_request, reply) => {
    const { db, objects } = deps
    const [database, store] = await Promise.all([
      check(() => db.hasRoom()),
      objects ? check((signal) => storeHasRoom(objects, signal)) : Promise.resolve<Answer>('not configured'),
    ])
    const stopping = isStopping()
    const ready = !stopping && database === 'ok' && (store === 'ok' || store === 'not configured')
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ok' : stopping ? 'stopping' : 'unavailable', database, object_store: store })
  })
}
