/** A disk store whose signed URLs are served by a real server on a free port. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { objectRoutes } from '../../src/http/object-routes.ts'
import { HubError, toProblem } from '../../src/platform/errors.ts'
import { type DiskStore, openDiskStore } from '../../src/store/objects/disk.ts'

export interface ObjectServer {
  readonly store: DiskStore
  readonly dir: string
  readonly baseUrl: string
  close(): Promise<void>
}

export async function startObjectServer(): Promise<ObjectServer> {
  const dir = await mkdtemp(join(tmpdir(), 'hub-objects-'))
  const app = Fastify()
  const baseUrl = () => `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const store = await openDiskStore({ dir, signingKey: randomBytes(32), baseUrl })
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error, request.id)
    if (error instanceof HubError) reply.headers(error.headers)
    return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem))
  })
  await app.register(objectRoutes(store))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    store,
    dir,
    baseUrl: baseUrl(),
    close: async () => {
      await app.close()
      await store.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}
