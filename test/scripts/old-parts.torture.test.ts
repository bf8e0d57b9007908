/** What `npm ci` made of the tree is of the tree before `git pull`: the next start makes again what is of other files. */
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
let tree = ''
const at = (file: string) => join(tree, file)
const put = (file: string, text: string) => {
  mkdirSync(dirname(at(file)), { recursive: true })
  writeFileSync(at(file), text)
}
const lock = (version: string, more: object = {}) =>
  JSON.stringify({ packages: { '': {}, 'node_modules/vite': { version }, ...more } })

/** In place of `scripts/prepare.ts`: notes for what it was called, and makes the files that show a part. */
const prepare = `
  import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
  import { dirname } from 'node:path'
  if (existsSync('fails')) process.exit(3)
  appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n')
  for (const file of ['prisma/generated/client/client.ts', 'prisma/generated/tables.ts', 'packages/client/src/v1.ts',
    'packages/client/src/operation-lines.ts', 'generated/web/index.html', 'generated/still-page.js', 'generated/install/x']) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, process.argv.slice(2).join(' '))
  }`

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'hub-old-parts-'))
  for (const name of ['package.json', 'scripts/bring-node.js', 'scripts/prepared.js', 'scripts/installed-packages.js'])
    cpSync(join(root, name), at(name))
  put('scripts/prepare.ts', prepare)
  put('scripts/codegen/write-lists.ts', '')
  put('node_modules/prisma-cli/package.json', '{}')
  put('prisma/schema/main.prisma', 'model Run {}')
  put('schema/schema.graphql', 'type Query { a: Int }')
  put('web/src/main.tsx', 'page()')
  put('packages/mjcf/src/read.ts', 'read()')
  put('package-lock.json', lock('8.0.0'))
  put('node_modules/.package-lock.json', lock('8.0.0'))
})
afterAll(() => rmSync(tree, { recursive: true, force: true }))
beforeEach(() => put('calls', ''))

const bring = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/bring-node.js', ...args], {
    cwd: tree,
    encoding: 'utf8',
  })
  return { status, stdout, said: stderr, made: readFileSync(at('calls'), 'utf8') }
}
const said = (parts: string) => `The tree has changed; making these parts again (npm run prepare): ${parts} …\n`
const nothing = { status: 0, stdout: '', said: '', made: '' }

it('is made where it is missing or of other files, by name, and else left alone', () => {
  expect(bring()).toMatchObject({ status: 0, said: said('database, documents'), made: 'database documents\n' })
  put('calls', '')
  expect(bring('--pages')).toMatchObject({ status: 0, stdout: '', said: said('pages'), made: 'pages\n' })
  put('calls', '')
  expect([bring(), bring('--pages')]).toEqual([nothing, nothing])

  appendFileSync(at('prisma/schema/main.prisma'), 'model Film {}')
  expect(bring('--pages').made).toBe('database\n')
  put('calls', '')
  put('web/src/pages/new.tsx', 'another()')
  expect(bring()).toEqual(nothing)
  expect(bring('--pages').made).toBe('pages\n')
  put('calls', '')
  rmSync(at('web/src/pages/new.tsx'))
  expect(bring('--pages').made).toBe('pages\n')
  put('calls', '')
  put('packages/mjcf/src/read.ts', 'readMore()')
  expect(bring('--pages').made).toBe('pages\n')
  put('calls', '')
  put('schema/schema.graphql', 'type Query { b: Int }')
  expect(bring('--pages').made).toBe('documents pages\n')
  put('calls', '')
  rmSync(at('generated/web'), { recursive: true })
  expect(bring('--pages').made).toBe('pages\n')
})

it('is not made again where files have other times, tests changed, or what is made itself', () => {
  utimesSync(at('web/src/main.tsx'), 1, 1)
  utimesSync(at('prisma/schema/main.prisma'), 1, 1)
  put('packages/mjcf/test/read.test.ts', 'it()')
  put('web/src/pages/runs.graphql.ts', 'made')
  put('packages/client/src/v1.ts', 'made otherwise')
  expect(bring('--pages')).toEqual(nothing)
})

it('is noted by `npm run prepare`', () => {
  put('web/src/main.tsx', 'otherPage()')
  expect(bring('--all').made).toBe('database documents pages\n')
  put('calls', '')
  expect(bring('--pages')).toEqual(nothing)
})

it('is made by one of several commands that find it old', async () => {
  appendFileSync(at('prisma/schema/main.prisma'), 'model Card {}')
  const codes = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = spawn(process.execPath, ['scripts/bring-node.js'], { cwd: tree, stdio: 'ignore' })
      return new Promise((done) => child.once('exit', done))
    }),
  )
  expect([codes, readFileSync(at('calls'), 'utf8')]).toEqual([[0, 0, 0, 0], 'database\n'])
})

it('is made although a process that made it was killed', () => {
  put('generated/.preparing', `${spawnSync(process.execPath, ['-e', '']).pid}`)
  appendFileSync(at('prisma/schema/main.prisma'), 'model Gate {}')
  expect(bring().made).toBe('database\n')
})

it('stops the start with the fix where it cannot be made, and is old after that', () => {
  put('fails', '')
  put('web/src/main.tsx', 'thirdPage()')
  const fix = 'They could not be made: run `npm ci`, which brings the packages of this version.\n'
  for (const _ of [1, 2]) expect(bring('--pages')).toMatchObject({ status: 3, said: said('pages') + fix })
  rmSync(at('fails'))
  expect(bring('--pages')).toMatchObject({ status: 0, made: 'pages\n' })
})

it('is left alone without the development packages', () => {
  rmSync(at('node_modules/prisma-cli'), { recursive: true })
  put('web/src/main.tsx', 'fourthPage()')
  expect(bring('--pages')).toEqual(nothing)
  put('node_modules/prisma-cli/package.json', '{}')
  bring('--pages')
})

it('has other packages told, where npm installed those of another version', () => {
  put('package-lock.json', lock('8.0.1', { 'node_modules/pg': { version: '8.23.1' } }))
  const line = 'The installed packages are of another version of the hub (vite 8.0.0 in place of 8.0.1, and 1 more): '
  expect(bring('--pages')).toEqual({ ...nothing, said: `${line}run \`npm ci\`.\n` })
  put('package-lock.json', lock('8.0.0', { 'node_modules/esbuild': { version: '1.0.0', optional: true } }))
  expect(bring('--pages')).toEqual(nothing)
})
