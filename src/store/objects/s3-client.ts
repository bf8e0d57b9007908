/** The SDK client of the S3 store, every limit set. */
import { S3Client } from '@aws-sdk/client-s3'
import type { S3Settings } from '../../platform/config.ts'

/** Socket idle timeout: a stalled store fails, a slow but active transfer does not. */
const IDLE_TIMEOUT_MS = 60_000

/** Assembling or copying gigabytes inside the store sends nothing until it is done. */
const SLOW_CALL_TIMEOUT_MS = 15 * 60_000

/**
 * A client with every limit set: the SDK's defaults wait forever. `slow` is for calls that take minutes.
 *
 * Checksums only where S3 demands them: the default ones change presigned URLs and stream bodies in ways that other S3
 * servers reject.
 */
export function s3Client(settings: S3Settings, options: { slow?: boolean } = {}): S3Client {
  const agent = { keepAlive: true, maxSockets: 64 }
  return new S3Client({
    region: settings.region,
    endpoint: settings.endpoint,
    forcePathStyle: settings.forcePathStyle,
    credentials:
      settings.accessKeyId && settings.secretAccessKey
        ? { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey }
        : undefined,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 3,
    requestHandler: {
      connectionTimeout: 5_000,
      socketTimeout: options.slow ? SLOW_CALL_TIMEOUT_MS : IDLE_TIMEOUT_MS,
      httpAgent: agent,
      httpsAgent: agent,
    },
  })
}
