import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems give to outgoing connections and to programs that ask for any (Linux: from 32768), which would take one while its server is down. */
const [LOWEST, HIGHEST] = [20_000, 32_000]

/** A port of this machine that nothing listens on, for a server that has to be started again under its address. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST)
    const server = createServer()
    const isFree = new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).once('listening', () => resolve(true))
    })
    server.listen(port, '127.0.0.1')
    if (!(await isFree)) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
