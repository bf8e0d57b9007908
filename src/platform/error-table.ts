/** The closed table of what can be refused. Its rows are thrown by verbs, rendered by the edges and printed by the documentation pages. */

/** `status` is the HTTP status, `title` the short human name, `about` one sentence for the documentation page. */
interface ErrorKind {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly about: string
}

const kind = (status: number, code: string, title: string, about: string): ErrorKind => ({ status, code, title, about })

export const errorTable = {
  'validation.json': kind(
    400,
    'BAD_REQUEST',
    'Malformed JSON',
    'The body is not the JSON document that the request said it is.',
  ),
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
    'One or more members are not valid; errors[] names each with its place.',
  ),
  'validation.value': kind(422, 'UNPROCESSABLE', 'Invalid value', 'A member has a value that is not allowed.'),
  'validation.type': kind(422, 'UNPROCESSABLE', 'Wrong type', 'A member has another JSON type than the one listed.'),
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
    'The cursor is malformed or belongs to another listing.',
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
    'Handle to be chosen',
    'The handle that the identity provider proposes is taken or ill-formed; choose another.',
  ),
  'forbidden.scope': kind(
    403,
    'FORBIDDEN',
    'Not allowed',
    'The credential is known, but its scope, membership or repo list does not allow this.',
  ),
  'forbidden.origin': kind(
    403,
    'FORBIDDEN',
    'Foreign origin',
    'A cookie request that changes something must come from the same origin.',
  ),
  'forbidden.agent': kind(
    403,
    'FORBIDDEN',
    'Not for agents',
    'An agent key may not delete a repo or a run, or make a repo public.',
  ),
  'forbidden.signature': kind(
    403,
    'FORBIDDEN',
    'Signed URL refused',
    'The signed URL has expired or was altered; ask for a new one.',
  ),
  'forbidden.hosted_owner': kind(
    403,
    'FORBIDDEN',
    'Not hosted for this owner',
    'This deployment hosts work only for the owners on its list (HOSTED_OWNERS, SIM_HOSTED_OWNERS); worker runs are never restricted.',
  ),
  'forbidden.hosted_allowance': kind(
    403,
    'FORBIDDEN',
    'Beyond the hosted allowance',
    "The hosted work does not fit into the account's free monthly allowance.",
  ),
  not_found: kind(404, 'NOT_FOUND', 'Not found', 'It does not exist, or the caller may not see it.'),
  'method.not_allowed': kind(
    405,
    'METHOD_NOT_ALLOWED',
    'Method not allowed',
    'The path exists, but not with this method; `Allow` lists those it has.',
  ),
  'conflict.taken': kind(409, 'CONFLICT', 'Already taken', 'The handle or slug is in use.'),
  'conflict.referenced': kind(
    409,
    'CONFLICT',
    'Still referenced',
    'Something still refers to it; errors[] names what.',
  ),
  'conflict.wrong_kind': kind(409, 'CONFLICT', 'Wrong kind', 'It is of another kind than the operation needs.'),
  'conflict.already_claimed': kind(
    409,
    'CONFLICT',
    'Already claimed',
    'The job is claimed already; errors[] names the holder.',
  ),
  'conflict.not_claimer': kind(
    409,
    'CONFLICT',
    'Not the claimer',
    'Only the credential that claimed the job may do this, and only while its claim lasts.',
  ),
  'conflict.lease_lost': kind(
    409,
    'CONFLICT',
    'Lease lost',
    'The credential lost the lease of the job, and its old runner may still be working. It may claim the job again at the time in errors[], or once a stale report was refused. Other credentials may claim the job at once.',
  ),
  'conflict.terminal': kind(
    409,
    'CONFLICT',
    'Already ended',
    'It has ended: completed, aborted, succeeded, failed or canceled.',
  ),
  'conflict.not_ended': kind(
    409,
    'CONFLICT',
    'Not ended yet',
    'It is queued or running; cancel it, or wait until it has ended.',
  ),
  'conflict.last_owner': kind(
    409,
    'CONFLICT',
    'Last owner',
    'An org needs at least one owner; make another person an owner first.',
  ),
  'conflict.in_progress': kind(
    409,
    'CONFLICT',
    'In progress',
    'The same thing is being done by another request right now; try again.',
  ),
  'conflict.unverified': kind(
    409,
    'CONFLICT',
    'Not yet verified',
    'The hub has not hashed these bytes itself yet; try again soon.',
  ),
  'precondition.failed': kind(
    412,
    'PRECONDITION_FAILED',
    'Precondition failed',
    'if_match or if_none_match fails for a file.',
  ),
  'range.not_satisfiable': kind(
    416,
    'RANGE_NOT_SATISFIABLE',
    'Range not satisfiable',
    'The range starts past the end of the object; `Content-Range` names its size.',
  ),
  'upload.etag_mismatch': kind(
    422,
    'UNPROCESSABLE',
    'Part differs',
    'The ETag of a part is not the one that the store has.',
  ),
  'upload.part_missing': kind(422, 'UNPROCESSABLE', 'Part missing', 'A part was never stored, or is not listed.'),
  'upload.size_mismatch': kind(
    422,
    'UNPROCESSABLE',
    'Size differs',
    'The stored bytes are not as many as were announced.',
  ),
  'upload.sha256_mismatch': kind(
    422,
    'UNPROCESSABLE',
    'Digest differs',
    'The stored bytes do not have the announced SHA-256.',
  ),
  'timeout.request': kind(
    408,
    'TIMEOUT',
    'Request timeout',
    'Headers or body stopped coming; the connection is closed.',
  ),
  'too_large.headers': kind(431, 'TOO_LARGE', 'Headers too large', 'The headers of the request are over 16 KiB.'),
  too_large: kind(413, 'TOO_LARGE', 'Too large', 'A body, file or list is over its limit.'),
  'quota.storage': kind(
    413,
    'QUOTA',
    'Storage quota exceeded',
    "The bytes do not fit into the owner's quota; files, what runs keep and pending uploads count together.",
  ),
  'quota.uploads': kind(
    429,
    'QUOTA',
    'Too many pending uploads',
    'The owner has reached the limit of pending uploads; complete or abort some. Uploads left untouched for a week (UPLOAD_TTL_S) are aborted.',
  ),
  'quota.gpu_hours': kind(
    429,
    'QUOTA',
    'GPU-hour quota exceeded',
    'The priced runs of the last 24 hours and this one reserve more GPU hours than the person or key may; `Retry-After` says when there is room.',
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
    'Twin in flight',
    'A request with the same Idempotency-Key is still in progress.',
  ),
  'rate.limited': kind(
    429,
    'RATE_LIMITED',
    'Too many requests',
    'The credential or address is over its rate; `Retry-After` says when to go on.',
  ),
  not_supported: kind(501, 'NOT_SUPPORTED', 'Not supported', 'This deployment has no backend that can do this.'),
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
  'not_configured.oidc': kind(
    503,
    'NOT_CONFIGURED',
    'Sign-in not configured',
    'This deployment has no identity provider (OIDC_ISSUER is not set).',
  ),
  unavailable: kind(
    503,
    'UNAVAILABLE',
    'Temporarily unavailable',
    'The database or object store does not answer, or the hub is stopping; try again.',
  ),
  internal: kind(500, 'INTERNAL', 'Internal error', 'The hub failed; the request id names the log line.'),
} as const satisfies Record<string, ErrorKind>
