/** `/healthz`: the process is up. `/readyz`: the database and the object store answer too; 503 names which does not. */
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../context.ts'
import type { Statement } from '../store/db.ts'

const PING_TIMEOUT_MS = 2000
const one: Statement<{ one: number }> = { name: 'ready', text: 'select 1 as one' }

type Answer = 'ok' | 'not configured' | 'no answer'

async function answers(ping: (signal: AbortSignal) => Promise<unknown>): Promise<Answer> {
  const signal = AbortSignal.timeout(PING_TIMEOUT_MS)
  const late = new Promise<Answer>((resolve) =>
    signal.addEventListener('abort', () => resolve('no answer'), { once: true }),
  )
  const asked = ping(signal).then(
    (): Answer => 'ok',
    (): Answer => 'no answer',
  )
  return Promise.race([asked, late])
}

/** Neither asks for a credential nor counts against a rate. `isStopping` turns readiness off before the listener closes. */
export function registerHealth(app: FastifyInstance, deps: Deps, isStopping: () => boolean): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const { db, objects } = deps
    const [database, store] = await Promise.all([
      answers(() => db.query(one)),
      objects ? answers((signal) => objects.ping(signal)) : Promise.resolve<Answer>('not configured'),
    ])
    const stopping = isStopping()
    const ready = !stopping && database === 'ok' && store !== 'no answer'
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ok' : stopping ? 'stopping' : 'unavailable', database, object_store: store })
  })
}
