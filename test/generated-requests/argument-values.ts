/** Values of arguments and inputs of the graph: of things that are there, of the type, at its edges, or broken. */
import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import type { Dice } from './dice.ts'
import { fittingInput, type Making, readyInput } from './fitting-input.ts'
import { inGraphWords } from './graph-words.ts'
import { anyJson, type Kind, madeValue, written } from './json-values.ts'
import { knownTo } from './known-values.ts'
import type { Lab } from './lab.ts'

export type RepoName = Readonly<Record<'owner' | 'slug' | 'repo', string>> & { readonly name?: string }

const idKinds: readonly (readonly [RegExp, string])[] = [
  [/^runId$|^parentRunId$|^run$/, 'run'],
  [/^checkId$|^robotCheck$/, 'check'],
  [/^endpointId$|^endpoint$/, 'ep'],
  [/^sessionId$/, 'esess'],
  [/^holdId$|^spendHold$/, 'spend'],
  [/^deviceId$/, 'dev'],
  [/^approvalId$/, 'appr'],
  [/^filmId$/, 'film'],
  [/^rolloutId$/, 'roll'],
  [/^labels$/, 'label'],
  [/^keyId$/, 'key'],
  [/^repoId$/, 'repo'],
  [/^uploadId$/, 'upload_id'],
]

export function argumentValue(
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
  const inner = getNullableType(type)
  const ready = isInputObjectType(inner) && dice.chance(0.75) ? readyInput(making, field, inner) : null
  if (ready) return withOddMember(making, ready, inner, kind, repo)
  const fitting = dice.chance(0.75) ? fittingInput(making, field) : {}
  const good = lab.goodBodies.get(field)
  const made = inputValue(making, type, good && dice.chance(0.7) ? 'valid' : kind, 'input', repo)
  if (!good || dice.chance(0.25))
    return isInputObjectType(getNullableType(type)) && kind !== 'broken' ? { ...(made as object), ...fitting } : made
  const base = inGraphWords(dice.pick(good), inner)
  const merged: Record<string, unknown> = { ...(made as object), ...(base as object) }
  // Members that only chance chose would fight with those that belong together.
  if (isInputObjectType(inner))
    for (const [name, member] of Object.entries(inner.getFields()))
      if (!(name in (base as object)) && !isNonNullType(member.type)) delete merged[name]
  Object.assign(merged, fitting)
  return withOddMember(making, merged, inner, kind, repo)
}

/** Valid but for one member, of which the input is of that kind. */
function withOddMember(making: Making, valid: object, inner: GraphQLInputType, kind: Kind, repo: RepoName): object {
  const { dice } = making
  if (kind === 'valid' || !isInputObjectType(inner)) return valid
  const name = dice.pick(Object.keys(inner.getFields()))
  const member = inner.getFields()[name]
  return member ? { ...valid, [name]: inputValue(making, member.type, kind, name, repo) } : valid
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
export function literalOf(value: unknown, type: GraphQLInputType | null): string {
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
