/**
 * What each coding and level costs on an answer of 500 files, as `/v1` lists them: `npm run bench:compression`. In one process, one answer at a time; CPU and
 * bytes, median of 200. Digests do not compress, so they are most of what is left.
 */
import { hash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { median } from './measure.ts'

const FILES = 500
const ROUNDS = 200

const items = Array.from({ length: FILES }, (_, n) => ({
  path: `data/chunk-000/episode_${String(n).padStart(6, '0')}.parquet`,
  size: 1_000_000 + n * 379,
  sha256: hash('sha256', `file ${n}`),
  updated_at: new Date(Date.UTC(2026, 0, 1) + n * 1013).toISOString(),
}))
const page = Buffer.from(JSON.stringify({ items, next_cursor: null }))

const brotli = (quality: number) => () =>
  brotliCompressSync(page, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: page.byteLength },
  })
const zstd = (level: number) => () => zstdCompressSync(page, { params: { [constants.ZSTD_c_compressionLevel]: level } })
const gzip = (level: number) => () => gzipSync(page, { level })

const coders: Readonly<Record<string, () => Buffer>> = {
  'gzip 1': gzip(1),
  'gzip 6': gzip(6),
  'br 1': brotli(1),
  'br 4': brotli(4),
  'br 5': brotli(5),
  'zstd 1': zstd(1),
  'zstd 3': zstd(3),
}

console.log(`| coding and level | bytes of ${page.byteLength} | share | CPU |\n|---|---|---|---|`)
for (const [name, encode] of Object.entries(coders)) {
  const costs: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage()
    encode()
    const { user, system } = process.cpuUsage(before)
    costs.push((user + system) / 1000)
  }
  const { byteLength } = encode()
  const share = ((byteLength / page.byteLength) * 100).toFixed(1)
  console.log(`| ${name} | ${byteLength} | ${share} % | ${median(costs).toFixed(2)} ms |`)
}
