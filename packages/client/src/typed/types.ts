/** The types of `@hub/client`. They are shipped as they are here, so they name nothing of other packages. */
import type { Parts } from '../request.ts'
import type { RetryPolicy } from '../retry.ts'
import type { RunEvent } from '../run-event.ts'
import type { Operations } from '../v1.ts'

export interface ClientOptions {
  /** Base URL of the hub, without `/v1`. */
  readonly url: string
  /**
   * An API key or a session token. Without one, calls are anonymous; in a browser on the hub's own origin they have its
   * session cookie.
   */
  readonly token?: string | null
  /** Ends every call and subscription of this client. */
  readonly signal?: AbortSignal
  readonly retry?: RetryPolicy
}

/** The name of an operation of `/v1`, as in its OpenAPI document. */
export type OperationName = keyof Operations

/** Path parameters, query parameters and body of an operation. */
export type OperationParts<Name extends OperationName> = Parts<Operations[Name]['request']>

export interface CallSettings {
  /** Ends this call. */
  readonly signal?: AbortSignal
  /** The Idempotency-Key of a POST. Without one, each call has its own, which its attempts share. */
  readonly key?: string
}

/** What an operation answers: its JSON, the response itself where that is text, or null. */
export type Answer<Name extends OperationName> = Operations[Name] extends { answer: infer Given }
  ? Given
  : Operations[Name] extends { text: true }
    ? Response
    : null

/** One operation as a function. Rejects with `ProblemError`, `TransferError` or the signal's reason. */
export type Operation<Name extends OperationName> = (
  ...[parts]: object extends OperationParts<Name>
    ? [(OperationParts<Name> & CallSettings)?]
    : [OperationParts<Name> & CallSettings]
) => Promise<Answer<Name>>

/** Every operation of `/v1` by its name. */
export type OperationCalls = { readonly [Name in OperationName]: Operation<Name> }

/** An operation that answers in pages. */
export type ListName = {
  [Name in OperationName]: Operations[Name] extends {
    query: { cursor?: string }
    answer: { items: readonly unknown[]; next_cursor: string | null }
  }
    ? Name
    : never
}[OperationName]

/** One item of a list. */
export type Item<Name extends ListName> = Answer<Name> extends { items: readonly (infer One)[] } ? One : never

/**
 * Carries the types of a document: a `TypedDocumentNode`, a typed string of a code generator, or a document of
 * gql.tada.
 */
export interface TypedDocument<Result, Variables> {
  readonly __apiType?: (variables: Variables) => Result
}

/** A document without types: its text, or what a parser made of it. */
export type UntypedDocument = string | { readonly kind: 'Document' }

export type Variables = Readonly<Record<string, unknown>>

export interface SubscribeSettings<Result, Given> {
  /** Ends this subscription. */
  readonly signal?: AbortSignal
  /**
   * The variables with which a broken connection continues after this event. Subscriptions to a log or to metrics take
   * a cursor; those to an object begin with its current state and need none.
   */
  readonly resume?: (last: Result) => Given
}

export interface FollowSettings {
  /** False: end after the existing lines. */
  readonly follow?: boolean
  /** Only this many of the last existing lines; metrics are never cut. */
  readonly tail?: number
  /** Remove ANSI escape sequences. */
  readonly stripAnsi?: boolean
  /** The id of the last event received before; only later ones follow. */
  readonly after?: string
}

/** A client of one hub. */
export interface Client {
  /** Base URL of the hub. */
  readonly url: string
  /** Every operation of `/v1`: `client.v1.getRun({ path: { run_id } })`. */
  readonly v1: OperationCalls
  /** The items of a list, page after page, as they are read. */
  items<Name extends ListName>(
    name: Name,
    ...[parts]: object extends OperationParts<Name>
      ? [(OperationParts<Name> & CallSettings)?]
      : [OperationParts<Name> & CallSettings]
  ): AsyncGenerator<Item<Name>, void>
  /** The events of a run's log; a broken connection is resumed without loss. */
  followRun(runId: string, settings?: FollowSettings): AsyncGenerator<RunEvent, void>
  /** The events of a check's log. */
  followCheck(checkId: string, settings?: FollowSettings): AsyncGenerator<RunEvent, void>
  /**
   * The data of a query or mutation. Rejects with the `ProblemError` of the first error, whose `graph` has the field
   * that failed and the data of the others; a query is tried again after a transient failure, a mutation never.
   */
  graphql<Result, Given extends Variables>(
    document: TypedDocument<Result, Given>,
    ...[variables, settings]: object extends Given
      ? [Given?, Pick<CallSettings, 'signal'>?]
      : [Given, Pick<CallSettings, 'signal'>?]
  ): Promise<Result>
  graphql<Result = Record<string, unknown>>(
    document: UntypedDocument,
    variables?: Variables,
    settings?: Pick<CallSettings, 'signal'>,
  ): Promise<Result>
  /** The events of a subscription, across reconnects, until the hub completes it. */
  subscribe<Result, Given extends Variables>(
    document: TypedDocument<Result, Given>,
    ...[variables, settings]: object extends Given
      ? [Given?, SubscribeSettings<Result, Given>?]
      : [Given, SubscribeSettings<Result, Given>?]
  ): AsyncGenerator<Result, void>
  subscribe<Result = Record<string, unknown>>(
    document: UntypedDocument,
    variables?: Variables,
    settings?: SubscribeSettings<Result, Variables>,
  ): AsyncGenerator<Result, void>
}
