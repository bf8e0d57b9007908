/**
 * Compressed copies next to the files that a server sends. A copy that was made once is kept by the digest of its file:
 * the 10 MB of the robot viewer's engine seldom change.
 */
import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const COMPRESSIBLE = /\.(?:js|css|html|svg|wasm|json)$/
/** Smaller files gain nothing. */
const MIN_BYTES = 1024
/** Of larger files the best quality of brotli takes 2 s a megabyte, and saves 11 % of the copy. */
const LARGE_BYTES = 2 ** 21

/** The name of a kept copy; another build may be writing what has more behind it. */
const WHOLE = /^[0-9a-f]{64}\.(?:br|gz)$/

const forms = {
  br(bytes: Buffer) {
    const quality = bytes.byteLength > LARGE_BYTES ? 9 : 11
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.byteLength }
    return promisify(brotliCompress)(bytes, { params })
  },
  gz: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
} as const

/**
 * Writes a brotli and a gzip copy next to each file of `folder` that gains by it: a server that compresses at each
 * request would take 50 ms of its processor for one page. `kept` is the folder of copies made before; those that no
 * file of `folder` has any more are removed.
 */
export async function compressFiles(folder: string, kept: string): Promise<void> {
  await mkdir(kept, { recursive: true })
  const used = new Set<string>()
  for (const file of await readdir(folder, { recursive: true })) {
    if (!COMPRESSIBLE.test(file)) continue
    const bytes = await readFile(join(folder, file))
    if (bytes.byteLength < MIN_BYTES) continue
    const digest = createHash('sha256').update(bytes).digest('hex')
    for (const [form, compress] of Object.entries(forms)) {
      const name = `${digest}.${form}`
      used.add(name)
      const copy = join(kept, name)
      const beside = join(folder, `${file}.${form}`)
      if (await isCopied(copy, beside)) continue
      await writeFile(beside, await compress(bytes))
      // Two builds at once may both keep it: neither sees a half.
      const partial = `${copy}.${process.pid}`
      await copyFile(beside, partial)
      await rename(partial, copy)
    }
  }
  const isUnused = (name: string) => WHOLE.test(name) && !used.has(name)
  for (const name of (await readdir(kept)).filter(isUnused)) await rm(join(kept, name), { force: true })
}

async function isCopied(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
