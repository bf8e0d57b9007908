/** The context of every verb: the viewer, the request and the shared dependencies. */
import type { Logger } from 'pino'
import type { Config } from '../platform/config.ts'
import type { ErrorType } from '../platform/errors.ts'
import type { Db, Querier } from '../store/db.ts'
import type { Events } from '../store/events.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import type { Queue } from '../store/queue.ts'

/** Key scopes are levels: each includes the previous ones. */
export type ScopeLevel = 'read' | 'write' | 'train'

export interface AccountRef {
  readonly id: string
  readonly kind: 'user' | 'org'
  readonly handle: string
  readonly name: string | null
}

/** No credential was sent. */
export interface Anonymous {
  readonly kind: 'anonymous'
}

/** An API key or a person's session. */
export interface Credentialed {
  readonly kind: 'key' | 'session'
  /** `key_…` or `sess_…`: recorded in claims, and the scope of idempotency keys. */
  readonly credentialId: string
  /** The owning account: a user, or an org (keys only). */
  readonly account: AccountRef
  /** The session's user or the creator of the key; null for an org key created on the operator command line. */
  readonly personId: string | null
  /** The account and, for a user, the user's orgs; visibility and write access are checked against these. */
  readonly accountIds: readonly string[]
  /** The orgs among them in which the person is an `owner`. */
  readonly ownedOrgIds: readonly string[]
  readonly level: ScopeLevel
  /** The only repos it may access; null for no restriction. */
  readonly repoIds: readonly string[] | null
  readonly agent: boolean
  readonly name: string | null
  readonly dailyGpuHourQuota: string | null
  readonly expiresAt: string | null
  /** Of a session: its person has signed in within the last 15 minutes, by the database's clock. */
  readonly isRecentSignIn?: boolean
  /** Set for the key of a hosted job. */
  readonly job?: HostedJobScope | null
}

/**
 * The key of a hosted job can see and report that job, read the repos that the job names, and write only the repos in
 * `repoIds`.
 */
export interface HostedJobScope {
  readonly jobId: string
  /** The model repos that the job created. */
  readonly repoIds: readonly string[]
  /**
   * The operations with a scope that the key may use; null: all that the policy does not deny to every key of a hosted
   * job.
   */
  readonly operations: readonly string[] | null
}

export type Viewer = Anonymous | Credentialed

/**
 * Process-wide dependencies, created once per hub. A subject with process-wide state adds its member next to its own
 * type.
 */
export interface Deps {
  readonly config: Config
  readonly log: Logger
  readonly db: Db
  /** Null with OBJECT_STORE=none: use `requireObjects`. */
  readonly objects: ObjectStore | null
  readonly queue: Queue
  readonly events: Events
  /** Aborts when the hub starts to shut down: waiting requests then respond with the current state. */
  readonly stopping: AbortSignal
}

/** The idempotency record of a request. */
export interface IdempotencySlot {
  /**
   * Called once the caller is authorized: errors from here on are stored as the response. `of`: the id of what the
   * request's names mean, if they mean one thing.
   */
  begin(of: string | null): void
  /** Stores the verb's result inside the verb's own transaction. */
  record(tx: Querier, result: unknown): Promise<void>
}

/** A repeated request under an Idempotency-Key. */
export interface Replay {
  /**
   * Returns the stored result or throws the stored error. 404 if the request's names mean another thing now than `of`
   * then: that was deleted, and its name taken again. Only for `guarded`, which authorizes first.
   */
  take(of: string | null): unknown
}

/** The address that a request came from, and the hub's own URL as the client reaches it, without a trailing slash. */
export interface RequestPeer {
  readonly address: string
  readonly hubUrl: string
}

export interface RequestContext {
  readonly requestId: string
  readonly viewer: Viewer
  readonly signal: AbortSignal
  readonly deps: Deps
  /** Absent outside HTTP. */
  readonly peer?: RequestPeer
  /**
   * The place at which a stream resumes after a browser has lost its connection (`Last-Event-ID`). Absent for other
   * requests.
   */
  readonly lastEventId?: string | null
  /** Absent if no Idempotency-Key was sent. */
  readonly idempotency?: IdempotencySlot
  /**
   * Set on a replay: the stored result replaces the verb's work; guard and rendering run again (with new signed URLs).
   */
  readonly replay?: Replay
  /**
   * Set by a request of several operations: a verb whose work is in vain if a later one fails leaves here what undoes
   * it. None of them throws.
   */
  readonly undo?: (() => Promise<void>)[]
}

declare const allowed: unique symbol

/** The context of an authorized request; only `guarded` creates one. */
export interface AllowedContext extends RequestContext {
  readonly [allowed]: true
}

export type { ErrorType }
