/**
 * Batches the reads of all readers of changes on this hub: reads of the change log, and of the things that have
 * changed.
 */

import type { IdPrefix } from '@hub/formats/ids'
import DataLoader from 'dataloader'
import { anyMemberOf, seesAllOf } from '../../auth/any-member.ts'
import type { Viewer } from '../../operation/context.ts'
import { withoutShare } from '../../store/connection-share.ts'
import type { Db, Querier } from '../../store/db.ts'
import type { ChangeKind } from './change-position.ts'
import type { ChangedThing, ChangePage, ChangeRead } from './read-changes.ts'
import { readPages } from './read-changes.ts'

/** A kind of thing in an account's lists, with what a reader needs to follow its changes. */
export interface ChangedList<T> {
  readonly kind: ChangeKind
  /** Id prefix of the things whose change hints wake the readers. */
  readonly wokenBy: IdPrefix
  /** Things by id in the requested order, null for one that the viewer cannot see; one statement. */
  readonly byId: (querier: Querier, viewer: Viewer, ids: readonly string[]) => Promise<(T | null)[]>
  /** Whether the viewer saw a thing of the account that was deleted. */
  readonly saw?: (thing: ChangedThing, ownerId: string, viewer: Viewer) => boolean
}

declare module '../../operation/context.ts' {
  interface Deps {
    /** Internal to `followChanges`, which callers use instead. */
    readonly changes: SharedChanges
  }
}

/**
 * Readers wait this long after the first change: changes close together become one event, and an account is read at
 * most five times a second.
 */
const GATHER_MS = 200

interface Wanted {
  readonly viewer: Viewer
  /** Readers of one group see the same things. */
  readonly group: string
  readonly id: string
}

/**
 * One instance for the life of a hub. Nothing is cached beyond a turn of the event loop: a reader that is woken after a
 * read has started needs a new read.
 */
export class SharedChanges {
  readonly #db: Db
  readonly #pages: DataLoader<ChangeRead, ChangePage>
  readonly #things = new Map<ChangedList<unknown>, DataLoader<Wanted, unknown>>()
  #gathering: Promise<void> | null = null

  constructor(db: Db) {
    this.#db = db
    this.#pages = new DataLoader((asked) => withoutShare(() => readPages(db, asked)), {
      cache: false,
      maxBatchSize: 1000,
    })
  }

  /** The page of one reader; one statement for all readers that call this in the same turn of the event loop. */
  page(asked: ChangeRead): Promise<ChangePage> {
    return this.#pages.load(asked)
  }

  /** Resolves `GATHER_MS` after the first call, for all waiting readers at the same time. */
  gathered(): Promise<void> {
    this.#gathering ??= new Promise((resolve) =>
      setTimeout(() => {
        this.#gathering = null
        resolve()
      }, GATHER_MS),
    )
    return this.#gathering
  }

  /**
   * The things that the viewer sees: one statement a turn for all members of the account, and one for each key limited
   * to repos.
   */
  async things<T>(list: ChangedList<T>, ownerId: string, viewer: Viewer, ids: readonly string[]): Promise<T[]> {
    const isOfAll = seesAllOf(viewer, ownerId)
    const group = isOfAll || viewer.kind === 'anonymous' ? ownerId : viewer.credentialId
    const seenAs = isOfAll ? anyMemberOf(ownerId) : viewer
    const found = await this.#loaderOf(list).loadMany(ids.map((id) => ({ viewer: seenAs, group, id })))
    return found.flatMap((thing) => {
      if (thing instanceof Error) throw thing
      return thing === null ? [] : [thing as T]
    })
  }

  #loaderOf(list: ChangedList<unknown>): DataLoader<Wanted, unknown> {
    const known =
      this.#things.get(list) ??
      new DataLoader((wanted) => withoutShare(() => this.#read(list, wanted)), { cache: false })
    this.#things.set(list, known)
    return known
  }

  async #read(list: ChangedList<unknown>, wanted: readonly Wanted[]): Promise<unknown[]> {
    const found = new Map<Wanted, unknown>()
    for (const group of Map.groupBy(wanted, (one) => one.group).values()) {
      const ids = [...new Set(group.map(({ id }) => id))]
      const viewer = group[0]?.viewer ?? anyMemberOf('')
      const things = await list.byId(this.#db, viewer, ids)
      const byId = new Map(ids.map((id, index) => [id, things[index] ?? null]))
      for (const one of group) found.set(one, byId.get(one.id) ?? null)
    }
    return wanted.map((one) => found.get(one) ?? null)
  }
}
