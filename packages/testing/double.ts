/** An HTTP server of a test, in the place of a hub or of what a hub asks. */
import { createServer, type RequestListener, type Server } from 'node:http'

/**
 * It closes no idle connection: after the 5 s that are Node's default, a client that stood still for as long would ask
 * on one that is closing.
 */
export function createDouble(listener: RequestListener): Server {
  const server = createServer(listener)
  server.keepAliveTimeout = 0
  return server
}
