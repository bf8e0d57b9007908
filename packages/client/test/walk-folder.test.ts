/** Which files of a folder a push takes, and under which names. */
import { realpath, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nothingLeftOut } from '../src/left-out.ts'
import { nearFolders } from '../src/near-folders.ts'
import { walkFolder, walkToPush } from '../src/walk.ts'
import { transferFolder } from './transfer-folder.ts'

const t = transferFolder()
const { put } = t

describe('the walk', () => {
  it('lists files in byte order, skips .git and .DS_Store, and follows links that stay inside', async () => {
    await put('b/z.txt', '1')
    await put('a.txt', '2')
    await put('.git/config', '3')
    await put('b/.DS_Store', '4')
    await symlink('a.txt', join(t.dir, 'link.txt'))
    expect((await walkFolder(t.dir)).map((file) => file.path)).toEqual(['a.txt', 'b/z.txt', 'link.txt'])
  })
  it('reports every path that cannot be pushed in one error', async () => {
    await put('back\\slash', '1')
    await put('bell\u0007', '2')
    await symlink('/etc/hostname', join(t.dir, 'out'))
    await symlink('..', join(t.dir, 'up'))
    await symlink('nowhere', join(t.dir, 'broken'))
    const error = await walkFolder(t.dir).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ faults: expect.any(Array) })
    const { faults } = error as { faults: string[] }
    expect(faults).toHaveLength(5)
  })
  it('normalizes names to NFC and refuses two with the same form', async () => {
    await put('e\u0301.txt', '1')
    expect((await walkFolder(t.dir))[0]?.path).toBe('\u00e9.txt')
    await put('\u00e9.txt', '2')
    await expect(walkFolder(t.dir)).rejects.toMatchObject({ faults: [expect.stringContaining('Unicode form')] })
  })
  it('applies include and exclude patterns', async () => {
    for (const path of ['a.png', 'm/b.png', 'm/c.stl', '.hidden/d.png']) await put(path, path)
    const paths = async (include: string[], exclude: string[]) =>
      (await walkFolder(t.dir, { include, exclude })).map((file) => file.path)
    expect(await paths(['*.png'], [])).toEqual(['.hidden/d.png', 'a.png', 'm/b.png'])
    expect(await paths([], ['m/', '.hidden/**'])).toEqual(['a.png'])
  })
})

describe('a folder of this machine', () => {
  it('is told from one that may be far away, also within a folder and behind a link', async () => {
    await put('a.txt', '1')
    await put('mount/b.txt', '2')
    await put('mount/c/d.txt', '3')
    await symlink('mount/b.txt', join(t.dir, 'link.txt'))
    const asked: string[] = []
    const near = (folder: string) => {
      asked.push(folder)
      return Promise.resolve(!folder.endsWith('mount'))
    }
    const { files } = await walkToPush(t.dir, { filter: { include: [], exclude: [] }, ...nothingLeftOut }, near)
    expect(files.map(({ path, size, isNear }) => [path, size, isNear])).toEqual([
      ['a.txt', 1, true],
      ['link.txt', 1, false],
      ['mount/b.txt', 1, false],
      ['mount/c/d.txt', 1, true],
    ])
    const root = await realpath(t.dir)
    expect(new Set(asked)).toEqual(new Set([root, join(root, 'mount'), join(root, 'mount', 'c')]))
  })

  it.each([
    ['ext4', 0xef53, true],
    ['XFS', 0x58465342, true],
    ['Btrfs as a negative number', 0x9123683e - 2 ** 32, true],
    ['NFS', 0x6969, false],
    ['SMB', 0xfe534d42, false],
    ['FUSE', 0x65735546, false],
    ['9P', 0x01021997, false],
    ['another system', 0, false],
  ])('is known by the type of its file system: %s', async (_, type, expected) => {
    let asked = 0
    const near = nearFolders(() => {
      asked += 1
      return Promise.resolve(type)
    })
    await put('within/a', '1')
    expect([await near(t.dir), await near(join(t.dir, 'within'))]).toEqual([expected, expected])
    expect(asked).toBe(1)
  })

  it('is none where it is not named', async () => {
    expect(await nearFolders(() => Promise.reject(new Error('stale')))(t.dir)).toBe(false)
    expect(await nearFolders()(join(t.dir, 'none'))).toBe(false)
  })
})
