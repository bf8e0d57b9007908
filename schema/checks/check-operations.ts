/** The mutation `createRobotCheck`. Spec, "POST /v1/robot-checks". */
import { isSpendHold, type SpendHold } from '../../src/billing/holds/hold-shape.ts'
import type { RobotCheck } from '../../src/checks/check-shape.ts'
import type { ModelRequest } from '../../src/checks/create/check-request.ts'
import { createCheck } from '../../src/checks/create/create-check.ts'
import { holdDescription, holdOf } from '../billing/held-result.ts'
import { SpendHoldType } from '../billing/spend-hold.ts'
import { builder } from '../builder.ts'
import { input, mutation } from '../root-field.ts'
import { CheckType } from './check.ts'
import { checkRequestFields } from './check-input.ts'
import { documentOfInput } from './input-document.ts'
import { targetsOfNewCheck } from './target-check.ts'

/**
 * A union from the beginning: what costs money may lead to something else than a check, which clients then tell apart
 * by `__typename`.
 */
const CreateRobotCheckResult = builder.unionType('CreateRobotCheckResult', {
  description: 'Result of a request for a check; more types may be added.',
  types: [CheckType, SpendHoldType],
  resolveType: (result) => (isSpendHold(result) ? SpendHoldType : CheckType),
})

const CreateRobotCheckPayload = builder.objectRef<RobotCheck | SpendHold>('CreateRobotCheckPayload').implement({
  description: 'Result of `createRobotCheck`.',
  fields: (t) => ({
    result: t.field({
      type: CreateRobotCheckResult,
      description: 'The queued check, or the spend hold.',
      resolve: (result) => result,
    }),
    hold: t.field({ type: SpendHoldType, nullable: true, description: holdDescription, resolve: holdOf }),
  }),
})

mutation('createRobotCheck', {
  type: CreateRobotCheckPayload,
  description:
    'Queues a check of a robot or a policy. The files that it is about are kept as they are now. 409 while the ' +
    'hub still hashes one of them; 429 once the account has made its checks of the day. A hosted check beyond ' +
    'the allowance of an agent becomes a spend hold, which a person has to approve.',
  scope: 'key:write',
  target: targetsOfNewCheck,
  input: input('The check to make.', checkRequestFields),
  verb: (ctx, { model, options, drop, ...input }) =>
    createCheck(ctx, {
      ...input,
      model: documentOfInput(model) as ModelRequest | null,
      options: documentOfInput(options),
      drop: documentOfInput(drop),
    }),
})
