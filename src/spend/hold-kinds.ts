/** Turns the recorded request of each kind of hold into its job, with the functions that the create operation uses. */
import type { Approval } from '../billing/holds/approval.ts'
import type { HeldKind } from '../billing/holds/hold-shape.ts'
import { makeCheck, mayCheck, prepareCheck } from '../checks/create/create-check.ts'
import { checkOfRecord } from '../checks/create/held-check.ts'
import { makeEndpoint, prepareEndpoint } from '../endpoints/create/create-endpoint.ts'
import { endpointOfRecord } from '../endpoints/create/held-endpoint.ts'
import { mayServe } from '../endpoints/create/plan-endpoint.ts'
import type { RequestContext, ScopeLevel } from '../operation/context.ts'
import { makeRun, prepareRun } from '../runs/create/create-run.ts'
import { runOfRecord } from '../runs/create/held-run.ts'
import { billingOwner } from '../runs/create/run-request.ts'
import type { Tx } from '../store/db.ts'

/** Creates the job inside a transaction; throws what the create throws, and takes the hold before it locks an account. */
type MakeJob = (tx: Tx, approval: Approval) => Promise<unknown>

interface HoldKind {
  /** The scope that the create operation needs. */
  readonly level: ScopeLevel
  /** Validates the recorded request against the current state, as the viewer of `ctx`; throws what the create throws. Writes nothing. */
  readonly prepare: (ctx: RequestContext, request: unknown) => Promise<MakeJob>
}

const run: HoldKind = {
  level: 'train',
  async prepare(ctx, recorded) {
    const request = runOfRecord(recorded)
    const prepared = await prepareRun(ctx, await billingOwner(ctx, request.owner ?? null), request)
    return (tx, approval) => makeRun(ctx, tx, prepared, approval)
  },
}

const robotCheck: HoldKind = {
  level: 'write',
  async prepare(ctx, recorded) {
    const request = checkOfRecord(recorded)
    const prepared = prepareCheck(ctx, await mayCheck(ctx, request), request, true)
    return (tx, approval) => makeCheck(ctx, tx, prepared, approval)
  },
}

const endpoint: HoldKind = {
  level: 'train',
  async prepare(ctx, recorded) {
    const request = endpointOfRecord(recorded)
    const prepared = await prepareEndpoint(ctx, await mayServe(ctx, request), request)
    return (tx, approval) => makeEndpoint(ctx, tx, prepared, approval)
  },
}

export const holdKinds: Readonly<Record<HeldKind, HoldKind>> = { run, robot_check: robotCheck, endpoint }
