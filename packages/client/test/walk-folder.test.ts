/** Which files of a folder a push takes, and under which names. */
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { walkFolder } from '../src/walk.ts'
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
