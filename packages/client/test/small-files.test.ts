/** Small files of a push are read once, as far as memory is meant for it. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHubClient, pushFolder } from '../src/internal.ts'
import { silent } from '../src/progress.ts'
import { smallFiles } from '../src/small-files.ts'
import { startHubDouble } from './hub-double.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hub-read-once-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex')
const see = () => {}

async function made(name: string, text: string) {
  const file = join(dir, name)
  await writeFile(file, text)
  return { file, size: text.length, isNear: true }
}

/** The most files in a row that another thread has read. */
const longest = (places: string) => Math.max(...places.split('here').map((some) => some.split('away').length - 1))

describe('a small file', () => {
  it('is sent as it was when its digest was computed, whatever is there by then', async () => {
    const [small, one, two] = [smallFiles(), await made('one', 'first'), await made('two', 'other')]
    const seen: string[] = []
    const digest = (file: typeof one) =>
      small.digest(
        file,
        (bytes) => seen.push(bytes.toString()),
        () => true,
      )
    expect([await digest(one), await digest(two)]).toEqual([sha256Of('first'), sha256Of('other')])
    await writeFile(one.file, 'later')
    await unlink(two.file)
    expect(String(await small.take(one, sha256Of('first')))).toBe('first')
    expect(String(await small.take(two, sha256Of('other')))).toBe('other')
    expect(seen).toEqual(['first', 'other'])
    // It is kept until it is sent, and then read again.
    expect(await small.take(one, sha256Of('first'))).toBeNull()
    expect(String(await small.take(one, sha256Of('later')))).toBe('later')
  })

  it('is read again where it was not wanted, or where there was no room', async () => {
    const [small, one, two] = [smallFiles(7), await made('one', 'first'), await made('two', 'other')]
    const three = await made('three', 'x')
    await small.digest(one, see, () => true)
    await small.digest(two, see, () => true)
    await small.digest(three, see, () => false)
    expect(['first', 'other', 'x'].map((text) => small.kept(sha256Of(text))?.toString())).toEqual([
      'first',
      undefined,
      undefined,
    ])
    await writeFile(two.file, 'new')
    expect(await small.take(two, sha256Of('other'))).toBeNull()
    expect(String(await small.take(three, sha256Of('x')))).toBe('x')
    await expect(small.take({ file: join(dir, 'none'), size: 1, isNear: true }, '')).rejects.toThrow('ENOENT')
  })

  it('of another size than it had is never taken, though it has the digest', async () => {
    const [small, grown] = [smallFiles(), await made('grown', 'one more')]
    const sha256 = await small.digest({ ...grown, size: 7 }, see, () => true)
    expect(small.kept(sha256)).toBeUndefined()
    expect(await small.take({ ...grown, size: 7 }, sha256)).toBeNull()
    expect(await small.take({ ...grown, size: 20 }, sha256Of('one more'))).toBeNull()
  })

  it('of a disk that may be far away is read by another thread', async () => {
    const [small, one] = [smallFiles(), await made('one', 'first')]
    const seen: string[] = []
    const digest = small.digest(
      { ...one, isNear: false },
      (bytes) => seen.push(bytes.toString()),
      () => false,
    )
    expect(seen).toEqual([])
    expect(await digest).toBe(sha256Of('first'))
    expect(seen).toEqual(['first'])
    const taken = small.take({ ...one, isNear: false }, sha256Of('first'))
    expect(String(await taken)).toBe('first')
  })

  it('is read by another thread after a slow one, as are the next four, or twice as many as before', async () => {
    let clockMs = 0
    const [small, one] = [smallFiles(0, () => clockMs), await made('one', 'first')]
    const isHere = async (takesMs: number) => {
      let isSeen = false
      const see = () => {
        isSeen = true
        clockMs += takesMs
      }
      const digest = small.digest(one, see, () => false)
      const here = isSeen
      await digest
      // Everything else has had its turn in the meantime.
      clockMs -= takesMs
      return here
    }
    const read = async (slowOnes: ReadonlySet<number>, files: number) => {
      const places: string[] = []
      for (let at = 0; at < files; at += 1) places.push((await isHere(slowOnes.has(at) ? 5 : 0)) ? 'here' : 'away')
      return places.join(' ')
    }
    const [four, eight] = ['away away away away', Array(8).fill('away').join(' ')]
    expect(await read(new Set([1, 6]), 16)).toBe(`here here ${four} here ${eight} here`)
    expect(await read(new Set([0]), 6)).toBe(`here ${four} here`)
    expect(await read(new Set(Array(1000).keys()), 4 + 8 + 16 + 32 + 64 + 64 + 6).then(longest)).toBe(64)
  })

  it('does not move others that are kept, however many there are', async () => {
    const [small, text] = [smallFiles(), (index: number) => `${index} `.repeat(6000)]
    const files = await Promise.all(Array.from({ length: 200 }, (_, index) => made(`${index}`, text(index))))
    await Promise.all(files.map((file, index) => small.digest(file, see, () => index % 3 > 0)))
    for (const [index, file] of files.entries()) {
      await rm(index % 3 > 0 ? file.file : join(dir, 'none'), { force: true })
      expect((await small.take(file, sha256Of(text(index))))?.toString()).toBe(text(index))
    }
  })
})

it('a file that became a pipe after it was listed is not read, and blocks nothing', async () => {
  const [run, pipe] = [promisify(execFile), join(dir, 'pipe')]
  await run('mkfifo', [pipe])
  const reader = join(import.meta.dirname, 'support/read-pipe.ts')
  // The process is killed where it hangs: a thread that waits for a writer ends by nothing else.
  const options = { timeout: 100_000, killSignal: 'SIGKILL' } as const
  const { stdout } = await run(process.execPath, [reader, pipe], options)
  expect(stdout.trim().split('\n')).toEqual([
    'here LocalError',
    'elsewhere LocalError',
    'large LocalError',
    'range LocalError',
    'part TransferError',
    'secret false',
    'secrets undefined',
  ])
})

it('a push sends the bytes that it looked into', async () => {
  const hub = await startHubDouble()
  try {
    await mkdir(join(dir, 'data'))
    const one = await made('data/one', 'first')
    const client = createHubClient({ url: hub.url, token: 't' })
    const progress = { ...silent, planned: () => writeFileSync(one.file, 'later') }
    const options = { cacheDir: join(dir, 'cache'), progress }
    const report = await pushFolder(client, { owner: 'o', slug: 's' }, join(dir, 'data'), options)
    expect(report).toMatchObject({ sent: ['one'], failed: [] })
    expect(hub.files.get('one')).toMatchObject({ sha256: sha256Of('first') })
  } finally {
    await hub.close()
  }
})
