/** The OpenAPI 3.1 document of `/v1`, generated from the route plans. */

import { DEFAULT_PAGE_SIZE } from '@hub/formats/text-rules'
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  Kind,
} from 'graphql'
import { MAX_PAGE_SIZE } from '../../schema/builder.ts'
import { MAX_CURSOR_LENGTH } from '../../src/platform/page.ts'
import type { PlannedVariable, RoutePlan } from './dialect.ts'
import { handlerPaths } from './handler-openapi.ts'
import type { HandlerRoute } from './handler-route.ts'
import { errorMeaning, numbersOf, problemSchema } from './openapi-errors.ts'
import {
  Components,
  documentSchema,
  errorHeadersOf,
  inputObjectSchema,
  inputSchema,
  type JsonSchema,
  Selections,
} from './openapi-schemas.ts'
import type { DocumentPlace, PathSource, QuerySource } from './route.ts'
import { statusesOf } from './statuses.ts'

/** Every operation of `/v1`. */
export interface PlannedDialect {
  readonly plans: readonly RoutePlan[]
  readonly handlers: readonly HandlerRoute[]
}

/** The whole document. `publicUrl` becomes its server; null means the origin that served the document. */
export function openApiDocument({ plans, handlers }: PlannedDialect, publicUrl: string | null): JsonSchema {
  const components = new Components()
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const plan of plans) {
    const path = plan.route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [plan.route.method.toLowerCase()]: operationOf(plan, components) }
  }
  Object.assign(paths, handlerPaths(handlers))
  components.schemas.Problem = problemSchema
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hub',
      version: 'v1',
      description:
        'Datasets, models and robots. The same graph is at `/graphql`. Every error is a Problem (RFC 9457); ' +
        '`/problems` lists their types. A GET by the name that a repo had before it was moved is 308 to the same path ' +
        'with its name of now.',
    },
    servers: [{ url: publicUrl ?? '/' }],
    paths: inOrder(paths),
    components: {
      schemas: inOrder(components.schemas),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key (`hub_key_…`) or a session.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'hub_session',
          description: "A user's session in a browser.",
        },
      },
    },
  }
}

/** By path or name, so that a file that moves changes nothing. */
const inOrder = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

function operationOf(plan: RoutePlan, components: Components): JsonSchema {
  const { route, rootField, scope } = plan
  const parameters = plan.variables.flatMap((variable) => parametersOf(plan, variable, components))
  if (route.method === 'POST') parameters.push(idempotencyKey)
  if (route.method === 'GET') parameters.push(ifNoneMatch)
  const body = plan.variables.find((variable) => variable.source.from === 'body')
  const needed = [{ bearer: [] }, { session: [] }]
  return {
    operationId: route.operation,
    summary: route.summary ?? firstSentence(rootField.description ?? route.operation),
    description: `${rootField.description ?? ''}\n\nScope: \`${scope}\`.`.trim(),
    tags: [route.path.split('/')[2] ?? 'v1'],
    security: scope === 'none' ? [{}, ...needed] : needed,
    'x-scope': scope,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBody(body, components) } : {}),
    responses: Object.fromEntries(
      statusesOf(route).map((status) => [String(status), responseOf(plan, status, components)]),
    ),
  }
}

const idempotencyKey: JsonSchema = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  description: 'A repeated request within 24 hours gets the first response.',
}
const ifNoneMatch: JsonSchema = {
  name: 'If-None-Match',
  in: 'header',
  schema: { type: 'string' },
  description: '304 if the ETag still matches.',
}

const firstSentence = (text: string): string => /^.*?[.:;](?=\s|$)/s.exec(text)?.[0].replace(/[.:;]$/, '') ?? text

function requestBody({ type, source }: PlannedVariable, components: Components): JsonSchema {
  if (source.from === 'body' && source.document) return documentBody(type, source.document, components)
  const omit = new Set(source.from === 'body' ? Object.keys(source.fields) : [])
  const schema = inputObjectSchema(type, omit, components)
  return { required: Array.isArray(schema.required), content: { 'application/json': { schema } } }
}

/** A document's own schema, under the title of its zod schema. */
function documentBody(
  type: PlannedVariable['type'],
  { field, member }: DocumentPlace,
  components: Components,
): JsonSchema {
  const input = getNullableType(type)
  const rule = isInputObjectType(input) ? input.getFields()[field]?.extensions.zod : undefined
  const own = documentSchema(rule, components)
  const properties = member === undefined ? null : { [member]: { anyOf: [own, { type: 'null' }] } }
  const schema = properties ? { type: 'object', properties, additionalProperties: false } : own
  return { required: member === undefined, content: { 'application/json': { schema } } }
}

function parametersOf(plan: RoutePlan, variable: PlannedVariable, components: Components): JsonSchema[] {
  const { source } = variable
  if (source.from === 'path' || source.from === 'query') {
    const found = argumentOf(plan, variable.name)
    const field = {
      type: variable.type,
      extensions: found?.extensions ?? {},
      description: found?.description,
      defaultValue: undefined,
    }
    const schema = { ...inputSchema(field, components), ...pageRule(plan, source, field.extensions) }
    return [parameter(source, schema, isNonNullType(variable.type) && !variable.hasDefault)]
  }
  const input = getNullableType(variable.type)
  const fields = isInputObjectType(input) ? input.getFields() : {}
  return Object.entries(source.fields).map(([name, place]) => {
    const field = fields[name]
    return parameter(
      place,
      field ? inputSchema(field, components) : {},
      field !== undefined && isNonNullType(field.type),
    )
  })
}

const pageRules: Readonly<Record<string, JsonSchema>> = {
  limit: { minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE },
  cursor: { maxLength: MAX_CURSOR_LENGTH },
}

/** Rules of every listing: the arguments of a connection cannot state their own. */
function pageRule(
  plan: RoutePlan,
  source: PathSource | QuerySource,
  extensions: Readonly<Record<string, unknown>>,
): JsonSchema {
  if (plan.route.result !== 'page' || source.from !== 'query' || extensions.zod) return {}
  return pageRules[source.name] ?? {}
}

function parameter(source: PathSource | QuerySource, schema: JsonSchema, required: boolean): JsonSchema {
  const { description, ...rest } = schema
  const words =
    source.from === 'query' && source.words ? { type: 'string', enum: Object.keys(source.words) } : withoutNull(rest)
  return {
    name: source.name,
    in: source.from,
    required: source.from === 'path' || required,
    ...(words.type === 'array' ? { style: 'form', explode: false } : {}),
    schema: words,
    ...(description ? { description } : {}),
  }
}

/** A query string cannot express null: an absent parameter means null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) return { ...schema, type: schema.type.find((type) => type !== 'null') }
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as JsonSchema[]).find((one) => one.type !== 'null') ?? schema
  return schema
}

/** The argument that a variable is passed to, on whatever field of the document. */
function argumentOf(
  plan: RoutePlan,
  variable: string,
): { extensions: Readonly<Record<string, unknown>>; description?: string | null } | undefined {
  let found: GraphQLField<unknown, unknown>['args'][number] | undefined
  const walk = (field: GraphQLField<unknown, unknown>, node: FieldNode) => {
    for (const { name, value } of node.arguments ?? []) {
      if (value.kind === Kind.VARIABLE && value.name.value === variable)
        found ??= field.args.find((argument) => argument.name === name.value)
    }
    const type = getNamedType(field.type)
    for (const child of node.selectionSet?.selections ?? []) {
      const inner = child.kind === Kind.FIELD && isObjectType(type) ? type.getFields()[child.name.value] : undefined
      if (inner && child.kind === Kind.FIELD) walk(inner, child)
    }
  }
  const root = rootNode(plan)
  if (root) walk(plan.rootField, root)
  return found
}

function rootNode(plan: RoutePlan): FieldNode | undefined {
  const operation = plan.document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION)
  const root = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections[0] : undefined
  return root?.kind === Kind.FIELD ? root : undefined
}

function responseOf(plan: RoutePlan, status: number, components: Components): JsonSchema {
  const { route } = plan
  if (status === 304) return { description: 'Not modified: the ETag still matches.' }
  if (status >= 400) {
    const schema = { $ref: '#/components/schemas/Problem' }
    return {
      description: errorMeaning(status),
      ...errorHeadersOf({ ...numbersOf(route, status), ...route.errorHeaders?.[status] }),
      content: { 'application/problem+json': { schema } },
    }
  }
  if (route.held?.status === status) {
    const schema = answerSchema(plan, components, route.held.unwrap)
    return { description: 'Held: a person has to approve it first.', content: { 'application/json': { schema } } }
  }
  const isReplay = status === route.replayStatus
  if ((status !== route.status && !isReplay) || route.result === 'empty')
    return { description: status === 204 ? 'Done; no body.' : 'Done.' }
  const description = isReplay ? 'The answer to the first request under this `Idempotency-Key`.' : 'Done.'
  const schema =
    route.replayStatus === undefined
      ? answerSchema(plan, components)
      : components.ref(`${pascal(route.operation)}Answer`, () => answerSchema(plan, components))
  return { description, content: { 'application/json': { schema } } }
}

const pascal = (operation: string) => `${operation.charAt(0).toUpperCase()}${operation.slice(1)}`

function answerSchema(plan: RoutePlan, components: Components, unwrap = plan.route.unwrap): JsonSchema {
  let node = rootNode(plan)
  let type: GraphQLOutputType = plan.rootField.type
  for (const member of unwrap?.split('.') ?? []) {
    const named = getNamedType(type)
    const inner = node?.selectionSet?.selections.find(
      (one) => one.kind === Kind.FIELD && (one.alias?.value ?? one.name.value) === member,
    )
    if (inner?.kind !== Kind.FIELD || !isObjectType(named)) return {}
    node = inner
    type = named.getFields()[inner.name.value]?.type ?? type
  }
  const selections = new Selections(plan.document, components, plan.route.onlyWhenSet)
  if (plan.route.result !== 'page' || !node?.selectionSet) {
    const present = isNonNullType(type) ? type : getNullableType(type)
    const schema = selections.ofType(present, node?.selectionSet)
    return Array.isArray(schema.anyOf)
      ? (schema.anyOf[0] as JsonSchema)
      : schema.type && Array.isArray(schema.type)
        ? { ...schema, type: 'object' }
        : schema
  }
  const { properties, required } = selections.object(getNamedType(type) as GraphQLOutputType, node.selectionSet) as {
    properties: Record<string, JsonSchema>
    required: string[]
  }
  const { items, pageInfo: _pageInfo, ...rest } = properties
  const cursor = {
    type: ['string', 'null'],
    maxLength: 512,
    description: 'Cursor of the next page; null on the last one.',
  }
  const always = ['items', 'next_cursor', ...required.filter((name) => name !== 'items' && name !== 'pageInfo')]
  return { type: 'object', properties: { items, next_cursor: cursor, ...rest }, required: always }
}
