/** Publishing checkpoints: each complete folder `checkpoints/step_{N}/` becomes files of the run's output repo, in the order of the steps. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HubClient } from '../hub-client.ts'
import { failureLine, LocalError, ProblemError } from '../problem.ts'
import { pushFolder } from '../push.ts'
import type { Journal } from './journal.ts'
import { absent, type RunFiles, stampOf } from './run-files.ts'

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
  /** A folder that has not changed for so long is complete. One that is made elsewhere and renamed is complete at once, and waits no less. */
  readonly settleMs: number
  readonly tell: (line: string) => void
  readonly now?: () => number
}

interface Folder {
  readonly step: number
  readonly name: string
}

/** Looks at one attempt's folder. Steps up to the last published one are never touched again. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { client, files, journal, tell } = options
  const now = options.now ?? (() => performance.now())
  const seen = new Map<string, { readonly stamp: string; readonly at: number }>()
  const passedOver = new Set<string>()

  async function isSettled(name: string): Promise<boolean> {
    const stamp = await stampOfFolder(join(files.checkpoints, name))
    const before = seen.get(name)
    if (before?.stamp === stamp) return stamp !== '' && now() - before.at >= options.settleMs
    seen.set(name, { stamp, at: now() })
    return false
  }

  async function publish({ step, name }: Folder): Promise<void> {
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
        if (!isWhole && !(await isSettled(folder.name))) return
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

/** Oldest step first. Other names, such as `step_5.tmp`, are folders under way. */
async function foldersIn(dir: string): Promise<Folder[]> {
  const entries = (await readdir(dir, { withFileTypes: true }).catch(absent)) ?? []
  return entries
    .flatMap((entry): Folder[] => {
      const [, step] = /^step_(\d{1,15})$/.exec(entry.name) ?? []
      return step !== undefined && entry.isDirectory() ? [{ step: Number(step), name: entry.name }] : []
    })
    .sort((a, b) => a.step - b.step)
}

/** '' for a folder without files. */
async function stampOfFolder(dir: string): Promise<string> {
  const names = (await readdir(dir, { recursive: true }).catch(absent)) ?? []
  const stamps = await Promise.all(names.sort().map(async (name) => `${name} ${await stampOf(join(dir, name))}`))
  return stamps.join('\n')
}
