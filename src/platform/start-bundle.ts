/**
 * The tree as a few files, made by `npm run prepare`: a start from it reads some 20 modules instead of 2,400. It is
 * used only while the tree is what it was made of; else the sources run, as after any edit.
 */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

/** The entries of the bundle, and what each is in the sources. */
export const bundleEntries = { serve: 'src/serve.ts', command: 'src/operator/command.ts' } as const

/** A file that a bundle was made of, as it was before it was read. */
export interface BundledFile {
  /** From the root of the tree. */
  readonly path: string
  readonly size: number
  readonly mtimeMs: number
  readonly sha256: string
}

/** `current.json`: the newest bundle. */
export interface BundleManifest {
  /** Its folder, beside this file. A hub that runs may still load from an earlier one. */
  readonly folder: string
  readonly files: readonly BundledFile[]
}

/** Where bundles are, below the root of the tree. */
export const bundlesFolder = (root: string): string => `${root}node_modules/.cache/hub-start/`

/** The URL of the entry's module; null if there is none of the tree as it is. `root` ends with a slash. */
export function bundled(entry: keyof typeof bundleEntries, root: string): string | null {
  try {
    const folder = bundlesFolder(root)
    const manifest = JSON.parse(readFileSync(`${folder}current.json`, 'utf8')) as BundleManifest
    if (!manifest.files.every((file) => isAsBefore(root, file))) return null
    return pathToFileURL(`${folder}${manifest.folder}/${entry}.mjs`).href
  } catch {
    // None was made, or a file of the tree is gone.
    return null
  }
}

/** By its size and time; one that has another time, as after a checkout, by its content. */
function isAsBefore(root: string, { path, size, mtimeMs, sha256 }: BundledFile): boolean {
  const now = statSync(`${root}${path}`)
  if (now.size !== size) return false
  return now.mtimeMs === mtimeMs || sha256Of(readFileSync(`${root}${path}`)) === sha256
}

/** The digest that a manifest has of a file. */
export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
