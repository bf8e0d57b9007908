/** A PostgreSQL of the lab's own, which it stops, starts again and pauses. */
import { setTimeout as delay } from 'node:timers/promises'
import { ensureCluster } from '../../../src/store/embedded-cluster.ts'
import { launch, type Server, serverUrl, shutDown } from '../../../src/store/embedded-server.ts'
import { onServer } from '../../support/global-setup.ts'
import { pause } from '../../support/paused-processes.ts'

export interface LabPostgres {
  /** Of the database `hub`, over TCP, so that a proxy can stand before it. */
  readonly url: string
  /** Ends with the server's process; what was committed is kept. */
  stop(): Promise<void>
  /** On the same port as before. */
  start(): Promise<void>
  /** All of its processes, until the result is called. */
  pause(): () => void
}

export async function labPostgres(folder: string): Promise<LabPostgres> {
  const cluster = await ensureCluster(folder)
  let server: Server = await launch(cluster)
  await onServer(serverUrl(cluster, server, 'postgres'), 'create database hub')
  const url = new URL(serverUrl(cluster, server, 'hub'))
  url.search = ''
  return {
    url: url.href,
    stop: () => shutDown(cluster, server),
    async start() {
      const { port } = server
      // What held a connection may hold the port for a moment more.
      for (let tries = 0; tries < 20; tries += 1) {
        server = await launch(cluster)
        if (server.port === port) return
        await shutDown(cluster, server)
        await delay(250)
      }
      throw new Error(`PostgreSQL did not get its port ${port} again.`)
    },
    pause: () => pause(server.pid),
  }
}
