/** A ZIP as Python's `zipfile` reads it, which checks the sum of each file. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface ZipEntry {
  readonly name: string
  readonly size: number
  readonly sha256: string
  /** Year, month, day, hour, minute, second. */
  readonly date: readonly number[]
  /** 0: stored. */
  readonly method: number
}

const program = `
import sys, json, zipfile, hashlib
zip = zipfile.ZipFile(sys.argv[1])
assert zip.testzip() is None
print(json.dumps([dict(name=one.filename, size=one.file_size, date=one.date_time, method=one.compress_type,
  sha256=hashlib.sha256(zip.read(one)).hexdigest()) for one in zip.infolist()]))
`

/** Throws where Python finds it damaged. */
export async function readZip(bytes: Uint8Array): Promise<ZipEntry[]> {
  const folder = await mkdtemp(join(tmpdir(), 'hub-zip-'))
  try {
    const path = join(folder, 'read.zip')
    await writeFile(path, bytes)
    const { status, stdout, stderr } = spawnSync('python3', ['-c', program, path], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
