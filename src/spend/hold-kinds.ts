/** Turns the recorded request of each kind of hold into its job, by the course of its create. */
import type { Approval } from '../billing/holds/approval.ts'
import type { HeldKind } from '../billing/holds/hold-shape.ts'
import { checkCreation } from '../checks/create/create-check.ts'
import { endpointCreation } from '../endpoints/create/create-endpoint.ts'
import type { RequestContext, ScopeLevel } from '../operation/context.ts'
import { runCreation } from '../runs/create/create-run.ts'
import type { Tx } from '../store/db.ts'
import { type CreateKind, prepareRecorded } from '../work/create.ts'

/**
 * Creates the job inside a transaction; throws what the create throws, and takes the hold before it locks an account.
 */
type MakeJob = (tx: Tx, approval: Approval) => Promise<unknown>

interface HoldKind {
  /** The scope that the create operation needs. */
  readonly scope: ScopeLevel
  /**
   * Validates the recorded request against the current state, as the viewer of `ctx`; throws what the create throws.
   * Writes nothing.
   */
  readonly prepare: (ctx: RequestContext, record: unknown) => Promise<MakeJob>
}

const heldBy = <Request, Grant, Prepared, Locked, Place, Made extends { readonly id: string }>(
  kind: CreateKind<Request, Grant, Prepared, Locked, Place, Made>,
): HoldKind => ({ scope: kind.scope, prepare: (ctx, record) => prepareRecorded(ctx, kind, record) })

export const holdKinds: Readonly<Record<HeldKind, HoldKind>> = {
  run: heldBy(runCreation),
  robot_check: heldBy(checkCreation),
  endpoint: heldBy(endpointCreation),
}
