/** Requests of `/v1`, typed by the OpenAPI document: a path, a name in it, a query or a body that the document does not have does not compile. */
import type { Unchanged } from './agreement.ts'
import type { Operations } from './v1.ts'

/** An operation by its method and path: `GET /v1/runs/{run_id}`. */
export type Request = Operations[keyof Operations]['request']

type OperationOf<Line extends Request> = {
  [Name in keyof Operations as Operations[Name]['request']]: Operations[Name]
}[Line]

/** The JSON that an operation answers; null for one without. */
export type AnswerTo<Line extends Request> = OperationOf<Line> extends { answer: infer Given } ? Given : null

/** What goes into the path, into the query and into the body. */
export type Parts<Line extends Request> = PathOf<OperationOf<Line>> &
  QueryOf<OperationOf<Line>> &
  BodyOf<OperationOf<Line>>

type PathOf<Operation> = Operation extends { path: infer Names } ? { readonly path: Unchanged<Names> } : unknown
type BodyOf<Operation> = Operation extends { body: infer Sent } ? { readonly body: Unchanged<Sent> } : unknown
type QueryOf<Operation> = Operation extends { query: infer Names }
  ? { readonly query?: { readonly [Name in keyof Names]: Said<Names[Name]> } }
  : unknown

/** Words of an enum are the hub's to judge: a newer one may know more of them than this document. */
type Said<Value> = Value extends string ? string : Unchanged<Value>

/** The query of an operation, as a listing's filters. */
export type Query<Line extends Request> =
  Parts<Line> extends { readonly query?: infer Filters } ? NonNullable<Filters> : never

/** The parts of a request whose line is not known. */
export interface AnyParts {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** The method, and the path with its names filled in; a list of the query is repeated, and what is undefined is left out. */
export function requestLine(line: Request, { path = {}, query = {} }: AnyParts): { method: string; target: string } {
  const [method = '', template = ''] = line.split(' ')
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one))
  return { method, target: search.size > 0 ? `${filled}?${search}` : filled }
}
