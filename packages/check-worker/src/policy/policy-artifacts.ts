/** What of a policy is uploaded to be published, and the digest of a checkpoint. */
import { createHash } from 'node:crypto'
import { sha256Of } from '@hub/client/hash'
import { checkpointDigest } from '@hub/formats/policy/checkpoint-digest'
import { type Need, need } from '../request.ts'
import type { Policy } from './read-policy.ts'

/** Named by the path that it takes in the model repo. */
export type PolicyArtifact =
  | { readonly name: string; readonly contentType: string; readonly text: string }
  | { readonly name: string; readonly contentType: string; readonly file: string; readonly size: number }

export interface ArtifactLimits {
  readonly artifactBytes: number
  readonly artifacts: number
}

/**
 * A file that is too large is replaced by a need. `isDraft`: the files are already in the draft, so a file that keeps
 * its path is not added.
 */
export function policyArtifacts(
  { files }: Policy,
  manifest: string,
  isDraft: boolean,
  { artifactBytes, artifacts: most }: ArtifactLimits,
): { readonly artifacts: readonly PolicyArtifact[]; readonly needs: readonly Need[] } {
  const needs: Need[] = []
  const artifacts: PolicyArtifact[] = [{ name: 'manifest.json', contentType: 'application/json', text: manifest }]
  for (const { file, path, name, size } of files) {
    if (size <= artifactBytes && artifacts.length < most)
      artifacts.push({ name, contentType: 'application/octet-stream', file, size })
    else if (isDraft && path === name) needs.push(stays(path))
    else needs.push(size > artifactBytes ? tooLarge(path, artifactBytes) : tooMany(path, most))
  }
  return { artifacts, needs }
}

/** A blocking need in the place of the file at `path`. */
export function tooLarge(path: string, maxBytes: number): Need {
  return need(
    'blocking',
    'entry',
    `${path} is too large to be published by a check: at most ${maxBytes} bytes a file.`,
    {
      names: [path],
      suggestion: 'Push the policy into a model repo, with the manifest that this check made.',
    },
  )
}

const tooMany = (path: string, most: number) =>
  need('blocking', 'entry', `${path} is one file too many: a check publishes at most ${most}.`, { names: [path] })

const stays = (path: string) =>
  need(
    'advice',
    'entry',
    `${path} is too large to go along: it stays where it is in the draft, and is missing in any other repo.`,
    {
      names: [path],
    },
  )

/**
 * The digest of its checkpoint; of a policy that is one ONNX file, that of the file. Rejects with `signal`'s reason.
 */
export async function policyDigest({ files }: Policy, manifest: string | null, signal: AbortSignal): Promise<string> {
  const [first] = files
  if (first && files.length === 1 && !first.name.includes('/')) return sha256Of(first.file, signal)
  const digests = manifest === null ? [] : [{ path: 'manifest.json', sha256: sha256(manifest) }]
  for (const { file, name } of files) digests.push({ path: name, sha256: await sha256Of(file, signal) })
  return checkpointDigest(digests)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
