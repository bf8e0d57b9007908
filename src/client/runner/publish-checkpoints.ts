/** Publishing checkpoints: each complete folder `checkpoints/step_{N}/` becomes files of the run's output repo, in the order of the steps. */
import { isJsonObject } from '../exact-json.ts'
import type { HubClient } from '../hub-client.ts'
import { failureLine, LocalError, ProblemError } from '../problem.ts'
import { pushFolder } from '../push.ts'
import type { RemoteRun } from '../run-shapes.ts'
import { type CheckpointFolder, foldersIn } from './checkpoint-folders.ts'
import type { Journal } from './journal.ts'
import type { RunFiles } from './run-files.ts'

export interface Publisher {
  /** Publishes what is complete. With `isWhole` all of it is. Rejects with what may pass by itself; then the next look tries again. */
  look(isWhole: boolean): Promise<void>
}

export interface PublisherOptions {
  readonly client: HubClient
  readonly files: RunFiles
  readonly journal: Journal
  readonly repo: { readonly owner: string; readonly slug: string }
  /** The transfer memory of the client. */
  readonly cacheDir: string
  readonly isSettled: (name: string) => Promise<boolean>
  readonly tell: (line: string) => void
}

/** Looks at one attempt's folder. Steps up to the last published one are never touched again. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { client, files, journal, tell } = options
  const passedOver = new Set<string>()

  async function publish({ step, name }: CheckpointFolder): Promise<void> {
    const fullName = `${options.repo.owner}/${options.repo.slug}`
    const report = await pushFolder(client, options.repo, files.dir, {
      cacheDir: options.cacheDir,
      filter: { include: [`checkpoints/${name}/**`], exclude: [] },
      kind: 'model',
    })
    if (report.failed.length > 0) throw report.cause
    journal.put({ published: { step, repo: fullName } })
    tell(`published step ${step} to ${fullName}`)
  }

  return {
    async look(isWhole) {
      for (const folder of await foldersIn(files.checkpoints)) {
        const last = journal.state.published?.step ?? -1
        if (folder.step <= last || passedOver.has(folder.name)) continue
        // Later steps wait for this one.
        if (!isWhole && !(await options.isSettled(folder.name))) return
        try {
          await publish(folder)
        } catch (error) {
          if (!isFinal(error)) throw error
          passedOver.add(folder.name)
          tell(`step ${folder.step} is not published: ${failureLine(error)}`)
        }
      }
    },
  }
}

/** A folder that cannot be pushed, or a repo that the key may not make or write, stays so. */
const isFinal = (error: unknown) =>
  error instanceof LocalError || (error instanceof ProblemError && [400, 403, 404, 413, 422].includes(error.status))

/** A name that a person recognises and no other run has. */
export function outputSlug({ id, display_name: name, recipe }: RemoteRun): string {
  const words =
    isJsonObject(recipe.hyperparams) && typeof recipe.hyperparams.run_name === 'string' ? name : recipe.template
  const slug = String(words)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  return `${slug}-${id.slice(-8)}`.replace(/^-+/, '')
}
