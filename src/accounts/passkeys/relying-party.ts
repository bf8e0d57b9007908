/** The site that passkeys belong to. It follows from the address of the hub: no request decides it. */
import { isIP } from 'node:net'
import { isLoopbackName } from '@hub/formats/one-origin'
import type { Config } from '../../platform/config.ts'
import { HubError } from '../../platform/errors.ts'

/** What WebAuthn calls a relying party. */
export interface RelyingParty {
  /** The host. A browser offers a passkey at no other one. */
  readonly id: string
  /** The one address whose pages may use passkeys. */
  readonly origin: string
}

/** Why a hub has no passkeys, for people. */
interface NoParty {
  readonly fault: string
}

type Named = Pick<Config, 'publicUrl' | 'port' | 'localSignIn'>

/**
 * PUBLIC_URL decides; without one, the address that the hub listens on. Browsers let only https and `localhost` use
 * passkeys, and no bare address: on loopback it is the name `localhost`, whatever the address is spelt like.
 */
export function relyingParty({ publicUrl, port, localSignIn }: Named): RelyingParty | NoParty {
  if (!localSignIn) return { fault: 'This hub has no sign-in with passkeys (LOCAL_SIGN_IN=no).' }
  const url = new URL(publicUrl ?? `http://localhost:${port}`)
  if (isLoopbackName(url.hostname)) url.hostname = 'localhost'
  const { hostname: id, origin, protocol } = url
  const why = `Passkeys need an address with https and a name, or localhost. This hub is at ${origin}`
  if (isIP(id.replace(/^\[|\]$/g, '')) !== 0) return { fault: `${why}; PUBLIC_URL sets another one.` }
  const isLocal = id === 'localhost' || id.endsWith('.localhost')
  return protocol === 'https:' || isLocal ? { id, origin } : { fault: `${why}; PUBLIC_URL sets another one.` }
}

/** The same, or 503 `not_configured.passkeys`. Where passwords are off too: `assertLocalSignIn` says it first. */
export function requireRelyingParty(config: Named): RelyingParty {
  const party = relyingParty(config)
  if ('fault' in party) throw new HubError('not_configured.passkeys', party.fault)
  return party
}
