/** GraphQL documents made from the schema: random selections of random root fields, with variables of every kind. */
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isLeafType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Json } from '../support/hub.ts'
import { argumentValue, literalOf, type RepoName } from './argument-values.ts'
import type { Dice } from './dice.ts'
import { type Making, readyArguments } from './fitting-input.ts'
import type { Kind } from './json-values.ts'
import type { Caller, Lab } from './lab.ts'

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

/** `unreached` are root fields that gave no data yet, which are asked more often. */
export function makeDocument(
  schema: GraphQLSchema,
  lab: Lab,
  dice: Dice,
  unreached: readonly string[] = [],
): MadeDocument {
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
  const wanted = all.filter(({ name }) => unreached.includes(`${kind} ${name}`))
  const fields = Array.from({ length: count }, () => dice.pick(wanted.length > 0 && dice.chance(0.2) ? wanted : all))
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

/** Most of what a graph is for needs a person with the right to do it. */
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
  const isReady = field.args.every(({ name }) => name !== 'input') && dice.chance(0.4)
  const ready = isReady ? readyArguments(making, field.name) : {}
  const given = field.args.filter(
    (one) =>
      one.name in ready ||
      (isNonNullType(one.type) && one.defaultValue === undefined) ||
      dice.chance(one.name === 'first' ? 0.3 : 0.2),
  )
  const odd = dice.below(Math.max(1, given.length))
  const repo = repoFor(making, field.name)
  const texts = given.map((one, at) => {
    const kind = at === odd ? making.kind : 'valid'
    const value =
      kind === 'valid' && one.name in ready ? ready[one.name] : argumentValue(making, field.name, one, kind, repo)
    if (kind === 'valid' && dice.chance(0.3)) return `${one.name}: ${literalOf(value, one.type)}`
    const name = `v${variables.size}`
    variables.set(name, { type: String(one.type), value })
    return `${one.name}: $${name}`
  })
  return texts.length > 0 ? `(${texts.join(', ')})` : ''
}

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
