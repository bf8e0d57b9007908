/** What every verb gets: who asks, under which request, and the few things it may use. */
import type { Logger } from 'pino'
import type { Config } from '../platform/config.ts'
import type { ErrorType } from '../platform/errors.ts'
import type { Db, Querier } from '../store/db.ts'
import type { Events } from '../store/events.ts'
import type { ObjectStore } from '../store/objects/object-store.ts'
import type { Queue } from '../store/queue.ts'

/** Key scopes are a level: each includes those before it. */
export type ScopeLevel = 'read' | 'write' | 'train'

export interface AccountRef {
  readonly id: string
  readonly kind: 'user' | 'org'
  readonly handle: string
  readonly name: string | null
}

/** Anonymous: no credential was given. */
export interface Anonymous {
  readonly kind: 'anonymous'
}

/** An API key or a person's session. */
export interface Credentialed {
  readonly kind: 'key' | 'session'
  /** `key_…` or `sess_…`: what a claim records and idempotency is scoped to. */
  readonly credentialId: string
  /** The account it belongs to: a user, or an org (keys only). */
  readonly account: AccountRef
  /** The person behind it: the session's user or the maker of the key; null for a key of the operator's command line on an org. */
  readonly personId: string | null
  /** Its account and, for a user, the user's orgs: what `visible` and `may write` are asked against. */
  readonly accountIds: readonly string[]
  /** The orgs among them where the person's role is `owner`. */
  readonly ownedOrgIds: readonly string[]
  readonly level: ScopeLevel
  /** The only repos it may touch, or null. */
  readonly repoIds: readonly string[] | null
  readonly agent: boolean
  readonly name: string | null
  readonly dailyGpuHourQuota: string | null
  readonly expiresAt: string | null
  /** Set on the key of a hosted job. */
  readonly job?: HostedJobScope | null
}

/** The key of a hosted job sees and reports one run, reads the repos that its recipe names, and writes no repos but those of `repoIds`. */
export interface HostedJobScope {
  readonly runId: string
  /** The model repos that the job made. */
  readonly repoIds: readonly string[]
}

export type Viewer = Anonymous | Credentialed

/** What the process is made of; one for the life of a hub. A subject that keeps something for as long adds its member beside its own type. */
export interface Deps {
  readonly config: Config
  readonly log: Logger
  readonly db: Db
  /** Null with OBJECT_STORE=none: use `requireObjects`. */
  readonly objects: ObjectStore | null
  readonly queue: Queue
  readonly events: Events
  /** Aborts when the hub begins to stop: requests that wait for something to happen answer as they are then. */
  readonly stopping: AbortSignal
}

/** A request's slot for its Idempotency-Key. */
export interface IdempotencySlot {
  /** The caller may do it: what the verb refuses from here on is part of its answer and is kept. */
  begin(): void
  /** Stores the verb's result inside the verb's own transaction. */
  record(tx: Querier, result: unknown): Promise<void>
}

/** A repeat under an Idempotency-Key. */
export interface Replay {
  /** The verb's stored result, or throws its stored refusal. For `guarded` alone, which asks first who may see it. */
  take(): unknown
}

export interface RequestContext {
  readonly requestId: string
  readonly viewer: Viewer
  readonly signal: AbortSignal
  readonly deps: Deps
  /** Absent where no Idempotency-Key was sent. */
  readonly idempotency?: IdempotencySlot
  /** Set on a replay: the stored result stands in for the verb's work, and its guard and the rendering run again (with newly signed URLs). */
  readonly replay?: Replay
}

declare const allowed: unique symbol

/** A request whose right to the verb was asked: `guarded` alone makes one. */
export interface AllowedContext extends RequestContext {
  readonly [allowed]: true
}

export type { ErrorType }
