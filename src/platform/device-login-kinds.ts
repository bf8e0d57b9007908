/**
 * Rows of the table of error types: responses to a program that polls for a sign-in. The part after the dot is the
 * error code of RFC 8628, section 3.5.
 */
import { type ErrorKind, kind } from './error-kind.ts'

export const deviceLogins = {
  'device_login.authorization_pending': kind(
    400,
    'BAD_REQUEST',
    'Sign-in pending',
    'The sign-in is not decided yet; ask again after `interval` seconds.',
  ),
  'device_login.slow_down': kind(
    400,
    'BAD_REQUEST',
    'Polling too fast',
    'The program asked earlier than `interval` seconds after its last try; the interval is five seconds longer ' +
      'from now on (`Retry-After`).',
  ),
  'device_login.access_denied': kind(
    400,
    'BAD_REQUEST',
    'Sign-in denied',
    'The person denied the sign-in; start a new one.',
  ),
  'device_login.expired_token': kind(
    400,
    'BAD_REQUEST',
    'Sign-in expired',
    'The device code is unknown, has expired, was displaced by newer sign-ins of its network, or its key was ' +
      'handed out before; start a new sign-in.',
  ),
} as const satisfies Record<string, ErrorKind>
