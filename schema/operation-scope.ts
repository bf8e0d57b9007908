/**
 * The scope of an operation, declared once beside its resolver: it guards the field in both dialects and is printed in the OpenAPI document.
 * Contract, "Credentials": a missing scope is 403 where the thing is visible and 404 where it is not.
 */

import { assertLevel, assertSession, hasLevel, requireCredential } from '../src/auth/policy.ts'
import type { RequestContext, ScopeLevel } from '../src/operation/context.ts'
import { findRepo } from '../src/repos/get-repo.ts'
import { findRun } from '../src/runs/run-row.ts'

export type OperationScope = 'none' | 'key:read' | 'key:write' | 'key:train' | 'session'

/** A repo by name, or a run by id. */
export type OperationTarget = { readonly owner: string; readonly slug: string } | { readonly runId: string }

export interface OperationNeed {
  readonly scope: OperationScope
  /** What the operation acts on, asked for only when the scope is missing. */
  readonly target?: OperationTarget
}

/** Field options that declare and guard a scope. `target` picks what is acted on out of the arguments. */
export function operation<Args>(scope: OperationScope, target?: (args: Args) => OperationTarget) {
  // What asks nothing is not guarded: a wrapper that always says yes costs each read a promise.
  if (scope === 'none') return { extensions: { scope } }
  return {
    extensions: { scope },
    authScopes: (_parent: unknown, args: unknown) => ({ operation: { scope, target: target?.(args as Args) } }),
  }
}

/** True, or throws 401, 403 or 404. */
export async function checkScope(ctx: RequestContext, need: OperationNeed): Promise<boolean> {
  const { viewer } = ctx
  if (need.scope === 'none') return true
  const credential = requireCredential(viewer)
  const level = need.scope === 'session' ? null : (need.scope.slice('key:'.length) as ScopeLevel)
  const enough = level === null ? credential.kind === 'session' : hasLevel(credential, level)
  if (!enough && need.target) await assertVisible(ctx, need.target)
  if (level === null) assertSession(viewer)
  else assertLevel(viewer, level)
  return true
}

async function assertVisible(ctx: RequestContext, target: OperationTarget): Promise<void> {
  if ('runId' in target) await findRun(ctx, target.runId)
  else await findRepo(ctx, target)
}

/** The target of an operation whose input names a run. */
export function targetRun({ input }: { input: { runId: string } }): { runId: string } {
  return { runId: input.runId }
}

/** The target of an operation whose input names `owner` and `repo`. */
export function targetRepo({ input }: { input: { owner: string; repo: string } }): { owner: string; slug: string } {
  return { owner: input.owner, slug: input.repo }
}
