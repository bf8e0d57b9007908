/**
 * A ceremony: the hub asks with a challenge, and a device answers. What was asked travels with the page, signed, so
 * that any instance takes the answer and nothing is stored for those who never answer. A challenge that was answered,
 * rightly or not, is stored as spent.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { tokenDigest } from '../../auth/api-key.ts'
import { commonClaims, readClaims, signClaims } from '../../auth/signed-token.ts'
import type { SigningKeys } from '../../auth/signing-keys.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { insertInto, sql } from '../../store/insert.ts'
import { param, statement } from '../../store/statement.ts'

const TYP = 'hub-passkey+jwt'
export const CEREMONY_SECONDS = 300
/** Of a challenge, and of the handle by which a device names a person. */
const RANDOM_BYTES = 32

/** What a ceremony is for. */
interface Purpose {
  readonly use: 'add' | 'redeem' | 'sign_in'
  /** What it belongs to: the session, the link with the handle, or the browser. An answer given elsewhere is none. */
  readonly of: string
}

interface Ceremony {
  /** 32 random bytes in base64url. */
  readonly challenge: string
  /** Of a new passkey: by what the device names the person, in base64url; else empty. */
  readonly userHandle: string
}

/** Random bytes in base64url, 43 characters. */
export const randomText = (): string => randomBytes(RANDOM_BYTES).toString('base64url')

const claimsShape = z.strictObject({
  ...commonClaims,
  use: z.enum(['add', 'redeem', 'sign_in']),
  of: z.string(),
  challenge: z.string().length(43),
  user_handle: z.string().max(64),
})

/** Begins one: the signed text that the page sends back with the answer. */
export async function beginCeremony(
  keys: SigningKeys,
  { use, of }: Purpose,
  userHandle = '',
): Promise<Ceremony & { readonly ceremony: string }> {
  const challenge = randomText()
  const iat = Math.floor(Date.now() / 1000)
  const claims = { use, of, challenge, user_handle: userHandle, iat, exp: iat + CEREMONY_SECONDS }
  return { ceremony: await signClaims(await keys.current(), TYP, claims), challenge, userHandle }
}

const spentColumns = columns({ isOpen: column.bool('expires_at > now()') })
const spentRow = insertInto('spent_challenges', {
  challengeSha256: param.bytea(),
  expiresAt: sql('to_timestamp(:endsAt)', { endsAt: param.float8() }),
})
const spend = statement({
  name: 'challenge-spend',
  columns: spentColumns,
  params: spentRow.params,
  text: `${spentRow.sql} on conflict (challenge_sha256) do nothing returning ${spentColumns.sql}`,
})

/**
 * Takes the ceremony of an answer, once: null if it was taken before, is older than five minutes, is for something else
 * or was not signed here. Before the answer is looked at, so that of two that come at the same time one counts.
 */
export async function takeCeremony(
  { keys, db }: { readonly keys: SigningKeys; readonly db: Querier },
  text: string,
  { use, of }: Purpose,
): Promise<Ceremony | null> {
  const reading = await readClaims(keys, TYP, claimsShape, text)
  if ('fault' in reading) return null
  const { challenge, user_handle: userHandle, exp, ...claims } = reading.claims
  if (claims.use !== use || claims.of !== of) return null
  const [spent] = await db.query(spend, { challengeSha256: tokenDigest(challenge), endsAt: exp })
  return spent?.isOpen ? { challenge, userHandle } : null
}
