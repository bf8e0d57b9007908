/**
 * The scope of an operation, declared once next to its resolver: it guards the field in both dialects and appears in
 * the OpenAPI document. Contract, "Credentials": a missing scope is 403 where the thing is visible and 404 where it is
 * not.
 */

import { assertJobMay, assertLevel, assertSession, hasLevel, jobMay, requireCredential } from '../src/auth/policy.ts'
import type { RequestContext, ScopeLevel } from '../src/operation/context.ts'

const operationScopes = ['none', 'key:read', 'key:write', 'key:train', 'session'] as const

export type OperationScope = (typeof operationScopes)[number]

export const isOperationScope = (scope: unknown): scope is OperationScope =>
  operationScopes.some((known) => known === scope)

/**
 * Throws 404 when the operation's target is not visible to the caller. Each subject has its own: `targetRepo`,
 * `targetRun`.
 */
export type AssertVisible<Args> = (ctx: RequestContext, args: Args) => Promise<unknown>

export interface OperationNeed {
  /** Name of the root field. */
  readonly name: string
  readonly scope: OperationScope
  /** Called only when the scope is missing: an invisible target is 404, not 403. */
  readonly assertVisible?: (ctx: RequestContext) => Promise<unknown>
}

/**
 * Options of the root field `name` that declare and guard a scope. `target` finds the operation's target from the
 * arguments.
 */
export function operation<Args>(name: string, scope: OperationScope, target?: AssertVisible<Args>) {
  // Scope `none` gets no wrapper: one that always returns true costs each read a promise.
  if (scope === 'none') return { extensions: { scope } }
  return {
    extensions: { scope },
    authScopes: (_parent: unknown, args: unknown) => ({
      operation: { name, scope, assertVisible: target && ((ctx: RequestContext) => target(ctx, args as Args)) },
    }),
  }
}

/** True, or throws 401, 403 or 404. */
export async function checkScope(ctx: RequestContext, need: OperationNeed): Promise<boolean> {
  const { viewer } = ctx
  if (need.scope === 'none') return true
  const credential = requireCredential(viewer)
  const level = need.scope === 'session' ? null : (need.scope.slice('key:'.length) as ScopeLevel)
  const enough = level === null ? credential.kind === 'session' : hasLevel(credential, level)
  if (!enough || !jobMay(credential, need.name)) await need.assertVisible?.(ctx)
  if (level === null) assertSession(viewer)
  else assertLevel(viewer, level)
  assertJobMay(credential, need.name)
  return true
}
