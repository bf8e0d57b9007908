/**
 * Idempotency-Key (contract, "Repeated requests"): the first request with a key claims a row, its verb stores the
 * response in its own transaction, and a repeat receives that response after a new authorization check. The row's
 * `attempt` is a fencing token: a request that lost the row to a takeover cannot commit its verb or overwrite the
 * response.
 */

import { hash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { canonicalText } from '@hub/formats/canonical-hash'
import { HubError, invalid, notFound, type Problem } from '../platform/errors.ts'
import { column, columns } from '../store/columns.ts'
import type { Db } from '../store/db.ts'
import type { Events } from '../store/events.ts'
import { insertInto } from '../store/insert.ts'
import { isGone } from '../store/presence.ts'
import { type Given, param, statement } from '../store/statement.ts'
import type { IdempotencySlot, Replay } from './context.ts'
import { readAnswer, type StoredAnswer } from './stored-answer.ts'

export interface IdempotencyScope {
  readonly credentialId: string
  readonly method: string
  readonly path: string
  readonly key: string
  readonly bodySha256: Buffer
}

/** The progress of the verb: past its guard (`isBegun`), result stored in its transaction (`isRecorded`). */
interface TrackedSlot extends IdempotencySlot {
  readonly isBegun: boolean
  readonly isRecorded: boolean
}

/** The outcome of `claimKey`: this request claimed the row, or it gets the first request's response. */
export type Claim =
  | {
      readonly kind: 'claimed'
      readonly slot: TrackedSlot
      finish(answer: StoredAnswer): Promise<void>
      release(): Promise<void>
    }
  | { readonly kind: 'replay'; readonly answer: StoredAnswer }

/** The error response of the first request, unchanged. */
export class StoredRefusal extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

/** A stored response, returned after the guard; `isTaken` is true afterwards. */
export class StoredReplay implements Replay {
  isTaken = false
  readonly #answer: Exclude<StoredAnswer, { again: true }>

  constructor(answer: Exclude<StoredAnswer, { again: true }>) {
    this.#answer = answer
  }

  take(of: string | null): unknown {
    this.isTaken = true
    if ('problem' in this.#answer) throw new StoredRefusal(this.#answer.problem)
    if (this.#answer.of != null && this.#answer.of !== of)
      throw notFound('What this request was about when it was first sent')
    return this.#answer.ok
  }
}

/** The database, and the number of this hub in it. */
interface ClaimDeps {
  readonly db: Db
  readonly events: Pick<Events, 'instance'>
}

const WAIT_MS = 10_000
const POLL_MS = 50

/** Primary key of a row. */
const rowKey = {
  credentialId: param.text(),
  method: param.text(),
  path: param.text(),
  key: param.text(),
}
const isRow = 'credential_id = :credentialId and method = :method and path = :path and key = :key'
/** A claim without a stored response. */
const claimKeys = { ...rowKey, attempt: param.text() }
const isOpenClaim = `${isRow} and attempt = :attempt and result is null`
type ClaimKey = Given<typeof claimKeys>

const attemptColumn = columns({ attempt: column.text('attempt') })
const claimed = columns({ attempt: column.text('k.attempt') })

const idempotencyKeyRow = insertInto('idempotency_keys as k', {
  ...claimKeys,
  bodySha256: param.bytea(),
  instance: param.int4.orNull(),
})

const claimRow = statement({
  name: 'idempotency-claim',
  columns: claimed,
  params: idempotencyKeyRow.params,
  text: `${idempotencyKeyRow.sql} on conflict (credential_id, method, path, key) do update
      set body_sha256 = excluded.body_sha256, attempt = excluded.attempt, instance = excluded.instance, result = null,
        started_at = now(),
        created_at = case when k.created_at < now() - interval '24 hours' then now() else k.created_at end
      where k.created_at < now() - interval '24 hours'
        or (k.result is null and k.body_sha256 = excluded.body_sha256
          and (k.started_at < now() - interval '60 seconds' or ${isGone('k.instance')}))
    returning ${claimed.sql}`,
})

const foundColumns = columns({
  isSameBody: column.bool('body_sha256 = :bodySha256'),
  result: column.json.orNull('result', readAnswer),
})
const readRow = statement({
  name: 'idempotency-read',
  exact: 'each-request',
  columns: foundColumns,
  params: { ...rowKey, bodySha256: param.bytea() },
  text: `select ${foundColumns.sql} from idempotency_keys where ${isRow}`,
})

const storeAnswer = statement({
  name: 'idempotency-store',
  columns: attemptColumn,
  params: { ...claimKeys, answer: param.json() },
  text: `update idempotency_keys set result = :answer::json where ${isOpenClaim} returning ${attemptColumn.sql}`,
})

/**
 * Renews the claim while the request runs, so that only the claim of a dead process, or of one that is cut off, reaches
 * the age of 60 s.
 */
const renewRow = statement({
  name: 'idempotency-renew',
  params: { ...claimKeys, instance: param.int4.orNull() },
  text: `update idempotency_keys set started_at = now(), instance = :instance where ${isOpenClaim}`,
})
const RENEW_MS = 20_000

const dropRow = statement({
  name: 'idempotency-drop',
  params: claimKeys,
  text: `delete from idempotency_keys where ${isOpenClaim}`,
})

const answerText = (answer: StoredAnswer) => JSON.stringify(answer)

/** The Idempotency-Key header: 1 to 255 visible ASCII characters, otherwise 422. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw invalid('validation.value', 'Idempotency-Key must be 1 to 255 visible ASCII characters.', [
    'header',
    'idempotency-key',
  ])
}

/**
 * Digest to compare the bodies of two requests: over canonical JSON, so spaces and member order do not count. An empty
 * body, and JSON without a canonical form (a lone surrogate), are compared by their bytes.
 */
export function digestOf(body: unknown, bytes: Buffer): Buffer {
  return hash('sha256', canonicalOf(body) ?? bytes, 'buffer')
}

function canonicalOf(body: unknown): string | null {
  try {
    return body === undefined ? null : canonicalText(body)
  } catch {
    return null
  }
}

/**
 * Claims the key, or waits for a concurrent duplicate (up to 10 s, then 409 `idempotency.in_flight`) and returns its
 * stored response. Another body under the same key is 422 `idempotency.mismatch`. A claim of a dead process is taken
 * over at once, and one of a process that is cut off from the database's machine after 60 s; a key expires after 24 h.
 */
export async function claimKey(
  { db, events }: ClaimDeps,
  scope: IdempotencyScope,
  signal: AbortSignal,
  waitMs = WAIT_MS,
): Promise<Claim> {
  const { bodySha256, ...row } = scope
  const claim = { ...row, attempt: randomUUID() }
  const deadline = performance.now() + waitMs
  for (;;) {
    const claiming = db.query(claimRow, { ...claim, bodySha256, instance: events.instance })
    const [claimed] = await claiming.catch((error: unknown) => {
      // The row may have been written though its answer was lost, and no one would know of it.
      if (!isRefused(error)) keepReleasing(db, claim)
      throw error
    })
    if (claimed) return ownClaim({ db, events }, claim)
    const [found] = await db.query(readRow, scope)
    if (found && !found.isSameBody) {
      throw new HubError(
        'idempotency.mismatch',
        'This Idempotency-Key was used with another body; use a new key for a new request.',
      )
    }
    if (found?.result) return { kind: 'replay', answer: found.result }
    if (performance.now() >= deadline) {
      throw new HubError(
        'idempotency.in_flight',
        'A request with this Idempotency-Key is still in progress; try again in a moment.',
        { facts: { retryAfterS: 1 } },
      )
    }
    await delay(POLL_MS, undefined, { signal })
  }
}

/** Refused before it was sent: the caller is over a limit. */
const isRefused = (error: unknown) => error instanceof HubError && error.type === 'rate.limited'

function ownClaim({ db, events }: ClaimDeps, key: ClaimKey): Claim {
  const renew = () => void db.query(renewRow, { ...key, instance: events.instance }).catch(() => undefined)
  const renewal = setInterval(renew, RENEW_MS)
  renewal.unref()
  const progress: { isBegun: boolean; isRecorded: boolean; of: string | null } = {
    isBegun: false,
    isRecorded: false,
    of: null,
  }
  return {
    kind: 'claimed',
    slot: {
      get isBegun() {
        return progress.isBegun
      },
      get isRecorded() {
        return progress.isRecorded
      },
      begin(of) {
        progress.isBegun = true
        progress.of = of
      },
      async record(tx, result) {
        clearInterval(renewal)
        const [stored] = await tx.query(storeAnswer, {
          ...key,
          answer: answerText({ ok: result ?? null, of: progress.of }),
        })
        if (!stored)
          throw new HubError(
            'idempotency.in_flight',
            'Another request with this Idempotency-Key took over; this one changed nothing.',
          )
        progress.isRecorded = true
      },
    },
    async finish(answer) {
      clearInterval(renewal)
      await db.query(storeAnswer, { ...key, answer: answerText(answer) })
    },
    async release() {
      clearInterval(renewal)
      await db.query(dropRow, key).catch((error: unknown) => {
        keepReleasing(db, key)
        throw error
      })
    },
  }
}

const RELEASE_RETRY_MS = 2_000
/** Together longer than the takeover time, after which the row blocks no request. */
const MAX_RELEASE_ATTEMPTS = 30

/**
 * Keeps trying to release the key in the background, so that a short database outage does not make the next request
 * wait for the takeover. Only an open claim of this attempt is deleted, so a late retry is safe.
 */
function keepReleasing(db: Db, key: ClaimKey, attemptsLeft = MAX_RELEASE_ATTEMPTS): void {
  if (attemptsLeft === 0) return
  const again = () => void db.query(dropRow, key).catch(() => keepReleasing(db, key, attemptsLeft - 1))
  setTimeout(again, RELEASE_RETRY_MS).unref()
}
