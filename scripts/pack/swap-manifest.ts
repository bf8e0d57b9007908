/**
 * In the tree a package exports its sources; packed, its JavaScript, since Node strips no types below `node_modules`. npm has no setting for that, so package.json
 * is another one while npm packs: `prepack` writes it, `postpack` brings back the one of the tree.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from './packages.ts'

/** Git ignores it, and npm does not pack it. */
const kept = (folder: string) => join(folder, '.package.json.tree')

/** Puts `packed` in the place of the package.json in `folder`, which is kept. */
export function swapManifest(folder: string, packed: Omit<Manifest, 'packed' | 'exports'>): void {
  renameSync(join(folder, 'package.json'), kept(folder))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`)
}

/** Brings back what `swapManifest` kept, also from a packing that was ended. */
export function restoreManifest(folder: string): void {
  if (existsSync(kept(folder))) renameSync(kept(folder), join(folder, 'package.json'))
}
