/** `--hf`: what a command needs so that Hugging Face's clients use this hub, and push what the run makes. */
import { type HubClient, LocalError, ProblemError } from '@hub/client/internal'
import { nameOutput } from './files/output-repo.ts'
import type { RunClaim } from './run-claim.ts'
import type { TrackJournal } from './track-journal.ts'

interface KeyOptions {
  readonly client: HubClient
  readonly journal: TrackJournal
  readonly recover: RunClaim['recover']
}

/** The variables. Xet is not offered here, and newer clients use it unless they are told. */
export const hfVariables = (url: string, token: string): Readonly<Record<string, string>> => ({
  HF_ENDPOINT: url,
  HF_TOKEN: token,
  HF_HUB_DISABLE_XET: '1',
})

/**
 * A key of the run, in place of the one before. It writes the repo that the person named for the run's files, which is
 * made if it is not there. Claims a run again that has lost its lease. Rejects with `LocalError` without a run.
 */
export async function makeKey({ client, journal, recover }: KeyOptions): Promise<string> {
  if (!journal.state.started)
    throw new LocalError(
      '--hf needs the hub when the command begins, since its key is made there. Leave --hf out, or try again.',
    )
  const make = async () => {
    const { target, outputRepo, runId, attempt } = journal.state
    if (outputRepo !== null && target !== null) {
      await client.getRepo(target).catch((error: unknown) => {
        if (!(error instanceof ProblemError && error.status === 404)) throw error
        return client.createRepo(target, 'model', 'private')
      })
      await nameOutput(client, journal)
    }
    return client.runs.makeKey(runId, attempt)
  }
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof ProblemError && error.status === 409)) throw error
    await recover(error)
    return make()
  }
}
