import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { registerClientCommands } from '../../packages/cli/src/client-commands.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub, type Json, type Person } from '../support/hub.ts'

const hub = contractHub()
let base: string
let ada: Person
let name: string

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'hub-versions-'))
  ada = await hub.person()
  name = await hub.repo(ada)
  await hub.upload(ada, name, { 'a.txt': 'one', 'meta/b.txt': 'two' })
})
afterAll(() => rm(base, { recursive: true, force: true }))

const run = (...args: string[]) =>
  runCommandLine(registerClientCommands, args, { HUB_URL: hub.running.url, HUB_TOKEN: ada.token, HOME: base })
const json = async (...args: string[]): Promise<Json> => JSON.parse((await run(...args, '--json')).out)
const pulled = async (at: string) => {
  const dir = join(base, at)
  await mkdir(dir, { recursive: true })
  const { code } = await run('pull', name, dir, '--at', at)
  expect(code).toBe(0)
  return readFile(join(dir, 'a.txt'), 'utf8')
}

it('a push --delete is undone by one command, which is itself undone by the one that it names', async () => {
  const folder = join(base, 'folder')
  await mkdir(folder)
  await writeFile(join(folder, 'a.txt'), 'changed')
  expect((await run('snapshot', name, 'v1', '--note', 'first')).out).toBe(
    `${name}: v1 is change 1 (2 files, 6 B) and keeps it until it is deleted\n`,
  )
  await run('push', folder, name, '--delete')
  const { changes } = await json('history', name)
  const current = changes[0].seq
  expect(changes.map((change: Json) => [change.seq, change.action])).toEqual([
    [2, 'complete'],
    [1, 'complete'],
  ])
  const would = '~ a.txt  7 B -> 3 B\n+ meta/b.txt  3 B\n1 added, 0 removed, 1 changed\n'
  expect((await run('diff', name, String(current), 'v1')).out).toBe(would)
  expect((await run('restore', name, '--at', 'v1', '--dry-run')).out).toBe(would)
  expect((await run('restore', name, '--at', 'v1')).out).toBe(
    `${would}${name} is at change 3 now; to undo this: hub restore ${name} --at 2\n`,
  )
  expect((await run('restore', name, '--at', 'v1')).out).toBe(`${name} is already as it was at v1\n`)
  expect(await json('restore', name, '--at', '2', '--path', 'a.txt')).toMatchObject({
    seq: 4,
    previous_seq: 3,
    changed: 1,
  })
  expect((await json('ls', name)).files.map(({ path, size }: Json) => [path, size])).toEqual([
    ['a.txt', 7],
    ['meta/b.txt', 3],
  ])
  expect((await run('history', name)).out).toMatch(/ {5}4 {2}\S+Z {2}restore {3}\+0 -0 ~1 .* current\n/)
})

it('a pull takes the files of a snapshot, a number or a time, byte for byte', async () => {
  expect(await pulled('v1')).toBe('one')
  expect(await pulled('2')).toBe('changed')
  expect(await pulled(new Date().toISOString())).toBe('changed')
  expect((await run('pull', name, join(base, 'none'), '--at', 'v9')).code).toBe(4)
  expect((await hub.call(ada, 'GET', `/v1/repos/${name}/tree?at=2026-13-01`)).status).toBe(422)
  const file = await hub.send(ada, 'GET', `/v1/repos/${name}/resolve/a.txt?at=v1`)
  expect([file.status, file.headers.get('etag')]).toEqual([302, expect.stringMatching(/^"[0-9a-f]{64}"$/)])
})

it('snapshots are listed and deleted', async () => {
  expect((await run('snapshots', name)).out).toMatch(/^v1 .*change 1 .*2 files, 6 B {2}first\n1 snapshot; /)
  expect((await hub.call(ada, 'GET', `/v1/repos/${name}/snapshots/v1`)).json).toMatchObject({
    name: 'v1',
    seq: 1,
    note: 'first',
    creator: { handle: ada.handle },
  })
  expect((await run('snapshot', name, 'v1')).code).toBe(5)
  expect((await run('snapshot', name, '12')).code).toBe(5)
  expect((await run('snapshot', name, 'v1', '--delete', '--at', '1')).code).toBe(2)
  expect((await run('snapshot', name, 'v1', '--delete')).code).toBe(0)
  expect((await run('snapshots', name)).out).toMatch(/^0 snapshots; /)
})

it('a purge asks, and without a terminal needs --yes', async () => {
  expect(await run('purge', name, 'a.txt')).toMatchObject({ code: 2, err: expect.stringContaining('Add --yes') })
  expect((await run('purge', name, 'a.txt', 'none', '--yes')).out).toBe(
    'purged   a.txt\nmissing  none\n1 path purged from every version\n',
  )
  const { status, json: problem } = await hub.call(ada, 'POST', `/v1/repos/${name}/files/presign-download`, {
    paths: ['a.txt'],
    at: '2',
  })
  expect([status, problem.errors[0].detail]).toEqual([
    404,
    expect.stringMatching(/^"a.txt" was purged from every version/),
  ])
})

it('the graph has states, history and snapshots of any number of repos', async () => {
  const [owner, slug] = name.split('/')
  const query = `query ($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) {
    at(state: "1") { seq isCurrent withdrawnCount fileSummary { count totalBytes } files { nodes { path } } }
    history(first: 1) { nodes { action actor { handle } } pageInfo { hasNextPage } }
    snapshots { nodes { name } } } }`
  const { data } = await hub.graphql(ada, query, { owner, slug })
  expect(data.repo).toEqual({
    at: {
      seq: 1,
      isCurrent: false,
      withdrawnCount: 1,
      fileSummary: { count: 1, totalBytes: 3 },
      files: { nodes: [{ path: 'meta/b.txt' }] },
    },
    history: { nodes: [{ action: 'PURGE', actor: { handle: ada.handle } }], pageInfo: { hasNextPage: true } },
    snapshots: { nodes: [] },
  })
})

it('pulls what a run was made with, byte for byte, after its dataset was edited: the state that Run.datasets answers with', async () => {
  const data = await hub.repo(ada)
  await hub.upload(ada, data, { 'a.txt': 'as pinned', 'b/c.bin': 'c' })
  const recipe = { template: 'act', dataset: [`svc://${data}`] }
  const { id } = (await hub.call(ada, 'POST', '/v1/runs', { recipe })).json
  await hub.upload(ada, data, { 'a.txt': 'edited later' })
  await hub.call(ada, 'POST', `/v1/repos/${data}/files/delete`, { paths: ['b/c.bin'] })
  const text = `{ run(id: "${id}") { datasets { seq state { seq isCurrent withdrawnCount fileSummary { count totalBytes } files(first: 10) { nodes { path size } } } } } }`
  const [{ seq, state }] = (await hub.graphql(ada, text)).data.run.datasets
  expect(state).toEqual({
    seq,
    isCurrent: false,
    withdrawnCount: 0,
    fileSummary: { count: 2, totalBytes: 10 },
    files: {
      nodes: [
        { path: 'a.txt', size: 9 },
        { path: 'b/c.bin', size: 1 },
      ],
    },
  })
  const dir = join(base, 'pinned')
  expect(await json('pull', data, dir, '--at', id)).toMatchObject({ fetched: ['a.txt', 'b/c.bin'] })
  expect(await readFile(join(dir, 'a.txt'), 'utf8')).toBe('as pinned')
  expect(await readFile(join(dir, 'b/c.bin'), 'utf8')).toBe('c')
})

it('a push says what it is about; hub log shows it to whoever reads, and a commit id pulls the state', async () => {
  const repo = await hub.repo(ada, { visibility: 'public' })
  const folder = join(base, 'said')
  await mkdir(folder)
  await writeFile(join(folder, 'a.txt'), 'first')
  await run('push', folder, repo, '-m', 'first try\nwith a second line')
  await writeFile(join(folder, 'a.txt'), 'second')
  await run('push', folder, repo, '-m', 'second try')
  await writeFile(join(folder, 'b.txt'), 'another')
  await rm(join(folder, 'a.txt'))
  await run('push', folder, repo, '--delete', '-m', 'no longer needed')
  const { out } = await run('log', repo)
  const line = (said: string) => `[0-9a-f]{7} {2}\\S+Z {2}by ${ada.handle} {2}${said}\n`
  expect(out).toMatch(
    new RegExp(
      `^${line('no longer needed {2}\\(current\\)')}${line('second try')}${line('first try')}[0-9a-f]{7} {2}\\S+Z {2}created empty\n4 commits\n$`,
    ),
  )
  const { commits } = await json('log', repo)
  expect((await run('log', repo, 'a.txt')).out).toMatch(
    new RegExp(
      [
        `^[0-9a-f]{7} {2}\\S+Z {2}- 6 B {2}by ${ada.handle} {2}no longer needed\n`,
        `[0-9a-f]{7} {2}\\S+Z {2}~ 5 B -> 6 B {2}by ${ada.handle} {2}second try\n`,
        `[0-9a-f]{7} {2}\\S+Z {2}\\+ 5 B {2}by ${ada.handle} {2}first try\n3 versions of a.txt\n$`,
      ].join(''),
    ),
  )
  expect((await json('log', repo, 'b.txt')).versions.map(({ change }: Json) => change)).toEqual(['added'])
  const into = join(base, 'by-commit')
  await mkdir(into)
  expect((await run('pull', repo, into, '--at', commits[1].commit_id)).code).toBe(0)
  expect(await readFile(join(into, 'a.txt'), 'utf8')).toBe('second')
  expect((await run('restore', repo, '--at', commits[2].commit_id, '-m', 'back to the first')).code).toBe(0)
  expect((await run('history', repo)).out).toMatch(/ restore .* [0-9a-f]{7} {2}back to the first {2}current\n/)
  await run('snapshot', repo, 'snapshot:005000')
  expect((await run('log', repo)).out).toMatch(/ {2}back to the first {2}\(current, snapshot:005000\)\n/)
  expect((await run('snapshot', repo, 'snapshot:005000', '--delete')).code).toBe(0)
})
