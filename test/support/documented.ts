/** Compares answers of `/v1` with its OpenAPI document: types, null, members that must be there, and members that the document does not have. */
import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

export type Schema = Readonly<Record<string, unknown>>

interface Content {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>
}

export interface Operation {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly in: string
    readonly name: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: Content & { readonly required?: boolean }
  readonly responses: Readonly<Record<string, Partial<Content>>>
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly json: unknown
}

const document: {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
} = JSON.parse(readFileSync(new URL('../../rest-compat/openapi.json', import.meta.url), 'utf8'), (_name, value) =>
  listsMembers(value) ? { ...value, unevaluatedProperties: false } : value,
)

/** An object schema that names its members. The published one allows others, so that members can be added; an answer of today has none. */
function listsMembers(value: unknown): value is Schema {
  const isSchema = typeof value === 'object' && value !== null && 'properties' in value && 'type' in value
  return isSchema && !('additionalProperties' in value)
}

function ajvWith(dateTime: RegExp): Ajv2020 {
  const formats = { 'date-time': dateTime, uri: /^[a-z][a-z\d+.-]*:/, 'uri-reference': true as const }
  const made = new Ajv2020({ allErrors: true, strict: false, code: { optimize: false }, formats })
  return made.addSchema({ $id: 'v1', components: document.components })
}

/** UTC with milliseconds, as the hub writes every time. */
const answers = ajvWith(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
/** RFC 3339, as a client may write one. */
const bodies = ajvWith(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i)

/** A member of a path may be empty; that of a file is a path itself. */
const patternOf = (path: string) => new RegExp(`^${path.replace('{path}', '.*').replace(/\{\w+\}/g, '[^/]*')}$`)

const operations = Object.entries(document.paths)
  .map(([path, methods]) => ({ path, methods, pattern: patternOf(path) }))
  // `/v1/runs/start` before `/v1/runs/{run_id}`.
  .sort((one, other) => one.path.split('{').length - other.path.split('{').length)

/** The operation of a request, and its path in the document; null for another path. */
export function operationOf(
  method: string,
  url: string,
): { readonly path: string; readonly operation: Operation } | null {
  const { pathname } = new URL(url, 'http://hub')
  const found = operations.find(({ pattern }) => pattern.test(pathname))
  const operation = found?.methods[method.toLowerCase()]
  return found && operation ? { path: found.path, operation } : null
}

/** Every operation of the document. */
export const allOperations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

const bodyValidators = new Map<string, ValidateFunction>()

/** Whether a JSON body is one that the document has for the operation. */
export function isDocumentedBody({ operationId, requestBody }: Operation, json: unknown): boolean {
  const schema = requestBody?.content['application/json']?.schema
  if (!schema) return true
  const validate = bodyValidators.get(operationId) ?? compiled(schema, bodies)
  if (validate) bodyValidators.set(operationId, validate)
  return validate?.(json) ?? true
}

/** How a Problem, wherever it stands, differs from the document. */
export function problemFaults(problem: unknown): string[] {
  if (!validators.has('Problem')) validators.set('Problem', compiled({ $ref: '#/components/schemas/Problem' }))
  const validate = validators.get('Problem')
  if (!validate || validate(problem)) return []
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** A schema without a reference. */
export function resolved(schema: Schema): Schema {
  const name = typeof schema.$ref === 'string' ? schema.$ref.split('/').at(-1) : undefined
  return name === undefined ? schema : (document.components.schemas[name] ?? {})
}

const validators = new Map<string, ValidateFunction | null>()

/** How a JSON answer to a request differs from the document; empty if it does not, or if the document has no such operation. */
export function undocumented(method: string, url: string, { status, headers, json }: Answer): string[] {
  const found = operationOf(method, url)
  if (!found) return []
  const { path, operation } = found
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  const name = `${method} ${path} ${status} ${type}`
  if (!validators.has(name)) validators.set(name, compiled(operation.responses[status]?.content?.[type]?.schema))
  const validate = validators.get(name)
  if (!validate) return [`${name} is not in the document`]
  if (validate(json)) return []
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${name} ${instancePath} ${message} ${JSON.stringify(params)}`,
  )
}

const bySchema = new Map([answers, bodies].map((ajv) => [ajv, new Map<string, ValidateFunction>()]))

/** Compiled once for all answers of the schema: to compile one takes milliseconds, and most of the thousand are the same Problem. */
function compiled(schema: Schema | undefined, ajv = answers): ValidateFunction | null {
  if (!schema) return null
  // Its references lead into the document.
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"v1#/components/')
  const known = bySchema.get(ajv)
  const validate = known?.get(text) ?? ajv.compile(JSON.parse(text))
  known?.set(text, validate)
  return validate
}
