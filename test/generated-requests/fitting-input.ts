/** What of an input belongs together, and who can send it. */
import type { GraphQLInputObjectType, GraphQLSchema } from 'graphql'
import type { Json } from '../support/hub.ts'
import type { Dice } from './dice.ts'
import { inGraphWords } from './graph-words.ts'
import type { Kind } from './json-values.ts'
import type { Caller, Lab, SentUpload } from './lab.ts'
import type { Held } from './learn.ts'
import { readyFor } from './ready-work.ts'

/** The arguments of the fields of a type, and the parts of the document that are beside its operation. */
export interface Making {
  readonly schema: GraphQLSchema
  readonly lab: Lab
  readonly dice: Dice
  caller: Caller
  readonly kind: Kind
  readonly variables: Map<string, { readonly type: string; readonly value: unknown }>
  readonly fragments: string[]
}

/** What was made ready for a mutation, by whom it was; null if nothing was. */
export function readyInput(making: Making, field: string, type: GraphQLInputObjectType): object | null {
  const ready = readyFor(making.lab, field)
  if (!ready) return null
  making.caller = ready.caller
  // The repo that moves is the one that the path names; its new name is in the body.
  const params = Object.entries(ready.params).map(([name, value]) =>
    field === 'moveRepo' ? [`from_${name}`, value] : [name, value],
  )
  const all = { ...Object.fromEntries(params), ...ready.body }
  return inGraphWords(all, type) as object
}

/** Arguments of a query that were made ready, and who asks. */
export function readyArguments(making: Making, field: string): Readonly<Record<string, unknown>> {
  const ready = readyFor(making.lab, field)
  if (!ready) return {}
  making.caller = ready.caller
  return ready.body ?? {}
}

/** Members of an input that belong together, and who can send them. */
export function fittingInput(making: Making, field: string): Readonly<Record<string, unknown>> {
  const { lab, dice } = making
  const { things, names } = lab
  const as = (caller: string, members: Readonly<Record<string, unknown>>) => {
    making.caller = lab.named(caller)
    return members
  }
  const job = (kind: 'run' | 'check' | 'endpoint') => {
    const held = things.pick<Held>(`held ${kind}`, dice)
    return held ? as(held.caller.name, { [`${kind}Id`]: held.id }) : {}
  }
  const repo = (full: string | undefined, more: Readonly<Record<string, unknown>> = {}) => {
    const [owner = 'nobody', slug = 'nothing'] = full?.split('/') ?? []
    return as('owner', { owner, repo: slug, ...more })
  }
  const approved = () => things.pick<Json>('approved', dice)
  const sent = () => things.pick<SentUpload>('sent upload', dice)
  const inGraph = ({ path, upload_id: uploadId, parts }: Json) => ({
    path,
    uploadId,
    parts: parts.map(({ part_number: partNumber, etag }: Json) => ({ partNumber, etag })),
  })
  const table: Readonly<Record<string, () => Readonly<Record<string, unknown>>>> = {
    reportRun: () => job('run'),
    recordGateResults: () => job('run'),
    makeRunKey: () => job('run'),
    reportRobotCheck: () => job('check'),
    presignRobotCheckArtifacts: () => job('check'),
    reportEndpoint: () => job('endpoint'),
    publishRobotCheck: () => as('owner', { checkId: things.pick('publishable', dice), repo: null }),
    claimRun: () =>
      as('train key', { runId: things.pick('free run', dice) ?? 'run_x', resumeStep: null, hostedCallId: null }),
    claimRobotCheck: () => as('owner', { checkId: things.pick('free check', dice) ?? 'check_x' }),
    claimEndpoint: () => as('owner', { endpointId: things.pick('free endpoint', dice) ?? 'ep_x' }),
    createEndpoint: () => as('owner', { modelRepo: names.model }),
    estimateEndpoint: () => as('owner', { modelRepo: names.model }),
    openEndpointSession: () => {
      const one = approved()
      return one ? as('owner', { endpointId: one.endpointId, deviceId: one.deviceId, approvalToken: one.token }) : {}
    },
    reportEndpointSession: () => as('owner', things.pick<Json>('open session', dice) ?? {}),
    revokeApproval: () => as('owner', { approvalId: approved()?.approvalId ?? 'appr_x' }),
    revokeApiKey: () => as('owner', { id: things.pick('made key', dice) ?? 'key_x' }),
    endSession: () => as('leaver', { id: things.pick('session to end', dice) ?? 'sess_x' }),
    endOtherSessions: () => as('leaver', { keep: lab.leaverSession }),
    createApiKey: () => as('owner', { repos: null, expiresAt: null, owner: null }),
    createOrg: () => as('owner', { handle: `o${dice.below(2 ** 30).toString(36)}` }),
    addOrgMember: () => as('owner', { org: names.org, user: names.joiner }),
    removeOrgMember: () => as('owner', { org: names.org, user: names.joiner }),
    approveDeviceLogin: () => as('owner', { userCode: things.pick('open code', dice) ?? 'x' }),
    denyDeviceLogin: () => as('owner', { userCode: things.pick('open code', dice) ?? 'x' }),
    redeemDeviceLogin: () => as('anonymous', { deviceCode: things.pick('approved code', dice) ?? 'x' }),
    deleteRepo: () => repo(things.pick('spare repo', dice)),
    deleteFiles: () => repo(things.pick('spare repo', dice), { paths: ['a.txt'] }),
    purgeFiles: () => repo(things.pick('spare repo', dice), { paths: ['a.txt'] }),
    putRobotCard: () => repo(names.robot, { card: null, document: lab.card }),
    approveSpendHold: () => as('owner', { holdId: things.pickNew('spend', dice) ?? 'spend_x' }),
    deleteSnapshot: () => {
      const one = things.pick<Json>('made snapshot', dice)
      return repo(one?.repo, { name: one?.name ?? 'x' })
    },
    completeUpload: () => {
      const one = sent()
      return one ? repo(one.repo, { uploads: [inGraph(one.upload)] }) : {}
    },
    abortUpload: () => {
      const one = sent()
      return one ? repo(one.repo, { uploadId: one.upload.upload_id }) : {}
    },
  }
  return table[field]?.() ?? {}
}
