/** `hub data select OWNER/REPO#NAME --into FOLDER`: the episodes of a selection as a data set in a folder. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type HubClient, LocalError, repoRanges } from '@hub/client/internal'
import { type ClientIo, countText, sizeText } from './client-output.ts'
import type { CommandResult } from './client-session.ts'
import { episodeProgress } from './episode-progress.ts'
import { inLine } from './terminal.ts'

/** A selection of a repo. */
export interface NamedSelection {
  readonly owner: string
  readonly repo: string
  readonly name: string
  readonly seq: number
  readonly fingerprint: string
  readonly episodes: readonly number[]
}

/** The folder is not there until it is whole. */
export async function writeSelection(
  io: ClientIo,
  client: HubClient,
  selection: NamedSelection,
  into: string,
): Promise<CommandResult> {
  const { owner, repo, name, seq, fingerprint, episodes } = selection
  const target = resolve(io.cwd, into)
  await assertFree(target, into)
  const { CannotSelect, SELECTED_PATH, selectEpisodes } = await import('@hub/dataset/select-episodes')
  const files = await repoRanges(client, { owner, slug: repo }, String(seq))
  await mkdir(dirname(target), { recursive: true })
  const partial = join(dirname(target), `.${basename(target)}-${randomUUID().slice(0, 8)}`)
  await mkdir(partial)
  try {
    const sink = folderSink(partial)
    const onEpisode = episodeProgress(io, 'cut')
    const made = await selectEpisodes(files, { episodes, sink, onEpisode, signal: client.signal }).catch(
      (error: unknown) => {
        if (!(error instanceof CannotSelect)) throw error
        throw new LocalError(`${owner}/${repo}#${name}: ${error.message} hub data check says more.`)
      },
    )
    const origin = await sink.create(SELECTED_PATH)
    const said = { repo: `${owner}/${repo}`, selection: name, seq, fingerprint, episodes }
    await origin.append(new TextEncoder().encode(`${JSON.stringify(said, null, 2)}\n`))
    await origin.close()
    // An empty folder in its place is replaced; anything that came meanwhile is not.
    await rename(partial, target).catch(async (error: unknown) => {
      await assertFree(target, into)
      throw error
    })
    const lines = [
      `${into}: ${countText(made.episodes, 'episode')} and ${countText(made.frames, 'frame')} of ${owner}/${repo}#${name}`,
      `Episodes are numbered from 0; ${SELECTED_PATH} says which they were. ${countText(made.videos, 'video')} and other files (${sizeText(made.copiedBytes)}) went over as they are.`,
      ...made.keptStats.map(
        (column) => `Statistics of ${column} are still those of all episodes: it has none of each.`,
      ),
    ]
    const { keptStats: kept_stats, copiedBytes: copied_bytes, ...counts } = made
    return {
      json: { into: target, ...said, ...counts, copied_bytes, kept_stats },
      text: lines.map((line) => `${inLine(line)}\n`).join(''),
    }
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

async function assertFree(target: string, said: string): Promise<void> {
  const names = await readdir(target).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new LocalError(
      `${said} cannot be read as a folder: ${error instanceof Error ? error.message : String(error)}`,
    )
  })
  if (names.length > 0) throw new LocalError(`${said} has files already: name a folder that is new or empty.`)
}

function folderSink(folder: string) {
  return {
    async create(path: string) {
      const place = resolve(folder, path)
      const within = relative(folder, place)
      if (within === '' || within === '..' || within.startsWith(`..${sep}`) || isAbsolute(within))
        throw new LocalError(`The path ${path} leaves the folder.`)
      await mkdir(dirname(place), { recursive: true })
      // Never over a file: a data set whose episodes share a path would lose one of them.
      const file = await open(place, 'wx')
      return {
        append: async (bytes: Uint8Array) => {
          for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten
        },
        close: () => file.close(),
      }
    },
  }
}
