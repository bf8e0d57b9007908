/** Who may send a body. */
import type { FastifyRequest } from 'fastify'
import { HubError } from '../../src/platform/errors.ts'

/** Before the body is read, which may have 32 MiB. */
export const refuseAnonymous =
  ({ scope }: { readonly scope: string }) =>
  async (request: FastifyRequest) => {
    const isAnonymous = !request.viewer || request.viewer.kind === 'anonymous'
    if (scope === 'none' || !isAnonymous) return
    throw new HubError(
      'auth.missing',
      'This operation requires a credential: send `Authorization: Bearer <credential>`.',
    )
  }
