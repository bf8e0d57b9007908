/**
 * What a `/v1` route is: one line of data next to one GraphQL document. The handler, the OpenAPI document and the tests
 * read the same table.
 *
 * A route whose path identifies the resource and whose body holds the rest:
 *
 *     {
 *       operation: 'putModelMeta',                       // the spec's name of the operation
 *       method: 'PUT',
 *       path: '/v1/models/:owner/:repo/meta',
 *       document: 'put-model-meta',                      // rest-compat/repos/put-model-meta.graphql
 *       params: { input: body({ owner: path('owner'), repo: path('repo') }) },
 *       status: 200,
 *       result: 'object',
 *     }
 *
 * `params` has one entry for each variable of the document; the variable's GraphQL type says how the text or JSON
 * becomes a value. A document has one root field; its value is the response, or the member that `unwrap` names.
 * Response members are named by aliases (`full_name: fullName`); a 'page' document selects
 * `items: nodes {…} pageInfo { endCursor hasNextPage }`.
 */
import type { LimitType } from '../../src/platform/limit-facts.ts'

/** A segment of the path, `:name` in `Route.path`. */
export interface PathSource {
  readonly from: 'path'
  readonly name: string
}

/** Fixed values of a query parameter. */
export type Word = string | number | boolean | null

/** A member of the query string. A variable of a list type makes it a list: separated by commas, or repeated. */
export interface QuerySource<Value extends Word = Word> {
  readonly from: 'query'
  readonly name: string
  /** The accepted texts and their values, if they differ from the spelling of the variable's type. */
  readonly words?: Readonly<Record<string, Value>>
}

/**
 * The whole JSON body becomes the variable (an input object); `fields` are members of that input that come from
 * elsewhere.
 */
export interface BodySource<Field extends string = string> {
  readonly from: 'body'
  readonly fields: FieldSources
  /**
   * Set if the verb itself validates the body: the body goes to one field of the input unchanged, and no other field is
   * read.
   */
  readonly document?: DocumentPlace
  /** Never set: carries the fields of the input that are named here. */
  readonly named?: Field
}

export interface DocumentPlace<Field extends string = string> {
  /** A JSON field of the input; its zod rule is published as the schema of the body. */
  readonly field: Field
  /** The member of the body that holds the document; if absent, the body is the document. */
  readonly member?: string
}

/** An input object put together from other places; no body is read. */
export interface FieldsSource<Field extends string = string> {
  readonly from: 'fields'
  readonly fields: FieldSources
  /** Never set: carries the fields of the input that are named here. */
  readonly named?: Field
}

export type FieldSources<Field extends string = string> = Readonly<Record<Field, PathSource | QuerySource>>
export type Source = PathSource | QuerySource | BodySource | FieldsSource

export const path = (name: string): PathSource => ({ from: 'path', name })
export const query = <const Value extends Word = never>(
  name: string,
  words?: QuerySource<Value>['words'],
): QuerySource<Value> => (words ? { from: 'query', name, words } : { from: 'query', name })
export const body = <Field extends string = never>(fields?: FieldSources<Field>): BodySource<Field> => ({
  from: 'body',
  fields: fields ?? {},
})
export const document = <Field extends string, Place extends string>(
  place: DocumentPlace<Place>,
  fields: FieldSources<Field>,
): BodySource<Field | Place> => ({ from: 'body', fields, document: place })
export const fields = <Field extends string>(sources: FieldSources<Field>): FieldsSource<Field> => ({
  from: 'fields',
  fields: sources,
})

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a create returns instead of its job. A replay of it has the same status. */
export interface HeldAnswer {
  readonly unwrap: string
  readonly status: 202
  headers(answer: Readonly<Record<string, unknown>>): Record<string, string>
}

export interface Route {
  /** The operation's name in the spec, for example `getRepoTree`. */
  readonly operation: string
  readonly method: Method
  readonly path: `/v1/${string}`
  /** File name in the subject's folder, without `.graphql`. */
  readonly document: string
  readonly params: Readonly<Record<string, Source>>
  readonly status: 200 | 201 | 202 | 204
  /** Statuses of its errors besides those of every operation and of its method (`statuses.ts`). */
  readonly errors?: readonly (403 | 404 | 409 | 412 | 413 | 501 | 502)[]
  /** 'empty' sends no body. */
  readonly result: 'object' | 'page' | 'empty'
  /**
   * The member of the root field that is the response: `files` for `repo(…) { files(…) {…} }`, `used_by.repos` for one
   * two levels below. Null along the path is a 404.
   */
  readonly unwrap?: string
  /** Name of a null root in the 404 message, with `:name` for segments of the path: `Repo :owner/:repo`. */
  readonly missing?: string
  /** A null root means no content, not an error: 204 instead of 404. */
  readonly emptyWhenNull?: true
  /** Members that are omitted instead of null or an empty list, in the response or in each item of a page. */
  readonly onlyWhenSet?: readonly string[]
  /** Default 1 MiB. */
  readonly bodyLimitBytes?: number
  /** Response headers computed from the response body: `Location`. */
  headers?(answer: Readonly<Record<string, unknown>>): Record<string, string>
  /** Quotas that the operation may meet (429), for the headers of the OpenAPI document. */
  readonly quotas?: readonly LimitType[]
  /**
   * Headers that an error of this operation carries, by status, each with its meaning; for the OpenAPI document.
   * `Retry-After` of 429 and 503 is known.
   */
  readonly errorHeaders?: Readonly<Record<number, Readonly<Record<string, string>>>>
  /** A create that may be held: the payload member that is the response instead where it is not null. */
  readonly held?: HeldAnswer
  /** Status of a replay, if it differs from the original one. */
  readonly replayStatus?: number
  /** One sentence for the API pages; else the root field's description. */
  readonly summary?: string
}

export const defaultBodyLimitBytes = 1024 * 1024
