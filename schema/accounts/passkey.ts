/** Passkeys of people. Contract, "Passkeys". */
import { keyNameText } from '@hub/formats/text-rules'
import { z } from 'zod'
import {
  addPasskey,
  removePasskey,
  renamePasskey,
  type StartedPasskey,
  startPasskey,
} from '../../src/accounts/passkeys/own-passkeys.ts'
import { MAX_PASSKEYS } from '../../src/accounts/passkeys/passkey-rows.ts'
import { bytesText, transportText } from '../../src/accounts/passkeys/webauthn.ts'
import { assertSession } from '../../src/auth/policy.ts'
import { builder } from '../builder.ts'
import { rule } from '../input-field.ts'
import { entityMutation, input, mutation, query } from '../root-field.ts'
import { selectedRows } from '../selected.ts'

const nameText = 'What you call it, such as the device that has it: 1 to 100 characters.'

const PasskeyType = builder.prismaObject('Passkey', {
  description: 'A passkey of a person: a device or a password manager that signs them in without a password.',
  select: { id: true },
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `passkey_`; sorts by time.' }),
    name: t.exposeString('name', { description: 'What its person calls it.' }),
    host: t.exposeString('rpId', {
      description:
        'Host of the hub for which it was made. It does not work at any other host, such as the one before a move.',
    }),
    backedUp: t.exposeBoolean('backedUp', {
      description: 'Whether a password manager keeps a copy, so that losing one device does not lose the passkey.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it last signed its person in; null if it has not yet.',
    }),
  }),
})

query('ownPasskeys', {
  type: [PasskeyType],
  most: MAX_PASSKEYS,
  description: `Your passkeys, the oldest first; ${MAX_PASSKEYS} at most.`,
  scope: 'session',
  read: (ctx, _args, info) => {
    const { personId: accountId } = assertSession(ctx.viewer)
    const query = selectedRows(ctx, info, { id: true })
    return ctx.deps.db.prisma.passkey.findMany({ ...query, where: { accountId }, orderBy: { id: 'asc' } })
  },
})

const NewPasskey = builder.objectRef<StartedPasskey>('NewPasskey').implement({
  description: 'What a browser needs to make a passkey.',
  fields: (t) => ({
    ceremony: t.exposeString('ceremony', {
      description: 'Send it back with what the browser made: once, within five minutes, in the same session.',
    }),
    options: t.expose('options', {
      type: 'JSON',
      description:
        'Options of `navigator.credentials.create`, as `PublicKeyCredential.parseCreationOptionsFromJSON` takes them.',
    }),
  }),
})

query('newPasskey', {
  type: NewPasskey,
  description:
    'What a browser needs to make a passkey for you; `addPasskey` then adds it. Needs a sign-in of the last 15 ' +
    'minutes. Stores nothing.',
  scope: 'session',
  read: startPasskey,
})

entityMutation('addPasskey', {
  type: PasskeyType,
  payload: { name: 'passkey', description: 'The passkey, with which you can sign in from now on.' },
  description: `Adds a passkey that a browser made for \`newPasskey\`. Needs a sign-in of the last 15 minutes. ${MAX_PASSKEYS} at most.`,
  scope: 'session',
  input: input('What the browser made.', (t) => ({
    ceremony: t.string({
      required: true,
      ...rule(z.string().max(4096)),
      description: 'That of `newPasskey`.',
    }),
    name: t.string({ required: true, ...rule(keyNameText), description: nameText }),
    clientDataJson: t.string({
      required: true,
      ...rule(bytesText),
      description: '`response.clientDataJSON` of the credential, in base64url.',
    }),
    attestationObject: t.string({
      required: true,
      ...rule(bytesText),
      description: '`response.attestationObject` of the credential, in base64url.',
    }),
    transports: t.stringList({
      ...rule(z.array(transportText).max(10)),
      description: 'What `response.getTransports()` gave.',
    }),
  })),
  verb: addPasskey,
  read: (ctx, { id }, query) => ctx.deps.db.prisma.passkey.findUniqueOrThrow({ ...query, where: { id } }),
})

const idText = 'Id of the passkey.'

entityMutation('renamePasskey', {
  type: PasskeyType,
  payload: { name: 'passkey', description: 'The passkey with its new name.' },
  description: 'Gives one of your passkeys another name.',
  scope: 'session',
  input: input('The passkey and its name.', (t) => ({
    id: t.id({ required: true, description: idText }),
    name: t.string({ required: true, ...rule(keyNameText), description: nameText }),
  })),
  verb: renamePasskey,
  read: (ctx, { id }, query) => ctx.deps.db.prisma.passkey.findUniqueOrThrow({ ...query, where: { id } }),
})

const RemovedPasskey = builder.objectRef<{ readonly id: string }>('RemovedPasskey').implement({
  description: 'Result of `removePasskey`.',
  fields: (t) => ({ id: t.exposeID('id', { description: idText }) }),
})

mutation('removePasskey', {
  type: RemovedPasskey,
  description:
    'Removes one of your passkeys: it can no longer be used to sign in. Needs a sign-in of the last 15 minutes, and ' +
    'another way to sign in. Sessions that it opened stay.',
  scope: 'session',
  input: input('The passkey.', (t) => ({
    id: t.id({ required: true, description: idText }),
  })),
  verb: removePasskey,
})
