/** The redirect of a stable address to the bytes in the object store. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { noneMatchCovers } from '../../src/platform/etag.ts'

/** 302 to a signed URL, 304 if `If-None-Match` matches the digest. `sha256` is null until the hub has hashed the bytes. */
export async function redirectToStore(
  request: FastifyRequest,
  reply: FastifyReply,
  { sha256, sign }: { readonly sha256: string | null; readonly sign: () => string | Promise<string> },
): Promise<FastifyReply> {
  // The target changes, so caches must revalidate, and must not share responses between callers.
  reply.headers({ 'cache-control': 'private, no-cache', vary: 'Authorization, Cookie' })
  if (sha256 !== null) {
    const etag = `"${sha256}"`
    reply.header('etag', etag)
    if (noneMatchCovers(request.headers['if-none-match'], etag)) return reply.code(304).send()
  }
  return reply.redirect(await sign(), 302)
}
