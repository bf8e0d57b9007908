/**
 * Stores groups of objects as long as it lives, and deletes the odd ones of each in two calls. Prints the group once
 * the store has acknowledged it, and once more after the deletions.
 */
import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { openDiskStore } from '../../../src/store/objects/disk.ts'
import { memberKey } from '../../../src/store/objects/member-key.ts'
import { bytesOfMember, MEMBERS, odd } from './made-group.ts'

const store = await openDiskStore({
  dir: process.argv[2] ?? '',
  signingKey: randomBytes(32),
  baseUrl: () => 'http://hub',
})

async function storeForEver(): Promise<never> {
  for (;;) {
    const group = `crash/${randomBytes(8).toString('hex')}`
    const bodies = Array.from({ length: MEMBERS }, (_, index) => bytesOfMember(group, index))
    await store.putTogether?.(group, bodies)
    writeSync(1, `put ${group}\n`)
    const keys = odd.map((index) => memberKey(group, index))
    await store.delete(keys.slice(0, keys.length / 2))
    await store.delete(keys.slice(keys.length / 2))
    writeSync(1, `half ${group}\n`)
  }
}

await Promise.all([storeForEver(), storeForEver(), storeForEver()])
