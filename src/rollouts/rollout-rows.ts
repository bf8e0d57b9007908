/** Results of rollouts as rows, each with the model and the robot that it is of. */
import { readAccount } from '../auth/account-json.ts'
import { isLeftOut, unlessLeftOut } from '../store/bounded-read.ts'
import { column, columns, type RowOf } from '../store/columns.ts'

/** What a task and its disturbance were, as they were given. */
export interface Conditions {
  readonly task: { readonly name: string }
  readonly disturbance: Readonly<Record<string, unknown>>
}

/** Of `x`, its model `m` of the account `mo`, and its robot `t` of the account `ro`. */
export const rolloutColumns = columns({
  id: column.text('x.id'),
  modelRepoId: column.text('x.model_repo_id'),
  robotRepoId: column.text('x.robot_repo_id'),
  /** Of `m`. */
  ownerId: column.text('m.owner_id'),
  model: column.text("mo.handle || '/' || m.slug"),
  modelSeq: column.int4('x.model_seq'),
  modelCommit: column.text('x.model_commit'),
  policyPath: column.text('x.policy_path'),
  policyDigest: column.text('x.policy_digest'),
  robot: column.text("ro.handle || '/' || t.slug"),
  robotCommit: column.text('x.robot_commit'),
  task: column.text('x.task'),
  fingerprint: column.text('x.fingerprint'),
  mapFingerprint: column.text.orNull('x.map_fingerprint'),
  firstSeed: column.int4('x.first_seed'),
  seeds: column.int4('x.seeds'),
  successes: column.int4('x.successes'),
  lowest: column.float8('x.lowest'),
  highest: column.float8('x.highest'),
  meanReturn: column.float8('x.mean_return'),
  meanSeconds: column.float8('x.mean_seconds'),
  software: column.document<Readonly<Record<string, string>>>('x.software'),
  /** What drew the pictures that the policy saw; null for one that sees none. */
  drawnBy: column.text.orNull('x.drawn_by'),
  /** Names of the model's cameras by those of the pictures that they drew; null where all were found by name. */
  cameras: column.document.orNull<Readonly<Record<string, string>>>('x.cameras'),
  isByAgent: column.bool('x.by_agent'),
  createdAt: column.timestamptz('x.created_at'),
  /** Null if the credential had no person. Only members of an org may know its people: `personFor`. */
  creator: column.json.orNull(
    `(select json_build_object('id', a.id, 'kind', a.kind, 'handle', a.handle, 'name', a.name) from accounts a where a.id = x.created_by)`,
    readAccount,
  ),
})

/** The result of the rollouts of a policy on a robot. */
export type Rollout = RowOf<typeof rolloutColumns>

/** The repos of `x` and their owners. By lists of one, which leave PostgreSQL a look-up for each row and no hash of all. */
export const rolloutParties = `join repos m on m.id = any(array[x.model_repo_id])
    join accounts mo on mo.id = any(array[m.owner_id])
    join repos t on t.id = any(array[x.robot_repo_id]) join accounts ro on ro.id = any(array[t.owner_id])`

/**
 * The results `c` on a robot that the caller sees, of whose models alone it then depends which of them they see; with
 * the parameters `repoViewer`. Each branch of the union has an index of its own, of what all see or of what an account
 * has, so that no hidden result is read. An order begins with `by`: without the account, an index whose account is
 * `any(...)` gives no order, and all that the account has would be sorted for each row that is asked for.
 */
export const seenBranches = (select: (isSeen: string, by: string) => string): string =>
  `(${select('c.model_is_public', '')})
      union all (select mine.* from unnest(:accountIds::text[]) account(id) cross join lateral (${select(
        `not c.model_is_public and c.model_owner_id = any(array[account.id])
          and (:repoIds::text[] is null or c.model_repo_id = any(:repoIds::text[]))`,
        'c.model_owner_id, ',
      )}) mine)`

export const outcomeColumns = columns({
  rolloutId: column.text('s.rollout_id'),
  seed: column.int4('s.seed'),
  success: column.bool('s.success'),
  ending: column.enum('RolloutEnding', 's.ending'),
  return: column.float8('s.return'),
  seconds: column.float8('s.seconds'),
  steps: column.int4('s.steps'),
  fingerprint: column.text('s.fingerprint'),
})

/** The outcome of one seed. */
export type RolloutOutcome = RowOf<typeof outcomeColumns>

/** What a result was made under, as it was given: up to 64 KiB, so lists read it where it is selected alone. */
export const conditionsColumns = columns({
  ...isLeftOut,
  id: column.text('x.id'),
  conditions: column.document.orNull<Conditions>(unlessLeftOut('x.conditions')),
})
