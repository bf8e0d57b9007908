/**
 * Writes the lists of what stands in folders. `scripts/bring-node.js` runs this where a file came or went since, as after
 * `git pull`, before a start or the tests load them: an old list would leave out a new type or route without a word.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { write } from './files.ts'
import { lists } from './lists.ts'

export function writeLists(): void {
  write(lists)
  const made = new URL('../../node_modules/.cache/hub-lists', import.meta.url)
  try {
    mkdirSync(new URL('./', made), { recursive: true })
    // A file of its own: a copy of the tree may have this one as a hard link.
    rmSync(made, { force: true })
    writeFileSync(made, '')
  } catch {
    // A tree that cannot be written has the lists that it was delivered with.
  }
}

if (import.meta.main) writeLists()
