/** A read by the name that a repo had before it was moved is redirected to its current name. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Edge } from './http/server.ts'
import { repoMovedFrom } from './repos/old-names.ts'

/**
 * Turns a 404 of a GET or HEAD whose path names a repo into a 308, where the caller sees the repo that had the name.
 * The address is relative, so that no proxy in between has to be known.
 */
export function redirectMoved(scope: FastifyInstance, edge: Edge): void {
  // No promise for every answer: nearly all pass.
  scope.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode !== 404 || !readsRepo(request)) return done(null, payload)
    redirected(edge, request, reply, payload).then((sent) => done(null, sent), done)
  })
}

type Name = Readonly<Record<'owner' | 'repo', string>>

function readsRepo({ method, params }: FastifyRequest): boolean {
  const { owner, repo } = (params ?? {}) as Partial<Name>
  return Boolean(owner && repo) && (method === 'GET' || method === 'HEAD')
}

async function redirected<Payload>(
  edge: Edge,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: Payload,
): Promise<Payload | ''> {
  const { owner, repo } = request.params as Name
  const moved = await repoMovedFrom(edge.contextOf(request), { owner, slug: repo })
  const [old, fresh] = [`/${owner}/${repo}`, `/${moved?.fullName}`]
  const at = request.url.indexOf(old)
  if (!moved || at < 0) return payload
  reply.code(308).removeHeader('content-type').removeHeader('content-length')
  reply.header('location', `${request.url.slice(0, at)}${fresh}${request.url.slice(at + old.length)}`)
  return ''
}
