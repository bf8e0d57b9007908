/** The requests that make a model repo of a checkpoint. Pure. */
import type {
  CheckpointToPromoteQuery,
  CommitCheckpointMutationVariables,
  DescribeModelMutationVariables,
} from './promote.graphql.ts'

type Run = NonNullable<CheckpointToPromoteQuery['run']>
export type Checkpoint = Run['checkpoints']['items'][number]

interface Model {
  readonly owner: string
  readonly slug: string
}

/** `OWNER/NAME`; null for anything else. */
export function modelNamed(typed: string): Model | null {
  const [, owner, slug] = /^([^/\s]+)\/([^/\s]+)$/.exec(typed.trim()) ?? []
  return owner === undefined || slug === undefined ? null : { owner, slug }
}

/**
 * Adds the files of a checkpoint, without its folder and without sending bytes; null while the hub has not hashed them
 * all, which it does within seconds of the upload.
 */
export function commitOf(
  run: Pick<Run, 'id'>,
  { step, path, files }: Checkpoint,
  { owner, slug }: Model,
): CommitCheckpointMutationVariables['input'] | null {
  const folder = path.endsWith('/') ? path : `${path}/`
  const add = files.flatMap(({ path: whole, size, sha256 }) =>
    sha256 === null ? [] : [{ path: whole.startsWith(folder) ? whole.slice(folder.length) : whole, size, sha256 }],
  )
  if (add.length < files.length) return null
  return { owner, repo: slug, add, message: `Step ${step} of ${run.id}` }
}

/** What the model is: the template, robot and run that it comes from. */
export function metaOf(
  run: Pick<Run, 'id' | 'recipe' | 'robotRepo'>,
  templates: NonNullable<CheckpointToPromoteQuery['trainingTemplates']>['items'],
  { owner, slug }: Model,
): DescribeModelMutationVariables['input'] {
  return {
    owner,
    repo: slug,
    policyType: run.recipe.template,
    robot: run.robotRepo?.fullName ?? run.recipe.robot,
    controlClass: templates.find(({ name }) => name === run.recipe.template)?.controlClass ?? null,
    sourceRunId: run.id,
  }
}
