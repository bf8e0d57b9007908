/** Checks a card against its repo: PUT and validate share this result. */

import type { ModelReading } from '@hub/mjcf/reading'
import type { Check } from '@hub/mjcf/verdict/check'
import { cardChecks } from '@hub/robot-card/card-checks'
import type { RobotCardDocument } from '@hub/robot-card/card-schema'
import { readCard } from '@hub/robot-card/read-card'
import { readRepoModel } from '../models/reader/read-repo-model.ts'
import type { RepoFile } from '../models/reader/repo-files.ts'
import type { RequestContext } from '../operation/context.ts'
import { HubError } from '../platform/errors.ts'
import type { RepoFacts } from '../repos/get-repo.ts'
import { presentStills } from './present-stills.ts'

export interface Verdict {
  /** Null if the schema rejects it. */
  readonly card: RobotCardDocument | null
  readonly entry: string | null
  readonly reading: ModelReading | null
  readonly checks: readonly Check[]
  /** The change number of the repo's files that the result is valid for. */
  readonly seq: number
}

/**
 * Checks any JSON value as the card of a robot repo. One statement for the model when it is known, one for the stills.
 * `overlay` has files that the repo is treated as having already. Errors: 503.
 */
export async function judgeCard(
  ctx: RequestContext,
  repo: RepoFacts,
  document: unknown,
  overlay: ReadonlyMap<string, RepoFile> = new Map(),
): Promise<Verdict> {
  const read = readCard(document)
  const entry = read.readable.mjcf_path ?? null
  const model =
    entry === null
      ? null
      : await readRepoModel({
          deps: ctx.deps,
          repoId: repo.id,
          entry,
          signal: ctx.signal,
          options: { overlay, asker: askerOf(ctx) },
        })
  // Read after the model: if files change in between, the repo's `seq` is then higher than that of the verdict.
  const stills = new Set([...(await presentStills(ctx, repo.id, read.readable)), ...overlay.keys()])
  const reading = model?.reading ?? null
  return { card: read.card, entry, reading, checks: cardChecks(read, { reading, stills }), seq: model?.seq ?? repo.seq }
}

/** A person is one asker, over all orgs; so are all who are not signed in. */
const askerOf = ({ viewer }: RequestContext): string =>
  viewer.kind === 'anonymous' ? '' : (viewer.personId ?? viewer.account.id)

/** 409 for a repo whose kind has no card. */
export function assertRobotRepo(repo: Pick<RepoFacts, 'kind' | 'fullName'>): void {
  if (repo.kind === 'robot') return
  throw new HubError('conflict.wrong_kind', `${repo.fullName} is a ${repo.kind} repo; only a robot repo has a card.`)
}
