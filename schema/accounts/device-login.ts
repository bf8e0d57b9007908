/** Sign-in of programs without a browser. docs/contract.md, "Signing in from a terminal". */

import { keyNameText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { approveDeviceLogin, denyDeviceLogin } from '../../src/accounts/device-login/decide-device-login.ts'
import { type DeviceLogin, findDeviceLogin } from '../../src/accounts/device-login/device-login.ts'
import { redeemDeviceLogin } from '../../src/accounts/device-login/redeem-device-login.ts'
import {
  MAX_KEY_SECONDS,
  MIN_KEY_SECONDS,
  type StartedDeviceLogin,
  startDeviceLogin,
} from '../../src/accounts/device-login/start-device-login.ts'
import { builder } from '../builder.ts'
import { type InputFields, rule } from '../input-field.ts'
import { args, input, mutation, query } from '../root-field.ts'
import { createdKeyType } from './api-key.ts'
import { KeyScopeEnum } from './enums.ts'

const DeviceLoginStateEnum = builder.enumType('DeviceLoginState', {
  description: 'State of a sign-in that a program asked for.',
  values: {
    PENDING: { value: 'pending', description: 'Not decided yet.' },
    APPROVED: { value: 'approved', description: 'The program may fetch its key.' },
    DENIED: { value: 'denied', description: 'The program gets no key.' },
    CONSUMED: { value: 'consumed', description: 'The program has its key.' },
  } as const,
})

const DeviceLoginType = builder.objectRef<DeviceLogin>('DeviceLogin').implement({
  description: 'A sign-in that a program without a browser asked for, and a person decides.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID, prefix `login_`.' }),
    userCode: t.exposeString('userCode', { description: 'The code that the program shows: `WDJB-MJHT`.' }),
    state: t.expose('state', {
      type: DeviceLoginStateEnum,
      description: 'State of the sign-in: pending, approved, denied or redeemed.',
    }),
    name: t.exposeString('name', { description: "The program's own description; becomes the name of the key." }),
    scope: t.expose('scope', { type: KeyScopeEnum, description: 'Scope of the key.' }),
    keyTtlSeconds: t.exposeInt('keyTtlSeconds', { description: 'Lifetime of the key, in seconds.' }),
    address: t.exposeString('address', { nullable: true, description: 'The address that the program asked from.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the program asked.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When it can no longer be decided or redeemed.',
    }),
    decidedAt: t.expose('decidedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was approved or denied.',
    }),
  }),
})

const StartedDeviceLoginType = builder.objectRef<StartedDeviceLogin>('StartedDeviceLogin').implement({
  description: 'The codes of a new sign-in (RFC 8628).',
  fields: (t) => ({
    deviceCode: t.exposeString('deviceCode', { description: "The program's secret: it polls with it." }),
    userCode: t.exposeString('userCode', { description: 'Code that the person compares or types: `WDJB-MJHT`.' }),
    verificationUri: t.exposeString('verificationUri', { description: 'The page on which the person types the code.' }),
    verificationUriComplete: t.exposeString('verificationUriComplete', {
      description: 'The same page with the code filled in.',
    }),
    expiresInSeconds: t.exposeInt('expiresInSeconds', { description: 'Seconds until the codes expire.' }),
    intervalSeconds: t.exposeInt('intervalSeconds', { description: 'Minimum seconds between two polls.' }),
  }),
})

mutation('startDeviceLogin', {
  type: StartedDeviceLoginType,
  description: 'Starts the sign-in of a program without a browser: a person approves it at `verificationUri`.',
  scope: 'none',
  input: input('Name, scope and lifetime of the key that the program asks for.', (t) => ({
    name: t.string({
      required: true,
      ...rule(keyNameText),
      description: 'What the person reads, and the name of the key: the program and its machine; 1 to 100 characters.',
    }),
    scope: t.field({ type: KeyScopeEnum, description: 'Scope of the key; `WRITE` by default.' }),
    keyTtlSeconds: t.int({
      ...rule(z.number().int().min(MIN_KEY_SECONDS).max(MAX_KEY_SECONDS)),
      description: 'Lifetime of the key, from an hour to a year; 90 days by default.',
    }),
  })),
  verb: startDeviceLogin,
})

mutation('redeemDeviceLogin', {
  type: createdKeyType(
    'RedeemedDeviceLogin',
    'The key of an approved sign-in with its token, which is shown only here.',
  ),
  description: 'The key of an approved sign-in, once. Until then an error says what to do: `device_login.*`.',
  scope: 'none',
  input: input('The sign-in.', (t) => ({
    deviceCode: t.string({
      required: true,
      ...rule(z.string().min(1).max(256)),
      description: 'The `deviceCode` of the start.',
    }),
  })),
  verb: redeemDeviceLogin,
})

const anyCode = z.string().max(256)
const byCode = (t: InputFields) => ({
  userCode: t.string({
    required: true,
    ...rule(anyCode),
    description: 'The code that the program shows; letter case, spaces and hyphens do not count.',
  }),
})
const decided = { name: 'login', description: 'The decided sign-in.' }

mutation('approveDeviceLogin', {
  type: DeviceLoginType,
  payload: decided,
  description: 'Gives the program a key of the caller. 409 if the caller has denied it. Idempotent.',
  scope: 'session',
  input: input('The sign-in to approve.', byCode),
  verb: approveDeviceLogin,
})

mutation('denyDeviceLogin', {
  type: DeviceLoginType,
  payload: decided,
  description: 'Refuses the program. 409 if the caller has approved it. Idempotent.',
  scope: 'session',
  input: input('The sign-in to deny.', byCode),
  verb: denyDeviceLogin,
})

query('deviceLogin', {
  type: DeviceLoginType,
  description:
    'A sign-in that waits, or that the caller has decided, by its code. 404 if there is none, 429 after 10 of ' +
    'those in 15 minutes.',
  scope: 'session',
  args: args((t) => ({
    userCode: t.string({ required: true, ...rule(anyCode), description: 'The code that the program shows.' }),
  })),
  read: findDeviceLogin,
})
