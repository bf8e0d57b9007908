/** What a person says of episodes: keep or drop, success or failure, a note; each change stays, and can be undone. */

import { newId } from '@hub/formats/ids'
import { assertNotJob } from '../../auth/policy.ts'
import { audit } from '../../operation/audit.ts'
import { commitVerb, guarded } from '../../operation/commit-verb.ts'
import type { RequestContext } from '../../operation/context.ts'
import { HubError, notFound } from '../../platform/errors.ts'
import { findRepoToWrite, lockRepo, type RepoFacts } from '../../repos/get-repo.ts'
import { assertEpisode, knownEpisodes } from '../../repos/known-episodes.ts'
import type { Tx } from '../../store/db.ts'
import {
  currentLabels,
  type EpisodeLabel,
  type LabelContent,
  labelsById,
  type NewLabel,
  replaceLabels,
} from './label-rows.ts'

/** Of one request; an answer has their labels. */
export const MAX_EPISODES_PER_REQUEST = 100

/** The members that are left out stay as they are; null is none. */
export interface LabelEpisodesInput {
  readonly owner: string
  readonly repo: string
  readonly episodes: readonly number[]
  readonly choice?: LabelContent['choice']
  readonly outcome?: LabelContent['outcome']
  readonly note?: string | null
}

/**
 * The current labels of these episodes afterwards. One that says the same already is left as it is: sent again, a
 * request changes nothing. Errors: 401, 403, 404, 422 also for an episode that the data set does not have, where its
 * meta block counts them; what was said of one when the data set was longer can be taken away, all or a
 * part of it.
 */
export function labelEpisodes(ctx: RequestContext, input: LabelEpisodesInput): Promise<EpisodeLabel[]> {
  const { episodes, choice, outcome, note } = input
  const named = [...new Set(episodes)]
  return changing(ctx, input, 'label episodes', async (tx, repo) => {
    const before = new Map((await currentLabels(tx, repo.id, named)).map((label) => [label.episode, label]))
    const known = await knownEpisodes(tx, repo.id)
    const labels = named.flatMap((episode): NewLabel[] => {
      const current = before.get(episode)
      const content = {
        choice: choice === undefined ? (current?.choice ?? null) : choice,
        outcome: outcome === undefined ? (current?.outcome ?? null) : outcome,
        note: note === undefined ? (current?.note ?? null) : note || null,
      }
      if (isSame(content, current ?? nothing)) return []
      if (saysMore(content, current ?? nothing))
        assertEpisode(repo.fullName, known, episode, ['episodes', episodes.indexOf(episode)])
      return [{ id: newId('label'), episode, ...content, previousId: current?.id ?? null, undoneId: null }]
    })
    return { labels, episodes: named }
  })
}

const nothing: LabelContent = { choice: null, outcome: null, note: null }

const isSame = (a: LabelContent, b: LabelContent) =>
  a.choice === b.choice && a.outcome === b.outcome && a.note === b.note

/** Whether a label says something that the one before did not: to take a part away says no more. */
const saysMore = (next: LabelContent, before: LabelContent) =>
  (['choice', 'outcome', 'note'] as const).some((part) => next[part] !== null && next[part] !== before[part])

/** The labels to undo. */
export interface UndoEpisodeLabelsInput {
  readonly owner: string
  readonly repo: string
  /** Ids of current labels. */
  readonly labels: readonly string[]
}

/**
 * Gives the episodes of these labels their previous labels, as new labels: what is undone can be done again, also of
 * episodes that the data set has no more. All or none. Errors: 401, 403, 404 a label, 412 for one that another has
 * replaced.
 */
export function undoEpisodeLabels(ctx: RequestContext, input: UndoEpisodeLabelsInput): Promise<EpisodeLabel[]> {
  const ids = [...new Set(input.labels)]
  return changing(ctx, input, 'undo labels of episodes', async (tx, repo) => {
    const undone = await labelsById(tx, repo.id, ids)
    const found = new Set(undone.map(({ id }) => id))
    const missing = ids.find((id) => !found.has(id))
    if (missing !== undefined) throw notFound(`The label ${missing} of ${repo.fullName}`)
    const replaced = undone.find(({ isCurrent }) => !isCurrent)
    if (replaced) throw replacedSince(replaced)
    const earlier = undone.flatMap(({ previousId }) => (previousId === null ? [] : [previousId]))
    const before = new Map((await labelsById(tx, repo.id, earlier)).map((label) => [label.id, label]))
    const labels = undone.map(({ id, episode, previousId }): NewLabel => {
      const { choice, outcome, note } = before.get(previousId ?? '') ?? nothing
      return { ...{ id: newId('label'), episode, choice, outcome, note }, previousId: id, undoneId: id }
    })
    return { labels, episodes: undone.map(({ episode }) => episode) }
  })
}

function replacedSince({ id, episode }: EpisodeLabel): HubError {
  const detail = `Episode ${episode} has been labelled again since ${id}: undo what is current, or label it again.`
  return new HubError('precondition.failed', detail, {
    items: [{ type: 'precondition.failed', detail, loc: ['labels'] }],
  })
}

interface Change {
  readonly labels: readonly NewLabel[]
  /** Whose current labels are the answer. */
  readonly episodes: readonly number[]
}

function changing(
  ctx: RequestContext,
  input: { readonly owner: string; readonly repo: string },
  action: string,
  change: (tx: Tx, repo: RepoFacts) => Promise<Change>,
): Promise<EpisodeLabel[]> {
  return guarded(
    ctx,
    async () => {
      const repo = await findRepoToWrite(ctx, input)
      assertNotJob(ctx.viewer, action)
      return repo
    },
    (allowed, facts) =>
      commitVerb(allowed, async (tx) => {
        const repo = await lockRepo(tx, facts.id)
        if (!repo) throw notFound(`The repo ${facts.fullName}`)
        const { labels, episodes } = await change(tx, repo)
        const createdBy = allowed.viewer.kind === 'anonymous' ? null : allowed.viewer.personId
        await replaceLabels(tx, { repoId: repo.id, createdBy }, labels)
        if (labels.length > 0) {
          const after = { episodes: labels.map(({ episode }) => episode) }
          await audit(tx, allowed, { action: 'episodes.label', accountId: repo.ownerId, targetId: repo.id, after })
          tx.afterCommit(() => allowed.deps.events.hint(repo.id))
        }
        return currentLabels(tx, repo.id, episodes)
      }),
  )
}
