/** Renames and deletes a file or a folder, as one version with a message. */
import type { Client } from '@urql/core'
import { repoFiles } from '../repo-files.ts'
import { type Committed, hubCalls } from '../upload/hub-calls.ts'
import { type FileVersion, fileVersion } from './file-version.ts'
import { assertAsSeen, commitOnCurrent } from './on-current.ts'

export interface Place {
  readonly owner: string
  readonly repo: string
  readonly path: string
  readonly isFolder: boolean
}

interface Meant extends Place {
  readonly message: string
  /** What the person saw. */
  readonly seen: FileVersion
}

/** Files of a folder that a page renames: each is an operation of the commit. */
const MOST_RENAMED = 10_000

const callsOf = (client: Client, { owner, repo }: Place) => hubCalls(client, owner, repo, new AbortController().signal)

/** Rejects in words for a person. */
export function deletePath(client: Client, meant: Meant): Promise<Committed> {
  const { owner, repo, path, isFolder, message, seen } = meant
  return commitOnCurrent(
    callsOf(client, meant),
    () => fileVersion(client, owner, repo, path),
    (now) => {
      assertAsSeen(path, seen, now, isFolder)
      return { delete: [isFolder ? `${path}/` : path], message: message || null }
    },
  )
}

/** Rejects in words for a person, also where something has the new name already. */
export function renamePath(client: Client, meant: Meant, to: string): Promise<Committed> {
  const { owner, repo, path, isFolder, message, seen } = meant
  const files = repoFiles(client, owner, repo)
  return commitOnCurrent(
    callsOf(client, meant),
    () => fileVersion(client, owner, repo, path),
    async (now) => {
      assertAsSeen(path, seen, now, isFolder)
      const there = await files.list(to, 1_000)
      if (there === null || there.some(([one]) => one === to || one.startsWith(`${to}/`)))
        throw new Error(`There is something at ${to} already. Choose another name.`)
      const listed = isFolder ? await files.list(`${path}/`, MOST_RENAMED) : [[path, 0] as const]
      if (listed === null)
        throw new Error(`The folder has more than ${MOST_RENAMED} files. Rename it with \`hub mv\` in a terminal.`)
      return {
        copy: listed.map(([from]) => ({ from, path: `${to}${from.slice(path.length)}` })),
        delete: [isFolder ? `${path}/` : path],
        message: message || null,
      }
    },
  )
}
