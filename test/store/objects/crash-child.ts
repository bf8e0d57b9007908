/** Stores objects named after their bytes for as long as it lives, and prints each key once the store has acknowledged it. */
import { createHash, randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { Readable } from 'node:stream'
import { openDiskStore } from '../../../src/store/objects/disk.ts'

const store = await openDiskStore({
  dir: process.argv[2] ?? '',
  signingKey: randomBytes(32),
  baseUrl: () => 'http://hub',
})

async function storeForEver(): Promise<never> {
  for (;;) {
    const pieces = [randomBytes(200_000), randomBytes(200_000), randomBytes(1_000)]
    const key = `crash/${createHash('sha256').update(Buffer.concat(pieces)).digest('hex')}`
    const uploadId = await store.createUpload(key, {})
    const parts = await Promise.all(
      pieces.map((piece, index) => {
        const grant = {
          method: 'PUT',
          key,
          uploadId,
          partNumber: index + 1,
          sizeBytes: piece.byteLength,
          expiresAtSeconds: 0,
        } as const
        return store.writePart(grant, Readable.from([piece]))
      }),
    )
    await store.completeUpload(key, uploadId, parts)
    writeSync(1, `${key}\n`)
  }
}

await Promise.all([storeForEver(), storeForEver(), storeForEver()])
