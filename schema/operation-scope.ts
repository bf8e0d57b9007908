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

/** What a root field needs of its caller. */
export interface OperationNeed {
  /** Name of the root field. */
  readonly name: string
  readonly scope: OperationScope
  /** Called only when the scope is missing: an invisible target is 404, not 403. */
  readonly target?: AssertVisible<never> | undefined
}

/**
 * Options of the root field `name` that declare and guard a scope. `target` finds the operation's target from the
 * arguments.
 */
export function operation<Args>(name: string, scope: OperationScope, target?: AssertVisible<Args>) {
  // Scope `none` is not guarded.
  return scope === 'none' ? { extensions: { scope } } : { extensions: { scope }, need: { name, scope, target } }
}

/** Whether the caller has what the operation needs, whatever its target. */
export function hasScope({ viewer }: RequestContext, { name, scope }: OperationNeed): boolean {
  if (scope === 'none') return true
  if (viewer.kind === 'anonymous') return false
  const level = levelOf(scope)
  const enough = level === null ? viewer.kind === 'session' && viewer.personId !== null : hasLevel(viewer, level)
  return enough && jobMay(viewer, name)
}

/** Throws 401, 403 or 404, as the caller without the scope is told. */
export async function refuseScope(ctx: RequestContext, need: OperationNeed, args: unknown): Promise<never> {
  const { viewer } = ctx
  const credential = requireCredential(viewer)
  await need.target?.(ctx, args as never)
  const level = levelOf(need.scope)
  if (level === null) assertSession(viewer)
  else assertLevel(viewer, level)
  assertJobMay(credential, need.name)
  throw new Error(`${need.name} was refused to a caller that has its scope.`)
}

/** The level of a key; null for a session. */
const levelOf = (scope: OperationScope): ScopeLevel | null =>
  scope === 'session' ? null : (scope.slice('key:'.length) as ScopeLevel)
