/** GraphQL documents made from the schema: random selections of random root fields, with variables of every kind. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Json } from '../support/hub.ts'
import type { Dice } from './dice.ts'
import { anyJson, type Kind, madeValue, written } from './json-values.ts'
import type { Caller, Lab, SentUpload } from './lab.ts'
import type { Held } from './learn.ts'
import { knownTo } from './requests.ts'

type RootKind = 'query' | 'mutation' | 'subscription'

export interface MadeDocument {
  readonly kind: RootKind
  readonly fields: readonly string[]
  readonly caller: Caller
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Deeper ones are refused by the limit of depth now and then, and that is enough. */
const MOST_DEPTH = 5

/** The arguments of the fields of a type, and the parts of the document that are beside its operation. */
interface Making {
  readonly schema: GraphQLSchema
  readonly lab: Lab
  readonly dice: Dice
  caller: Caller
  readonly kind: Kind
  readonly variables: Map<string, { readonly type: string; readonly value: unknown }>
  readonly fragments: string[]
}

export function makeDocument(schema: GraphQLSchema, lab: Lab, dice: Dice): MadeDocument {
  const kind = dice.weighted<RootKind>([
    [45, 'query'],
    [35, 'mutation'],
    [20, 'subscription'],
  ])
  const root = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  }[kind]
  const all = Object.values(root?.getFields() ?? {})
  const count =
    kind === 'subscription'
      ? 1
      : dice.weighted([
          [8, 1],
          [2, 2],
          [1, 3],
        ])
  const fields = Array.from({ length: count }, () => dice.pick(all))
  const making: Making = {
    schema,
    lab,
    dice,
    caller: callerFor(lab, dice, fields[0]?.name ?? ''),
    kind: dice.weighted<Kind>([
      [62, 'valid'],
      [22, 'edge'],
      [16, 'broken'],
    ]),
    variables: new Map(),
    fragments: [],
  }
  const depth = dice.weighted([
    [3, 1],
    [4, 2],
    [3, 3],
    [1, MOST_DEPTH],
    [0.2, 16],
  ])
  const selections = fields.map((field, at) => {
    const alias = count > 1 ? `r${at}: ` : ''
    return `${alias}${field.name}${argumentsOf(making, field)}${directiveOf(making, kind !== 'subscription')} ${selectionOf(making, getNamedType(field.type), depth)}`
  })
  const declared = [...making.variables].map(([name, { type }]) => `$${name}: ${type}`).join(', ')
  const query = `${kind}${declared ? ` (${declared})` : ''} { ${selections.join(' ')} }${making.fragments.map((text) => ` ${text}`).join('')}`
  const variables = Object.fromEntries([...making.variables].map(([name, { value }]) => [name, value]))
  return {
    kind,
    fields: fields.map(({ name }) => name),
    caller: making.caller,
    query: changedText(query, dice),
    variables,
  }
}

/** Most of what a graph is for needs a person who may. */
const callerFor = (lab: Lab, dice: Dice, field: string): Caller =>
  // What ends others' sign-ins would end the run.
  /^end(?:Other)?Session|^revokeApiKey/.test(field)
    ? lab.named(dice.pick(['leaver', 'stranger', 'anonymous']))
    : /ApiKey|Org|Session|Spend|Device|Approval|viewer|sessions|auditLog|ledger/.test(field) && dice.chance(0.6)
      ? lab.named('owner')
      : lab.caller(dice)

/** Now and then a document that is none. */
function changedText(query: string, dice: Dice): string {
  if (!dice.chance(0.03)) return query
  return dice.pick([
    query.slice(0, dice.below(query.length)),
    query.replace('{', '{ unknownField '),
    `${query} fragment Unused on Run { id }`,
    query.replace('}', '} }'),
    query.replace('{', '{ ...Absent '),
    `${query} query Other { viewer { __typename } }`,
    `${query} fragment A on Repo { ...B } fragment B on Repo { ...A }`,
    query.replaceAll(' ', '\ufeff'),
    `# ${'x'.repeat(200)}\n${query}`,
    query.replace('{', '{ a: __typename '),
    '{ __schema { types { name fields { name } } } }',
  ])
}

function directiveOf({ dice, variables }: Making, isAllowed: boolean): string {
  if (!isAllowed || !dice.chance(0.06)) return ''
  const name = dice.pick(['skip', 'include'])
  if (dice.chance(0.5)) return ` @${name}(if: ${dice.chance(0.5)})`
  variables.set('flag', {
    type: 'Boolean!',
    value: dice.chance(0.9) ? dice.chance(0.5) : dice.pick<unknown>([null, 1, 'x']),
  })
  return ` @${name}(if: $flag)`
}

function selectionOf(making: Making, type: GraphQLNamedType, depth: number): string {
  if (isLeafType(type)) return ''
  const { schema, dice, fragments } = making
  if (isAbstractType(type)) {
    const some = dice.some(schema.getPossibleTypes(type), 0.5)
    // Fields of one name in two types may differ; only one type has a selection with fields.
    const [first, ...others] = some
    const inner = first ? `... on ${first.name} ${selectionOf(making, first, depth)}` : ''
    return `{ __typename ${inner} ${others.map(({ name }) => `... on ${name} { __typename }`).join(' ')} }`
  }
  if (!isObjectType(type)) return '{ __typename }'
  const all = Object.values(type.getFields())
  const leaves = all.filter(({ type: of }) => isLeafType(getNamedType(of)))
  const others = all.filter(({ type: of }) => !isLeafType(getNamedType(of)))
  const share = dice.pick([0.15, 0.5, 1])
  const parts = dice.some(leaves, share).map((field) => fieldText(making, field, 0))
  if (depth > 1)
    for (let at = dice.below(4); at > 0 && others.length > 0; at -= 1) {
      const field = dice.pick(others)
      if (!parts.some((part) => part.startsWith(field.name))) parts.push(fieldText(making, field, depth - 1))
    }
  if (parts.length === 0 || dice.chance(0.3)) parts.push('__typename')
  if (dice.chance(0.006)) parts.push('noSuchField')
  if (dice.chance(0.05)) {
    const name = `F${fragments.length}`
    fragments.push(`fragment ${name} on ${type.name} { ${parts.join(' ')} }`)
    return `{ ...${name} }`
  }
  return `{ ${parts.join(' ')} }`
}

function fieldText(making: Making, field: GraphQLField<unknown, unknown>, depth: number): string {
  const alias = making.dice.chance(0.04) ? `${field.name}_${making.dice.below(1000)}: ` : ''
  const inner = selectionOf(making, getNamedType(field.type), depth)
  return `${alias}${field.name}${argumentsOf(making, field)}${directiveOf(making, true)} ${inner || ''}`.trim()
}

function argumentsOf(making: Making, field: GraphQLField<unknown, unknown>): string {
  const { dice, variables } = making
  const given = field.args.filter(
    (one) =>
      (isNonNullType(one.type) && one.defaultValue === undefined) || dice.chance(one.name === 'first' ? 0.3 : 0.2),
  )
  const odd = dice.below(Math.max(1, given.length))
  const repo = repoFor(making, field.name)
  const texts = given.map((one, at) => {
    const kind = at === odd ? making.kind : 'valid'
    const value = argumentValue(making, field.name, one, kind, repo)
    if (kind === 'valid' && dice.chance(0.3)) return `${one.name}: ${literalOf(value, one.type)}`
    const name = `v${variables.size}`
    variables.set(name, { type: String(one.type), value })
    return `${one.name}: $${name}`
  })
  return texts.length > 0 ? `(${texts.join(', ')})` : ''
}

type RepoName = Readonly<Record<'owner' | 'slug' | 'repo', string>> & { readonly name?: string }

/** A repo of the kind that the field is about: owner and slug belong together. */
function repoFor({ lab, dice }: Making, field: string): RepoName {
  const made = field === 'snapshot' ? lab.things.pick<Json>('made snapshot', dice) : undefined
  if (made) {
    const [owner = '', slug = ''] = made.repo.split('/')
    return { owner, slug, repo: slug, name: made.name }
  }
  const kind = /Model/.test(field)
    ? 'model'
    : /Dataset/.test(field)
      ? 'dataset'
      : /Card|robot/i.test(field)
        ? 'robot'
        : dice.pick(['dataset', 'robot', 'model'])
  const found = /^(?:delete|purge)/.test(field)
    ? lab.things.pickNew(`${kind} repo`, dice)
    : lab.things.pick(`${kind} repo`, dice)
  const [owner = '', slug = ''] = (found ?? 'nobody/nothing').split('/')
  return { owner, slug, repo: slug }
}

const idKinds: readonly (readonly [RegExp, string])[] = [
  [/^runId$|^parentRunId$|^run$/, 'run'],
  [/^checkId$|^robotCheck$/, 'check'],
  [/^endpointId$|^endpoint$/, 'ep'],
  [/^sessionId$/, 'esess'],
  [/^holdId$|^spendHold$/, 'spend'],
  [/^deviceId$/, 'dev'],
  [/^approvalId$/, 'appr'],
  [/^keyId$/, 'key'],
  [/^repoId$/, 'repo'],
  [/^uploadId$/, 'upload_id'],
]

function argumentValue(
  making: Making,
  field: string,
  { name, type }: GraphQLArgument,
  kind: Kind,
  repo: RepoName,
): unknown {
  const { lab, dice } = making
  if (kind === 'valid' || dice.chance(0.4)) {
    if (name in repo && (name !== 'owner' || /^(?:repo|tree|diff|snapshot|robotCard)$/.test(field)))
      return repo[name as 'owner']
    if (name === 'first') return dice.pick([1, 2, 5, 20, 100])
    if (name === 'after') return isInteger(type) ? dice.below(3) : (lab.things.pick('cursor', dice) ?? null)
    if (name === 'owner' || name === 'account' || name === 'handle') return lab.things.pick('handle', dice)
    if (name === 'id')
      return (
        idOf(lab, dice, field) ??
        lab.things.pick(dice.pick(['run', 'check', 'ep', 'repo', 'spend', 'dev', 'org', 'user']), dice)
      )
    if (name === 'ids')
      return Array.from(
        { length: dice.below(4) },
        () => lab.things.pick(dice.pick(['run', 'check', 'repo']), dice) ?? 'run_x',
      )
    if (name === 'userCode') return lab.things.pick('user_code', dice) ?? 'x'
  }
  if (name === 'input') return inputOf(making, field, type, kind, repo)
  return inputValue(making, type, kind, name, repo)
}

const isInteger = (type: GraphQLInputType): boolean => ['Int', 'SafeInt'].includes(getNamedType(type).name)

const idOf = (lab: Lab, dice: Dice, name: string): unknown => {
  const kind = idKinds.find(([pattern]) => pattern.test(name))?.[1]
  return kind === undefined ? undefined : (lab.things.pick(kind, dice) ?? `${kind}_${'0'.repeat(26)}`)
}

/** The input of a mutation: a body that `/v1` accepted in the words of the graph, or one of the type. */
function inputOf(making: Making, field: string, type: GraphQLInputType, kind: Kind, repo: RepoName): unknown {
  const { lab, dice } = making
  const fitting = dice.chance(0.75) ? fittingInput(making, field) : {}
  const good = lab.goodBodies.get(field)
  const made = inputValue(making, type, good && dice.chance(0.7) ? 'valid' : kind, 'input', repo)
  if (!good || dice.chance(0.25))
    return isInputObjectType(getNullableType(type)) && kind !== 'broken' ? { ...(made as object), ...fitting } : made
  const inner = getNullableType(type)
  const base = inGraphWords(dice.pick(good), inner)
  const merged: Record<string, unknown> = { ...(made as object), ...(base as object) }
  // Members that only chance chose would fight with those that belong together.
  if (isInputObjectType(inner))
    for (const [name, member] of Object.entries(inner.getFields()))
      if (!(name in (base as object)) && !isNonNullType(member.type)) delete merged[name]
  Object.assign(merged, fitting)
  if (kind === 'valid' || !isInputObjectType(inner)) return merged
  const name = dice.pick(Object.keys(inner.getFields()))
  const member = inner.getFields()[name]
  return member ? { ...merged, [name]: inputValue(making, member.type, kind, name, repo) } : merged
}

/** Members of an input that belong together, and who may send them. */
function fittingInput(making: Making, field: string): Readonly<Record<string, unknown>> {
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

/** Names as the graph has them, and words of enums in capitals. */
function inGraphWords(value: Json, type: GraphQLInputType): unknown {
  const inner = getNullableType(type)
  if (isListType(inner)) return Array.isArray(value) ? value.map((item) => inGraphWords(item, inner.ofType)) : value
  if (isEnumType(inner)) return typeof value === 'string' ? value.toUpperCase() : value
  if (!isInputObjectType(inner) || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(inner.getFields()).flatMap(([name, member]) => {
      const written = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      return Object.hasOwn(value, written) ? [[name, inGraphWords(value[written], member.type)]] : []
    }),
  )
}

function inputValue(
  making: Making,
  type: GraphQLInputType,
  kind: Kind,
  name: string,
  repo: RepoName,
  depth = 0,
): unknown {
  const { lab, dice } = making
  if (kind === 'broken' && dice.chance(depth === 0 ? 0.15 : 0.5))
    return dice.pick<unknown>([null, 1, 'x', true, [], {}, [[1]], { a: 1 }, 1.5, '', '\ud800', written('1e400')])
  const nullable = getNullableType(type)
  if (kind === 'valid' && name in repo && depth > 0) return repo[name as 'owner']
  const known = kind === 'valid' || dice.chance(0.3) ? (idOf(lab, dice, name) ?? knownTo(lab)(name, dice)) : undefined
  if (
    known !== undefined &&
    !isEnumType(nullable) &&
    !isInputObjectType(nullable) &&
    (!isListType(nullable) || Array.isArray(known))
  )
    return known
  if (nullable === type && dice.chance(0.1)) return null
  if (isListType(nullable)) {
    const length = kind === 'edge' ? dice.pick([0, 1, 101, 1001]) : dice.pick([1, 1, 2])
    if (length > 5) {
      const one = inputValue(making, nullable.ofType, 'valid', name, repo, depth + 1)
      return Array.from({ length }, () => one)
    }
    return Array.from({ length }, () => inputValue(making, nullable.ofType, kind, name, repo, depth + 1))
  }
  if (isInputObjectType(nullable)) {
    const fields = Object.values(nullable.getFields())
    const share = dice.pick([0, 0.2, 0.6]) / (depth + 1)
    const given = fields.filter(
      (field) => (isNonNullType(field.type) && field.defaultValue === undefined) || dice.chance(share),
    )
    const odd = dice.below(Math.max(1, given.length))
    const entries = given.map((field, at) => [
      field.name,
      inputValue(making, field.type, at === odd ? kind : 'valid', field.name, repo, depth + 1),
    ])
    if (kind === 'broken' && dice.chance(0.2)) entries.push([dice.pick(['unknown', '__proto__', 'id']), 1])
    return Object.fromEntries(entries)
  }
  if (isEnumType(nullable))
    return kind === 'edge' ? dice.pick(['', 'nothing', 'private']) : dice.pick(nullable.getValues()).name
  const ofScalar: Readonly<Record<string, () => unknown>> = {
    Int: () =>
      madeValue({ type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }, kind, dice, () =>
        kind === 'valid' ? dice.below(20) : undefined,
      ),
    SafeInt: () => madeValue({ type: 'integer', minimum: 0, maximum: 2 ** 53 - 1 }, kind, dice, () => undefined),
    Float: () => madeValue({ type: 'number', minimum: 0 }, kind, dice, () => undefined),
    Boolean: () => dice.chance(0.5),
    DateTime: () =>
      kind === 'valid'
        ? new Date(Date.now() + 3_600_000).toISOString()
        : dice.pick(['', '2026-02-30T00:00:00Z', 'now', '9999-12-31T23:59:60Z', '0000-01-01T00:00:00Z']),
    JSON: () => anyJson(kind, dice),
  }
  return (
    ofScalar[nullable.name] ??
    (() => madeValue({ type: 'string', minLength: 1, maxLength: 64 }, kind, dice, () => undefined))
  )()
}

/** The value in the document itself. */
function literalOf(value: unknown, type: GraphQLInputType | null): string {
  const inner = type && getNullableType(type)
  if (value === null || value === undefined) return 'null'
  if (inner && isEnumType(inner) && typeof value === 'string') return value
  if (Array.isArray(value)) {
    const of = inner && isListType(inner) ? inner.ofType : null
    return `[${value.map((item) => literalOf(item, of)).join(', ')}]`
  }
  if (typeof value === 'object') {
    const fields = inner && isInputObjectType(inner) ? inner.getFields() : {}
    return `{ ${Object.entries(value)
      .filter(([name]) => /^[_A-Za-z]\w*$/.test(name))
      .map(([name, item]) => `${name}: ${literalOf(item, fields[name]?.type ?? null)}`)
      .join(', ')} }`
  }
  return JSON.stringify(value)
}
