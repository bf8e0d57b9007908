/**
 * Requests of `/v1`, typed by the OpenAPI document: an unknown path, path parameter, query parameter or body does not
 * compile.
 */
import type { DeepReadonly } from './deep-readonly.ts'
import type { Operations } from './v1.ts'

/** An operation by its method and path: `GET /v1/runs/{run_id}`. */
export type Request = Operations[keyof Operations]['request']

type OperationOf<Line extends Request> = {
  [Name in keyof Operations as Operations[Name]['request']]: Operations[Name]
}[Line]

/** The JSON response of an operation; null if it has none. */
export type AnswerTo<Line extends Request> = OperationOf<Line> extends { answer: infer Given } ? Given : null

/** Path parameters, query parameters and body of a request. */
export type Parts<Line extends Request> = PathOf<OperationOf<Line>> &
  QueryOf<OperationOf<Line>> &
  BodyOf<OperationOf<Line>>

type PathOf<Operation> = Operation extends { path: infer Names } ? { readonly path: DeepReadonly<Names> } : unknown
type BodyOf<Operation> = Operation extends { body: infer Sent } ? { readonly body: DeepReadonly<Sent> } : unknown
type QueryOf<Operation> = Operation extends { query: infer Names }
  ? { readonly query?: { readonly [Name in keyof Names]: OpenEnum<Names[Name]> } }
  : unknown

/** Enum values are left to the hub: a newer hub may accept more of them than this document lists. */
type OpenEnum<Value> = Value extends string ? string : DeepReadonly<Value>

/** The query parameters of an operation. */
export type Query<Line extends Request> =
  Parts<Line> extends { readonly query?: infer Filters } ? NonNullable<Filters> : never

/** Untyped parts of any request. */
export interface AnyParts {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** The method and the filled-in path. List parameters are repeated; undefined ones are left out. */
export function requestLine(line: Request, { path = {}, query = {} }: AnyParts): { method: string; target: string } {
  const [method = '', template = ''] = line.split(' ')
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one))
  return { method, target: search.size > 0 ? `${filled}?${search}` : filled }
}
