import { describe, expect, it } from 'vitest'
import { crumbsOf, folderEntries } from '../../../web/src/pages/repos/files/folder-entries.ts'
import { prettyJson, previewKind, tableRows } from '../../../web/src/pages/repos/files/preview-kind.ts'

const listing = ['README.md', 'meshes/a.stl', 'meshes/deep/b.stl', 'robot.xml'].map((path) => ({ path, size: 10 }))

describe('a folder', () => {
  it('shows the folders in it with what they hold, then its files', () => {
    expect(folderEntries(listing, '')).toMatchObject([
      { kind: 'folder', name: 'meshes', path: 'meshes', count: 2, bytes: 20 },
      { kind: 'file', name: 'README.md' },
      { kind: 'file', name: 'robot.xml' },
    ])
  })

  it('below another has paths from the root, and names from the folder', () => {
    expect(folderEntries(listing.slice(1, 3), 'meshes')).toMatchObject([
      { kind: 'folder', name: 'deep', path: 'meshes/deep', count: 1 },
      { kind: 'file', name: 'a.stl' },
    ])
    expect(crumbsOf('meshes/deep/').map(({ path }) => path)).toEqual(['meshes', 'meshes/deep'])
  })
})

describe('a preview', () => {
  it('is chosen by the name', () => {
    expect(['a/README.MD', 'LICENSE', 'v.mp4', 'weights.safetensors', 'x.csv'].map(previewKind)).toEqual([
      'markdown',
      'text',
      'video',
      'none',
      'table',
    ])
  })

  it('of JSON never rounds a number', () => {
    expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(prettyJson('{"a":12345678901234567890}')).toBe('{"a":12345678901234567890}')
    expect(prettyJson('{"a":')).toBe('{"a":')
  })

  it('of a table reads quoted cells, and no more rows than asked for', () => {
    expect(tableRows('a,b\r\n"1,\n""2""",3\n', ',', 9)).toEqual([
      ['a', 'b'],
      ['1,\n"2"', '3'],
    ])
    expect(tableRows('a\nb\nc', ',', 2)).toEqual([['a'], ['b']])
  })
})
