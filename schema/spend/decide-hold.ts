/** Mutations that decide spend holds, and the job of an approved one. Spec, "Spend holds". */
import { z } from 'zod'
import { findHold } from '../../src/billing/holds/get-hold.ts'
import type { RobotCheck } from '../../src/checks/check-shape.ts'
import { getChecksById } from '../../src/checks/read/get-check.ts'
import type { Endpoint } from '../../src/endpoints/endpoint-shape.ts'
import { getEndpointsById } from '../../src/endpoints/read/get-endpoint.ts'
import type { RequestContext } from '../../src/operation/context.ts'
import { getRunsById } from '../../src/runs/read/get-run.ts'
import type { Run } from '../../src/runs/read/run-shape.ts'
import { approveHold } from '../../src/spend/approve-hold.ts'
import { cancelHold, denyHold } from '../../src/spend/end-hold.ts'
import { SpendHoldType } from '../billing/spend-hold.ts'
import { builder } from '../builder.ts'
import { CheckType } from '../checks/check.ts'
import { EndpointType } from '../endpoints/endpoint.ts'
import { type InputFields, rule } from '../input-field.ts'
import { input, mutation } from '../root-field.ts'
import { RunType } from '../runs/run.ts'

type Job = Run | RobotCheck | Endpoint

/** Ids of jobs say their kind. */
const typeOf = ({ id }: Job) => (id.startsWith('run_') ? RunType : id.startsWith('ep_') ? EndpointType : CheckType)

const SpendHoldResult = builder.unionType('SpendHoldResult', {
  description: 'A job that approving a hold created.',
  types: [RunType, CheckType, EndpointType],
  resolveType: typeOf,
})

builder.objectField(SpendHoldType, 'result', (t) =>
  t.loadable({
    type: SpendHoldResult,
    nullable: true,
    description:
      'The job that approving created; null without one, or if it is not visible to the caller or was deleted. ' +
      'One statement a kind for any number of holds.',
    resolve: ({ resultId }) => resultId,
    load: async (ids: string[], ctx: RequestContext) => {
      const { db } = ctx.deps
      const runs = await getRunsById(db, ctx.viewer, ids)
      const checks = await getChecksById(db, ctx.viewer, ids)
      const endpoints = await getEndpointsById(db, ctx.viewer, ids)
      return ids.map((_id, place) => runs[place] ?? checks[place] ?? endpoints[place] ?? null)
    },
  }),
)

const holdId = (t: InputFields) => t.id({ required: true, description: 'Id of the hold.' })
const payload = { name: 'hold', description: 'The hold after the decision.' }

mutation('approveSpendHold', {
  type: SpendHoldType,
  payload,
  description:
    "Creates the job of a pending hold, as the key that asked for it and with the agent's limit lifted for this " +
    'one job. Quotas and the spend cap apply now; after an error the hold is still pending.',
  scope: 'session',
  target: targetHold,
  input: input('The hold to approve.', (t) => ({ holdId: holdId(t) })),
  verb: approveHold,
})

mutation('denySpendHold', {
  type: SpendHoldType,
  payload,
  description: 'Refuses a pending hold. The reason goes into the record, which the agent reads.',
  scope: 'session',
  target: targetHold,
  input: input('The hold to deny, and why.', (t) => ({
    holdId: holdId(t),
    reason: t.string({
      required: true,
      ...rule(z.string().min(1).max(1024)),
      description: 'Why it is denied: 1 to 1024 characters.',
    }),
  })),
  verb: denyHold,
})

mutation('cancelSpendHold', {
  type: SpendHoldType,
  payload,
  description: 'Withdraws a pending hold: by the key that filed it, or a person of the account. Nothing is started.',
  scope: 'key:write',
  target: targetHold,
  input: input('The hold to cancel.', (t) => ({ holdId: holdId(t) })),
  verb: cancelHold,
})

/** 404 where the caller does not see it. */
function targetHold(ctx: RequestContext, { holdId }: { holdId: string }) {
  return findHold(ctx.deps.db, ctx.viewer, holdId)
}
