/** The log: one JSON object a line on stdout, without credentials, cookies, tokens or query strings (a signed URL is a credential). */
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
 * The logger of the line that every request writes. Its members are chosen by the code and hold no secret, so nothing is redacted: looking for secrets
 * in them takes 25 us a line, a tenth of what a small read costs.
 */
export function requestLogger(log: Logger): Logger {
  return log.child({}, { redact: [] })
}

/** A URL's path: query strings carry signatures, tokens and what people search for. */
export function pathOf(url: string): string {
  const end = url.search(/[?#]/)
  return end === -1 ? url : url.slice(0, end)
}
