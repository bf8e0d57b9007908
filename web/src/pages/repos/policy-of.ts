/** Policies of the hub for the viewer of a robot: their files, through public fields. */
import type { Client } from '@urql/core'
import { fetchFile } from '../../files/fetch-file.ts'
import type { LoadedPolicy } from '../../viewer/drive/drive-protocol.ts'
import { policyOf, policyPaths } from '../../viewer/drive/policy-files.ts'
import { viewerLimits } from '../../viewer/limits.ts'
import { keptMaps } from './kept-maps.ts'
import { repoFiles } from './repo-files.ts'

/**
 * Loads `owner/repo` or `owner/repo:file.onnx` for the robot of this full name, at a version or the newest. Rejects in
 * words for people.
 */
export const policiesOf =
  (client: Client, robot: string, at: string | null = null) =>
  async (name: string): Promise<LoadedPolicy> => {
    const [, owner = '', repo = '', entry] = /^([\w.-]+)\/([\w.-]+)(?::(.+))?$/.exec(name.trim()) ?? []
    if (owner === '') throw new Error('Name a model of the hub as owner/repo, or owner/repo:file.onnx.')
    const files = repoFiles(client, owner, repo, at)
    const listed = await files.list('', viewerLimits.listedFiles)
    if (listed === null) throw new Error(`${owner}/${repo} has too many files to look through here.`)
    const [policy, maps] = await Promise.all([
      policyOf(name.trim(), policyPaths(listed, entry), async (paths) => {
        const urls = await files.sign(paths)
        return Promise.all(paths.map((path, at) => bytesAt(path, urls[at] ?? '')))
      }),
      keptMaps(client, { owner, repo }, robot),
    ])
    return { policy, maps }
  }

async function bytesAt(path: string, url: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetchFile(url)
  if (!answer.ok) throw new Error(`${path} could not be downloaded: the answer was ${answer.status}.`)
  return new Uint8Array(await answer.arrayBuffer())
}
