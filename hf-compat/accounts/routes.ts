/** Who the caller is. */
import { missing } from '../engine/refusal.ts'
import type { HfRoute } from '../engine/route.ts'

export const routes: readonly HfRoute[] = [
  {
    operation: 'hfWhoami',
    method: 'GET',
    path: '/api/whoami-v2',
    documents: ['hf-whoami'],
    async answer(call) {
      const viewer = await call.ask('hf-whoami', {})
      if (!viewer) throw missing('EntryNotFound', 'The account of this key is not here any more.')
      const { account, orgs, scope } = viewer
      return {
        body: {
          type: account.kind,
          id: account.id,
          name: account.handle,
          fullname: account.name ?? account.handle,
          // The hub asks for no address, has no subscriptions and no pictures.
          email: null,
          isPro: false,
          orgs: orgs.map(({ id, handle, name }) => ({ type: 'org', id, name: handle, fullname: name ?? handle })),
          auth: {
            type: 'access_token',
            accessToken: { displayName: viewer.name ?? 'session', role: scope === 'read' ? 'read' : 'write' },
            ...(viewer.expires_at !== null && { expiresAt: viewer.expires_at }),
          },
        },
      }
    },
  },
]
