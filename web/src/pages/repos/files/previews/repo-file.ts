/** A file of a repo, as the readers of binary formats want it. */
import type { ByteSource } from '@hub/formats/policy/windowed-file'
import { type RangeFile, readRange } from '../../../../files/range-file.ts'
import { resolvePath } from '../../repo-links.ts'

export interface PreviewProps {
  readonly owner: string
  readonly repo: string
  readonly file: { readonly path: string; readonly size: number; readonly sha256: string | null }
}

/** Changes with the bytes of the file. */
export const versionOf = ({ owner, repo, file }: PreviewProps): string =>
  `${owner}/${repo}/${file.path} ${file.size} ${file.sha256}`

export const rangeFile = ({ owner, repo, file }: PreviewProps): RangeFile => ({
  path: file.path,
  sizeBytes: file.size,
  url: async () => resolvePath(owner, repo, file.path),
})

/** Smaller files come in one request: that is sooner than the places of their description one by one. */
const WHOLE_BYTES = 2 * 1024 * 1024

export function byteSource(props: PreviewProps): ByteSource {
  const read = readRange(rangeFile(props))
  const sizeBytes = props.file.size
  if (sizeBytes > WHOLE_BYTES) return { sizeBytes, fetch: async (start, end) => new Uint8Array(await read(start, end)) }
  let whole: Promise<ArrayBuffer> | null = null
  return {
    sizeBytes,
    async fetch(start, end) {
      whole ??= read(0, sizeBytes)
      return new Uint8Array(await whole, start, end - start)
    },
  }
}
