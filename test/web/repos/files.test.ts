import { describe, expect, it } from 'vitest'
import { crumbsOf, folderEntries } from '../../../web/src/pages/repos/files/folder-entries.ts'
import { codeLanguage, prettyJson, previewKind, tableRows } from '../../../web/src/pages/repos/files/preview-kind.ts'
import { cellText } from '../../../web/src/pages/repos/files/previews/cell-text.ts'
import { npyHeader } from '../../../web/src/pages/repos/files/previews/npy-header.ts'
import { npy } from '../support/npy.ts'

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
    expect(
      ['a/README.MD', 'LICENSE', 'v.mp4', 'weights.bin', 'x.csv', 'p.onnx', 'a.npz', 'd.parquet'].map(previewKind),
    ).toEqual(['markdown', 'text', 'video', 'none', 'table', 'tensors', 'archive', 'parquet'])
    expect(['scene.XML', 'python', 'a.unknown', 'README'].map(codeLanguage)).toEqual(['xml', 'python', null, null])
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

  it('of an array has its type and shape, and none where the header is not of NumPy', () => {
    expect(npyHeader(npy('<f4', [4000, 7], 0))).toEqual({ type: 'float32', shape: [4000, 7] })
    expect(npyHeader(npy('|b1', [3], 0))).toEqual({ type: 'bool', shape: [3] })
    expect(npyHeader(npy('<U12', [], 0))).toEqual({ type: 'text of 12', shape: [] })
    expect(npyHeader(npy('<M8[ns]', [2], 0))).toEqual({ type: '<M8[ns]', shape: [2] })
    const header = npy('<f8', [1], 0)
    for (const start of [Buffer.alloc(0), header.subarray(0, 11), header.subarray(0, 40), Buffer.alloc(200, 1)])
      expect(npyHeader(start)).toBe(null)
  })

  it('of a cell keeps every digit of an integer, and says how many bytes it leaves out', () => {
    expect([12345678901234567890n, null, new Uint8Array(3), [1n, 2n], { a: 'b' }, new Date(0)].map(cellText)).toEqual([
      '12345678901234567890',
      '',
      '3 bytes',
      '[1,2]',
      '{"a":"b"}',
      '1970-01-01T00:00:00.000Z',
    ])
    expect(cellText('x'.repeat(500))).toBe(`${'x'.repeat(200)}…`)
  })
})
