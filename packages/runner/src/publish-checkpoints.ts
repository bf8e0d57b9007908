/**
 * Publishes checkpoints: pushes each complete folder `checkpoints/step_{N}/` to the run's output repo, in step order.
 */
import type { HubClient } from '@hub/client/internal'
import { failureLine, isOfContent, LocalError, nothingLeftOut, ProblemError, pushFolder } from '@hub/client/internal'
import type { RemoteRun } from '@hub/client/run-shapes'
import { isJsonObject } from '@hub/formats/exact-json'
import { type CheckpointFolder, listCheckpoints } from './checkpoint-folders.ts'
import { leaveBehind } from './left-behind.ts'
import type { RunFiles } from './run-files.ts'
import type { RunJournal } from './run-journal.ts'

export interface Publisher {
  /**
   * Publishes complete checkpoints; with `isFinal` all count as complete. One whose content is refused is skipped. Rejects
   * with every error that may pass until another poll: also a full quota and a missing right, which a person can fix.
   */
  poll(isFinal: boolean): Promise<void>
  /** Whether each checkpoint that is here was published. */
  hasAll(): Promise<boolean>
}

export interface PublisherOptions {
  readonly client: HubClient
  readonly files: Pick<RunFiles, 'dir' | 'checkpoints'>
  readonly journal: RunJournal
  /** Named by the version of each checkpoint, unless the hub does not take it. */
  readonly runId: string
  readonly repo: { readonly owner: string; readonly slug: string }
  /** Folder of the client's transfer cache. */
  readonly cacheDir: string
  readonly isStable: (name: string) => Promise<boolean>
  readonly logLine: (line: string) => void
}

/** Publishes the checkpoints of one attempt. Steps up to the last published one are never touched again. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { client, files, journal, logLine } = options
  const skipped = new Set<string>()
  let namesRun = true

  async function publish({ step, name }: CheckpointFolder): Promise<void> {
    const fullName = `${options.repo.owner}/${options.repo.slug}`
    const report = await pushFolder(client, options.repo, files.dir, {
      cacheDir: options.cacheDir,
      filter: { include: [`checkpoints/${name}/**`], exclude: [] },
      leaveOut: nothingLeftOut,
      kind: 'model',
      ...(namesRun && { runId: options.runId }),
      onRunRefused(why) {
        namesRun = false
        logLine(`checkpoints are published without the run that made them: ${why}`)
      },
    })
    if (report.failed.length > 0) throw report.cause
    journal.put({ published: { step, repo: fullName } })
    logLine(`published step ${step} to ${fullName}`)
  }

  return {
    async poll(isFinal) {
      for (const folder of await listCheckpoints(files.checkpoints)) {
        const last = journal.state.published?.step ?? -1
        if (folder.step <= last || skipped.has(folder.name)) continue
        // Later steps wait for this one.
        if (!isFinal && !(await options.isStable(folder.name))) return
        try {
          await publish(folder)
        } catch (error) {
          if (!isOfFolder(error)) {
            if (isFinal && isRefusal(error)) journal.put({ unsent: true })
            throw error
          }
          skipped.add(folder.name)
          leaveBehind(journal, `Step ${folder.step} was not published`, error)
          logLine(`step ${folder.step} was not published: ${failureLine(error)}`)
        }
      }
    },
    async hasAll() {
      const last = journal.state.published?.step ?? -1
      return (await listCheckpoints(files.checkpoints)).every(({ step }) => step <= last)
    },
  }
}

/** Retrying cannot help: the folder cannot be pushed. Later ones may be. */
const isOfFolder = (error: unknown) => error instanceof LocalError || isOfContent(error)

/** The repo cannot be written now, and nothing but a person changes that. */
const isRefusal = (error: unknown) => error instanceof ProblemError && [403, 404, 413].includes(error.status)

/** A recognizable repo name, made unique by the run id. */
export function outputSlug({ id, display_name: name, recipe }: RemoteRun): string {
  const words =
    isJsonObject(recipe.hyperparams) && typeof recipe.hyperparams.run_name === 'string' ? name : recipe.template
  const slug = String(words)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  return `${slug}-${id.slice(-8)}`.replace(/^-+/, '')
}
