/** The contents of a push: files with the same bytes are sent once. */
import type { Outgoing } from './push-plan.ts'
import type { RemoteFile } from './shapes.ts'

/** Bytes to have at the hub, and the files that are to have them, at least one. */
export interface Content {
  readonly sha256: string
  /** Bytes. */
  readonly size: number
  /** Read for the bytes. */
  readonly source: Outgoing
  /** All files with these bytes, `source` first. */
  readonly files: readonly Outgoing[]
}

const keyOf = ({ sha256, size }: { readonly sha256: string | null; readonly size: number }) => `${sha256} ${size}`

/** Groups files by their bytes, smallest first: a large file would hold all slots while small ones wait. */
export function contentsOf(files: readonly Outgoing[]): Content[] {
  const groups = new Map<string, Outgoing[]>()
  for (const file of files) {
    const group = groups.get(keyOf(file))
    if (group) group.push(file)
    else groups.set(keyOf(file), [file])
  }
  return [...groups.values()]
    .flatMap((group) => {
      const [source] = group
      return source ? [{ sha256: source.sha256, size: source.size, source, files: group }] : []
    })
    .toSorted((a, b) => a.size - b.size)
}

/** Whether a file of the repo has these bytes, by the digest that the hub has computed. */
export function inRepo(remote: Iterable<RemoteFile>): (content: Content) => boolean {
  const known = new Set([...remote].filter(({ sha256 }) => sha256 !== null).map(keyOf))
  return (content) => known.has(keyOf(content))
}
