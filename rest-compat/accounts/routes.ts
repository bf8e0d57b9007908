/** `/v1` routes of the caller's credential, and of the sign-in that gives a program one. */
import { body } from '../engine/route.ts'
import type { TypedRoute } from '../typed-route.ts'

export const routes: readonly TypedRoute[] = [
  { operation: 'me', method: 'GET', path: '/v1/me', document: 'me', params: {}, status: 200, result: 'object' },
  {
    operation: 'startDeviceLogin',
    method: 'POST',
    path: '/v1/auth/device',
    document: 'start-device-login',
    params: { input: body() },
    status: 200,
    result: 'object',
  },
  {
    operation: 'redeemDeviceLogin',
    method: 'POST',
    path: '/v1/auth/device/token',
    document: 'redeem-device-login',
    params: { input: body() },
    status: 200,
    result: 'object',
    errorHeaders: { 400: { 'Retry-After': 'Seconds until the next poll, while the sign-in waits' } },
  },
]
