/**
 * The closed table of error types. Verbs throw them, the API layers render them, and the documentation pages list them.
 */
import { conflicts } from './conflict-kinds.ts'
import { deviceLogins } from './device-login-kinds.ts'
import { type ErrorKind, kind } from './error-kind.ts'
import { signIns } from './sign-in-kinds.ts'

export const errorTable = {
  'validation.json': kind(400, 'BAD_REQUEST', 'Malformed JSON', 'The body is not valid JSON.'),
  'validation.request': kind(
    400,
    'BAD_REQUEST',
    'Malformed request',
    'The request cannot be read as HTTP or as a GraphQL document.',
  ),
  'validation.failed': kind(
    422,
    'UNPROCESSABLE',
    'Validation failed',
    'One or more members are invalid; errors[] lists each with its location.',
  ),
  'validation.value': kind(422, 'UNPROCESSABLE', 'Invalid value', 'A member has a value that is not allowed.'),
  'validation.type': kind(422, 'UNPROCESSABLE', 'Wrong type', 'A member has the wrong JSON type.'),
  'validation.required': kind(422, 'UNPROCESSABLE', 'Missing member', 'A required member is absent or null.'),
  'validation.unknown_member': kind(
    422,
    'UNPROCESSABLE',
    'Unknown member',
    'The body or query has a member that the operation does not know.',
  ),
  'validation.duplicate': kind(422, 'UNPROCESSABLE', 'Duplicate', 'The same thing is named twice in one request.'),
  'validation.path': kind(422, 'UNPROCESSABLE', 'Invalid file path', 'A path breaks a rule of FilePath.'),
  'validation.cursor': kind(
    422,
    'UNPROCESSABLE',
    'Invalid cursor',
    'The cursor is malformed, too old or of another listing.',
  ),
  'validation.limit': kind(
    422,
    'LIMIT_EXCEEDED',
    'Operation too large',
    'A GraphQL document is over a limit, and was not executed; `errors[0].limit` has the name of the limit, its ' +
      'maximum, and what was found.',
  ),
  'limit.cost': kind(
    422,
    'LIMIT_EXCEEDED',
    'Operation too expensive',
    'A GraphQL operation may yield, or needed while it ran, more than one operation may; `errors[0].limit` has ' +
      'the name of the limit, its maximum, and what was found. Of a mutation, `errors[0].done` lists the fields ' +
      'that had finished: what they did is done.',
  ),
  'validation.document': kind(
    404,
    'PERSISTED_QUERY_NOT_FOUND',
    'Unknown document',
    'No GraphQL document with this SHA-256 is known to this instance; send its text together with the digest.',
  ),
  'validation.content_type': kind(
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'Unsupported content type',
    'Bodies are application/json.',
  ),
  'auth.missing': kind(
    401,
    'UNAUTHENTICATED',
    'Credential missing',
    'The operation needs `Authorization: Bearer <credential>`.',
  ),
  'auth.invalid': kind(401, 'UNAUTHENTICATED', 'Credential invalid', 'The credential is unknown, expired or revoked.'),
  'auth.handle_taken': kind(
    409,
    'CONFLICT',
    'Handle taken',
    'The handle from the identity provider is taken or invalid; choose another.',
  ),
  ...deviceLogins,
  ...signIns,
  'forbidden.scope': kind(
    403,
    'FORBIDDEN',
    'Not allowed',
    'The credential is known, but its scope, membership or repo list does not allow this.',
  ),
  'forbidden.origin': kind(
    403,
    'FORBIDDEN',
    'Cross-origin request',
    'A cookie request that changes something must come from the same origin.',
  ),
  'forbidden.agent': kind(
    403,
    'FORBIDDEN',
    'Not for agents',
    'An agent key may not delete a repo, a run or a snapshot, purge files, move a repo, make one public, or change a ' +
      'gate.',
  ),
  'forbidden.document': kind(
    403,
    'FORBIDDEN',
    'Document not trusted',
    'This deployment executes only the GraphQL documents of its manifest (TRUSTED_DOCUMENTS) and of its own pages.',
  ),
  'forbidden.approval': kind(
    403,
    'FORBIDDEN',
    'Not approved',
    'There is no valid approval of a person for this device on this endpoint; the response does not say why.',
  ),
  'forbidden.claimer': kind(
    403,
    'FORBIDDEN',
    'Not for the claimer',
    'The credential that claimed a check may not publish it; a person or another key has to.',
  ),
  'forbidden.signature': kind(
    403,
    'FORBIDDEN',
    'Signed URL refused',
    'The signed URL has expired or was altered; request a new one.',
  ),
  'forbidden.hosted_owner': kind(
    403,
    'FORBIDDEN',
    'Not hosted for this owner',
    'This deployment hosts work only for the owners on its list (HOSTED_OWNERS, SIM_HOSTED_OWNERS); worker runs ' +
      'are never restricted.',
  ),
  'forbidden.hosted_allowance': kind(
    403,
    'FORBIDDEN',
    'Hosted allowance exceeded',
    "The hosted work does not fit into the account's free monthly allowance.",
  ),
  not_found: kind(404, 'NOT_FOUND', 'Not found', 'It does not exist, or the caller may not see it.'),
  'method.not_allowed': kind(
    405,
    'METHOD_NOT_ALLOWED',
    'Method not allowed',
    'The path does not support this method; `Allow` lists the supported ones.',
  ),
  'accept.not_served': kind(
    406,
    'NOT_ACCEPTABLE',
    'Not acceptable',
    'The answer has none of the media types of `Accept`: a subscription is `text/event-stream`, other GraphQL ' +
      'operations are JSON too. Nothing was executed.',
  ),
  ...conflicts,
  'precondition.failed': kind(
    412,
    'PRECONDITION_FAILED',
    'Precondition failed',
    'if_match or if_none_match fails for a file, or if_seq for a repo.',
  ),
  'range.not_satisfiable': kind(
    416,
    'RANGE_NOT_SATISFIABLE',
    'Range not satisfiable',
    'The range starts past the end of the object; `Content-Range` names its size.',
  ),
  'upload.etag_mismatch': kind(422, 'UNPROCESSABLE', 'Part differs', 'The ETag of a part differs from the stored one.'),
  'upload.part_missing': kind(422, 'UNPROCESSABLE', 'Part missing', 'A part was never stored, or is not listed.'),
  'upload.size_mismatch': kind(422, 'UNPROCESSABLE', 'Size differs', 'The stored size differs from the declared size.'),
  'upload.sha256_mismatch': kind(
    422,
    'UNPROCESSABLE',
    'Digest differs',
    'The SHA-256 of the stored bytes differs from the declared one.',
  ),
  'timeout.request': kind(
    408,
    'TIMEOUT',
    'Request timeout',
    'The headers or the body did not arrive in time; the connection is closed.',
  ),
  'too_large.headers': kind(
    431,
    'TOO_LARGE',
    'Headers too large',
    'Address and headers of the request are over 16 KiB.',
  ),
  too_large: kind(413, 'TOO_LARGE', 'Too large', 'A body, file or list is over its limit.'),
  'quota.storage': kind(
    413,
    'QUOTA',
    'Storage quota exceeded',
    "The bytes do not fit into the owner's quota; files, what only snapshots keep, stored run data and pending " +
      'uploads count together.',
  ),
  'quota.uploads': kind(
    429,
    'QUOTA',
    'Too many pending uploads',
    'The owner has reached the limit of pending uploads; complete or abort some. Uploads left untouched for a ' +
      'week (UPLOAD_TTL_S) are aborted.',
  ),
  'quota.snapshots': kind(
    409,
    'QUOTA',
    'Too many snapshots',
    'The repo has as many snapshots as a repo may have; delete some.',
  ),
  'quota.films': kind(
    429,
    'QUOTA',
    'Too many films wait',
    'The account has as many films of episodes that wait or are being made as it may; wait until a worker ' +
      '(hub check-worker) has made some.',
  ),
  'quota.gpu_hours': kind(
    429,
    'QUOTA',
    'GPU-hour quota exceeded',
    'The priced runs of the last 24 hours and this one reserve more GPU hours than the person or key may; ' +
      '`Retry-After` says when there is room.',
  ),
  'quota.robot_checks': kind(
    429,
    'QUOTA',
    'Robot check quota exceeded',
    'The account has made as many checks in the last 24 hours as it may (ROBOT_CHECK_DAILY_QUOTA); `Retry-After` ' +
      'says when there is room.',
  ),
  'quota.spend_cap': kind(
    429,
    'QUOTA',
    'Spend cap reached',
    "The most that the job can cost would carry the account's month past its spend cap, which is in stop mode; " +
      '`Retry-After` counts the seconds until the month ends.',
  ),
  'quota.spend_holds': kind(
    429,
    'QUOTA',
    'Too many pending holds',
    'The key has as many pending spend holds on the account as a key may have; cancel some, or ask a person to ' +
      'decide. `Retry-After` says when the oldest expires.',
  ),
  'idempotency.mismatch': kind(
    422,
    'UNPROCESSABLE',
    'Idempotency-Key reused',
    'The same Idempotency-Key was used with another body.',
  ),
  'idempotency.in_flight': kind(
    409,
    'CONFLICT',
    'Request in progress',
    'A request with the same Idempotency-Key is still in progress.',
  ),
  'rate.limited': kind(
    429,
    'RATE_LIMITED',
    'Too many requests',
    'The credential or address is over its rate; `Retry-After` says when to retry.',
  ),
  bad_gateway: kind(
    502,
    'BAD_GATEWAY',
    'Hosted call could not be stopped',
    'The hosted call could not be ended, so nothing was changed; the request can be repeated.',
  ),
  'store.lost': kind(
    502,
    'STORE_LOST',
    'Stored object lost',
    'The object store does not have an object that the hub keeps there; the error names what it was. Trying ' +
      'again does not help: the operator has to bring it back from a backup.',
  ),
  not_supported: kind(501, 'NOT_SUPPORTED', 'Not supported', 'This deployment has no backend for this operation.'),
  'not_configured.object_store': kind(
    503,
    'NOT_CONFIGURED',
    'Object store not configured',
    'This deployment has no object store (OBJECT_STORE=none).',
  ),
  'not_configured.hosted_app': kind(
    503,
    'NOT_CONFIGURED',
    'Hosted execution not configured',
    'This deployment has no hosted app (HOSTED_APP_NAME is not set); runs of the executor `worker` are not affected.',
  ),
  'not_configured.template': kind(
    503,
    'NOT_CONFIGURED',
    'Template not implemented',
    'The template is planned and no executor implements it yet; it can be recommended, not run.',
  ),
  unavailable: kind(
    503,
    'UNAVAILABLE',
    'Temporarily unavailable',
    'The database or object store does not respond, or the hub is shutting down; try again.',
  ),
  internal: kind(500, 'INTERNAL', 'Internal error', 'The hub failed; the request id identifies the log line.'),
} as const satisfies Record<string, ErrorKind>
