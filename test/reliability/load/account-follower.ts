/** Follows the runs of an account by `runsUpdated`, resumed after its cursor: a change may be shown twice, never left out. */
import { setTimeout as delay } from 'node:timers/promises'
import { OWNER } from '../lab/lab.ts'
import type { Client, Json } from './client.ts'
import { readStream } from './stream.ts'

export class AccountFollower {
  /** The last status that each run was shown with. */
  readonly status = new Map<string, string>()
  resumed = -1
  #cursor: string | null = null

  /** Until `ending` aborts. */
  async follow(client: Client, ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      this.resumed += 1
      const after = this.#cursor === null ? '' : `, after: ${JSON.stringify(this.#cursor)}`
      const query = `subscription { runsUpdated(owner: "${OWNER}"${after}) { nodes { id status } cursor } }`
      await readStream(client, { path: '/graphql/stream', query, ending }, ({ data }) =>
        this.#take(data.data?.runsUpdated),
      )
      await delay(300)
    }
  }

  #take(update: Json): void {
    if (!update) return
    for (const { id, status } of update.nodes) this.status.set(id, status)
    this.#cursor = update.cursor
  }
}
