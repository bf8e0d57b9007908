/**
 * The TypeScript types of `/v1` from its OpenAPI document: one interface per schema, and `Operations` with the request
 * line, path, query, body and response of each.
 */
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { GENERATED } from './marker.ts'

type Json = Readonly<Record<string, unknown>>
type Content = Readonly<Record<string, { readonly schema?: Json }>>
interface Parameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly schema: Json
}
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

const HEADER = `${GENERATED} from rest-compat/openapi.json. Do not edit. What a hub answers is checked where it is read. */`

/** The text of the module. openapi-typescript needs the compiler's JavaScript API, which TypeScript 7 does not have. */
export function clientTypes(openApi: Json): Promise<string> {
  const paths = openApi.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const exchanges = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const request = { const: `${method.toUpperCase()} ${path}` }
      return [operation.operationId, exchange(request, operation)] as const
    }),
  )
  const root = {
    ...object(Object.fromEntries(exchanges)),
    definitions: (openApi.components as { readonly schemas: Json }).schemas,
  }
  const schema = JSON.parse(JSON.stringify(root), (_, value) => bareReference(value)) as JSONSchema
  return compile(schema, 'Operations', {
    bannerComment: HEADER,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    format: false,
    style: { semi: false, singleQuote: true, printWidth: 120, trailingComma: 'all' },
  })
}

/**
 * A reference into the root's definitions, without sibling keywords, which would create a second type of the same
 * schema.
 */
function bareReference(value: unknown): unknown {
  const target = typeof value === 'object' && value !== null && '$ref' in value ? value.$ref : undefined
  return typeof target === 'string' ? { $ref: target.replace('#/components/schemas/', '#/definitions/') } : value
}

/** The request line, parameters and response of an operation; absent parts are omitted. */
function exchange(request: Json, { summary, parameters = [], requestBody, responses }: Operation): Json {
  const body = jsonOf(requestBody?.content)
  const answer = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => jsonOf(response.content))
    .find((found) => found !== undefined)
  const schemasIn = (place: Parameter['in']) =>
    Object.fromEntries(parameters.filter((one) => one.in === place).map(({ name, schema }) => [name, schema]))
  const [path, query] = [schemasIn('path'), schemasIn('query')]
  const described = object({
    request,
    ...(Object.keys(path).length > 0 ? { path: object(path) } : {}),
    ...(Object.keys(query).length > 0 ? { query: { ...object(query), required: [] } } : {}),
    ...(body ? { body } : {}),
    ...(answer ? { answer } : {}),
    ...(isText(responses)
      ? { text: { const: true, description: 'The response is text, which may be read as it arrives.' } }
      : {}),
  })
  return { description: summary, ...described }
}

const isText = (responses: Operation['responses']): boolean =>
  Object.values(responses).some(({ content = {} }) => Object.keys(content).some((type) => type.startsWith('text/')))

/** The request line of each operation, for clients that call one by its name. */
export function operationLines(openApi: Json): string {
  const paths = openApi.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, ...operation })),
  )
  const rows = operations.map(({ operationId, line }) => `  ${operationId}: '${line}',\n`)
  const texts = operations.filter(({ responses }) => isText(responses)).map(({ operationId }) => `'${operationId}'`)
  const type = "{ readonly [Name in keyof Operations]: Operations[Name]['request'] }"
  return `${HEADER}\nimport type { Operations } from './v1.ts'\n\nexport const operationLines: ${type} = {\n${rows.join('')}}\n\n/** Those that answer text. */\nexport const textOperations: ReadonlySet<keyof Operations> = new Set([${texts.join(', ')}] as const)\n`
}

const jsonOf = (content: Content | undefined): Json | undefined => content?.['application/json']?.schema

const object = (properties: Json): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
