import type { SigningKeys } from '../../src/auth/signing-keys.ts'

const unused = () => Promise.reject(new Error('This test has no signing keys.'))

/** For tests that sign nothing. */
export const noSigningKeys: SigningKeys = {
  current: unused,
  signer: unused,
  publicKey: unused,
  jwks: unused,
  rotate: unused,
  withdraw: unused,
  list: unused,
}
