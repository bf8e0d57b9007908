/** A backup in a folder that others write to: it never writes to a file that someone else has put there. */
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BackupSink, openSink } from '../../src/backup/sink.ts'

let dir: string
let victim: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hub-sink-'))
  victim = join(dir, 'victim')
  await writeFile(victim, 'untouched')
})
afterEach(() => rm(dir, { recursive: true }))

const spool = () => join(dir, '.backup.tar.partial.file')
/** A file whose size is known at its end waits in a file next to the tar. */
const writeRows = (sink: BackupSink) =>
  sink.write('rows', Readable.from([Buffer.from('secret rows')]), { sizeBytes: null, digest: 'sha256' })

describe('a tar file of a backup', () => {
  it('follows no link that was in the place of its temporary file', async () => {
    await symlink(victim, spool())
    const sink = await openSink(join(dir, 'backup.tar'))
    await writeRows(sink)
    await sink.finish()
    expect(await readFile(victim, 'utf8')).toBe('untouched')
    expect((await readdir(dir)).sort()).toEqual(['backup.tar', 'victim'])
  })

  it('fails where a link or a file is put there meanwhile, and gives it nothing', async () => {
    const sink = await openSink(join(dir, 'backup.tar'))
    await symlink(victim, spool())
    await expect(writeRows(sink)).rejects.toThrow('EEXIST')
    await rm(spool())
    await writeFile(spool(), 'untouched', { mode: 0o666 })
    await expect(writeRows(sink)).rejects.toThrow('EEXIST')
    expect([await readFile(victim, 'utf8'), await readFile(spool(), 'utf8')]).toEqual(['untouched', 'untouched'])
    await sink.abandon()
  })
})
