/** The token of an approval. It names the row, which decides. Contract, "Approvals". */

import { isId } from '@hub/formats/ids'
import { sha256Text } from '@hub/formats/text-rules'
import { z } from 'zod'
import { commonClaims, readClaims, signClaims, type TokenReading } from '../../auth/signed-token.ts'
import type { SigningKey, SigningKeys } from '../../auth/signing-keys.ts'

const APPROVAL_TYP = 'svc-approval+jwt'

const approvalClaims = z.strictObject({
  ...commonClaims,
  /** The approval. */
  jti: z.string().refine((id) => isId('appr', id)),
  /** The device. */
  sub: z.string(),
  endpoint: z.string(),
  model_sha256: sha256Text,
  /** Of the map of joints; absent without one. */
  joint_map: sha256Text.optional(),
})

export type ApprovalClaims = z.output<typeof approvalClaims>

/** Signs the claims of an approval's row. */
export function signApproval(key: SigningKey, claims: Omit<ApprovalClaims, 'iss'>): Promise<string> {
  return signClaims(key, APPROVAL_TYP, claims)
}

/** What a text says that should be the token of an approval. */
export function readApprovalToken(
  keys: SigningKeys,
  token: string | null | undefined,
): Promise<TokenReading<ApprovalClaims>> {
  return readClaims(keys, APPROVAL_TYP, approvalClaims, token)
}
