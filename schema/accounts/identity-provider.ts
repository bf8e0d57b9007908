/** How people sign in to this hub. Contract, "Signing in from a browser". */
import { builder } from '../builder.ts'
import { query } from '../root-field.ts'

const IdentityProvider = builder.objectRef<{ readonly issuer: string }>('IdentityProvider').implement({
  description: 'The OpenID Connect provider at which people sign in to this hub.',
  fields: (t) => ({
    issuer: t.exposeString('issuer', { description: 'Its issuer URL.' }),
    name: t.string({
      description: 'The host of that URL, to be shown.',
      resolve: ({ issuer }) => new URL(issuer).host,
    }),
  }),
})

query('identityProvider', {
  type: IdentityProvider,
  nullable: true,
  description:
    'Where `/auth/login` leads; null for a hub without a provider, whose operator gives people session tokens ' +
    'for `/auth/session`.',
  scope: 'none',
  read: ({ deps }) => {
    const { oidc } = deps.config
    return oidc?.clientId ? { issuer: oidc.issuer } : null
  },
})
