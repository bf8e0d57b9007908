/** The repo that takes a run's files. */
import type { HubClient } from '@hub/client/internal'
import type { TrackJournal } from '../track-journal.ts'

/** Tells the hub of the run's output repo, once an attempt: what names a file of it has to come later. */
export async function nameOutput(client: HubClient, journal: TrackJournal): Promise<void> {
  const { outputReported, target, runId, attempt } = journal.state
  if (outputReported || target === null) return
  await client.runs.report(runId, { attempt, output_model_repo: `${target.owner}/${target.slug}` })
  if (journal.state.runId === runId && journal.state.attempt === attempt) journal.put({ outputReported: true })
}
