/**
 * Coerces a request to the variables of its document by walking the variables' input types. Pure; collects all faults
 * with their places in `/v1` names. Only names in the schema become properties, so a member named `__proto__` is a
 * fault and never a prototype.
 */

import { asDouble, isJsonObject } from '@hub/formats/exact-json'
import { textFault } from '@hub/formats/text-rules'
import {
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql'
import { type ErrorItem, HubError, type Loc } from '../../src/platform/errors.ts'
import { toSnake } from '../../src/platform/member-name.ts'
import type { RoutePlan } from './dialect.ts'
import { ABSENT, Faults, RequestRefusal, unknownParameter } from './faults.ts'
import { placedFaults } from './free-form.ts'
import type { BodySource, DocumentPlace, FieldsSource, PathSource, QuerySource } from './route.ts'
import { addRuleFaults } from './rules.ts'
import { rangeFault, type ScalarShape, scalarShape } from './scalars.ts'

export interface RequestParts {
  readonly path: Readonly<Record<string, string | undefined>>
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The parsed body; undefined where none was sent. */
  readonly body: unknown
}

/** The variables of the route's document; throws 422 `validation.failed` with one entry for each fault (at most 50). */
export function coerceRequest(plan: RoutePlan, parts: RequestParts): Record<string, unknown> {
  const faults = new Faults()
  const variables: Record<string, unknown> = {}
  for (const name of Object.keys(parts.query)) if (!plan.queryNames.has(name)) unknownParameter(name, faults)
  let readsBody = false
  for (const variable of plan.variables) {
    const { source } = variable
    let value: unknown
    if (source.from === 'path' || source.from === 'query') {
      // Most parameters of a list are absent.
      if (!variable.isRequired && givenAs(source, parts) === undefined) continue
      value = fromText({ source, type: variable.type, hasDefault: variable.hasDefault, parts, faults })
    } else {
      readsBody ||= source.from === 'body'
      value = fromFields(source, variable.type, parts, faults)
    }
    if (value !== ABSENT) variables[variable.name] = value
  }
  if (!readsBody) refuseBody(parts.body, faults)
  if (faults.items.length === 0) return variables
  addRuleFaults(plan, variables, faults)
  throw new RequestRefusal(faults.items)
}

function refuseBody(sent: unknown, faults: Faults): void {
  if (sent === undefined || sent === null) return
  if (!isJsonObject(sent)) faults.add('validation.type', 'this operation takes no body', ['body'])
  else for (const name of Object.keys(sent)) unknownMember(name, ['body', name], faults)
}

function unknownMember(name: string, loc: Loc, faults: Faults): void {
  faults.add('validation.unknown_member', `${JSON.stringify(name.slice(0, 100))} is not a member of this object`, loc)
}

const givenAs = ({ from, name }: PathSource | QuerySource, { path, query }: RequestParts) =>
  from === 'path' ? path[name] : query[name]

function fromText({
  source,
  type,
  hasDefault,
  parts,
  faults,
}: {
  readonly source: PathSource | QuerySource
  readonly type: GraphQLInputType
  readonly hasDefault: boolean
  readonly parts: RequestParts
  readonly faults: Faults
}): unknown {
  const loc = [source.from, source.name]
  const given = givenAs(source, parts)
  if (given === undefined) {
    if (isNonNullType(type) && !hasDefault) return faults.add('validation.required', 'is required', loc)
    return ABSENT
  }
  const nullable = getNullableType(type)
  if (isListType(nullable)) {
    const texts = [given].flat().flatMap((text) => text.split(',').filter(Boolean))
    const items = texts.map((text, index) =>
      coerce(textToJson(text, nullable.ofType), nullable.ofType, texts.length > 1 ? [...loc, index] : loc, faults),
    )
    return withHoles(items)
  }
  if (typeof given !== 'string') return faults.add('validation.duplicate', 'is given more than once', loc)
  if (source.from === 'query' && source.words) {
    if (Object.hasOwn(source.words, given)) return source.words[given]
    return faults.add('validation.value', `must be one of ${quoteAll(Object.keys(source.words))}`, loc)
  }
  return coerce(textToJson(given, type), type, loc, faults)
}

/**
 * The text of a path segment or query parameter as a JSON value of this type; other text stays text and fails the type
 * check.
 */
function textToJson(text: string, type: GraphQLInputType): unknown {
  const nullable = getNullableType(type)
  if (isListType(nullable) || isInputObjectType(nullable) || isEnumType(nullable)) return text
  const { json } = scalarShape(nullable)
  if (json === 'integer' && /^-?\d{1,16}$/.test(text)) return Number(text)
  if (json === 'number' && /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return Number(text)
  if (json === 'boolean' && (text === 'true' || text === '1')) return true
  if (json === 'boolean' && (text === 'false' || text === '0')) return false
  return text
}

function fromFields(
  source: BodySource | FieldsSource,
  type: GraphQLInputType,
  parts: RequestParts,
  faults: Faults,
): unknown {
  const { fields: sources } = source
  const fromBody = source.from === 'body'
  const input = getNullableType(type)
  if (!isInputObjectType(input)) return coerce(fromBody ? parts.body : null, type, ['body'], faults)
  const fields = input.getFields()
  const place = fromBody ? source.document : undefined
  // Absent body: an empty object, so that each required member is named.
  const sent = fromBody && !place ? (parts.body ?? {}) : {}
  const value = coerceObject({
    sent,
    type: input,
    loc: ['body'],
    faults,
    elsewhere: place ? { ...sources, [place.field]: null } : sources,
  })
  if (value === ABSENT) return ABSENT
  if (place) {
    const document = documentOf(place, parts.body, faults)
    if (document !== ABSENT) value[place.field] = document
  }
  for (const [name, source] of Object.entries(sources)) {
    const field = fields[name]
    if (!field) throw new Error(`${input.name} has no field ${name}`)
    const member = fromText({ source, type: field.type, hasDefault: field.defaultValue !== undefined, parts, faults })
    if (member !== ABSENT) value[name] = member
  }
  return value
}

/** The document unchanged: the verb validates it. */
function documentOf({ member }: DocumentPlace, body: unknown, faults: Faults): unknown {
  if (member === undefined) return body ?? faults.add('validation.required', 'is required', ['body'])
  if (body === undefined || body === null) return ABSENT
  if (!isJsonObject(body)) return faults.add('validation.type', 'must be an object', ['body'])
  for (const name of Object.keys(body)) if (name !== member) unknownMember(name, ['body', name], faults)
  return Object.hasOwn(body, member) ? body[member] : ABSENT
}

function coerce(value: unknown, type: GraphQLInputType, loc: Loc, faults: Faults): unknown {
  if (isNonNullType(type)) {
    if (value === null || value === undefined)
      return faults.add('validation.required', 'is required and may not be null', loc)
    return coerce(value, type.ofType, loc, faults)
  }
  if (value === null || value === undefined) return null
  if (isListType(type)) {
    if (!Array.isArray(value)) return faults.add('validation.type', 'must be an array', loc)
    return withHoles(coerceItems(value, type.ofType, loc, faults))
  }
  if (isInputObjectType(type)) return coerceObject({ sent: value, type, loc, faults, elsewhere: {} })
  if (isEnumType(type)) {
    if (typeof value !== 'string') return faults.add('validation.type', 'must be a string', loc)
    if (type.getValue(value)) return value
    return faults.add(
      'validation.value',
      `must be one of ${quoteAll(type.getValues().map((entry) => entry.name))}`,
      loc,
    )
  }
  const shape = scalarShape(type)
  const read = shape.json === 'any' ? value : (asDouble(value) ?? value)
  const found = scalarFaults(read, shape, (given) => type.parseValue(given))
  for (const { type, detail, at = [] } of found) faults.add(type, detail, [...loc, ...at])
  return found.length > 0 ? ABSENT : read
}

/**
 * Nothing more is told of a request that has all the faults that an answer lists, so the rest of a million items is not
 * looked at.
 */
function coerceItems(sent: readonly unknown[], type: GraphQLInputType, loc: Loc, faults: Faults): unknown[] {
  const items: unknown[] = []
  for (const [index, item] of sent.entries()) {
    if (faults.isFull) break
    items.push(coerce(item, type, [...loc, index], faults))
  }
  return items
}

/** A list with a fault is rejected; its other items are still validated. */
const withHoles = (items: readonly unknown[]) => items.map((item) => (item === ABSENT ? null : item))

interface InputField {
  readonly name: string
  readonly type: GraphQLInputType
  readonly defaultValue?: unknown
  /** `anyText`: text for the object store, which can hold what PostgreSQL cannot. */
  readonly extensions?: Readonly<Record<string, unknown>>
}

function coerceObject({
  sent,
  type,
  loc,
  faults,
  elsewhere,
}: {
  readonly sent: unknown
  readonly type: { getFields(): Readonly<Record<string, InputField>> }
  readonly loc: Loc
  readonly faults: Faults
  readonly elsewhere: Readonly<Record<string, unknown>>
}): typeof ABSENT | Record<string, unknown> {
  if (!isJsonObject(sent)) return faults.add('validation.type', 'must be an object', loc)
  const known = new Map<string, string>()
  const value: Record<string, unknown> = {}
  for (const field of Object.values(type.getFields())) {
    if (Object.hasOwn(elsewhere, field.name)) continue
    const member = toSnake(field.name)
    known.set(member, field.name)
    if (Object.hasOwn(sent, member)) {
      const given = sent[member]
      const isAnyText = typeof given === 'string' && field.extensions?.anyText === true
      const coerced = isAnyText ? given : coerce(given, field.type, [...loc, member], faults)
      if (coerced !== ABSENT) value[field.name] = coerced
    } else if (isRequiredInputField(field as Parameters<typeof isRequiredInputField>[0])) {
      faults.add('validation.required', 'is required', [...loc, member])
    }
  }
  for (const name of Object.keys(sent)) {
    if (faults.isFull) break
    if (!known.has(name)) unknownMember(name, [...loc, name], faults)
  }
  return value
}

interface ScalarFault {
  readonly type: ErrorItem['type']
  readonly detail: string
  readonly at?: Loc
}

function scalarFaults(
  value: unknown,
  shape: ScalarShape,
  parseValue: (value: unknown) => unknown,
): readonly ScalarFault[] {
  if (shape.json === 'any') return placedFaults(value)
  const fault = scalarFault(value, shape, parseValue)
  return fault ? [fault] : []
}

function scalarFault(value: unknown, shape: ScalarShape, parseValue: (value: unknown) => unknown): ScalarFault | null {
  if (shape.json === 'integer' && !Number.isInteger(value))
    return { type: 'validation.type', detail: 'must be an integer' }
  if (shape.json === 'number' && !Number.isFinite(value)) return { type: 'validation.type', detail: 'must be a number' }
  if (shape.json === 'boolean' && typeof value !== 'boolean')
    return { type: 'validation.type', detail: 'must be true or false' }
  if (shape.json === 'string') {
    if (typeof value !== 'string') return { type: 'validation.type', detail: 'must be a string' }
    const detail = textFault(value)
    if (detail) return { type: 'validation.value', detail }
  }
  const range = rangeFault(value, shape)
  if (range) return { type: 'validation.value', detail: range }
  try {
    parseValue(value)
    return null
  } catch (error) {
    const detail = error instanceof HubError ? error.message : 'is out of range or malformed'
    return { type: error instanceof HubError ? error.type : 'validation.value', detail }
  }
}

const quoteAll = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(', ')
