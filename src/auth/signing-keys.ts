/**
 * The hub's own EdDSA keys: rows that every instance signs and verifies with. The newest active key signs; a retired one still
 * verifies its signatures for the lifetime of a session. Contract, "Running it".
 */
import { type CryptoKey, calculateJwkThumbprint, errors, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { audit, noViewer } from '../operation/audit.ts'
import type { Db, Statement, Tx } from '../store/db.ts'
import { openSealed, seal } from '../store/seal.ts'

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
  current(): Promise<{ readonly kid: string; readonly privateKey: CryptoKey }>
  /** The key of a token; reloads the table for an unknown kid, which another instance may have created. Throws a JOSEError if there is none. */
  publicKey(kid: string | undefined): Promise<CryptoKey>
  /** Every public key whose signatures may still be valid, the current one first. */
  jwks(): Promise<readonly PublicSigningKey[]>
  /** Retires the signing key and creates a new one; returns its kid. Other instances follow within `RELOAD_MS`; existing signatures stay valid. */
  rotate(): Promise<string>
}

interface KeyRow {
  readonly kid: string
  readonly public_jwk: JWK
  readonly sealed_private: Buffer
  readonly retired: boolean
}

interface Loaded {
  readonly rows: readonly KeyRow[]
  readonly publicKeys: ReadonlyMap<string, CryptoKey>
  readonly signing: { readonly kid: string; readonly privateKey: CryptoKey }
  readonly atMs: number
}

/** Advisory lock number, unique on this database: "hubk" in ASCII. */
const SIGNING_KEY_LOCK = 0x6875626b
const RELOAD_MS = 60_000
/** Guessed kids must not cause a query each. */
const UNKNOWN_KID_RELOAD_MS = 2000
const PURPOSE = 'signing-key'

const lockKeys: Statement<never> = { name: '', text: 'select pg_advisory_xact_lock($1)' }
const readKeys: Statement<KeyRow> = {
  name: 'signing-keys',
  text: `select kid, public_jwk, sealed_private, retired_at is not null as retired from signing_keys
    order by retired_at is not null, not_before desc, kid`,
}
const insertKey: Statement<never> = {
  name: '',
  text: 'insert into signing_keys (kid, public_jwk, sealed_private) values ($1, $2::jsonb, $3)',
}
const retireOthers: Statement<never> = {
  name: '',
  text: 'update signing_keys set retired_at = now() where retired_at is null and kid <> $1',
}

async function makeKey(tx: Tx, secret: string): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const publicJwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(publicJwk)
  const sealed = seal(secret, PURPOSE, Buffer.from(JSON.stringify(await exportJWK(privateKey))))
  await tx.query(insertKey, [kid, JSON.stringify(publicJwk), sealed])
  return kid
}

/** `importJWK` also returns symmetric keys, as bytes; ours are never symmetric. */
async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, 'EdDSA')
  if (key instanceof Uint8Array) throw new Error('A signing key is symmetric.')
  return key
}

async function load(db: Db, secret: string): Promise<Loaded> {
  const rows = await db.query(readKeys)
  const [signing] = rows
  if (!signing || signing.retired) throw new Error('There is no signing key; the hub creates it at startup.')
  const publicKeys = await Promise.all(rows.map(async (row) => [row.kid, await importKey(row.public_jwk)] as const))
  const privateJwk = JSON.parse(openSealed(secret, PURPOSE, signing.sealed_private).toString('utf8')) as JWK
  return {
    rows,
    publicKeys: new Map(publicKeys),
    signing: { kid: signing.kid, privateKey: await importKey(privateJwk) },
    atMs: performance.now(),
  }
}

/** Opens the keys and creates the first one if needed; an advisory lock makes concurrent instances agree. Throws if HUB_SECRET does not match. */
export async function openSigningKeys(db: Db, secret: string): Promise<SigningKeys> {
  const change = (work: (tx: Tx) => Promise<void>) =>
    db.withTx(async (tx) => {
      await tx.query(lockKeys, [SIGNING_KEY_LOCK])
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
    publicKey: async (kid) => {
      const known = kid === undefined ? undefined : (await loaded).publicKeys.get(kid)
      const key = known ?? (kid === undefined ? undefined : (await fresh(UNKNOWN_KID_RELOAD_MS)).publicKeys.get(kid))
      if (!key) throw new errors.JWKSNoMatchingKey()
      return key
    },
    jwks: async () => (await fresh(RELOAD_MS)).rows.map(({ kid, public_jwk }) => toPublic(kid, public_jwk)),
    rotate: async () => {
      let made = ''
      await change(async (tx) => {
        made = await makeKey(tx, secret)
        await tx.query(retireOthers, [made])
        await audit(tx, noViewer, { action: 'signing_key.rotate', accountId: null, targetId: made })
      })
      loaded = load(db, secret)
      await loaded
      return made
    },
  }
}

function toPublic(kid: string, jwk: JWK): PublicSigningKey {
  return { kty: jwk.kty ?? 'OKP', crv: jwk.crv ?? 'Ed25519', x: jwk.x ?? '', kid, alg: 'EdDSA', use: 'sig' }
}
