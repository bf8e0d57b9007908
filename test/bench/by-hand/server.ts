/**
 * A hub whose `/v1` is written by hand: its own server with every duty (limits of callers, headers, log, metrics, usage,
 * compression), and handlers in place of the graph and its dialect. What is left between the two is the graph.
 */

import type { FastifyReply } from 'fastify'
import { requireCredential, visibleRuns } from '../../../src/auth/policy.ts'
import { createLogger } from '../../../src/http/logger.ts'
import type { RestMount } from '../../../src/http/server.ts'
import type { RequestContext } from '../../../src/operation/context.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { startHub } from '../../../src/start-hub.ts'
import { sendTagged } from './answer.ts'
import { complete, type HandComplete, type HandPresign, presign } from './files.ts'
import { type Asked, reads, seerOf } from './reads.ts'
import { type HandReport, report } from './report.ts'

interface Name {
  readonly owner: string
  readonly repo: string
}

const targetOf = ({ viewer }: RequestContext, { owner, repo }: Name) => ({
  owner,
  repo,
  accountId: requireCredential(viewer).account.id,
})

const send = (reply: FastifyReply, value: unknown) =>
  reply.type('application/json; charset=utf-8').send(JSON.stringify(value))

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
      return send(reply, run)
    })
    const files = '/v1/repos/:owner/:repo/files'
    scope.post<{ Params: Name; Body: HandPresign }>(`${files}/presign-upload`, async (request, reply) => {
      const ctx = contextOf(request)
      return send(reply, await presign(ctx, targetOf(ctx, request.params), request.body))
    })
    scope.post<{ Params: Name; Body: HandComplete }>(`${files}/complete`, async (request, reply) => {
      const ctx = contextOf(request)
      return send(reply, await complete(ctx, targetOf(ctx, request.params), request.body))
    })
  },
  openApi: () => ({}),
}

const config = readConfig(process.env)
const hub = await startHub(config, createLogger(config), { rest: byHand })
process.on('SIGTERM', () => process.exit(0))
process.send?.({ url: hub.url })
