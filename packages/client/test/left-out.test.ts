/** What a push leaves out of a folder, decided before anything is opened or followed. */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { walkToPush } from '../src/walk.ts'

let dir: string

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hub-left-out-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const put = async (path: string, text = path) => {
  await mkdir(join(dir, path, '..'), { recursive: true })
  await writeFile(join(dir, path), text)
}
const walked = async ({
  include = [] as string[],
  exclude = [] as string[],
  ignore = true,
  includeSecrets = false,
} = {}) => {
  const { files, leftOut, leavesOut } = await walkToPush(dir, { filter: { include, exclude }, ignore, includeSecrets })
  return {
    files: files.map(({ path }) => path),
    left: leftOut.map(({ path, reason }) => `${reason} ${path}`),
    leftOut,
    leavesOut,
  }
}

describe('ignore files', () => {
  it('are read as Git reads them: nested, anchored, negated, the deepest first', async () => {
    await put('.gitignore', '*.log\n/top.txt\nbuild/\n!keep.log\n# comment\n')
    await put('a/.gitignore', '!build/\nonly-here\n')
    for (const path of [
      'x.log',
      'keep.log',
      'top.txt',
      'a/top.txt',
      'build/x',
      'a/build/y',
      'a/only-here',
      'only-here',
    ])
      await put(path)
    execFileSync('git', ['init', '-q'], { cwd: dir })
    const git = execFileSync('git', ['ls-files', '--others', '--exclude-standard'], { cwd: dir, encoding: 'utf8' })
    const { files, leftOut } = await walked()
    expect(files).toEqual(git.trim().split('\n').sort())
    expect(files).toEqual(['.gitignore', 'a/.gitignore', 'a/build/y', 'a/top.txt', 'keep.log', 'only-here'])
    expect(leftOut).toContainEqual({ path: 'build/', reason: 'ignored', rule: '.gitignore: build/' })
    expect(leftOut).toContainEqual({ path: 'a/only-here', reason: 'ignored', rule: 'a/.gitignore: only-here' })
  })

  it('of the hub win over those of Git in the same folder', async () => {
    await put('.gitignore', 'checkpoints/\n*.bin\n')
    await put('.hubignore', '!checkpoints/\nnotes.md\n')
    for (const path of ['checkpoints/a.pt', 'b.bin', 'notes.md', 'c.md']) await put(path)
    expect(await walked()).toMatchObject({
      files: ['.gitignore', '.hubignore', 'c.md', 'checkpoints/a.pt'],
      left: ['ignored b.bin', 'ignored notes.md'],
    })
  })

  it('say nothing with --no-ignore', async () => {
    await put('.gitignore', '*')
    await put('node_modules/a.js')
    expect((await walked({ ignore: false })).files).toEqual(['.gitignore', 'node_modules/a.js'])
  })

  it('match names in NFC, whatever form they have here', async () => {
    await put('.gitignore', 'caf\u00e9*\n')
    await put('cafe\u0301.txt')
    expect((await walked()).left).toEqual(['ignored caf\u00e9.txt'])
  })
})

describe('files that hold credentials', () => {
  const secrets = [
    '.env',
    '.env.local',
    'a/.env.production',
    '.envrc',
    'key.pem',
    'a/KEY.PEM',
    'id_rsa',
    'id_ed25519',
    '.netrc',
    '_netrc',
    '.git-credentials',
    '.aws/credentials',
    'credentials.json',
    'service_account.json',
    'x.p12',
    '.ssh/deploy',
    '.kube/config',
  ]
  it.each(secrets)('%s is left out and named', async (path) => {
    await put(path)
    expect(await walked()).toMatchObject({ files: [], left: [`secret ${path}`] })
    expect((await walked({ includeSecrets: true })).files).toEqual([path])
  })
  it.each(['.env.example', '.env.sample', 'id_rsa.pub', 'environment', 'pem.txt', '.ssh/config', 'credentials.md'])(
    '%s is none',
    async (path) => {
      await put(path)
      expect((await walked()).files).toEqual([path])
    },
  )
  it.each([
    ['.npmrc', 'registry=https://r.example\n', '//r.example/:_authToken=npm_x\n'],
    ['hub/client.json', '{"token": "a word of a language"}', '{\n  "token": "hub_key_x"\n}'],
    ['.pypirc', '[pypi]\nusername = a\n', '[pypi]\npassword = b\n'],
    ['server.key', 'keynote', '-----BEGIN EC PRIVATE KEY-----\n'],
  ])('%s is one by its content', async (path, harmless, secret) => {
    await put(path, harmless)
    expect((await walked()).files).toEqual([path])
    await put(path, secret)
    expect((await walked()).left).toEqual([`secret ${path}`])
  })
  it('are pushed if --include names them, but not by a pattern for everything', async () => {
    for (const path of ['.env', 'keys/a.pem', 'keys/b.txt']) await put(path)
    expect((await walked({ include: ['.env', 'keys/*.pem'] })).files).toEqual(['.env', 'keys/a.pem'])
    expect(await walked({ include: ['**', 'keys/*'] })).toMatchObject({ files: ['keys/b.txt'] })
  })
  it('do not leave under another name by a link', async () => {
    await put('.env')
    await symlink('.env', join(dir, 'settings'))
    expect((await walked()).left).toEqual(['secret .env', 'secret settings'])
  })
})

describe('what is left out or excluded', () => {
  it('is neither listed, opened nor followed', async () => {
    const trap = join(dir, 'trap')
    execFileSync('mkfifo', [trap])
    await put('.gitignore', 'mnt/\n*.fifo\n')
    await put('a.txt')
    for (const link of ['mnt', 'raw', 'nfs', 'node_modules', 'x.fifo'])
      await symlink('/nonexistent/mount', join(dir, link))
    const { files, left } = await walked({ exclude: ['raw', 'nfs/', 'trap'] })
    expect(files).toEqual(['.gitignore', 'a.txt'])
    expect(left).toEqual(['ignored mnt', 'built node_modules', 'ignored x.fifo'])
  })
  it('is a whole folder if a pattern matches the folder', async () => {
    for (const path of ['raw/a', 'raw/deep/b', 'c/raw/d', 'e']) await put(path)
    expect((await walked({ exclude: ['raw'] })).files).toEqual(['e'])
    expect((await walked({ exclude: ['raw/'] })).files).toEqual(['c/raw/d', 'e'])
    expect((await walked({ exclude: ['raw/*'] })).files).toEqual(['c/raw/d', 'e'])
  })
  it('does not stop a push of other folders: only those that --include may select are entered', async () => {
    await put('wanted/a')
    await symlink('/nonexistent/mount', join(dir, 'broken'))
    expect((await walked({ include: ['wanted/**'] })).files).toEqual(['wanted/a'])
    await expect(walked({ include: ['*.txt'] })).rejects.toThrow('cannot be pushed')
  })
  it('never includes .git, .hub and the marks of file managers, whatever is asked for', async () => {
    for (const path of ['.git/config', '.hub/data', 'a/.DS_Store', 'a/.hub-part-1', 'b']) await put(path)
    expect((await walked({ ignore: false, includeSecrets: true })).files).toEqual(['b'])
  })
  it('is also known of paths that are not here', async () => {
    await put('.gitignore', '*.log\nold/\n')
    const { leavesOut } = await walked()
    const paths = ['a.log', 'd/a.log', 'old/x/y', 'node_modules/a', '.env', 'a.txt', 'older/x']
    expect(paths.map((path) => leavesOut(path))).toEqual([true, true, true, true, true, false, false])
  })
})
