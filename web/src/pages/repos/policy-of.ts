/** Policies of the hub for the viewer of a robot: their files, through public fields. */
import type { Client } from '@urql/core'
import { fetchFile } from '../../files/fetch-file.ts'
import type { LoadedPolicy } from '../../viewer/drive/drive-protocol.ts'
import { policyOf, policyPaths } from '../../viewer/drive/policy-files.ts'
import { countedBytes } from '../../viewer/engine/counted-bytes.ts'
import { viewerLimits } from '../../viewer/limits.ts'
import { keptMaps } from './kept-maps.ts'
import { repoFiles } from './repo-files.ts'

/**
 * Loads `owner/repo` or `owner/repo:file.onnx` for the robot of this full name, at a version or the newest. Rejects in
 * words for people, which name the repo or the file. `tell`: bytes that have come, and all of them.
 */
export const policiesOf =
  (client: Client, robot: string, at: string | null = null) =>
  async (
    name: string,
    tell: (doneBytes: number, totalBytes: number) => void = () => undefined,
  ): Promise<LoadedPolicy> => {
    const [, owner = '', repo = '', entry] = /^([\w.-]+)\/([\w.-]+)(?::(.+))?$/.exec(name.trim()) ?? []
    if (owner === '') throw new Error('Name a model of the hub as owner/repo, or owner/repo:file.onnx.')
    const files = repoFiles(client, owner, repo, at)
    const listed = await files.list('', viewerLimits.listedFiles)
    if (listed === null) throw new Error(`${owner}/${repo} has too many files to look through here.`)
    const sizes = new Map(listed)
    const [policy, maps] = await Promise.all([
      policyOf(name.trim(), pathsIn(`${owner}/${repo}`, listed, entry), async (paths) => {
        const urls = await files.sign(paths)
        const total = paths.reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0)
        const come = paths.map(() => 0)
        const telling = (at: number) => (done: number) => {
          come[at] = done
          tell(
            come.reduce((sum, one) => sum + one, 0),
            total,
          )
        }
        return Promise.all(paths.map((path, at) => bytesAt(path, urls[at] ?? '', telling(at))))
      }),
      keptMaps(client, { owner, repo }, robot),
    ])
    return { policy, maps, isOfHub: true }
  }

/** What is wrong with the files of a repo is said with its name. */
function pathsIn(repo: string, ...given: Parameters<typeof policyPaths>) {
  try {
    return policyPaths(...given)
  } catch (error) {
    throw new Error(`${repo}: ${error instanceof Error ? error.message : error}`)
  }
}

async function bytesAt(path: string, url: string, tell: (bytes: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetchFile(url)
  if (!answer.ok) throw new Error(`${path} could not be downloaded: the answer was ${answer.status}.`)
  const copy = answer.clone().body
  try {
    const [bytes] = await Promise.all([answer.arrayBuffer(), copy && countedBytes(copy, tell)])
    return new Uint8Array(bytes)
  } catch (error) {
    throw new Error(`${path} could not be downloaded: ${error instanceof Error ? error.message : error}.`)
  }
}
