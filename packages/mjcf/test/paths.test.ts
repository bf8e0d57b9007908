/** Paths are text for MuJoCo: joined, normalised, never looked up. */
import { describe, expect, it } from 'vitest'
import { baseNameOf, extensionOf, folderOf, inRepo, isAbsolutePath, joinPath } from '../src/paths.ts'

describe('a path is absolute', () => {
  it.each(['/x', '\\x', 'C:/x', 'C:\\x', 'package://p/x', 'file:///x', 'a/b:/c'])('as %s', (path) => {
    expect(isAbsolutePath(path)).toBe(true)
  })

  it.each(['', 'x', './x', '../x', 'a:b', 'x/y', 'file:x'])('but not as %j', (path) => {
    expect(isAbsolutePath(path)).toBe(false)
  })
})

describe('joining', () => {
  it.each([
    ['', 'b.xml', 'b.xml'],
    ['a', 'b.xml', 'a/b.xml'],
    ['a/', 'b.xml', 'a/b.xml'],
    ['a', './b.xml', 'a/b.xml'],
    ['a/c', '../b.xml', 'a/b.xml'],
    ['a', 'none/../b.xml', 'a/b.xml'],
    ['a', '../../b.xml', '../b.xml'],
    ['a', 's\\b.xml', 'a/s/b.xml'],
    ['a', 's//b.xml', 'a/s//b.xml'],
    ['a', 's//../b.xml', 'a/s/b.xml'],
    ['a', 's/..', 'a/s/..'],
    ['a', '', 'a/'],
    ['a', '/b.xml', '/b.xml'],
    ['a', 'C:/x/../b.xml', 'C:/b.xml'],
    ['a', './/b.xml', '/b.xml'],
  ])('%j and %j gives %j', (a, b, joined) => {
    expect(joinPath(a, b)).toBe(joined)
  })
})

describe('a joined path', () => {
  it.each([
    ['a/b.xml', 'a/b.xml'],
    ['a//b.xml', 'a/b.xml'],
    ['./b.xml', 'b.xml'],
    ['a/../b.xml', 'b.xml'],
  ])('%j names the file %j of the repo', (path, inside) => {
    expect(inRepo(path)).toBe(inside)
  })

  it.each(['', '/b.xml', '../b.xml', 'a/../../b.xml', 'C:/b.xml', 'package://p/b.xml', 'a/..', 'b\0.xml'])(
    '%j names none',
    (path) => {
      expect(inRepo(path)).toBeNull()
    },
  )
})

it('the parts of a path are split at the last separator or dot, of either kind', () => {
  expect([folderOf('a/b/c.stl'), folderOf('c.stl'), folderOf('a\\c.stl')]).toEqual(['a/b', '', 'a'])
  expect([baseNameOf('a/b/c.stl'), baseNameOf('a\\c.stl'), baseNameOf('c.stl')]).toEqual(['c.stl', 'c.stl', 'c.stl'])
  expect([extensionOf('a/c.tar.STL'), extensionOf('c'), extensionOf('a.b/c')]).toEqual(['.STL', '', '.b/c'])
})
