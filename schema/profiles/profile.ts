/** What people say of themselves. Contract, "Profiles". */
import { displayNameText, emailText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { avatarPaths } from '../../src/profiles/avatar-objects.ts'
import { MAX_AVATAR_BYTES, setAvatar } from '../../src/profiles/set-avatar.ts'
import { updateProfile } from '../../src/profiles/update-profile.ts'
import { Account } from '../accounts/account.ts'
import { builder } from '../builder.ts'
import { type InputFields, rule } from '../input-field.ts'
import { entityMutation, input } from '../root-field.ts'

builder.objectField(Account, 'avatarPath', (t) =>
  t.loadable({
    type: 'String',
    nullable: true,
    description:
      'Path of its picture below the address of the hub; null without one. A new picture has a new path. One ' +
      'statement for any number of accounts.',
    resolve: (account) => account.id,
    load: (ids: string[], { deps }) => avatarPaths(deps.db, ids),
  }),
)

const whose = (t: InputFields) =>
  t.string({
    ...rule(z.string().max(256)),
    description: 'Handle of the account: yourself (default) or an org that you own.',
  })

/** Base64 of a little more than a picture may have: the verb says what is too much. */
const imageText = z
  .string()
  .max(MAX_AVATAR_BYTES * 2)
  .regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, 'must be base64')

entityMutation('updateProfile', {
  type: Account,
  payload: { name: 'account', description: 'The account as it is now.' },
  description: 'Changes what a person or an org is called, and the email of a person. What is left out stays.',
  scope: 'session',
  input: input('What changes.', (t) => ({
    account: whose(t),
    name: t.string({ ...rule(displayNameText), description: 'Name to display, 1 to 200 characters; null for none.' }),
    email: t.string({
      ...rule(emailText),
      description: 'Your own email, at most 254 characters; null for none. It is not verified, and shown to you alone.',
    }),
  })),
  verb: updateProfile,
  read: (ctx, { id }, query) => ctx.deps.db.prisma.account.findUniqueOrThrow({ ...query, where: { id } }),
})

entityMutation('setAvatar', {
  type: Account,
  payload: { name: 'account', description: 'The account with its new picture.' },
  description: 'Sets or removes the picture of a person or an org. It counts in the storage quota of the account.',
  scope: 'session',
  input: input('The picture.', (t) => ({
    account: whose(t),
    image: t.string({
      ...rule(imageText),
      description:
        'Base64 of a still PNG, JPEG or WebP image of at most 256 KiB and 1024 pixels on a side; null removes it.',
    }),
  })),
  verb: setAvatar,
  read: (ctx, { id }, query) => ctx.deps.db.prisma.account.findUniqueOrThrow({ ...query, where: { id } }),
})
