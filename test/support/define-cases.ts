/**
 * What the tables over all operations need to know of one: who can call it, what a replay of it is, what the key of a hosted check gets, what a read costs. Each subject
 * says it in files `*.cases.ts` next to its tests; a route without cases fails the tables by its name. Such a file exports `cases`, `rows` of its tables, `secrets`, or
 * several of them.
 */
import type { Operations } from '../../packages/client/src/v1.ts'
import type { KnownRows } from './every-table.ts'
import type { contractHub, Json, Person, Who } from './hub.ts'

type Hub = ReturnType<typeof contractHub>
type OperationName = keyof Operations

/** What a body may have to name: a robot repo, a file in it, and the handle of its owner. */
export interface Things {
  readonly robot: string
  readonly file: string
  readonly handle: string
}

/** An org of the boss, one of its members, and a train key of theirs that makes the request. */
export interface Team {
  readonly hub: Hub
  readonly boss: Person
  readonly org: string
  readonly member: Person
  readonly key: string
  /** A new private repo of the org. */
  repo(kind?: string): Promise<string>
  /** The body of the answer, which is no error. */
  post(who: Who, path: string, body?: Json): Promise<Json>
  /** Deletes what a path names; the boss does, unless said. */
  remove(path: string, who?: Who): Promise<void>
  /** Deletes the row of what was made, where no operation does. */
  bury(table: string, made: Json): Promise<void>
}

export interface Repeated {
  readonly path: string
  readonly body: Json
  /** Who sends it; the team's key unless said. */
  readonly who?: Who
}

/** How what a `POST` makes is deleted: a replay is 404 from then on. */
export interface Gone {
  /** Another request than that of the replay, where its answer is not of what is deleted. */
  readonly given?: (team: Team) => Promise<Repeated>
  /** Deletes what the first request made. */
  readonly remove: (team: Team, made: Json, request: Repeated) => Promise<unknown>
  /** Makes a thing of the same name, if a name can be taken again. */
  readonly retake?: (team: Team, made: Json, request: Repeated) => Promise<unknown>
}

export interface Replay {
  /** Makes what the org has before the member's request, and returns the request. */
  readonly given: (team: Team) => Promise<Repeated>
  /** Of a `POST` that makes nothing that can be deleted: what it does instead. It acts on what its path names, which its guard finds or does not. */
  readonly gone: Gone | string
  /** Status once the member has left the org. */
  readonly left: number
  /** Once the key is limited to other repos: it still sees the runs that it filed itself. */
  readonly limited: number
  /** Once the key has the scope `read`; 403 unless said. */
  readonly lowered?: number
  /** The member's session makes the request: what happens to their key changes nothing. */
  readonly bySession?: true
}

/** Who reads, with a key of scope `write`: some reads are for callers who can write. */
export interface Reader {
  readonly hub: Hub
  readonly ada: Person
  readonly key: string
}

export interface Cost {
  /** Makes what is read, and returns reads of one and of many that all cost the same: paths of `/v1`, or documents of the graph. */
  readonly given: (reader: Reader) => Promise<readonly string[]>
  /** SQL statements of each, the credential's among them. */
  readonly statements: number
}

/** Statuses for the owner's keys of each scope, on a job that is queued. */
export interface Scopes {
  readonly read: number
  readonly write: number
  readonly train?: number
}

export interface Cases {
  /** A well-formed body, so that nothing but access is in question. */
  readonly body?: object | ((things: Things) => object)
  /** A query string that the operation cannot do without. */
  readonly query?: `?${string}`
  /** Values for segments of the path besides `:owner/:repo` and the job that a table is about. */
  readonly ids?: Readonly<Record<string, string>>
  /** On a repo's route: the status, of those that a read and a write of this repo get. Unless said, `GET` reads and the others write. */
  readonly access?: (may: { readonly read: number; readonly write: number }) => number
  readonly scopes?: Scopes
  /** Status for the key of a hosted check on anything but its own work; 403 `forbidden.scope` unless said. */
  readonly jobKey?: number
  /** Of each `POST`; null where the answer is a secret, which is never stored. */
  readonly replay?: Replay | null
  /** Of each `GET`. */
  readonly costs?: readonly Cost[]
}

export type CasesByName = { readonly [Name in OperationName]?: Cases }

/** Types the cases of some operations: a name that `/v1` does not have does not compile. */
export const defineCases = (cases: CasesByName): CasesByName => cases

/** Rows of the tables of a subject. */
export interface Rows {
  /** An insert for each table that is newer than the baseline migration, by its name. It may refer to the rows of `every-table.ts`. */
  readonly kept?: (known: KnownRows) => Readonly<Record<string, string>>
  /** What the objects hold that those rows name, by key. */
  readonly objects?: (known: KnownRows) => Readonly<Record<string, Uint8Array>>
  /** By each CHECK an insert that it must refuse. */
  readonly refused?: Readonly<Record<string, string>>
}

export const defineRows = (rows: Rows): Rows => rows

/** What secrets can be made of: an org of ada with three public repos and a private one. */
interface Hidden {
  readonly hub: Hub
  readonly ada: Person
  readonly org: string
  /** The private repo, a dataset. */
  readonly closed: string
  readonly openData: string
  readonly openRobot: string
  readonly openModel: string
  /** A new word for a private text; `what` says which text leaks where it does. */
  word(what: string): string
  /** The body of the answer, which is no error; ada asks, unless said. */
  post(path: string, body: Json, who?: Who): Promise<Json>
}

interface Secrets {
  /** Ids of private objects, by what they are. */
  readonly ids?: Readonly<Record<string, string>>
  /** Fields of `Query` with arguments that lead to them; `ORG` stands for the org's handle. Every id is tried with `node` besides. */
  readonly beginnings?: readonly string[]
}

/** Makes private objects of a subject: no field of the graph may show their ids or words to an outsider. */
export type MakeSecrets = (hidden: Hidden) => Promise<Secrets>

export const defineSecrets = (make: MakeSecrets): MakeSecrets => make

/** `/v1/repos/{owner}/{repo}` of a path below it. */
export const pathOfRepo = (path: string) => path.split('/').slice(0, 5).join('/')
