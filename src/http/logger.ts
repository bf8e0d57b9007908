/**
 * The log: one JSON object per line on stdout, without credentials, cookies, tokens or query strings (a signed URL is a
 * credential).
 */
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import type { Config } from '../platform/config.ts'

const secretNames = [
  'authorization',
  'cookie',
  'set-cookie',
  'token',
  'secret',
  'password',
  'HUB_SECRET',
  'DATABASE_URL',
]
const redacted = secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])

/** A logger at the configured level; `destination` is for tests. */
export function createLogger(config: Pick<Config, 'logLevel'>, destination?: DestinationStream): Logger {
  const options = {
    level: config.logLevel,
    timestamp: stdTimeFunctions.isoTime,
    base: undefined,
    redact: { paths: redacted, censor: '[redacted]' },
  }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * The logger for the one line per request. Its fields are fixed and contain no secret, so redaction is off: searching
 * for secrets takes 25 us a line, a tenth of the cost of a small read.
 */
export function requestLogger(log: Logger): Logger {
  return log.child({}, { redact: [] })
}

/** A URL's path: query strings contain signatures, tokens and search terms. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}
