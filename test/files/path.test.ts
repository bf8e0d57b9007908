import { filePath, newFilePath } from '@hub/formats/file-path-rule'
import { justAfter, newPathFault, pathFault, prefixSuccessor } from '@hub/text/file-path'
import { describe, expect, it, test } from 'vitest'
import { partBytes, partFaults } from '../../src/files/check-parts.ts'
import { detectMime } from '../../src/files/mime.ts'
import { completedUpload, presignUploadFile, presignUploadInput } from '../../src/files/schemas.ts'
import { partCount } from '../../src/files/upload-sql.ts'
import { openStates, type UploadState, uploadRefusal } from '../../src/files/upload-state.ts'

const inBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

describe('FilePath', () => {
  test.each([
    'a',
    'dir/sub/file.xml',
    '.hidden',
    'a..b/...',
    'with space/ünïcode/日本.txt',
    'x'.repeat(255),
    `${'a'.repeat(255)}/${'b'.repeat(255)}/${'c'.repeat(255)}/${'d'.repeat(255)}/`.slice(0, 1023),
    'é'.normalize('NFC'),
  ])('%j is one', (path) => expect(pathFault(path)).toBeNull())

  test.each([
    ['', 'is empty'],
    ['/a', 'starts with /'],
    ['a/', 'ends with /'],
    ['a//b', 'has an empty segment'],
    ['a/./b', 'has the segment .'],
    ['..', 'has the segment ..'],
    ['a\\b', 'contains a backslash'],
    ['a\nb', 'contains a control character'],
    ['a\u007f', 'contains a control character'],
    ['a\u0085', 'contains a control character'],
    ['\ud800', 'is not valid Unicode'],
    ['é'.normalize('NFD'), 'is not in Unicode normal form C'],
    ['x'.repeat(256), 'has a segment longer than 255 bytes'],
    ['é'.repeat(128), 'has a segment longer than 255 bytes'],
    ['a/'.repeat(512).concat('b'), 'is longer than 1024 bytes'],
  ])('%j is none: it %s', (path, reason) => {
    expect(pathFault(path)).toContain(reason)
    expect(filePath.safeParse(path).error?.issues[0]?.message).toContain(reason)
  })
})

describe('a new path', () => {
  test.each([
    '.git',
    '.git/config',
    'sub/.git/hooks/post-checkout',
    '.GIT/config',
    '.gIt',
    '.git.',
    '.git. . ',
    '.git /config',
    '.g\u200cit/config',
    '\u200e.git',
    '.git\ufeff/config',
    '.gi\u2060t',
    '.gi\u00adt\u202e',
    '.\ufe0fgit',
    '.git\u200b. ',
    '.git::$INDEX_ALLOCATION/config',
    '.git:stream',
    '.git .::$DATA',
    'git~1/config',
    'GIT~1',
    'git~27',
    'git~1.',
    'g\u200cit~1',
    'GI7EBA~1',
    '\uff0egit',
    '\u2024git',
    '.\uff27\uff29\uff34',
  ])('%j would be .git somewhere', (path) => {
    expect(newPathFault(path)).toContain('which a file system may treat as .git')
    const [issue] = newFilePath.safeParse(path).error?.issues ?? []
    expect(issue).toMatchObject({ params: { type: 'validation.path' }, message: expect.stringContaining('.git') })
    expect([pathFault(path), filePath.safeParse(path).success]).toEqual([null, true])
  })

  test.each([
    '.gitignore',
    '.gitattributes',
    '.gitmodules',
    '.github/workflows/ci.yml',
    '.gitkeep',
    'a.git',
    'a.git/config',
    'git',
    'git/config',
    '.git-crypt',
    '.git.d/x',
    '..git',
    ' .git',
    '.git2',
    'git~',
    'git~a',
    'digit~1',
    'config',
    '.gït',
  ])('%j is a name like any other', (path) => expect(newPathFault(path)).toBeNull())
})

describe('a prefix as a range', () => {
  test.each(['', 'a', 'dir/', 'z\u{10FFFF}', '\u{10FFFF}', '\uD7FF', '日本'])(
    'everything that starts with %j lies in it, and nothing else',
    (prefix) => {
      const end = prefixSuccessor(prefix)
      const last = '\u{10FFFF}'.repeat(62)
      for (const path of [`${prefix}a`, `${prefix}${last}`, `${prefix}日`]) {
        expect(inBytes(prefix, path)).toBeLessThan(0)
        expect(inBytes(path, end), JSON.stringify(path)).toBeLessThan(0)
      }
      if (prefix !== '' && !prefix.startsWith('\u{10FFFF}')) expect(end.startsWith(prefix)).toBe(false)
    },
  )

  test('no path sorts between a path and its successor', () => {
    expect(inBytes('a', justAfter('a'))).toBeLessThan(0)
    expect(inBytes(justAfter('a'), 'a b')).toBeLessThan(0)
  })
})

describe('inputs', () => {
  const file = { path: 'a', size: 0, sha256: '0'.repeat(64) }
  test.each([
    [file, true],
    [{ ...file, size: -1 }, false],
    [{ ...file, size: 1.5 }, false],
    [{ ...file, size: 53_687_091_201 }, true],
    [{ ...file, sha256: 'A'.repeat(64) }, false],
    [{ ...file, sha256: '0'.repeat(63) }, false],
    [{ ...file, contentType: 'x'.repeat(255) }, true],
    [{ ...file, contentType: 'x'.repeat(256) }, false],
    [{ ...file, contentType: 'text/plain\r\nX: y' }, false],
  ])('the file %j is taken: %s', (value, ok) => expect(presignUploadFile.safeParse(value).success).toBe(ok))

  test.each([
    [0, false],
    [1, true],
    [100, true],
    [101, false],
  ])('%i files are taken: %s', (count, ok) => {
    const files = Array.from({ length: count }, () => file)
    expect(presignUploadInput.safeParse({ owner: 'o', repo: 'r', files }).success).toBe(ok)
  })

  test('a completion names at least one part', () => {
    expect(completedUpload.safeParse({ path: 'a', uploadId: 'u', parts: [] }).success).toBe(false)
  })
})

describe('parts', () => {
  test.each([
    [0, 1, 0],
    [1, 1, 1],
    [100, 1, 100],
    [101, 2, 1],
    [200, 2, 100],
  ])('%i bytes in parts of 100 are %i parts, the last of %i bytes', (size, count, last) => {
    expect(partCount(size, 100)).toBe(count)
    expect(partBytes(size, 100, count)).toBe(last)
  })

  test('every fault is named at its place', () => {
    const stored = [
      { partNumber: 1, etag: 'a', sizeBytes: 100 },
      { partNumber: 2, etag: 'b', sizeBytes: 99 },
    ]
    const named = {
      path: 'f',
      uploadId: 'u',
      parts: [
        { partNumber: 2, etag: 'b' },
        { partNumber: 1, etag: 'x' },
      ],
    }
    expect(partFaults(named, { size: 300, partSize: 100 }, stored, ['u', 0])).toMatchObject([
      { type: 'upload.size_mismatch', loc: ['u', 0, 'parts', 0] },
      { type: 'upload.etag_mismatch', loc: ['u', 0, 'parts', 1, 'etag'] },
      { type: 'upload.part_missing', loc: ['u', 0, 'parts'] },
    ])
  })
})

test('the upload state table decides what may be claimed and aborted', () => {
  const answers = (event: 'claim' | 'abort', leaseHeld: boolean) =>
    Object.fromEntries(
      [...openStates, 'completed', 'aborted'].map((state) => [
        state,
        uploadRefusal(event, state as UploadState, leaseHeld),
      ]),
    )
  const ended = { pending: null, assembled: null, completed: 'conflict.terminal', aborted: 'conflict.terminal' }
  for (const event of ['claim', 'abort'] as const) {
    expect(answers(event, true)).toEqual({ ...ended, completing: 'conflict.in_progress' })
    expect(answers(event, false)).toEqual({ ...ended, completing: null })
  }
})

test.each([
  ['a.txt', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), null, 'image/png'],
  ['mesh.stl', Buffer.from('solid'), null, 'model/stl'],
  ['data.bin2', Buffer.from('?'), 'application/x-given', 'application/x-given'],
  ['README', Buffer.from('?'), null, null],
  ['anim', Buffer.from('GIF89a\x01\0\x01\0'), null, 'image/gif'],
  ['empty.module', Buffer.from('0061736d01000000', 'hex'), null, 'application/wasm'],
  ['photo.txt', Buffer.from('ffd8ffe000104a46', 'hex'), null, 'image/jpeg'],
])('the media type of %s', async (path, bytes, claimed, mime) =>
  expect(await detectMime(path, bytes, claimed)).toBe(mime),
)

describe('the media type of a file whose bytes say little', () => {
  const detected = (path: string, bytes: Uint8Array, claimed: string | null = null) => detectMime(path, bytes, claimed)

  it('is that of its name, or what the client says, for every file of one or two bytes', async () => {
    const others: unknown[] = []
    for (let value = 0; value < 0x1_0000; value += 1) {
      const two = new Uint8Array([value >> 8, value & 0xff])
      const one = value < 0x100 ? await detected('data', two.subarray(1)) : null
      const unnamed = await detected('data', two)
      const given = await detected('data', two, 'text/x-given')
      const named = await detected('a.txt', two)
      const isRight = one === null && unnamed === null && given === 'text/x-given' && named === 'text/plain'
      if (!isRight) others.push({ value, one, unnamed, given, named })
    }
    expect(others).toEqual([])
  })

  it.each([
    ['text that begins as a bitmap', 'BMW of the lab: calibration'],
    ['text that begins as a program', 'MZ is the initial of the author'],
    ['text that begins as PostScript', '%!TEX program = xelatex'],
    ['text that begins as a song', 'ID3 tags of the recordings are below'],
    ['text that begins as a picture', 'GIF is what the demo is in'],
    ['text that begins as compressed', 'BZh9 is the magic number of bzip2'],
    ['text that begins as Flash', 'CWS is the cable of the workshop'],
    ['text with G where packets begin', `G${'a'.repeat(187)}G${'a'.repeat(400)}`],
  ])('is its name\u2019s for %s', async (_what, text) => {
    const bytes = Buffer.from(text)
    expect(await detected('notes.md', bytes)).toBe('text/markdown')
    expect(await detected('NOTES', bytes, 'text/plain')).toBe('text/plain')
    expect(await detected('NOTES', bytes)).toBeNull()
  })

  it.each([
    ['weights whose header has 256 bytes', 'model.safetensors', '0001000000000000'],
    ['numbers that begin with 1, as icons do', 'states.f32', '0000010000000000'],
    ['compressed data', 'frames.z', '7801ffffffffffff'],
    ['samples that look like a frame of audio', 'torque.raw', 'fffb90440000000000'],
    ['samples of -1 and 10', 'pose.raw', 'ff0a000000000000'],
  ])('is unknown for %s', async (_what, path, hex) => {
    expect(await detected(path, Buffer.from(hex, 'hex'))).toBeNull()
    expect(await detected(path, Buffer.from(hex, 'hex'), 'application/x-given')).toBe('application/x-given')
  })

  it.each([
    ['a.bmp', '424d460000000000', 'image/bmp'],
    ['a.mp3', 'fffb904400000000', 'audio/mpeg'],
    ['a.ttf', '0001000000100100', 'font/ttf'],
    ['a.tar.bz2', '425a683931415926', 'application/x-bzip2'],
  ])('is that of the format for %s, as its name says', async (path, hex, mime) => {
    expect(await detected(path, Buffer.from(hex, 'hex'))).toBe(mime)
  })
})
