/**
 * A hub whose `/v1` is written by hand: its own server with every duty (limits of callers, headers, log, metrics, usage,
 * compression), and handlers in place of the graph and its dialect. What is left between the two is the graph.
 */

import { requireCredential, visibleRuns } from '../../../src/auth/policy.ts'
import { createLogger } from '../../../src/http/logger.ts'
import type { RestMount } from '../../../src/http/server.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { startHub } from '../../../src/start-hub.ts'
import { sendTagged } from './answer.ts'
import { type Asked, reads, seerOf } from './reads.ts'
import { type HandReport, report } from './report.ts'

const byHand: RestMount = {
  register(scope, { identify, contextOf }) {
    scope.addHook('onRequest', identify)
    for (const { path, read } of reads)
      scope.get(path, async (request, reply) => {
        const { deps, viewer } = contextOf(request)
        return sendTagged(request, reply, await read(deps.db, seerOf(viewer), request as Asked))
      })
    scope.post<{ Params: { run: string }; Body: HandReport }>('/v1/runs/:run/report', async (request, reply) => {
      const { deps, viewer } = contextOf(request)
      const holder = requireCredential(viewer).credentialId
      const run = await report(deps, { ...visibleRuns(viewer), holder }, request.params.run, request.body)
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(run))
    })
  },
  openApi: () => ({}),
}

const config = readConfig(process.env)
const hub = await startHub(config, createLogger(config), { rest: byHand })
process.on('SIGTERM', () => process.exit(0))
process.send?.({ url: hub.url })
