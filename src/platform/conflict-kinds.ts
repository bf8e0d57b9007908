/** Rows of the table of error types: requests that the current state does not allow. */
import { type ErrorKind, kind } from './error-kind.ts'

export const conflicts = {
  'conflict.taken': kind(409, 'CONFLICT', 'Already taken', 'The handle, slug or name is in use.'),
  'conflict.device_login_decided': kind(
    409,
    'CONFLICT',
    'Sign-in decided',
    'The sign-in was approved or denied before, which is final; revoke its key instead.',
  ),
  'conflict.referenced': kind(
    409,
    'CONFLICT',
    'Still referenced',
    'Something still refers to it; errors[] lists what.',
  ),
  'conflict.wrong_kind': kind(409, 'CONFLICT', 'Wrong kind', 'The operation needs another kind of repo or object.'),
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
    'The credential lost the lease of the job, and its old runner may still be working. It may claim the job ' +
      'again at the time in errors[], or once a stale report was rejected. Other credentials may claim the job at ' +
      'once.',
  ),
  'conflict.terminal': kind(
    409,
    'CONFLICT',
    'Already ended',
    'It has ended: completed, aborted, succeeded, stopped, failed or canceled.',
  ),
  'conflict.not_ended': kind(
    409,
    'CONFLICT',
    'Not ended yet',
    'It is queued or running; cancel it, or wait until it has ended.',
  ),
  'conflict.operator': kind(
    409,
    'CONFLICT',
    "The operator's account",
    'The account of the operator (OPERATOR_HANDLE) cannot be disabled: no one could enable it again.',
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
  'conflict.not_pending': kind(
    409,
    'CONFLICT',
    'No longer pending',
    'The spend hold was approved, denied or canceled, or it has expired.',
  ),
  'conflict.key_gone': kind(
    409,
    'CONFLICT',
    'The key no longer works',
    'The key that filed the spend hold was revoked, has expired, or may no longer ask for this; its request has ' +
      'to be filed again by another.',
  ),
  'conflict.cost_rose': kind(
    409,
    'CONFLICT',
    'Cost has risen',
    'The most that the job can cost is now above what the spend hold shows; errors[] names both. Deny the hold, ' +
      'and let the request be filed again.',
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
    'A file that the check snapshotted was replaced or deleted since the check was queued; errors[] names it. ' +
      'Make a new check.',
  ),
  'conflict.map_changed': kind(
    409,
    'CONFLICT',
    'Another version',
    'The map of joints has another current version than the request names; errors[] has its `version`. Read it first.',
  ),
  'conflict.rollout_differs': kind(
    409,
    'CONFLICT',
    'Another result',
    'The same version of the model, on the same version of the robot, under the same conditions and with the same ' +
      'seeds, has another result already; errors[] has its `rollout_id` and the first `seed` that differs.',
  ),
  'conflict.gate_failed': kind(
    409,
    'CONFLICT',
    'A gate is not met',
    'The model has a gate that the results of rollouts of these files do not meet; errors[] names each such gate. ' +
      'Publish rollouts that do, or change the gate.',
  ),
  'conflict.repo_gone': kind(409, 'CONFLICT', 'Repo deleted', 'A repo that the check is about was deleted.'),
  'conflict.artifact_changed': kind(
    409,
    'CONFLICT',
    'Artifact changed',
    'The stored bytes of an artifact are not those that the hub hashed when the check ended; make a new check.',
  ),
  'conflict.reflex': kind(
    409,
    'CONFLICT',
    'A reflex is not served',
    'The policy runs at the rate of the control loop, so it runs on the robot: no network is fast and steady enough.',
  ),
  'conflict.no_artifact': kind(
    409,
    'CONFLICT',
    'Nothing to serve',
    'The model repo, or the directory that was named, holds no policy that an endpoint can serve.',
  ),
  'conflict.path': kind(
    409,
    'CONFLICT',
    'A file and a folder',
    'A path is a file or a folder: the repo, or the request itself, has a file above or below this path. ' +
      'errors[] names both; delete one of them first, or choose another path.',
  ),
  'conflict.unverified': kind(
    409,
    'CONFLICT',
    'Not yet verified',
    'The hub has not hashed these bytes yet; try again soon.',
  ),
  'conflict.model_changed': kind(
    409,
    'CONFLICT',
    'Other model',
    'The approval is for other model bytes than the endpoint serves; get a new approval.',
  ),
  'conflict.robot_fit': kind(
    409,
    'CONFLICT',
    'Robot does not fit',
    'The robot of the device does not fit the policy of the endpoint; errors[] has the differences. Use another ' +
      'robot or policy, or keep a map of joints and have it reviewed.',
  ),
  'conflict.fit_changed': kind(
    409,
    'CONFLICT',
    'Another map of joints',
    'The map of joints between policy and robot is another one than the approval was given for; get a new approval.',
  ),
  'conflict.not_claimed': kind(
    409,
    'CONFLICT',
    'Not claimed yet',
    'The endpoint is queued: no server has claimed it yet.',
  ),
  'conflict.stopping': kind(409, 'CONFLICT', 'Stopping', 'The endpoint was asked to stop and takes no new sessions.'),
  'conflict.sessions_full': kind(
    409,
    'CONFLICT',
    'Too many sessions',
    'The endpoint has as many open sessions as it may have; close one first.',
  ),
  'conflict.session_closed': kind(409, 'CONFLICT', 'Session closed', 'The session is closed; open another one.'),
  'conflict.signing_key': kind(
    409,
    'CONFLICT',
    'Key is in use for signing',
    'The current signing key cannot be withdrawn; rotate first.',
  ),
} as const satisfies Record<string, ErrorKind>
