/**
 * The hub's own EdDSA keys: rows that every instance signs and verifies with. The newest active key signs, a retired
 * one still verifies what it signed, and a withdrawn one verifies nothing more. Contract, "Signing keys".
 */

import { type CryptoKey, calculateJwkThumbprint, errors, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { audit, noViewer } from '../operation/audit.ts'
import { HubError } from '../platform/errors.ts'
import { column, columns, type RowOf } from '../store/columns.ts'
import type { Db, Tx } from '../store/db.ts'
import { insertInto } from '../store/insert.ts'
import { object } from '../store/read-json.ts'
import { openSealed, seal } from '../store/seal.ts'
import { param, statement } from '../store/statement.ts'

declare module '../operation/context.ts' {
  interface Deps {
    readonly signingKeys: SigningKeys
  }
}

/** A public key in `/.well-known/jwks.json`. */
export interface PublicSigningKey {
  readonly kty: string
  readonly crv: string
  readonly x: string
  readonly kid: string
  readonly alg: 'EdDSA'
  readonly use: 'sig'
}

export interface SigningKeys {
  /** The current signing key. */
  current(): Promise<SigningKey>
  /**
   * The private key of `kid`, also of a retired one, so that the same claims give the same token again; the current key
   * if that one was withdrawn.
   */
  signer(kid: string): Promise<SigningKey>
  /**
   * The key of a token; reloads the table for an unknown kid, which another instance may have created. Throws a
   * JOSEError if there is none.
   */
  publicKey(kid: string | undefined): Promise<CryptoKey>
  /** Every public key that still verifies, the current one first. */
  jwks(): Promise<readonly PublicSigningKey[]>
  /**
   * Retires the signing key and creates a new one; returns its kid. Other instances follow within `RELOAD_MS`; existing
   * signatures stay valid.
   */
  rotate(): Promise<string>
  /**
   * Withdraws a retired key permanently: it no longer verifies anything. Other instances follow within `RELOAD_MS`.
   * Idempotent. Errors: 404 an unknown kid, 409 `conflict.signing_key` the current one.
   */
  withdraw(kid: string): Promise<SigningKeyState>
  /** All keys, also retired and withdrawn ones, the current one first. */
  list(): Promise<readonly SigningKeyState[]>
}

export interface SigningKey {
  readonly kid: string
  readonly privateKey: CryptoKey
}

type KeyRow = RowOf<typeof keyColumns>

interface Loaded {
  readonly rows: readonly KeyRow[]
  readonly publicKeys: ReadonlyMap<string, CryptoKey>
  readonly signing: { readonly kid: string; readonly privateKey: CryptoKey }
  readonly atMs: number
}

/** Advisory lock number, unique on this database: "hubk" in ASCII. */
const SIGNING_KEY_LOCK = 0x6875626b
/** Bounds how long another instance still accepts a key after its withdrawal. */
const RELOAD_MS = 5000
/** The keys are reloaded for an unknown kid at most this often, so that guessed kids do not cause a query each. */
const UNKNOWN_KID_RELOAD_MS = 2000
export const SIGNING_KEY_PURPOSE = 'signing-key'

const lockKeys = statement({ name: '', params: { lock: param.int8() }, text: 'select pg_advisory_xact_lock(:lock)' })
const keyColumns = columns({
  kid: column.text('kid'),
  publicJwk: column.jsonb('public_jwk', (json): JWK => object(json)),
  sealedPrivate: column.bytea('sealed_private'),
  retired: column.bool('retired_at is not null'),
})

const readKeys = statement({
  name: 'signing-keys',
  exact: 'in-transaction',
  columns: keyColumns,
  text: `select ${keyColumns.sql} from signing_keys
    where withdrawn_at is null order by retired_at is not null, not_before desc, kid`,
})
const stateColumns = columns({
  kid: column.text('kid'),
  /** RFC 3339, like the other times. */
  createdAt: column.timestamptz('not_before'),
  retiredAt: column.timestamptz.orNull('retired_at'),
  withdrawnAt: column.timestamptz.orNull('withdrawn_at'),
})
/** The state of a key, without its key material. */
export type SigningKeyState = RowOf<typeof stateColumns>

const readStates = statement({
  name: 'signing-key-states',
  exact: 'server',
  columns: stateColumns,
  text: `select ${stateColumns.sql} from signing_keys order by retired_at is not null, not_before desc, kid`,
})
const withdrawKey = statement({
  name: '',
  columns: stateColumns,
  params: { kid: param.text() },
  text: `update signing_keys set withdrawn_at = now() where kid = :kid and withdrawn_at is null and retired_at is not null
    returning ${stateColumns.sql}`,
})

const signingKeyRow = insertInto('signing_keys', {
  kid: param.text(),
  publicJwk: param.jsonb(),
  sealedPrivate: param.bytea(),
})

const insertKey = statement({
  name: '',
  params: signingKeyRow.params,
  text: signingKeyRow.sql,
})
const retireOthers = statement({
  name: '',
  params: { kid: param.text() },
  text: 'update signing_keys set retired_at = now() where retired_at is null and kid <> :kid',
})

async function makeKey(tx: Tx, secret: string): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  // One of 64 begins with a minus: `hub signing-key withdraw` would read it as an option.
  if (kid.startsWith('-')) return makeKey(tx, secret)
  const sealedPrivate = seal(secret, SIGNING_KEY_PURPOSE, Buffer.from(JSON.stringify(await exportJWK(privateKey))))
  await tx.query(insertKey, { kid, publicJwk: JSON.stringify(publicJwk), sealedPrivate })
  return kid
}

/** `importJWK` also returns symmetric keys, as bytes; ours are never symmetric. */
async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, 'EdDSA')
  if (key instanceof Uint8Array) throw new Error('A signing key is symmetric.')
  return key
}

async function openPrivate(secret: string, sealed: Buffer): Promise<CryptoKey> {
  return importKey(JSON.parse(openSealed(secret, SIGNING_KEY_PURPOSE, sealed).toString('utf8')) as JWK)
}

async function load(db: Db, secret: string): Promise<Loaded> {
  const rows = await db.query(readKeys)
  const [signing] = rows
  if (!signing || signing.retired) throw new Error('There is no signing key; the hub creates it at startup.')
  const publicKeys = await Promise.all(rows.map(async (row) => [row.kid, await importKey(row.publicJwk)] as const))
  return {
    rows,
    publicKeys: new Map(publicKeys),
    signing: { kid: signing.kid, privateKey: await openPrivate(secret, signing.sealedPrivate) },
    atMs: performance.now(),
  }
}

/**
 * Opens the keys and creates the first one if needed; an advisory lock makes concurrent instances agree. Throws if
 * HUB_SECRET does not match.
 */
export async function openSigningKeys(db: Db, secret: string): Promise<SigningKeys> {
  const change = (work: (tx: Tx) => Promise<void>) =>
    db.withTx(async (tx) => {
      await tx.query(lockKeys, { lock: SIGNING_KEY_LOCK })
      await work(tx)
    })
  await change(async (tx) => {
    const rows = await tx.query(readKeys)
    if (rows.every((row) => row.retired)) await makeKey(tx, secret)
  })
  let loaded = load(db, secret)
  await loaded
  const fresh = async (maxAgeMs: number) => {
    const before = loaded
    if (performance.now() - (await before).atMs > maxAgeMs && loaded === before) {
      loaded = load(db, secret).catch(() => before)
    }
    return loaded
  }
  return {
    current: async () => (await fresh(RELOAD_MS)).signing,
    signer: async (kid) => {
      const { rows, signing } = await fresh(RELOAD_MS)
      const row = signing.kid === kid ? undefined : rows.find((key) => key.kid === kid)
      return row ? { kid, privateKey: await openPrivate(secret, row.sealedPrivate) } : signing
    },
    publicKey: async (kid) => {
      const known = kid === undefined ? undefined : (await fresh(RELOAD_MS)).publicKeys.get(kid)
      const key = known ?? (kid === undefined ? undefined : (await fresh(UNKNOWN_KID_RELOAD_MS)).publicKeys.get(kid))
      if (!key) throw new errors.JWKSNoMatchingKey()
      return key
    },
    jwks: async () => (await fresh(RELOAD_MS)).rows.map(({ kid, publicJwk }) => toPublic(kid, publicJwk)),
    rotate: async () => {
      let made = ''
      await change(async (tx) => {
        made = await makeKey(tx, secret)
        await tx.query(retireOthers, { kid: made })
        await audit(tx, noViewer, { action: 'signing_key.rotate', accountId: null, targetId: made })
      })
      loaded = load(db, secret)
      await loaded
      return made
    },
    withdraw: async (kid) => {
      const state = await db.withTx(async (tx) => {
        await tx.query(lockKeys, { lock: SIGNING_KEY_LOCK })
        return withdraw(tx, kid)
      })
      loaded = load(db, secret)
      await loaded
      return state
    },
    list: () => db.query(readStates),
  }
}

async function withdraw(tx: Tx, kid: string): Promise<SigningKeyState> {
  const [withdrawn] = await tx.query(withdrawKey, { kid })
  if (withdrawn) {
    await audit(tx, noViewer, { action: 'signing_key.withdraw', accountId: null, targetId: kid })
    return withdrawn
  }
  const found = (await tx.query(readStates)).find((key) => key.kid === kid)
  if (!found)
    throw new HubError('not_found', `There is no signing key ${kid.slice(0, 64)}; list the keys to find its kid.`)
  if (found.retiredAt !== null) return found
  throw new HubError('conflict.signing_key', 'This is the key that signs now; rotate first, then withdraw it.')
}

function toPublic(kid: string, jwk: JWK): PublicSigningKey {
  return { kty: jwk.kty ?? 'OKP', crv: jwk.crv ?? 'Ed25519', x: jwk.x ?? '', kid, alg: 'EdDSA', use: 'sig' }
}
