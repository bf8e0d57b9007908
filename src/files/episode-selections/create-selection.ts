/** Names episodes of a data set: as a list, all but a list, or by their labels. Contract, "Selections of episodes". */
import { createHash } from 'node:crypto'
import {
  countOfRanges,
  type EpisodeRange,
  MAX_EPISODES,
  otherRanges,
  rangesOfEpisodes,
  readRanges,
  writeRanges,
} from '@hub/formats/episode-ranges'
import { assertNotJob } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, invalid, notFound } from '../../platform/errors.ts'
import { findRepoToWrite, lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { assertEpisode } from '../../repos/known-episodes.ts'
import { column, columns } from '../../store/columns.ts'
import type { Tx } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'
import { type EpisodeSelection, insertSelection, selectionByName } from './selection-rows.ts'

/** Selections are never changed nor deleted alone: a mistake gets another name. */
export const MAX_SELECTIONS_PER_REPO = 1000
/** Of the ranges as a text; a list of every other episode of 15,000 is within it. */
export const MAX_SELECTION_CHARACTERS = 65_536

/** What labels select by: `kept` and `successful` are labelled so, `not_dropped` are all but those labelled `drop`. */
export type LabelFilter = 'kept' | 'not_dropped' | 'successful'

export interface CreateSelectionInput {
  readonly owner: string
  readonly repo: string
  readonly name: string
  readonly keep?: string | null
  readonly drop?: string | null
  readonly labels?: LabelFilter | null
  readonly note?: string | null
}

const counts = columns({
  total: column.int4.orNull('max(m.episode_count)'),
  selections: column.int4('(select count(*)::int from episode_selections s where s.repo_id = :repoId)'),
})
const countsOf = statement({
  name: 'episode-selection-counts',
  exact: 'in-transaction',
  columns: counts,
  params: { repoId: param.text() },
  text: `select ${counts.sql} from dataset_meta m where m.repo_id = :repoId`,
})

const labelled = columns({ episode: column.int4('l.episode') })
const byLabel = statement({
  name: 'episodes-by-label',
  exact: 'in-transaction',
  columns: labelled,
  params: { repoId: param.text(), label: param.text(), below: param.int4() },
  text: `select ${labelled.sql} from episode_labels l where l.repo_id = :repoId and l.is_current
    and :label in (l.choice::text, l.outcome::text) and l.episode < :below order by l.episode`,
})

/**
 * The new selection, of the files as they are now. Errors: 401, 403, 404, 409 `conflict.taken`, `conflict.wrong_kind`
 * for what is not a data set of LeRobot, 422 for a list that has no episode of it, or another one.
 */
export function createEpisodeSelection(ctx: RequestContext, input: CreateSelectionInput): Promise<EpisodeSelection> {
  return guarded(
    ctx,
    async () => {
      const repo = await findRepoToWrite(ctx, input)
      assertNotJob(ctx.viewer, 'select episodes')
      return repo
    },
    (allowed, facts) =>
      commitVerb(allowed, async (tx) => {
        const repo = await lockRepo(tx, facts.id)
        if (!repo) throw notFound(`The repo ${facts.fullName}`)
        const total = await totalOf(tx, repo, input.name)
        const kept = await selected(tx, repo, input, total)
        const episodes = writeRanges(kept)
        if (episodes.length > MAX_SELECTION_CHARACTERS) throw tooScattered()
        const { name, note = null } = input
        const count = countOfRanges(kept)
        const fingerprint = createHash('sha256').update(episodes).digest('hex')
        const createdBy = allowed.viewer.kind === 'anonymous' ? null : allowed.viewer.personId
        const row = { name, seq: repo.seq, episodes, count, total, fingerprint }
        await tx.query(insertSelection, { repoId: repo.id, ...row, note: note || null, createdBy })
        await audit(tx, allowed, {
          action: 'episodes.select',
          accountId: repo.ownerId,
          targetId: repo.id,
          after: { name, seq: repo.seq, count, total, fingerprint },
        })
        tx.afterCommit(() => allowed.deps.events.hint(repo.id))
        const [made] = await tx.query(selectionByName, { repoId: repo.id, name })
        if (!made) throw new Error('The selection was not made.')
        return made
      }),
  )
}

/** How many episodes the data set has. */
async function totalOf(tx: Tx, { id: repoId, fullName }: RepoFacts, name: string): Promise<number> {
  const [known] = await tx.query(countsOf, { repoId })
  if (known?.total == null)
    throw new HubError('conflict.wrong_kind', `${fullName} does not say how many episodes it has in meta/info.json.`)
  const [taken] = await tx.query(selectionByName, { repoId, name })
  if (taken) {
    const detail = `${fullName} already has a selection ${name}, of ${taken.count} episodes; choose another name.`
    throw new HubError('conflict.taken', detail, { items: [{ type: 'conflict.taken', detail, loc: ['name'] }] })
  }
  if (known.selections < MAX_SELECTIONS_PER_REPO) return known.total
  const detail = `${fullName} has ${known.selections} selections, and a repo has at most ${MAX_SELECTIONS_PER_REPO}.`
  throw new HubError('conflict.taken', detail)
}

/** Their ranges in order: a list of one range has up to a million episodes. 422 where there is none. */
async function selected(
  tx: Tx,
  { id: repoId, fullName }: RepoFacts,
  { keep, drop, labels }: CreateSelectionInput,
  total: number,
): Promise<readonly EpisodeRange[]> {
  const given = [keep, drop, labels].filter((one) => one != null)
  if (given.length !== 1)
    throw invalid('validation.value', 'Give one of `keep`, `drop` and `labels`: what is selected.', ['keep'])
  const listed = keep ?? drop
  const place = keep == null ? 'drop' : 'keep'
  const found =
    listed == null
      ? await episodesLabelled(tx, repoId, labels ?? 'kept', total)
      : within(fullName, listed, place, total)
  const isInverted = drop != null || labels === 'not_dropped'
  if (isInverted && total > MAX_EPISODES)
    throw invalid('validation.value', `The data set has over ${MAX_EPISODES} episodes: give \`keep\`.`, [place])
  const kept = isInverted ? otherRanges(found, total) : found
  if (kept.length > 0) return kept
  throw invalid('validation.value', `No episode of ${fullName} is left: it has ${total}.`, [labels ? 'labels' : place])
}

async function episodesLabelled(tx: Tx, repoId: string, filter: LabelFilter, below: number) {
  const label = { kept: 'keep', not_dropped: 'drop', successful: 'success' }[filter]
  return rangesOfEpisodes((await tx.query(byLabel, { repoId, label, below })).map(({ episode }) => episode))
}

function within(fullName: string, text: string, place: string, total: number): readonly EpisodeRange[] {
  const ranges = readRanges(text)
  if ('fault' in ranges) throw invalid('validation.value', ranges.fault, [place])
  assertEpisode(fullName, total, ranges.at(-1)?.[1] ?? 0, [place])
  return ranges
}

const tooScattered = () =>
  invalid('validation.value', 'The list is over 64 KiB of ranges: select episodes that follow one another.', ['keep'])
