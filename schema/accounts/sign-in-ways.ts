/** How people sign in to this hub. Contract, "Signing in from a browser". */
import { relyingParty } from '../../src/accounts/passkeys/relying-party.ts'
import { builder } from '../builder.ts'
import { query } from '../root-field.ts'

interface Ways {
  readonly password: boolean
  readonly passkeyOrigin: string | null
  readonly noPasskeys: string | null
}

const SignInWays = builder.objectRef<Ways>('SignInWays').implement({
  description: 'How people sign in to this hub, besides its `identityProvider`.',
  fields: (t) => ({
    password: t.exposeBoolean('password', { description: 'Whether with a handle and a password.' }),
    passkeyOrigin: t.exposeString('passkeyOrigin', {
      nullable: true,
      description: 'The address whose pages may use passkeys, such as `https://hub.example.com`; null where none may.',
    }),
    noPasskeys: t.exposeString('noPasskeys', {
      nullable: true,
      description: 'Why no page may use passkeys, in a sentence for people; null where one may.',
    }),
  }),
})

query('signInWays', {
  type: SignInWays,
  description: 'How people sign in to this hub, besides its `identityProvider`.',
  scope: 'none',
  read: ({ deps: { config } }) => {
    const party = relyingParty(config)
    const hasNone = 'fault' in party
    return {
      password: config.localSignIn,
      passkeyOrigin: hasNone ? null : party.origin,
      noPasskeys: hasNone ? party.fault : null,
    }
  },
})
