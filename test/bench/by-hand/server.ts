/**
 * A hub whose `/v1` is written by hand: its own server with every duty (limits of callers, headers, log, metrics, usage,
 * compression), and handlers in place of the graph and its dialect. What is left between the two is the graph.
 */

import { createLogger } from '../../../src/http/logger.ts'
import type { RestMount } from '../../../src/http/server.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { startHub } from '../../../src/start-hub.ts'
import { sendTagged } from './answer.ts'
import { type Asked, reads, seerOf } from './reads.ts'

const byHand: RestMount = {
  register(scope, { identify, contextOf }) {
    scope.addHook('onRequest', identify)
    for (const { path, read } of reads)
      scope.get(path, async (request, reply) => {
        const { deps, viewer } = contextOf(request)
        return sendTagged(request, reply, await read(deps.db, seerOf(viewer), request as Asked))
      })
  },
  openApi: () => ({}),
}

const config = readConfig(process.env)
const hub = await startHub(config, createLogger(config), { rest: byHand })
process.on('SIGTERM', () => process.exit(0))
process.send?.({ url: hub.url })
