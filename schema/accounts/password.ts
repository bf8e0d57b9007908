/** Passwords of people. Contract, "Passwords". */
import { z } from 'zod'
import { setPassword } from '../../src/accounts/passwords/set-password.ts'
import { assertSession } from '../../src/auth/policy.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { input, mutation, query } from '../root-field.ts'

/** In characters as they are sent; the verb counts them as people do. */
const anyPassword = z.string().min(1).max(1024)

const SetPasswordResult = builder
  .objectRef<{ readonly changedAt: string; readonly endedSessions: number }>('SetPassword')
  .implement({
    description: 'Result of `setPassword`.',
    fields: (t) => ({
      changedAt: t.expose('changedAt', { type: 'DateTime', description: 'When the password was set.' }),
      endedSessions: t.exposeInt('endedSessions', { description: 'Number of other sessions that it ended.' }),
    }),
  })

mutation('setPassword', {
  type: SetPasswordResult,
  description:
    'Sets or changes your own password. A change needs the current one and ends all your other sessions; the first ' +
    'one needs a sign-in of the last 15 minutes.',
  scope: 'session',
  input: input('The new password.', (t) => ({
    password: t.string({
      required: true,
      ...rule(anyPassword),
      description: 'The new password: 12 to 256 characters, at least 5 different ones.',
    }),
    currentPassword: t.string({
      ...rule(anyPassword),
      description: 'The current password; required once there is one.',
    }),
  })),
  verb: setPassword,
})

const OwnPassword = builder.objectRef<{ readonly changedAt: Date }>('OwnPassword').implement({
  description: 'Shows that a person has a password; the password itself cannot be read.',
  fields: (t) => ({
    changedAt: t.expose('changedAt', { type: 'DateTime', description: 'When it was set.' }),
  }),
})

query('ownPassword', {
  type: OwnPassword,
  nullable: true,
  description: 'Whether you have a password; null if not.',
  scope: 'session',
  read: (ctx) => {
    const { personId: accountId } = assertSession(ctx.viewer)
    return ctx.deps.db.prisma.password.findUnique({ select: { changedAt: true }, where: { accountId } })
  },
})
