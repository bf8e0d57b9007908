/** A backup to a full disk: a separate file system, which only root can mount. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { needs } from '@hub/testing/needs'
import { afterAll, describe, expect, it } from 'vitest'
import { BackupError } from '../../src/backup/manifest.ts'
import { openSink } from '../../src/backup/sink.ts'

const mount = await mkdtemp(join(tmpdir(), 'hub-full-'))
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', mount]).status === 0
afterAll(async () => {
  if (mounted) spawnSync('umount', ['-l', mount])
  await rm(mount, { recursive: true, force: true })
})

describe('a backup to a full disk', needs(!mounted && 'this user may mount no file system of its own'), () => {
  it.each([
    ['a tar file', 'backup.tar', 2 << 20],
    ['a tar file, of a size that is known at the end', 'backup.tar', null],
    ['a folder', 'backup', 2 << 20],
  ])('as %s names that disk, and leaves nothing', async (_what, name, sizeBytes) => {
    const path = join(mount, name)
    const sink = await openSink(path)
    const source = Readable.from([randomBytes(1 << 20), randomBytes(1 << 20)])
    const failure = await sink.write('rows', source, { sizeBytes, digest: 'sha256' }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(BackupError)
    const { message, cause } = failure as Error
    expect(message).toContain(`The disk of ${path} is full`)
    // What reads causes would name the disk of the hub's data.
    expect(cause).toBeUndefined()
    await sink.abandon()
    expect(await readdir(mount)).toEqual([])
  })
})
