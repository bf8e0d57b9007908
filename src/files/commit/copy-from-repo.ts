/** Files of one repo as a commit of another one: no bytes are sent. The caller's transaction may do more. */
import { commitVerb } from '../../operation/commit-verb.ts'
import type { AllowedContext } from '../../operation/context.ts'
import type { Loc } from '../../platform/errors.ts'
import { inTurns } from '../../platform/slices.ts'
import { BODY_PATHS } from '../../repos/bodies/body-of-file.ts'
import type { RepoFacts } from '../../repos/get-repo.ts'
import { README_PATH } from '../../repos/readme/readme-card.ts'
import type { Tx } from '../../store/db.ts'
import { requireObjects } from '../../store/objects/required.ts'
import { GoneBytes } from '../link-blobs.ts'
import { readDescription } from '../read-dataset-info.ts'
import { readReadme } from '../read-readme.ts'
import { contentOf, findReadable } from '../readable-blobs.ts'
import { applyCommit } from './apply-commit.ts'
import { type Added, type Committed, checkOperations } from './commit-input.ts'
import { readableBlobs } from './sources.ts'
import { repeatedly } from './with-sources.ts'

interface CopyWanted {
  /** The repo that has the files; the caller may read it. */
  readonly sourceId: string
  /** The verified files, by their paths in the repo that gets them. */
  readonly files: readonly Added[]
  readonly message: string
  /** The run that made them. */
  readonly runId: string
  /** Where in the caller's input a fault of the files stands. */
  readonly loc: Loc
}

/**
 * Runs `write` in the one transaction that also keeps the answer for replays; `commit` of its arguments adds the files
 * to a repo, no dataset, that the transaction may have made. Errors: 409 `conflict.path` and `conflict.in_progress`, 413, 503, and
 * those of `write`.
 */
export async function copyFromRepo<T>(
  ctx: AllowedContext,
  { sourceId, files, message, runId, loc }: CopyWanted,
  write: (tx: Tx, commit: (repo: RepoFacts) => Promise<Committed>) => Promise<T>,
): Promise<T> {
  const objects = requireObjects(ctx.deps)
  const input = { owner: '', repo: '', add: [...files], message, runId }
  const targets = files.map(({ path }) => ({ path, loc }))
  await inTurns(checkOperations(input, targets))
  return repeatedly(async () => {
    const readable = await findReadable(ctx, sourceId, files)
    if (files.some((file) => !readable.has(contentOf(file)))) throw new GoneBytes()
    const blobs = await readableBlobs(ctx, objects, readable)
    const card = files.find(({ path }) => path === README_PATH)
    const stored = card && blobs.get(contentOf(card))
    const readme = stored ? await readReadme(ctx, objects, stored.blob) : null
    const [said] = BODY_PATHS.model.flatMap((path) => files.find((file) => file.path === path) ?? [])
    const described = await readDescription(ctx, objects, 'model', (said && blobs.get(contentOf(said))?.blob) ?? null)
    const sources = { attempt: null, uploads: [], blobs, ...described, readme }
    return commitVerb(ctx, (tx) =>
      write(tx, (repo) => applyCommit(ctx, tx, { repo, input, targets, added: files, copies: [], ...sources })),
    )
  })
}
