/**
 * Who the operator is in the graph: the session of the account named OPERATOR_HANDLE. The one place of this rule.
 * Decision: docs/decisions/security.md, "The operator is one account".
 */
import { assertSession } from '../auth/policy.ts'
import type { Credentialed, Viewer } from '../operation/context.ts'
import type { Config } from '../platform/config.ts'
import { HubError } from '../platform/errors.ts'

type Named = Pick<Config, 'operatorHandle'>

/** Whether the viewer is a session of the operator's account; no key of it is. */
export function isOperator(viewer: Viewer, { operatorHandle }: Named): boolean {
  return viewer.kind === 'session' && viewer.account.handle === operatorHandle
}

/** 401 without a credential, 403 for a key and for everyone else. `otherwise` is what others may do instead. */
export function assertOperator(
  viewer: Viewer,
  config: Named,
  otherwise = 'Ask the operator.',
): Credentialed & { readonly personId: string } {
  const session = assertSession(viewer)
  if (isOperator(viewer, config)) return session
  throw new HubError(
    'forbidden.scope',
    `Only ${config.operatorHandle}, the account of the operator, may do this. ${otherwise}`,
  )
}
