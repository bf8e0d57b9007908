import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localFiles } from '../../src/folder/local-files.ts'
import { limits } from '../../src/limits.ts'

let base: string
let dir: string
const never = new AbortController().signal

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-local-files-'))
  dir = join(base, 'robot')
  await mkdir(join(dir, 'meshes'), { recursive: true })
  await writeFile(join(base, 'secret.xml'), 'outside')
  await writeFile(join(dir, 'arm.xml'), 'inside')
  await writeFile(join(dir, 'meshes/Base.stl'), 'solid')
  await writeFile(join(dir, 'empty.stl'), '')
  await writeFile(join(dir, 'poignée.stl'.normalize('NFD')), 'nfd')
  await symlink('../secret.xml', join(dir, 'out.xml'))
  await symlink('..', join(dir, 'up'))
  await symlink('arm.xml', join(dir, 'alias.xml'))
  await symlink('meshes', join(dir, 'm'))
  await symlink('nothing', join(dir, 'dangling.xml'))
  execFileSync('mkfifo', [join(dir, 'pipe.xml')])
})

afterAll(() => rm(base, { recursive: true, force: true }))

const sizes = async (...paths: string[]) => (await localFiles(dir)).sizesOf(paths, never)
const texts = async (...paths: string[]) => {
  const files = await (await localFiles(dir)).readFiles(paths, never)
  return files.map((file) => file && Buffer.from(file).toString())
}

describe('a local folder', () => {
  it('returns files and sizes in the requested order', async () => {
    expect(await texts('meshes/Base.stl', 'none.xml', 'arm.xml')).toEqual(['solid', null, 'inside'])
    expect(await sizes('empty.stl', 'none.xml', 'arm.xml')).toEqual([0, null, 6])
  })

  it('never returns a file outside, however it is named', async () => {
    const paths = ['../secret.xml', join(base, 'secret.xml'), 'meshes/../../secret.xml', 'out.xml', 'up/secret.xml']
    expect(await texts(...paths)).toEqual(paths.map(() => null))
    expect(await sizes(...paths)).toEqual(paths.map(() => null))
  })

  it('notes a link that leaves the folder', async () => {
    const files = await localFiles(dir)
    await files.sizesOf(['out.xml', 'arm.xml'], never)
    expect([...files.notes]).toEqual([expect.stringContaining('out.xml is a symbolic link that leaves')])
  })

  it('follows links that stay inside', async () => {
    expect(await texts('alias.xml', 'm/Base.stl')).toEqual(['inside', 'solid'])
  })

  it('matches names case-sensitively and in NFC', async () => {
    expect(await sizes('ARM.xml', 'meshes/base.stl', 'Meshes/Base.stl')).toEqual([null, null, null])
    expect(await sizes('poignée.stl'.normalize('NFC'))).toEqual([3])
  })

  it('treats pipes, folders and broken links as missing files', async () => {
    expect(await texts('pipe.xml', 'meshes', 'dangling.xml', 'arm.xml/x', '')).toEqual([null, null, null, null, null])
  })

  it('reads only one byte more than the file size limit', async () => {
    await writeFile(join(dir, 'large.xml'), Buffer.alloc(limits.fileBytes + 100))
    const [large] = await (await localFiles(dir)).readFiles(['large.xml'], never)
    expect(large?.length).toBe(limits.fileBytes + 1)
  })

  it('must be a folder', async () => {
    await expect(localFiles(join(dir, 'arm.xml'))).rejects.toThrow('is not a folder')
    await expect(localFiles(join(dir, 'none'))).rejects.toThrow('is not a folder')
  })
})
