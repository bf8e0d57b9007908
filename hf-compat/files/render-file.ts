/**
 * A file as the client reads it. Every file is kept as LFS keeps one: its digest is the SHA-256 of its bytes, and its
 * `oid` the one that git gives the pointer that stands for it. So a client compares and verifies files by SHA-256.
 */
import { createHash } from 'node:crypto'
import type { Documents } from '../typed-documents.ts'

export type HfFile = NonNullable<Documents['hf-files']['answer']['tree']>['items'][number]

interface LfsPointer {
  readonly oid: string
  readonly sha256: string
  readonly size: number
  readonly pointerSize: number
}

interface RenderedFile {
  readonly type: 'file'
  readonly path: string
  readonly size: number
  readonly oid: string
  /** Left out until the hub has hashed the bytes: a file of several parts is hashed soon after its upload. */
  readonly lfs?: LfsPointer
}

/** An entry of `tree` and `paths-info`. */
export function renderFile({ path, size, sha256, etag }: HfFile): RenderedFile {
  if (sha256 === null) return { type: 'file', path, size, oid: gitHash('blob', etag ?? '') }
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${size}\n`
  const lfs = { oid: sha256, sha256, size, pointerSize: pointer.length }
  return { type: 'file', path, size, oid: gitHash('blob', pointer), lfs }
}

/** An entry of either kind. */
export const renderEntry = (entry: HfFile | string) =>
  typeof entry === 'string' ? renderFolder(entry) : renderFile(entry)

/** A folder is there because a file is in it; its id is made of its path. */
const renderFolder = (path: string) => ({ type: 'directory', path, size: 0, oid: gitHash('tree', path) }) as const

/** The entity tag of a file's bytes: their SHA-256, and until that is known the store's own. */
export const etagOf = ({ sha256, etag }: Pick<HfFile, 'sha256' | 'etag'>): string => sha256 ?? etag ?? ''

const gitHash = (kind: 'blob' | 'tree', content: string) =>
  createHash('sha1')
    .update(`${kind} ${Buffer.byteLength(content)}\0${content}`)
    .digest('hex')
