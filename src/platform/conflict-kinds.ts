/** Rows of the table of error types: what the state of things does not allow. */
import { type ErrorKind, kind } from './error-kind.ts'

export const conflicts = {
  'conflict.taken': kind(409, 'CONFLICT', 'Already taken', 'The handle or slug is in use.'),
  'conflict.referenced': kind(
    409,
    'CONFLICT',
    'Still referenced',
    'Something still refers to it; errors[] lists what.',
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
    'The credential lost the lease of the job, and its old runner may still be working. It may claim the job again at the time in errors[], or once a stale report was rejected. Other credentials may claim the job at once.',
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
    'Another request is doing the same thing right now; try again.',
  ),
  'conflict.not_succeeded': kind(409, 'CONFLICT', 'Not succeeded', 'Only a check that succeeded is published.'),
  'conflict.already_published': kind(409, 'CONFLICT', 'Already published', 'The check was published before.'),
  'conflict.report_failed': kind(
    409,
    'CONFLICT',
    'The report does not allow it',
    'The report of the check failed, or the check reported none.',
  ),
  'conflict.card_missing': kind(
    409,
    'CONFLICT',
    'No card to publish',
    'The robot check reported no `robot_card.json`; make a new check.',
  ),
  'conflict.needs_answers': kind(
    409,
    'CONFLICT',
    'Answers are missing',
    'The draft lists a blocking `needs_you` item, which a person has to answer in a new check.',
  ),
  'conflict.source_changed': kind(
    409,
    'CONFLICT',
    'Source changed',
    'A file that the check snapshotted was replaced or deleted since the check was queued; errors[] names it. Make a new check.',
  ),
  'conflict.repo_gone': kind(409, 'CONFLICT', 'Repo deleted', 'A repo that the check is about was deleted.'),
  'conflict.artifact_changed': kind(
    409,
    'CONFLICT',
    'Artifact changed',
    'The stored bytes of an artifact are not those that the hub hashed when the check ended; make a new check.',
  ),
  'conflict.unverified': kind(
    409,
    'CONFLICT',
    'Not yet verified',
    'The hub has not hashed these bytes yet; try again soon.',
  ),
} as const satisfies Record<string, ErrorKind>
