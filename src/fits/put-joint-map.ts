/** Keeps a new version of the map from a repo to a robot, and reviews it. Contract, "Maps of joints". */
import { fingerprintOf } from '@hub/embodiment/fingerprint'
import type { JointMap } from '@hub/embodiment/joint-map'
import { assertNotAgent, assertNotJob } from '../auth/policy.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { RequestContext } from '../operation/context.ts'
import { HubError, notFound } from '../platform/errors.ts'
import { findRepo, findRepoToWrite, lockWithOther, type RepoFacts } from '../repos/get-repo.ts'
import type { Tx } from '../store/db.ts'
import { insertInto, sql } from '../store/insert.ts'
import { param, statement } from '../store/statement.ts'
import { type KeptMap, mapColumns, mapParties, newestReviewedSql } from './joint-map-rows.ts'

/** Bytes of a map as it is stored: a thousand joints with usual names take half of it. */
const MAX_MAP_BYTES = 256 * 1024
/** Of one pair, beside the reviewed one that is in use: the oldest go. */
const KEPT_VERSIONS = 20

interface Pair {
  readonly owner: string
  readonly repo: string
  /** Full name of the robot repo. */
  readonly robot: string
}

export interface PutJointMapInput extends Pair {
  readonly map: JointMap
  /** The version that it replaces; 0 where there is none. */
  readonly ifVersion: number
}

const pairParams = { fromRepoId: param.text(), toRepoId: param.text() }

const current = statement({
  name: 'joint-map-current',
  exact: 'verb-answer',
  columns: mapColumns,
  params: pairParams,
  text: `select ${mapColumns.sql} from joint_maps m ${mapParties}
    where m.from_repo_id = :fromRepoId and m.to_repo_id = :toRepoId order by m.version desc limit 1`,
})

const row = insertInto('joint_maps', {
  ...pairParams,
  version: param.int4(),
  map: sql(':text::text::json', { text: param.text() }),
  fingerprint: param.text(),
  createdBy: param.text.orNull(),
})

const insert = statement({ name: 'joint-map-insert', params: row.params, text: row.sql })

const dropOld = statement({
  name: 'joint-maps-drop-old',
  params: { ...pairParams, upTo: param.int4() },
  text: `delete from joint_maps where from_repo_id = :fromRepoId and to_repo_id = :toRepoId and version <= :upTo
    and version is distinct from (select version from (${newestReviewedSql(':fromRepoId', ':toRepoId')}) used)`,
})

const review = statement({
  name: 'joint-map-review',
  params: { ...pairParams, version: param.int4(), personId: param.text() },
  text: `update joint_maps set reviewed_by = :personId, reviewed_at = now()
    where from_repo_id = :fromRepoId and to_repo_id = :toRepoId and version = :version and reviewed_at is null`,
})

interface Found {
  readonly id: string
  readonly from: RepoFacts
  readonly to: RepoFacts
}

/** Both repos, of which the caller writes the first. Errors: 401, 403, 404 either, 409 for what is not a robot. */
async function findPair(ctx: RequestContext, input: Pair, action: string): Promise<Found> {
  const from = await findRepoToWrite(ctx, input)
  assertNotJob(ctx.viewer, action)
  const [owner = '', slug = ''] = input.robot.split('/')
  const to = await findRepo(ctx, { owner, slug })
  if (to.kind !== 'robot')
    throw new HubError('conflict.wrong_kind', `${to.fullName} is a ${to.kind} repo; a map leads to a robot repo.`)
  if (to.id === from.id) throw new HubError('conflict.wrong_kind', `A map leads from ${from.fullName} to another repo.`)
  return { id: from.id, from, to }
}

/**
 * Keeps the map as the next version, not reviewed yet. Errors: 401, 403, 404, 409 `conflict.map_changed` where
 * the current version is not `ifVersion`, 422 a map over 256 KiB.
 */
export function putJointMap(ctx: RequestContext, input: PutJointMapInput): Promise<KeptMap> {
  return guarded(
    ctx,
    () => findPair(ctx, input, 'keep a map of joints'),
    (allowed, { from, to }) =>
      commitVerb(allowed, async (tx) => {
        const { before, ownerId } = await lockedCurrent(tx, from, to)
        assertVersion(before, input.ifVersion, from, to)
        const text = JSON.stringify(input.map)
        if (Buffer.byteLength(text) > MAX_MAP_BYTES) throw tooLarge()
        const [pair, version] = [{ fromRepoId: from.id, toRepoId: to.id }, input.ifVersion + 1]
        const fingerprint = fingerprintOf(input.map)
        const createdBy = allowed.viewer.kind === 'anonymous' ? null : allowed.viewer.personId
        await tx.query(insert, { ...pair, version, text, fingerprint, createdBy })
        if (version > KEPT_VERSIONS) await tx.query(dropOld, { ...pair, upTo: version - KEPT_VERSIONS })
        await audit(tx, allowed, {
          action: 'map.put',
          accountId: ownerId,
          targetId: from.id,
          before: before ? { version: before.version, fingerprint: before.fingerprint } : {},
          after: { robot: to.fullName, version, fingerprint },
        })
        return answer(tx, from, to)
      }),
  )
}

export interface ReviewJointMapInput extends Pair {
  readonly version: number
}

/**
 * Notes that the caller has reviewed the current version; a version that is reviewed already stays as it is. Errors:
 * 401, 403 (also agents' keys, and keys without a person), 404, 409 `conflict.map_changed` where `version` is not the current one.
 */
export function reviewJointMap(ctx: RequestContext, input: ReviewJointMapInput): Promise<KeptMap> {
  return guarded(
    ctx,
    async () => {
      const found = await findPair(ctx, input, 'review a map of joints')
      assertNotAgent(ctx.viewer, 'review a map of joints')
      const personId = ctx.viewer.kind === 'anonymous' ? null : ctx.viewer.personId
      if (personId === null) throw new HubError('forbidden.scope', 'A person reviews a map; use a key of a person.')
      return { ...found, personId }
    },
    (allowed, { from, to, personId }) =>
      commitVerb(allowed, async (tx) => {
        const { before, ownerId } = await lockedCurrent(tx, from, to)
        if (!before) throw notFound(`A map from ${from.fullName} to ${to.fullName}`)
        const { version } = input
        assertVersion(before, version, from, to)
        if (before.reviewedAt !== null) return before
        await tx.query(review, { fromRepoId: from.id, toRepoId: to.id, version, personId })
        await audit(tx, allowed, {
          action: 'map.review',
          accountId: ownerId,
          targetId: from.id,
          after: { robot: to.fullName, version, fingerprint: before.fingerprint },
        })
        return answer(tx, from, to)
      }),
  )
}

interface LockedMap {
  /** The current map; null without one. */
  readonly before: KeptMap | null
  /** Of the first repo, which may have moved since it was found. */
  readonly ownerId: string
}

/**
 * Puts of one repo's maps go one after another, pushes to the robot go on; a robot that is deleted meanwhile is 404.
 */
async function lockedCurrent(tx: Tx, from: RepoFacts, to: RepoFacts): Promise<LockedMap> {
  const { ownerId } = await lockWithOther(tx, from, to)
  const [before = null] = await tx.query(current, { fromRepoId: from.id, toRepoId: to.id })
  return { before, ownerId }
}

function assertVersion(before: KeptMap | null, asked: number, from: RepoFacts, to: RepoFacts): void {
  const now = before?.version ?? 0
  if (now === asked) return
  const there = now === 0 ? 'There is no map' : `The current map is version ${now}`
  const detail = `${there} from ${from.fullName} to ${to.fullName}, not version ${asked}; read it and try again.`
  throw new HubError('conflict.map_changed', detail, {
    items: [{ type: 'conflict.map_changed', detail, version: now }],
  })
}

const tooLarge = () =>
  new HubError('validation.failed', 'The map is over 256 KiB of JSON; give its joints shorter names.', {
    items: [{ type: 'validation.too_long', detail: 'is over 256 KiB of JSON', loc: ['map'] }],
  })

async function answer(tx: Tx, from: RepoFacts, to: RepoFacts): Promise<KeptMap> {
  const [kept] = await tx.query(current, { fromRepoId: from.id, toRepoId: to.id })
  if (!kept) throw new Error('The map was not kept.')
  return kept
}
