/** Mutations that plan and create endpoints. Spec, "Inference endpoints". */

import { filePath } from '@hub/formats/file-path-rule'
import { fullNameText, handleText, wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { isSpendHold, type SpendHold } from '../../src/billing/holds/hold-shape.ts'
import { createEndpoint } from '../../src/endpoints/create/create-endpoint.ts'
import { type EndpointEstimate, estimateEndpoint } from '../../src/endpoints/create/estimate-endpoint.ts'
import type { Reserved } from '../../src/endpoints/create/reserve-endpoint.ts'
import { MAX_PARAMS } from '../../src/endpoints/create/sizing.ts'
import type { Endpoint } from '../../src/endpoints/endpoint-shape.ts'
import { holdDescription, holdOf } from '../billing/held-result.ts'
import { SpendHoldType } from '../billing/spend-hold.ts'
import { builder } from '../builder.ts'
import { type InputFields, rule } from '../input-field.ts'
import { RunExecutorEnum } from '../planner/enums.ts'
import { input, mutation } from '../root-field.ts'
import { EndpointArtifactType, EndpointType } from './endpoint.ts'
import { targetModel } from './target-endpoint.ts'

/** Hours that an endpoint may have, and that an estimate may be about; the column has ten decimals. */
const hours = z.number().min(1e-10).max(720)
/** What the column of budgets holds, which has four decimals. */
const budget = z.number().min(0.0001).max(1e9)

/** What createEndpoint and estimateEndpoint have in common. */
const requestFields = (t: InputFields) => ({
  modelRepo: t.string({ required: true, ...rule(fullNameText), description: 'The model repo, `owner/slug`.' }),
  onnxPath: t.string({
    ...rule(filePath),
    description: "ONNX file to serve; the repo's only one at its root by default.",
  }),
  policyPath: t.string({
    ...rule(filePath),
    description:
      'Checkpoint directory to serve; found by default where there is no ONNX file. `policy` names the one at ' +
      'the root of the repo.',
  }),
  executor: t.field({ type: RunExecutorEnum, description: 'Who serves it; default `WORKER`.' }),
  owner: t.string({
    ...rule(handleText),
    description: "Handle of the account that is billed; the credential's account by default.",
  }),
  params: t.field({
    type: 'SafeInt',
    ...rule(z.int().min(1).max(MAX_PARAMS)),
    description: 'Parameters of the model, where none of its files declares them.',
  }),
  budgetUsd: t.float({
    ...rule(budget),
    description: 'Hard cap of the total cost in USD; for hosted endpoints, no less than a minute costs.',
  }),
})

/** A union from the start, so that further results can be added; clients distinguish them by `__typename`. */
const CreateEndpointResult = builder.unionType('CreateEndpointResult', {
  description: 'Result of `createEndpoint`; further types may be added.',
  types: [EndpointType, SpendHoldType],
  resolveType: (result) => (isSpendHold(result) ? SpendHoldType : EndpointType),
})

const CreateEndpointPayload = builder.objectRef<Endpoint | SpendHold>('CreateEndpointPayload').implement({
  description: 'Result of `createEndpoint`.',
  fields: (t) => ({
    result: t.field({
      type: CreateEndpointResult,
      description: 'The queued endpoint, or the spend hold.',
      resolve: (result) => result,
    }),
    hold: t.field({ type: SpendHoldType, nullable: true, description: holdDescription, resolve: holdOf }),
  }),
})

mutation('createEndpoint', {
  type: CreateEndpointPayload,
  description:
    'Queues an inference endpoint, pinned to the bytes of its model as they are now. A hosted one that the key ' +
    'of an agent asks for becomes a spend hold instead, which a person has to approve. A worker endpoint waits ' +
    'for a server of the owner; the hub starts a hosted one on the smallest tier that fits the model. 409 for a ' +
    'reflex, for a repo with nothing to serve, and while the hub still hashes the files.',
  scope: 'key:train',
  target: targetModel,
  input: input('The model to serve, the server, and the account that is billed.', (t) => ({
    ...requestFields(t),
    name: t.string({ ...rule(wordText), description: 'Name for people.' }),
    maxHours: t.float({
      ...rule(hours),
      description:
        'Hours from the claim after which the hub ends it, at least a minute for a hosted one; no cap if absent.',
    }),
  })),
  verb: createEndpoint,
})

const ReservationType = builder.objectRef<Reserved>('EndpointReservation').implement({
  description: "What a hosted endpoint reserves of its account's month when it is created.",
  fields: (t) => ({
    amountUsd: t.float({ resolve: ({ amountUsd }) => Number(amountUsd), description: 'In USD, four decimals.' }),
    coversTo: t.expose('coversTo', {
      type: 'DateTime',
      nullable: true,
      description:
        'Null: the whole endpoint. Otherwise nothing ends it, and this is the end of the month that is reserved; ' +
        'the hub then reserves the next one.',
    }),
  }),
})

const EstimateType = builder.objectRef<EndpointEstimate>('EndpointEstimate').implement({
  description: 'The most that an endpoint can cost in so many hours, and the hardware that its model needs.',
  fields: (t) => ({
    executor: t.expose('executor', { type: RunExecutorEnum, description: 'Who would serve it.' }),
    tier: t.exposeString('tier', { description: 'The smallest tier that fits the model.' }),
    params: t.expose('params', { type: 'SafeInt', description: 'Parameters of the model.' }),
    vramBytes: t.expose('vramBytes', { type: 'SafeInt', description: 'Parameters x 2 bytes, and 20 % headroom.' }),
    rateUsdPerHour: t.float({
      resolve: ({ rateUsdPerHour }) => Number(rateUsdPerHour),
      description: 'Rate of the tier, USD per GPU-hour, four decimals; 0 for a worker.',
    }),
    hours: t.exposeFloat('hours', { description: 'Hours that the estimate is about.' }),
    costUsdMax: t.float({
      resolve: ({ costUsdMax }) => Number(costUsdMax),
      description: 'Rate x hours, rounded up to four decimals, and no more than the budget.',
    }),
    budgetUsd: t.float({
      nullable: true,
      resolve: ({ budgetUsd }) => (budgetUsd === null ? null : Number(budgetUsd)),
      description: 'Budget of the request; null without one.',
    }),
    cappedByBudget: t.exposeBoolean('cappedByBudget', { description: 'Whether the budget is less than rate x hours.' }),
    priced: t.exposeBoolean('priced', { description: 'False for a worker: costs of zero then mean "not charged".' }),
    artifact: t.expose('artifact', { type: EndpointArtifactType, description: 'The artifact that would be served.' }),
    notes: t.stringList({
      most: 20,
      description: 'Parts that `vramBytes` does not include; empty for an ONNX file.',
      resolve: ({ notes }) => [...notes],
    }),
    reservation: t.expose('reservation', {
      type: ReservationType,
      nullable: true,
      description:
        'What creating it reserves, with `hours` as its `maxHours`; without `hours` and a budget the rest of the ' +
        'month. Null for a worker.',
    }),
  }),
})

mutation('estimateEndpoint', {
  type: EstimateType,
  description:
    'What createEndpoint would serve and on which tier, and the most that it can cost. Validated likewise; ' +
    'creates nothing. A hosted estimate is priced also where nothing can be hosted.',
  scope: 'key:train',
  target: targetModel,
  input: input('The endpoint to estimate.', (t) => ({
    ...requestFields(t),
    hours: t.float({
      ...rule(hours),
      description:
        "Hours to estimate, at least a minute for a hosted one; 1 by default. An agent's key gives them, or a " +
        'budget, as it gives create an end.',
    }),
  })),
  verb: estimateEndpoint,
})
