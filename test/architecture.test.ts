import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GENERATED } from '../scripts/codegen/marker.ts'
import { folders, hasRoom } from './rooms.ts'

const root = join(import.meta.dirname, '..')

const files = globSync(
  folders.map((folder) => `${folder}/**/*.ts`),
  { cwd: root },
).sort()
const pages = globSync('web/src/**/*.{ts,tsx}', { cwd: root }).sort()
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

describe('the house', () => {
  it('has a room for every file', () => {
    const advice = 'A new subject has its row in "A map of the rooms" of README.md; other folders are in test/rooms.ts.'
    expect(
      [...files, ...pages].filter((file) => !hasRoom(file)),
      advice,
    ).toEqual([])
    expect(['src/nowhere/x.ts', 'src/x.ts', 'schema/nowhere/x.ts'].filter(hasRoom)).toEqual([])
  })

  it('reads the environment in main.ts and the command line alone', () => {
    // The embedded server is a child process and gets the PATH of its parent.
    const readers = files.filter((file) => /(?<!`)\bprocess\.env\b(?!\.PATH\b)/.test(textOf(file)))
    expect(
      readers.filter((file) => file !== 'src/main.ts' && !/^(packages\/cli\/src|src\/operator)\//.test(file)),
    ).toEqual([])
  })

  it('writes to a terminal in one place, where what others said is made visible', () => {
    const writers = files.filter((file) => /\b(stdout|stderr|stream)\.write\(|\bconsole\./.test(textOf(file)))
    expect(writers.filter((file) => /^(packages\/cli\/src|src\/operator)\//.test(file))).toEqual([
      'packages/cli/src/terminal.ts',
    ])
  })

  it('measures how long it waits by a clock that only goes forward: that of the machine is set while it runs', () => {
    const isMeasured =
      /\b(?:deadline|began|started)\w* = Date\.now\(\)|Date\.now\(\) *(?:[<>]=?|-) *\w*(?:deadline|began)/i
    expect([...files, ...pages].filter((file) => isMeasured.test(textOf(file)))).toEqual([])
  })

  it('lets a verb name fields of its input, never the argument that they stand in', () => {
    const placed = files.filter((file) => file.startsWith('src/') && /\[\s*'input',/.test(textOf(file)))
    expect(placed).toEqual([])
  })

  it('tells the kernel of leased work its tables', () => {
    const schemas = globSync('prisma/schema/*.prisma', { cwd: root }).map(textOf).join('')
    const tables = [...schemas.matchAll(/@@map\("(\w+)"\)/g)].map(([, table]) => table)
    expect(tables).toContain('runs')
    const named = new RegExp(`\\b(?:update|into|join|from)\\s+(?:${tables.join('|')})\\b`)
    expect(files.filter((file) => file.startsWith('src/work/') && named.test(textOf(file)))).toEqual([])
  })

  it('names each column that is inserted beside its value', () => {
    // Two texts for a connection that is not part of the pool: Prisma's own table, and one column of the restore's.
    const own = ['src/backup/target.ts', 'src/store/adopt-baseline.ts']
    const listing = files.filter((file) => /\binsert into \S+(?: as \w+)?\s*\(/i.test(textOf(file)))
    expect(listing.filter((file) => file !== 'src/store/insert.ts')).toEqual(own)
  })

  it('keeps files small and names things after what they do', () => {
    // No one edits a generated file: it is as long as what it is made from.
    const written = [...files, ...pages].filter((file) => !textOf(file).startsWith(GENERATED))
    expect(written.length).toBeGreaterThan(files.length)
    expect(written.filter((file) => textOf(file).split('\n').length > 301)).toEqual([])
    expect(written.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(basename(file)))).toEqual([])
    expect(written.filter((file) => /(manager|service|helper|utils?)\b/i.test(file))).toEqual([])
  })
})

describe('exports', () => {
  it('of functions and classes say what they are', () => {
    const silent = files.flatMap((file) => {
      const lines = textOf(file).split('\n')
      const isSilent = (line: string, index: number) =>
        /^export (?:async )?(?:function|class)\b/.test(line) && !lines[index - 1]?.endsWith('*/')
      return lines.filter(isSilent).map((line) => `${file}: ${line}`)
    })
    expect(silent).toEqual([])
  })
})

/**
 * Files whose text a break would change: the help of a command, which a terminal shows as it is written; a page or
 * its style, as it is sent; a regular expression.
 */
const longTexts = new Set([
  'packages/cli/src/card-commands.ts',
  'packages/cli/src/check-command.ts',
  'packages/cli/src/check-worker-command.ts',
  'packages/cli/src/completion-command.ts',
  'packages/cli/src/endpoint-commands.ts',
  'packages/cli/src/log-command.ts',
  'packages/cli/src/login-command.ts',
  'packages/cli/src/policy-server-command.ts',
  'packages/cli/src/runner-command.ts',
  'packages/cli/src/transfer-commands.ts',
  'packages/cli/src/version-commands.ts',
  'packages/client/src/secrets/own-rules.ts',
  'packages/mjcf/src/command.ts',
  'src/http/docs.ts',
  'src/http/graphiql/bar.ts',
  'src/http/html.ts',
  'src/runs/config/config-groups.ts',
])

it('has no line of source over 120 columns, but for texts in one piece', () => {
  const scripts = globSync('scripts/**/*.{ts,js}', { cwd: root })
  const own = [...files, ...pages, ...scripts].filter((file) => !textOf(file).startsWith(GENERATED))
  const isLong = (line: string) => line.length > 120 && !line.includes('`')
  const long = own.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) => (isLong(line) && !longTexts.has(file) ? [`${file}:${index + 1}`] : [])),
  )
  expect(long).toEqual([])
})
