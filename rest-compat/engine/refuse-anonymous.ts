/** Who can send a body. */
import type { onRequestHookHandler } from 'fastify'
import { HubError } from '../../src/platform/errors.ts'

/** Before the body is read, which may have 32 MiB. No hook where anyone may. */
export function refuseAnonymous({ scope }: { readonly scope: string }): readonly onRequestHookHandler[] {
  return scope === 'none' ? [] : [refusal]
}

const refusal: onRequestHookHandler = ({ viewer }, _reply, done) =>
  done(viewer && viewer.kind !== 'anonymous' ? undefined : missing())

const missing = () =>
  new HubError('auth.missing', 'This operation requires a credential: send `Authorization: Bearer <credential>`.')
