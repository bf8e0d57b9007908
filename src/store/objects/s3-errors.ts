/** Errors of the SDK as those of the object store. */
import { S3ServiceException } from '@aws-sdk/client-s3'
import { ObjectStoreError, type ObjectStoreErrorCode } from './object-store.ts'

/** S3's error codes, and the bare 404 of HEAD, which has no body to hold one. */
const codes: Readonly<Record<string, ObjectStoreErrorCode>> = {
  NoSuchKey: 'no_such_object',
  NotFound: 'no_such_object',
  NoSuchUpload: 'no_such_upload',
  InvalidPart: 'invalid_part',
  InvalidPartOrder: 'invalid_part',
  EntityTooSmall: 'invalid_part',
  BadDigest: 'invalid_part',
  IncompleteBody: 'invalid_part',
  InvalidRange: 'invalid_range',
  EntityTooLarge: 'too_large',
}

/** Any failure as an ObjectStoreError. The message names S3's code and status. */
export function toObjectStoreError(error: unknown): ObjectStoreError {
  if (error instanceof ObjectStoreError) return error
  if (error instanceof S3ServiceException) {
    const { httpStatusCode, requestId } = error.$metadata
    const message = `S3 answered ${error.name}${httpStatusCode ? ` (${httpStatusCode})` : ''}.`
    return new ObjectStoreError(codes[error.name] ?? 'unavailable', message, { cause: brief(error, requestId) })
  }
  const name = error instanceof Error ? error.name : 'an unknown error'
  return new ObjectStoreError('unavailable', `S3 did not answer (${name}).`, { cause: brief(error) })
}

/** The SDK's errors hold the whole exchange, with its Authorization header; what goes to the log must not. */
function brief(error: unknown, requestId?: string): Error {
  if (!(error instanceof Error)) return new Error(String(error))
  const short = new Error(requestId ? `${error.message} (S3 request ${requestId})` : error.message)
  short.name = error.name
  short.stack = error.stack
  return short
}
