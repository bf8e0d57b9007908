/** `/healthz`: the process is up. `/readyz`: the database and the object store answer and have room too; 503 names which does not. */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../operation/context.ts'
import { type ObjectStore, ObjectStoreError } from '../store/objects/object-store.ts'

const PING_TIMEOUT_MS = 2000

type Answer = 'ok' | 'not configured' | 'no answer' | 'full'

/** `ping` resolves to false where there is no room. */
async function answers(ping: (signal: AbortSignal) => Promise<boolean>): Promise<Answer> {
  const signal = AbortSignal.timeout(PING_TIMEOUT_MS)
  const late = new Promise<Answer>((resolve) =>
    signal.addEventListener('abort', () => resolve('no answer'), { once: true }),
  )
  const asked = ping(signal).then(
    (hasRoom): Answer => (hasRoom ? 'ok' : 'full'),
    (): Answer => 'no answer',
  )
  return Promise.race([asked, late])
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

/** Neither asks for a credential nor counts against a rate. `isStopping` turns readiness off before the listener closes. */
export function registerHealth(app: FastifyInstance, deps: Deps, isStopping: () => boolean): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const { db, objects } = deps
    const [database, store] = await Promise.all([
      answers(() => db.hasRoom()),
      objects ? answers((signal) => storeHasRoom(objects, signal)) : Promise.resolve<Answer>('not configured'),
    ])
    const stopping = isStopping()
    const ready = !stopping && database === 'ok' && (store === 'ok' || store === 'not configured')
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ok' : stopping ? 'stopping' : 'unavailable', database, object_store: store })
  })
}
