/** What the hub writes is closed to the other users of the machine, and so is what it finds open. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { openCallNotes } from '../../src/hosting/process/call-notes.ts'
import { placeId } from '../../src/hosting/process/place-id.ts'
import { closeDataFolder, ensureDataDir, openDataFolder } from '../../src/store/data-folder.ts'
import { copyNative } from '../../src/store/embedded-cluster.ts'
import { openDiskStore } from '../../src/store/objects/disk.ts'
import { withStartLock } from '../../src/store/start-lock.ts'

const base = mkdtempSync(join(tmpdir(), 'hub-data-folder-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))
const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8)

/** A folder as an earlier hub, or a copy, may have left it: `name` or `name/`. */
function opened(...names: string[]): string {
  const dir = mkdtempSync(join(base, 'data-'))
  chmodSync(dir, 0o755)
  for (const name of names) {
    const path = join(dir, name)
    if (name.endsWith('/')) mkdirSync(path, { mode: 0o755 })
    else writeFileSync(path, 'x', { mode: 0o644 })
  }
  return dir
}

const pathsUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [path, ...pathsUnder(path)] : [path]
  })
const isOpen = (path: string) => (lstatSync(path).mode & 0o077) !== 0

describe('a data folder that was made before', () => {
  it('is closed, with each level below that leads to data', async () => {
    const names = ['objects/', 'objects/objects/', 'objects/uploads/', 'objects/tmp/', 'postgres/', 'postgres/data/']
    const files = ['secret', 'hosted-place', 'postgres/password', 'postgres/server.log', 'hosted/call_1']
    const dir = opened(...names, 'hosted/', ...files)
    expect(await closeDataFolder(dir)).toBeNull()
    expect([dir, ...pathsUnder(dir)].filter(isOpen)).toEqual([])
    expect([modeOf(dir), modeOf(join(dir, 'objects/objects')), modeOf(join(dir, 'secret'))]).toEqual([
      '700',
      '700',
      '600',
    ])
  })

  it('is not looked through: what a closed folder holds is out of reach', async () => {
    const dir = opened('objects/', 'objects/objects/', 'objects/objects/a/', 'objects/objects/a/part')
    await closeDataFolder(dir)
    expect([modeOf(join(dir, 'objects/objects')), modeOf(join(dir, 'objects/objects/a'))]).toEqual(['700', '755'])
  })

  it("that has other things too stays as it is, and what is the hub's in it is closed; the operator is told", async () => {
    const dir = opened('objects/', 'secret', 'photos/', 'notes.txt')
    const said = `Other users of this machine can list ${dir}; it was left open because it holds other things too (notes.txt, photos).`
    expect(await openDataFolder(dir)).toContain('and read objects, secret')
    expect([await closeDataFolder(dir), await openDataFolder(dir)]).toEqual([said, said])
    expect(['', 'photos', 'notes.txt', 'objects', 'secret'].map((name) => modeOf(join(dir, name)))).toEqual([
      ...['755', '755', '644', '700', '600'],
    ])
  })

  it('that is not there is not made', async () => {
    const dir = join(base, 'none')
    expect([await closeDataFolder(dir), existsSync(dir)]).toEqual([null, false])
  })

  it('may have its objects on another disk by a link of the operator', async () => {
    const disk = opened('objects/')
    const dir = opened()
    symlinkSync(disk, join(dir, 'objects'))
    expect([await closeDataFolder(dir), modeOf(disk), modeOf(join(disk, 'objects'))]).toEqual([null, '700', '700'])
  })
})

describe('what the hub writes, whatever its umask,', () => {
  it('is closed: data folder, notes of calls, lock of the database', async () => {
    const dir = join(base, 'a/b')
    await ensureDataDir(dir)
    await placeId(dir)
    await openCallNotes(dir).write('call_1', { jobId: 'run_1', mark: '1', folder: null, user: null, isStarting: false })
    await withStartLock(dir, async () => {
      expect([join(base, 'a'), dir, ...pathsUnder(dir)].filter(isOpen)).toEqual([])
    })
  })

  it('is closed: objects, parts of an upload and copies', async () => {
    const dir = join(base, 'store')
    const store = await openDiskStore({ dir, signingKey: Buffer.alloc(32, 1), baseUrl: () => 'http://hub' })
    await store.put('a/b', Buffer.from('x'), { sizeBytes: 1 })
    await store.copy('a/b', 'c/d')
    const uploadId = await store.createUpload('e', {})
    const grant = { method: 'PUT', key: 'e', uploadId, partNumber: 1, sizeBytes: 1, expiresAtSeconds: 0 } as const
    const part = await store.writePart(grant, Readable.from([Buffer.from('1')]))
    expect([dir, ...pathsUnder(dir)].filter(isOpen)).toEqual([])
    await store.completeUpload('e', uploadId, [part])
    expect([dir, ...pathsUnder(dir)].filter(isOpen)).toEqual([])
    await store.close()
  })
})

it('a store that was open is closed when it is opened', async () => {
  const dir = opened('objects/', 'uploads/', 'tmp/')
  await (await openDiskStore({ dir, signingKey: Buffer.alloc(32, 1), baseUrl: () => 'http://hub' })).close()
  expect(['', 'objects', 'uploads', 'tmp'].map((name) => modeOf(join(dir, name)))).toEqual(Array(4).fill('700'))
})

it('the copied programs of the database can be run by its user, whatever the umask of the hub', async () => {
  const native = opened('bin/', 'bin/postgres', 'share/', 'share/x.conf')
  chmodSync(join(native, 'bin/postgres'), 0o755)
  const umask = process.umask(0o077)
  const copy = await copyNative(native, base, join(base, 'copied')).finally(() => process.umask(umask))
  const modes = ['', 'bin', 'bin/postgres', 'share', 'share/x.conf'].map((name) => modeOf(join(copy, name)))
  expect(modes).toEqual(['755', '755', '755', '755', '644'])
})
