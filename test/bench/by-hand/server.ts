/**
 * A hub whose `/v1` is written by hand: its own server with every duty (limits of callers, headers, log, metrics, usage,
 * compression), and handlers in place of the graph and its dialect. What is left between the two is the graph.
 */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireCredential, visibleRuns } from '../../../src/auth/policy.ts'
import { mayCompress } from '../../../src/http/compression.ts'
import { createLogger } from '../../../src/http/logger.ts'
import type { RestMount } from '../../../src/http/server.ts'
import type { RequestContext } from '../../../src/operation/context.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { startHub } from '../../../src/start-hub.ts'
import { sendTagged } from './answer.ts'
import { complete, type HandComplete, type HandPresign, presign } from './files.ts'
import { Followers } from './follow.ts'
import { type Asked, readRun, reads, seerOf } from './reads.ts'
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

type Target = ReturnType<typeof targetOf>

const send = (reply: FastifyReply, value: unknown) =>
  reply.type('application/json; charset=utf-8').send(JSON.stringify(value))

const byHand: RestMount = {
  register(scope, { identify, contextOf, admit, spend }) {
    scope.addHook('onRequest', identify)
    /** With the share of the connections that its caller has, its processor time, and the window of objects. */
    const admitted =
      (work: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) =>
      (request: FastifyRequest, reply: FastifyReply) =>
        admit(request, async () => {
          spend(request, reply, 1)
          return work(request, reply)
        })
    for (const { path, read } of reads)
      scope.get(
        path,
        admitted(async (request, reply) => {
          const { deps, viewer } = contextOf(request)
          mayCompress(request)
          return sendTagged(request, reply, await read(deps.db, seerOf(viewer), request as unknown as Asked))
        }),
      )
    const followers = new Followers()
    scope.get('/v1/runs/:run/logs', async (request, reply) => {
      const { deps, viewer } = contextOf(request)
      const { run } = request.params as { readonly run: string }
      if (await readRun(deps.db, seerOf(viewer), run)) followers.add(run, reply)
      else return reply.code(404).send()
    })
    scope.post(
      '/v1/runs/:run/report',
      admitted(async (request, reply) => {
        const { deps, viewer } = contextOf(request)
        const holder = requireCredential(viewer).credentialId
        const { run } = request.params as { readonly run: string }
        const body = request.body as HandReport
        const shown = await report(deps, { ...visibleRuns(viewer), holder }, run, body)
        followers.send(run, body.log_chunk)
        return send(reply, shown)
      }),
    )
    const files = '/v1/repos/:owner/:repo/files'
    const ofRepo = <Body>(url: string, work: (ctx: RequestContext, target: Target, body: Body) => Promise<unknown>) =>
      scope.post(
        url,
        admitted(async (request, reply) => {
          const ctx = contextOf(request)
          return send(reply, await work(ctx, targetOf(ctx, request.params as Name), request.body as Body))
        }),
      )
    ofRepo<HandPresign>(`${files}/presign-upload`, presign)
    ofRepo<HandComplete>(`${files}/complete`, complete)
  },
  openApi: () => ({}),
}

const config = readConfig(process.env)
const hub = await startHub(config, createLogger(config), { rest: byHand })
process.on('SIGTERM', () => process.exit(0))
process.send?.({ url: hub.url })
