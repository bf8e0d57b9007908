/**
 * Brings `artifacts.jsonl` to the hub: each folder that a line names is a version of its artifact in the run's output
 * repo, `artifacts/NAME/vN/`, with what is said of it in `artifacts/NAME/vN.json`. The repo says what versions there are.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalError } from '@hub/client/internal'
import { writeExact } from '@hub/formats/exact-json'
import { sizeOf } from '@hub/runner/worker/growing-file'
import { type ArtifactFile, contentOf, filesOf, isOwnFolder } from './artifact-folder.ts'
import { knownVersions, newestOf } from './artifact-versions.ts'
import type { FileSenderOptions } from './media-sender.ts'
import { nameOutput } from './output-repo.ts'
import { forgetPushed, pushFiles } from './push-files.ts'
import { readLines } from './read-lines.ts'

type Line = Readonly<Record<string, unknown>>

/** Sends what there is; a last line without an end is one at a final poll. */
export function artifactSender(options: FileSenderOptions): { poll(isFinal: boolean): Promise<void> } {
  const { transfers: client, files, journal, logLine } = options
  const versions = knownVersions(client)
  const said = new Set<string>()
  const staging = join(files.root, 'sending-artifacts')

  function leaveOut(name: unknown, why: string): void {
    const shown = typeof name === 'string' ? name : 'a line'
    if (!said.has(shown)) logLine(`artifact ${shown} is left out: ${why}`)
    said.add(shown)
  }

  /** `place` names the line: a kill within its push goes on with the version that was started. */
  async function send(line: Line, place: string): Promise<void> {
    const { target, artifacts } = journal.state
    const { name, path } = line
    if (target === null) throw new Error('Artifacts are pushed before the run has started.')
    if (typeof name !== 'string' || name === '') return leaveOut(name, 'it has no name')
    if (typeof path !== 'string' || !path.startsWith('artifacts/'))
      return leaveOut(name, 'its path is not below artifacts/')
    const folder = join(files.dir, path)
    if (!(await isOwnFolder(join(files.dir, 'artifacts'), folder))) return leaveOut(name, `there is no folder ${path}`)
    const found = await filesOf(folder)
    if (found.length === 0) return leaveOut(name, `${path} has no files`)
    const below = `artifacts/${folderName(name)}`
    const known = await versions.of(target, below)
    const content = await contentOf(found)
    const begun = artifacts.making?.place === place ? artifacts.making.version : null
    const version = begun ?? versionFor(known, content, line.version)
    if (line.version !== version && typeof line.version === 'string')
      logLine(`${name}:${line.version} is another one in ${target.owner}/${target.slug}: it is ${version} there`)
    journal.put({ artifacts: { ...artifacts, making: { place, version } } })
    const isThere = begun === null && known.get(version) === content
    const isWhole = await push(line, { below, version, found: isThere ? [] : found })
    if (isWhole) versions.add(target, below, { version, content })
  }

  /** Whether the hub took every file. */
  async function push(
    line: Line,
    made: { readonly below: string; readonly version: string; readonly found: readonly ArtifactFile[] },
  ): Promise<boolean> {
    const { target, runId } = journal.state
    if (target === null) return false
    const { below, version, found } = made
    const { path: _path, ...said } = line
    await mkdir(staging, { recursive: true, mode: 0o700 })
    const facts = join(staging, 'facts.json')
    await writeFile(facts, `${writeExact({ ...said, version, run: runId })}\n`)
    const sent = found.map(({ file, name }) => ({ file, path: `${below}/${version}/${name}` }))
    const message = `Artifact ${String(line.name)}:${version}`.slice(0, 500)
    const { refused } = await pushFiles({ client, repo: target, staging, message }, [
      ...sent,
      { file: facts, path: `${below}/${version}.json` },
    ])
    for (const [path, why] of refused) leaveOut(path, why)
    await forgetPushed(staging)
    await nameOutput(client, journal)
    return refused.size === 0
  }

  return {
    async poll(isFinal) {
      const end = await sizeOf(files.artifacts)
      while (journal.state.artifacts.bytes < end) {
        const from = journal.state.artifacts.bytes
        const { lines, size, refused } = await readLines(files.artifacts, from, end, isFinal)
        if (size === 0) return
        for (const why of refused) logLine(`dropped a line of artifacts.jsonl: ${why}`)
        for (const [index, line] of lines.entries())
          await send(line, `${from} ${index}`).catch((error: unknown) => {
            if (!(error instanceof LocalError)) throw error
            leaveOut(line.name, error.message)
          })
        journal.put({ artifacts: { bytes: from + size, making: null } })
      }
    },
  }
}

/** The name as one of a folder, as the Python client makes it. */
export const folderName = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9._-]/gu, '_')
    .replace(/^\.+|\.+$/g, '')
    .slice(0, 128) || 'artifact'

/** The version that has the content already, the one that is asked for, or the next. */
function versionFor(known: ReadonlyMap<string, string>, content: string, asked: unknown): string {
  const newest = newestOf(known)
  if (typeof asked === 'string' && /^v\d{1,9}$/.test(asked) && (known.get(asked) ?? content) === content) return asked
  return known.get(`v${newest}`) === content ? `v${newest}` : `v${newest + 1}`
}
