/**
 * Asks for a picture or a short video of an episode on a robot, of a data set or kept by a result. Contract, "Films of
 * episodes".
 */

import { isId, newId } from '@hub/formats/ids'
import { lockAccounts } from '../accounts/lock-accounts.ts'
import { assertNotJob, repoViewer, repoVisibleSql, visibleRepos } from '../auth/policy.ts'
import { assertOpenFilms } from '../files/open-films.ts'
import { newestReviewedSql } from '../fits/joint-map-rows.ts'
import { audit } from '../operation/audit.ts'
import { commitVerb, guarded } from '../operation/commit-verb.ts'
import type { AllowedContext, RequestContext } from '../operation/context.ts'
import { HubError, invalid, notFound } from '../platform/errors.ts'
import { findRepo, findRepoToWrite, lockRepo, type RepoFacts } from '../repos/get-repo.ts'
import { assertEpisode } from '../repos/known-episodes.ts'
import { keptSeeds } from '../rollouts/episodes/episode-rows.ts'
import { column, columns } from '../store/columns.ts'
import type { Tx } from '../store/db.ts'
import { insertInto, sql } from '../store/insert.ts'
import { requireObjects } from '../store/objects/required.ts'
import { param, statement } from '../store/statement.ts'
import { announceLeased } from '../work/leased-row.ts'
import { releaseFilms, removedColumns } from './film-bytes.ts'
import { assertFrame, assertKeptFrame, readLengths } from './film-frames.ts'
import type { FilmKind } from './film-objects.ts'
import { type EpisodeFilm, filmWork, readFilm } from './film-rows.ts'
import { MAX_FILMS_PER_REPO } from './limits.ts'

export interface RequestFilmInput {
  readonly owner: string
  readonly repo: string
  readonly kind: FilmKind
  /** Index of the episode; with `rollout` a seed. */
  readonly episode: number
  /** Of a still; 0 if absent. */
  readonly frame?: number | null
  /** Full name; the one that `meta/info.json` names if absent. None with `rollout`, which has its own. */
  readonly robot?: string | null
  /** Id of a result of the model, in place of a data set: it keeps the episode. */
  readonly rollout?: string | null
}

const factColumns = columns({
  robotSeq: column.int4('b.seq'),
  mapVersion: column.int4('coalesce(m.version, 0)'),
  episodeCount: column.int4.orNull('d.episode_count'),
  totalFrames: column.int8.orNull('d.total_frames'),
  /** Of the check of these files. */
  lengths: column.json.orNull("c.report #> '{summary,lengths}'", readLengths),
  /** Of a worker: a whole number that may be larger than any frame, and written as `1e2`. */
  ownFrames: column.float8.orNull("(c.report #> '{summary,frames}' ->> :episode::int)::float8"),
})

/** What the film is of, beside the locked data set: the state of the robot, and the map of joints in use. */
const facts = statement({
  name: 'episode-film-facts',
  exact: 'in-transaction',
  columns: factColumns,
  params: { repoId: param.text(), robotRepoId: param.text(), seq: param.int4(), episode: param.int4() },
  text: `select ${factColumns.sql} from repos b left join dataset_meta d on d.repo_id = :repoId
    left join dataset_checks c on c.repo_id = :repoId and c.report_seq = :seq
    left join lateral (${newestReviewedSql(':repoId', ':robotRepoId')}) m on true
    where b.id = :robotRepoId`,
})

const keptColumns = columns({
  /** Null where the result keeps no episode of the seed. */
  keptId: column.int8.orNull('k.id'),
  seq: column.int4('x.model_seq'),
  robot: column.text("bo.handle || '/' || b.slug"),
  /** How often the policy was asked: the motion has a frame for each. */
  steps: column.int4.orNull('s.steps'),
})

/** The kept episode of a result on a robot that the caller sees; it is locked, as it may go with its result. */
const keptOf = statement({
  name: 'episode-film-kept',
  columns: keptColumns,
  params: { ...repoViewer, repoId: param.text(), rolloutId: param.text(), seed: param.int4() },
  text: `select ${keptColumns.sql} from rollouts x
      join repos b on b.id = x.robot_repo_id and ${repoVisibleSql('b')} join accounts bo on bo.id = b.owner_id
      left join lateral (select e.id from rollout_episodes e
        where e.rollout_id = x.id and e.seed = :seed for key share) k on true
      left join rollout_outcomes s on s.rollout_id = x.id and s.seed = :seed
    where x.id = :rolloutId and x.model_repo_id = :repoId`,
})

const row = insertInto('episode_films', {
  id: param.text(),
  repoId: param.text(),
  ownerId: param.text(),
  seq: param.int4(),
  robotRepoId: param.text.orNull(),
  robotSeq: param.int4.orNull(),
  mapVersion: param.int4(),
  keptId: param.int8.orNull(),
  kind: param.enum('EpisodeFilmKind'),
  episode: param.int4.orNull(),
  frame: param.int4(),
  status: 'queued',
  requestedBy: param.text.orNull(),
  requestedAt: sql('now()'),
})

const filedColumns = columns({
  id: column.text('episode_films.id'),
  /** Asked for by this transaction, which has the repo's lock. */
  isNew: column.bool('episode_films.requested_at = now()::timestamptz(3)'),
})

/** The row that is there already for the same question; one that failed is tried again. */
const fileUnder = (name: string, key: string) =>
  statement({
    name,
    columns: filedColumns,
    params: row.params,
    text: `${row.sql}
    on conflict (${key}) do update set
      status = case when episode_films.status = 'failed' then 'queued' else episode_films.status end::"JobStatus",
      requested_by = case when episode_films.status = 'failed' then excluded.requested_by
        else episode_films.requested_by end,
      requested_at = case when episode_films.status = 'failed' then now() else episode_films.requested_at end,
      finished_at = case when episode_films.status = 'failed' then null else episode_films.finished_at end,
      lost = case when episode_films.status = 'failed' then 0 else episode_films.lost end,
      error = null
    returning ${filedColumns.sql}`,
  })

const file = fileUnder('episode-film-file', 'repo_id, episode, kind, frame, seq, robot_repo_id, robot_seq, map_version')
const fileKept = fileUnder('episode-film-file-kept', 'kept_id, kind, frame')

/** Those asked for first, of the ones that have ended. */
const dropOldest = statement({
  name: 'episode-films-drop-oldest',
  columns: removedColumns,
  params: { repoId: param.text() },
  text: `delete from episode_films where repo_id = :repoId and status in ('succeeded', 'failed') and id <= (
      select e.id from episode_films e where e.repo_id = :repoId order by e.id desc
        offset ${MAX_FILMS_PER_REPO} limit 1)
    returning ${removedColumns.sql}`,
})

/**
 * The film, which a worker of the owner makes: queued, or as it is if the same was asked for before. Errors: 401, 403,
 * 404 the data set or the robot, or the model or its result, 409 `conflict.wrong_kind`, 422 for an episode that the data
 * set does not have or the result does not keep, for a frame past the last one as far as the hub knows that, and for a
 * robot that nothing names, 429 `quota.films`, 503 without an object store.
 */
export function requestEpisodeFilm(ctx: RequestContext, input: RequestFilmInput): Promise<EpisodeFilm> {
  return guarded(
    ctx,
    async () => {
      const repo = await findRepoToWrite(ctx, input)
      assertNotJob(ctx.viewer, 'ask for films of episodes')
      return repo
    },
    async (allowed, repo) => {
      requireObjects(allowed.deps)
      assertKind(repo, isOfResult(input) ? 'model' : 'dataset')
      if (input.kind === 'video' && (input.frame ?? 0) !== 0)
        throw invalid('validation.value', 'A video has no frame of its own: leave it out.', ['frame'])
      if (isOfResult(input)) return commitVerb(allowed, (tx) => request(allowed, tx, repo, input, ofResult(input)))
      const robot = await robotOf(allowed, repo, input.robot ?? null)
      return commitVerb(allowed, (tx) => request(allowed, tx, repo, input, ofDataset(robot)))
    },
    async (film) => {
      if (!(await readFilm(ctx.deps.db, ctx.viewer, film))) throw notFound(`The film ${film.id}`)
    },
  )
}

/** What the film is of: columns of its row, and the name of the robot. */
interface Source {
  readonly seq: number
  readonly robotRepoId: string | null
  readonly robotSeq: number | null
  readonly mapVersion: number
  readonly episode: number | null
  readonly keptId: number | null
  readonly robot: string
}

/** Of the locked repo. */
type SourceOf = (ctx: AllowedContext, tx: Tx, repo: RepoFacts, input: RequestFilmInput) => Promise<Source>

async function request(ctx: AllowedContext, tx: Tx, found: RepoFacts, input: RequestFilmInput, sourceOf: SourceOf) {
  const repo = await lockRepo(tx, found.id)
  if (!repo) throw notFound(`The repo ${found.fullName}`)
  const { id, ownerId } = repo
  // Requests for other repos of the owner wait. Before the kept episode, as a deletion of its robot has it.
  await lockAccounts(tx, [ownerId])
  const { robot, ...source } = await sourceOf(ctx, tx, repo, input)
  const { kind, episode, frame, rollout } = input
  const requestedBy = ctx.viewer.kind === 'anonymous' ? null : ctx.viewer.personId
  const asked = { ...source, repoId: id, ownerId, kind, id: newId('film'), frame: frame ?? 0, requestedBy }
  const [filed] = await tx.query(source.keptId === null ? file : fileKept, asked)
  const film = filed && (await readFilm(tx, ctx.viewer, { repoId: id, id: filed.id }))
  // The robot was hidden from the caller meanwhile.
  if (!film) throw notFound(`The repo ${robot}`)
  if (!filed.isNew) return film
  const dropped = await tx.query(dropOldest, { repoId: id })
  await assertOpenFilms(tx, { ownerId, repoId: id, asked: 1 })
  await releaseFilms(ctx.deps, tx, repo, dropped)
  const after = { film: film.id, kind, ...(rollout && { rollout }), episode, robot, seq: source.seq }
  await audit(tx, ctx, { action: 'episode_film.create', accountId: ownerId, targetId: id, after })
  announceLeased(tx, ctx.deps.events, filmWork, film)
  return film
}

/** An episode of a data set, on a robot that it names or the caller. */
const ofDataset =
  (robot: RepoFacts): SourceOf =>
  async (_ctx, tx, { id: repoId, fullName, seq }, { episode, frame }) => {
    const [now] = await tx.query(facts, { repoId, robotRepoId: robot.id, seq, episode })
    if (!now) throw notFound(`The repo ${robot.fullName}`)
    const { robotSeq, mapVersion, ...known } = now
    assertEpisode(fullName, known.episodeCount, episode, ['episode'])
    assertFrame(fullName, { episode, frame: frame ?? 0 }, known)
    return { seq, robotRepoId: robot.id, robotSeq, mapVersion, episode, keptId: null, robot: robot.fullName }
  }

interface OfResult extends RequestFilmInput {
  readonly rollout: string
}

const isOfResult = (input: RequestFilmInput): input is OfResult => typeof input.rollout === 'string'

/** An episode that a result keeps, on the robot of the result. */
function ofResult({ rollout, robot: given }: OfResult): SourceOf {
  if (typeof given === 'string') throw invalid('validation.value', 'A result has its robot: leave it out.', ['robot'])
  return async ({ viewer }, tx, { id: repoId, fullName }, { episode: seed, frame }) => {
    const asked = { ...visibleRepos(viewer), repoId, rolloutId: rollout, seed }
    const [found] = isId('roll', rollout) ? await tx.query(keptOf, asked) : []
    if (!found) throw notFound(`The result ${rollout} of ${fullName}`)
    const { keptId, seq, robot, steps } = found
    if (keptId === null) throw notKept(rollout, seed, await keptSeeds(tx, rollout))
    if (steps !== null) assertKeptFrame(rollout, seed, frame ?? 0, steps)
    return { seq, robotRepoId: null, robotSeq: null, mapVersion: 0, episode: null, keptId, robot }
  }
}

function notKept(rollout: string, seed: number, kept: ReadonlySet<number>): HubError {
  const seeds = [...kept].toSorted((a, b) => a - b).join(', ')
  const fix = kept.size > 0 ? `it keeps those of ${seeds}` : 'it keeps none: publish one with hub rollout --keep-worst'
  return invalid('validation.value', `The result ${rollout} keeps no motion of seed ${seed}: ${fix}.`, ['episode'])
}

const namedColumns = columns({ robotType: column.text.orNull('d.robot_type') })
const namedRobot = statement({
  name: 'episode-film-named-robot',
  exact: 'verb-answer',
  columns: namedColumns,
  params: { repoId: param.text() },
  text: `select ${namedColumns.sql} from dataset_meta d where d.repo_id = :repoId`,
})

const fullName = /^([a-z0-9-]+)\/([a-z0-9-]+)$/

async function robotOf(ctx: RequestContext, repo: RepoFacts, given: string | null): Promise<RepoFacts> {
  const named = given ?? (await ctx.deps.db.query(namedRobot, { repoId: repo.id }))[0]?.robotType?.toLowerCase() ?? ''
  const [, owner, slug] = fullName.exec(named) ?? []
  if (owner === undefined || slug === undefined)
    throw invalid('validation.required', `${repo.fullName} names no robot of this hub: name one, owner/slug.`, [
      'robot',
    ])
  const robot = await findRepo(ctx, { owner, slug })
  assertKind(robot, 'robot')
  return robot
}

function assertKind({ kind, fullName: name }: RepoFacts, wanted: RepoFacts['kind']): void {
  if (kind === wanted) return
  const isUnnamed = kind === 'model' && wanted === 'dataset'
  const fix = isUnnamed ? ': name the result (`rollout`) that keeps the motion' : ''
  const detail = `${name} is a ${kind} repo; a film shows a data set, or a result of a model, on a robot${fix}.`
  throw new HubError('conflict.wrong_kind', detail)
}
