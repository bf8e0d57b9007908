/** The query for an account: where the page of a user or an org begins. */
import { z } from 'zod'
import { accountByHandle } from '../../src/auth/handle.ts'
import { rule } from '../input-field.ts'
import { args, query } from '../root-field.ts'
import { Account } from './account.ts'

query('account', {
  type: Account,
  nullable: true,
  description: 'A user or an organization by handle; null if there is none. Handles are public.',
  scope: 'none',
  args: args((t) => ({
    handle: t.string({ required: true, ...rule(z.string().max(256)), description: 'Its handle.' }),
  })),
  read: async (ctx, { handle }) => (await ctx.deps.db.query(accountByHandle, { handle }))[0] ?? null,
})
