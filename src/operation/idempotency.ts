/**
 * Idempotency-Key (contract, "Additions"): the first request with a key claims a row, its verb stores the answer in its own transaction, and a repeat
 * gets that answer, once it was asked again who may see it. The row's `attempt` fences: a request that lost the row to a takeover can neither commit its verb nor overwrite the answer.
 */
import { hash, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { canonicalText } from '../platform/canonical-hash.ts'
import { HubError, invalid, type Problem } from '../platform/errors.ts'
import type { Db, Statement } from '../store/db.ts'
import type { IdempotencySlot, Replay } from './context.ts'

/** What a finished row holds: the verb's result, a refusal, or `again` for operations that change nothing and are simply run once more. */
export type StoredAnswer = { readonly ok: unknown } | { readonly problem: Problem } | { readonly again: true }

export interface IdempotencyScope {
  readonly credentialId: string
  readonly method: string
  readonly path: string
  readonly key: string
  readonly bodySha256: Buffer
}

/** How far the verb came: past its guard, and to a result that its transaction holds. */
interface TrackedSlot extends IdempotencySlot {
  readonly isBegun: boolean
  readonly isRecorded: boolean
}

/** Either the row is ours to work on, or here is what the first request was answered. */
export type Claim =
  | {
      readonly kind: 'claimed'
      readonly slot: TrackedSlot
      finish(answer: StoredAnswer): Promise<void>
      release(): Promise<void>
    }
  | { readonly kind: 'replay'; readonly answer: StoredAnswer }

/** The refusal that the first request got, as it was told then. */
export class StoredRefusal extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail)
    this.problem = problem
  }
}

/** A stored answer for the verb's guard to hand out; `isTaken` once it did. */
export class StoredReplay implements Replay {
  isTaken = false
  readonly #answer: Exclude<StoredAnswer, { again: true }>

  constructor(answer: Exclude<StoredAnswer, { again: true }>) {
    this.#answer = answer
  }

  take(): unknown {
    this.isTaken = true
    if ('problem' in this.#answer) throw new StoredRefusal(this.#answer.problem)
    return this.#answer.ok
  }
}

const WAIT_MS = 10_000
const POLL_MS = 50

const claimRow: Statement<{ attempt: string }> = {
  name: 'idempotency-claim',
  text: `insert into idempotency_keys as k (credential_id, method, path, key, body_sha256, attempt)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (credential_id, method, path, key) do update
      set body_sha256 = excluded.body_sha256, attempt = excluded.attempt, result = null, started_at = now(),
        created_at = case when k.created_at < now() - interval '24 hours' then now() else k.created_at end
      where k.created_at < now() - interval '24 hours'
        or (k.result is null and k.started_at < now() - interval '60 seconds' and k.body_sha256 = excluded.body_sha256)
    returning attempt`,
}
const readRow: Statement<{ same_body: boolean; result: StoredAnswer | null }> = {
  name: 'idempotency-read',
  text: `select body_sha256 = $5 as same_body, result from idempotency_keys
    where credential_id = $1 and method = $2 and path = $3 and key = $4`,
}
const storeAnswer: Statement<{ attempt: string }> = {
  name: 'idempotency-store',
  text: `update idempotency_keys set result = $6::json
    where credential_id = $1 and method = $2 and path = $3 and key = $4 and attempt = $5 and result is null returning attempt`,
}
/** While its request runs, no one can take the row over: only a dead process lets a minute pass. */
const renewRow: Statement<never> = {
  name: 'idempotency-renew',
  text: `update idempotency_keys set started_at = now()
    where credential_id = $1 and method = $2 and path = $3 and key = $4 and attempt = $5 and result is null`,
}
const RENEW_MS = 20_000

const dropRow: Statement<never> = {
  name: 'idempotency-drop',
  text: `delete from idempotency_keys
    where credential_id = $1 and method = $2 and path = $3 and key = $4 and attempt = $5 and result is null`,
}

/** The key of a request's header: 1 to 255 visible ASCII characters, else 422. */
export function readIdempotencyKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && /^[\x21-\x7e]{1,255}$/.test(header)) return header
  throw invalid('validation.value', 'Idempotency-Key must be 1 to 255 visible ASCII characters.', [
    'header',
    'idempotency-key',
  ])
}

/**
 * What tells whether two requests under one key have the same body: canonical JSON, in which neither spaces nor the order of members count. No body, and JSON
 * that has no canonical form (half a surrogate pair), count by their bytes.
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
 * Claims the key, or waits for the concurrent duplicate (up to 10 s, then 409 `idempotency.in_flight`) and hands back the stored answer. Another body under the same
 * key is 422 `idempotency.mismatch`. A duplicate whose process died is taken over after 60 s; a key is free again after 24 h.
 */
export async function claimKey(db: Db, scope: IdempotencyScope, signal: AbortSignal, waitMs = WAIT_MS): Promise<Claim> {
  const attempt = randomUUID()
  const key = [scope.credentialId, scope.method, scope.path, scope.key]
  const deadline = performance.now() + waitMs
  for (;;) {
    const [claimed] = await db.query(claimRow, [...key, scope.bodySha256, attempt])
    if (claimed) return ownClaim(db, [...key, attempt])
    const [row] = await db.query(readRow, [...key, scope.bodySha256])
    if (row && !row.same_body) {
      throw new HubError(
        'idempotency.mismatch',
        'This Idempotency-Key was used with another body; take a new key for a new request.',
      )
    }
    if (row?.result) return { kind: 'replay', answer: row.result }
    if (performance.now() >= deadline) {
      throw new HubError(
        'idempotency.in_flight',
        'A request with this Idempotency-Key is still being worked on; ask again in a moment.',
        {
          headers: { 'retry-after': '1' },
        },
      )
    }
    await delay(POLL_MS, undefined, { signal })
  }
}

function ownClaim(db: Db, key: readonly unknown[]): Claim {
  const renewal = setInterval(() => void db.query(renewRow, key).catch(() => undefined), RENEW_MS)
  renewal.unref()
  const come = { isBegun: false, isRecorded: false }
  return {
    kind: 'claimed',
    slot: {
      get isBegun() {
        return come.isBegun
      },
      get isRecorded() {
        return come.isRecorded
      },
      begin() {
        come.isBegun = true
      },
      async record(tx, result) {
        clearInterval(renewal)
        const [stored] = await tx.query(storeAnswer, [...key, JSON.stringify({ ok: result ?? null })])
        if (!stored)
          throw new HubError(
            'idempotency.in_flight',
            'Another request with this Idempotency-Key took over; nothing was changed by this one.',
          )
        come.isRecorded = true
      },
    },
    async finish(answer) {
      clearInterval(renewal)
      await db.query(storeAnswer, [...key, JSON.stringify(answer)])
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

const RELEASE_AGAIN_MS = 2_000
/** Longer than a takeover takes: past that the row blocks no one. */
const RELEASE_TRIES = 30

/**
 * Goes on trying to free the key in the background: a database that was away for a moment must not make the next try wait for the takeover. Only an
 * unanswered row of this attempt is dropped, so it may come however late.
 */
function keepReleasing(db: Db, key: readonly unknown[], triesLeft = RELEASE_TRIES): void {
  if (triesLeft === 0) return
  const again = () => void db.query(dropRow, key).catch(() => keepReleasing(db, key, triesLeft - 1))
  setTimeout(again, RELEASE_AGAIN_MS).unref()
}
