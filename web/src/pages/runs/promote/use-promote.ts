/** Makes a model repo of a checkpoint: the repo if there is none, its files as one change, and where it comes from. */
import { useState } from 'react'
import { type CombinedError, useClient } from 'urql'
import {
  checkpointToPromoteQuery,
  commitCheckpointMutation,
  createModelRepoMutation,
  describeModelMutation,
  modelToPromoteToQuery,
} from './promote.graphql.ts'
import { commitOf, metaOf, modelNamed } from './promote-input.ts'

/** Why it was not done: an error of the hub, or what is wrong with the name that was typed. */
export type Refusal = { readonly error: CombinedError } | { readonly fault: string }

interface Wanted {
  readonly runId: string
  readonly step: number
  /** `OWNER/NAME`. */
  readonly model: string
  readonly isPublic: boolean
}

/** Each step is done once only, so that what failed in between can be tried again. `promote` gives the repo's full name. */
export function usePromote() {
  const client = useClient()
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [isBusy, setBusy] = useState(false)
  const promote = async (wanted: Wanted): Promise<string | null> => {
    setBusy(true)
    const outcome = await promoted(client, wanted)
    setBusy(false)
    setRefusal(typeof outcome === 'string' ? null : outcome)
    return typeof outcome === 'string' ? outcome : null
  }
  return { promote, refusal, isBusy }
}

async function promoted(
  client: ReturnType<typeof useClient>,
  { runId, step, model, isPublic }: Wanted,
): Promise<string | Refusal> {
  const named = modelNamed(model)
  if (named === null) return { fault: 'must be OWNER/NAME' }
  const { data, error } = await client.query(checkpointToPromoteQuery, { id: runId }, fresh).toPromise()
  const run = data?.run
  if (!run) return error ? { error } : { fault: 'The run is not there any more.' }
  const checkpoint = run.checkpoints.items.find((one) => one.step === step)
  if (!checkpoint) return { fault: 'The checkpoint is not there any more.' }
  const commit = commitOf(run, checkpoint, named)
  if (commit === null) return { fault: 'The hub still verifies files of this checkpoint: try again in a moment.' }
  const found = await client.query(modelToPromoteToQuery, named, fresh).toPromise()
  if (found.error) return { error: found.error }
  if (found.data?.repo && found.data.repo.kind !== 'MODEL') return { fault: 'is a repo of another kind' }
  if (!found.data?.repo) {
    const input = {
      ...named,
      kind: 'MODEL' as const,
      visibility: isPublic ? ('PUBLIC' as const) : ('PRIVATE' as const),
    }
    const created = await client.mutation(createModelRepoMutation, { input }).toPromise()
    if (created.error) return { error: created.error }
  }
  const committed = await client.mutation(commitCheckpointMutation, { input: commit }).toPromise()
  if (committed.error) return { error: committed.error }
  const input = metaOf(run, data.trainingTemplates?.items ?? [], named)
  const described = await client.mutation(describeModelMutation, { input }).toPromise()
  return described.error ? { error: described.error } : `${named.owner}/${named.slug}`
}

const fresh = { requestPolicy: 'network-only' } as const
