/** The TypeScript types of `/v1` from its OpenAPI document: one interface a schema, and `Operations` with the body and the answer of each operation. */
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { GENERATED } from './marker.ts'

type Json = Readonly<Record<string, unknown>>
type Content = Readonly<Record<string, { readonly schema?: Json }>>
interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

const HEADER = `${GENERATED} from rest-compat/openapi.json. Do not edit. What a hub answers is checked where it is read. */`

/** The text of the module. openapi-typescript needs the compiler's JavaScript API, which TypeScript 7 does not have. */
export function clientTypes(openApi: Json): Promise<string> {
  const paths = openApi.paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const root = {
    ...object(Object.fromEntries(operations.map((operation) => [operation.operationId, exchange(operation)]))),
    definitions: (openApi.components as { readonly schemas: Json }).schemas,
  }
  const schema = JSON.parse(JSON.stringify(root), (_, value) => bareReference(value)) as JSONSchema
  return compile(schema, 'Operations', {
    bannerComment: HEADER,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    style: { semi: false, singleQuote: true, printWidth: 120, trailingComma: 'all' },
  })
}

/** A reference into the root's definitions, without what stands beside it: that would make a second type of the same schema. */
function bareReference(value: unknown): unknown {
  const target = typeof value === 'object' && value !== null && '$ref' in value ? value.$ref : undefined
  return typeof target === 'string' ? { $ref: target.replace('#/components/schemas/', '#/definitions/') } : value
}

/** The JSON that goes out and that comes back; a part that an operation does not have is left out. */
function exchange({ requestBody, responses }: Operation): Json {
  const body = jsonOf(requestBody?.content)
  const answer = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => jsonOf(response.content))
    .find((found) => found !== undefined)
  return object({ ...(body ? { body } : {}), ...(answer ? { answer } : {}) })
}

const jsonOf = (content: Content | undefined): Json | undefined => content?.['application/json']?.schema

const object = (properties: Json): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
