/** A read by the name that a repo had before it was moved is redirected to its name of now. */
import type { FastifyInstance } from 'fastify'
import type { Edge } from './http/server.ts'
import { repoMovedFrom } from './repos/old-names.ts'

/**
 * Turns a 404 of a GET or HEAD whose path names a repo into a 308, where the caller sees the repo that had the name.
 * The address is relative, so that no proxy in between has to be known.
 */
export function redirectMoved(scope: FastifyInstance, edge: Edge): void {
  scope.addHook('onSend', async (request, reply, payload) => {
    const { owner, repo } = (request.params ?? {}) as Readonly<Record<string, string>>
    if (reply.statusCode !== 404 || !owner || !repo || !['GET', 'HEAD'].includes(request.method)) return payload
    const moved = await repoMovedFrom(edge.contextOf(request), { owner, slug: repo })
    const [old, fresh] = [`/${owner}/${repo}`, `/${moved?.fullName}`]
    const at = request.url.indexOf(old)
    if (!moved || at < 0) return payload
    reply.code(308).removeHeader('content-type').removeHeader('content-length')
    reply.header('location', `${request.url.slice(0, at)}${fresh}${request.url.slice(at + old.length)}`)
    return ''
  })
}
