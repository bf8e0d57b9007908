/** A malicious hub cannot make the client write outside the given folder or into Git's own files. */
import { once } from 'node:events'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHubClient, pullRepo } from '@hub/client/internal'
import { assertSafeListing, landingOf } from '@hub/client/landing'
import { createDouble } from '@hub/testing/double'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { registerRunnerCommand } from '../../packages/cli/src/runner-command.ts'
import type { RemoteFile } from '../../packages/client/src/shapes.ts'
import { versionOf } from '../../packages/client/src/state.ts'
import { type HubDouble, json, startHubDouble } from '../../packages/client/test/hub-double.ts'
import { runCommandLine, runHub } from '../support/command-line.ts'

let hub: HubDouble
let base: string
let into: string

beforeEach(async () => {
  hub = await startHubDouble()
  base = await mkdtemp(join(tmpdir(), 'hub-hostile-'))
  into = join(base, 'copy')
})
afterEach(async () => {
  await hub.close()
  await rm(base, { recursive: true, force: true })
})

const pull = (force = false) => {
  const client = createHubClient({
    url: hub.url,
    token: 't',
    retry: { attempts: 1, baseMs: 1, maxMs: 1, random: () => 0 },
  })
  return pullRepo(client, { owner: 'o', slug: 's' }, into, { cacheDir: join(base, 'cache'), force })
}
const entry = (path: string): RemoteFile => ({ path, size: 1, etag: null, sha256: null, mime: null, updated_at: '' })

describe('a pull', () => {
  it.each([
    '.git/config',
    '.GIT/config',
    'a/.git./hooks/x',
    '.g\u200cit/config',
    'GIT~1/config',
    '.git::$INDEX_ALLOCATION/config',
  ])('writes nothing of a repo that contains %j', async (path) => {
    hub.store('good', Buffer.from('1'))
    hub.store(path, Buffer.from('[core]\n\tfsmonitor = touch owned\n'))
    await expect(pull()).rejects.toThrow('nothing was written')
    await expect(readdir(into)).rejects.toThrow()
  })

  it('follows no link into the .git folder', async () => {
    await mkdir(join(into, '.git', 'hooks'), { recursive: true })
    await writeFile(join(into, '.git', 'config'), 'mine')
    await symlink('.git', join(into, 'docs'))
    await symlink(join('.git', 'hooks'), join(into, 'hooks'))
    hub.store('docs/config', Buffer.from('theirs'))
    hub.store('hooks/post-checkout', Buffer.from('theirs'))
    expect((await pull()).failed.map(({ path }) => path)).toEqual(['hooks/post-checkout'])
    expect((await pull(true)).failed.map(({ path, why }) => [path, why.includes('is a symbolic link into')])).toEqual([
      ['docs/config', true],
      ['hooks/post-checkout', true],
    ])
    expect(await readFile(join(into, '.git', 'config'), 'utf8')).toBe('mine')
    expect(await readdir(join(into, '.git', 'hooks'))).toEqual([])
  })

  it('replaces a link in the place of a file only with force, and leaves its target alone', async () => {
    const outside = join(base, 'outside')
    await writeFile(outside, 'mine')
    await mkdir(into)
    await symlink(outside, join(into, 'a'))
    await symlink(join(base, 'nothing'), join(into, 'b'))
    hub.store('a', Buffer.from('theirs'))
    hub.store('b', Buffer.from('theirs'))
    expect((await pull()).conflicts.map(({ path }) => path)).toEqual(['a', 'b'])
    expect((await lstat(join(into, 'a'))).isSymbolicLink()).toBe(true)
    expect(await pull(true)).toMatchObject({ failed: [], conflicts: [] })
    expect([await readFile(outside, 'utf8'), (await lstat(join(into, 'a'))).isSymbolicLink()]).toEqual(['mine', false])
    expect((await readdir(base)).sort()).toEqual(['cache', 'copy', 'outside'])
  })

  it.each(['', '.ranges'])('does not follow a link in place of its temporary file (%j)', async (suffix) => {
    const outside = join(base, 'outside')
    await mkdir(into)
    const bytes = Buffer.alloc(suffix === '' ? 10 : 65 * 1_048_576)
    hub.store('a', bytes)
    const listed = hub.files.get('a')
    if (!listed) throw new Error('The file is not stored.')
    const { partial } = await landingOf(into, listed.path, listed.sha256 ?? versionOf(listed))
    // A ledger is only used if the partial file has its full size.
    if (suffix !== '') await writeFile(partial, bytes)
    await symlink(outside, `${partial}${suffix}`)
    const report = await pull()
    expect(report.failed.map(({ path }) => path)).toEqual(['a'])
    await expect(lstat(outside)).rejects.toThrow()
  })
})

describe('an answer without end', () => {
  it.each([200, 404])('is not kept in memory (status %i)', async (status) => {
    hub.fault = (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      const spaces = Buffer.alloc(1_048_576, ' ')
      const more = () => {
        while (response.write(spaces));
      }
      response.on('drain', more)
      more()
      return true
    }
    const said = status === 200 ? 'answered more than 67108864 bytes' : 'The hub answered 404'
    await expect(pull()).rejects.toThrow(said)
  })
})

describe('hub login', () => {
  it.each([
    ['https://other.example/auth/device?user_code=A', 'names a page at another address, https://other.example'],
    ['http://localhost:1/auth/device?user_code=A', 'names a page at another address, http://localhost:1'],
    ['https://OWN/auth/device?user_code=A', 'names a page at another address, https://127.0.0.1'],
    ['file:///etc/passwd', 'names no page to sign in at'],
  ])('shows and opens no page of another hub, whose key would be kept by this one: %s', async (named, said) => {
    const uri = named.replace('OWN', new URL(hub.url).host)
    hub.fault = (_, response, { pathname }) => {
      if (pathname !== '/v1/auth/device') return false
      const codes = { device_code: 'd', user_code: 'WDJB-MJHT', expires_in: 900, interval: 5 }
      json(response, { ...codes, verification_uri: uri, verification_uri_complete: uri })
      return true
    }
    const ended = await runHub(['login', '--no-browser', '--url', hub.url], { HOME: base })
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining(said) })
    expect(ended.err).not.toContain('WDJB')
  })
})

describe('names that are special on Windows', () => {
  it.each(['C:evil', 'a:stream', 'CON', 'sub/nul.txt', 'COM1', 'lpt¹', 'name.', 'name ', 'a?b', 'CONOUT$'])(
    '%j is refused on Windows only',
    (path) => {
      expect(() => assertSafeListing([entry(path)], 'win32')).toThrow('nothing was written')
      expect(() => assertSafeListing([entry(path)], 'linux')).not.toThrow()
    },
  )
  it.each(['console', 'com10', 'a.con', 'nullable.txt', 'a b', '.hidden'])('%j is allowed', (path) =>
    expect(() => assertSafeListing([entry(path)], 'win32')).not.toThrow(),
  )
})

describe('a runner', () => {
  it.each(['../../x', '/tmp/x', 'run_../../x', '', 'run_01jd000000000000000000000', 'run_01JD0000000000000000000000'])(
    'refuses a run with the id %j',
    async (id) => {
      const server = createDouble((request, response) => {
        request.resume()
        const run = {
          status: 'running',
          recipe: {},
          owner: { handle: 'ada' },
          display_name: 'x',
          attempt: 1,
          created_at: '',
        }
        json(response, request.url === '/v1/me' ? { account: { handle: 'ada' } } : { id, ...run })
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      try {
        const env = {
          HUB_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          HUB_TOKEN: 't',
          HOME: base,
        }
        const workDir = join(base, 'deep', 'runs')
        await mkdir(workDir, { recursive: true })
        const args = ['runner', '--owner', 'ada', '--once', '--work-dir', workDir, '--command', `touch ${base}/ran`]
        const ended = await runCommandLine(registerRunnerCommand, args, env)
        expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('is not a run id') })
        // What was claimed is not known: the claim is kept for the next start.
        const made = (await readdir(base, { recursive: true })).filter(
          (path) => !/^deep\/runs\/claim-[\w-]+\.json$/.test(path),
        )
        expect(made).toEqual(['deep', join('deep', 'runs')])
      } finally {
        server.closeAllConnections()
        server.close()
      }
    },
  )
})
