/** Asks the hub for files whose bytes it has already, so that they need not be sent. */
import type { HubClient } from './hub-client.ts'
import type { MessageOption } from './message-option.ts'
import { ProblemError } from './problem.ts'
import type { Outgoing } from './push-plan.ts'
import type { RepoName } from './repo-name.ts'
import type { RemoteFile } from './shapes.ts'

/** Links what it can and returns the files to send. A hub without this operation is asked once. */
export function knownLinker(
  { client, repo, said }: { readonly client: HubClient; readonly repo: RepoName; readonly said: MessageOption },
  linked: (local: Outgoing, entry: RemoteFile) => void,
) {
  let isOffered = true
  return async (batch: readonly Outgoing[]): Promise<readonly Outgoing[]> => {
    if (!isOffered || batch.length === 0) return batch
    try {
      const asked = batch.map(({ path, size, sha256 }) => ({ path, size, sha256 }))
      const byPath = new Map((await client.linkFiles(repo, asked, said)).files.map((entry) => [entry.path, entry]))
      return batch.filter((local) => {
        const entry = byPath.get(local.path)
        if (entry) linked(local, entry)
        return !entry
      })
    } catch (error) {
      client.signal.throwIfAborted()
      if (!(error instanceof ProblemError)) throw error
      // Whatever is wrong with a file, sending it says so by its name.
      if ([403, 404, 405].includes(error.status)) isOffered = false
      return batch
    }
  }
}
