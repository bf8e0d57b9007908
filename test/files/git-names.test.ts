/** A repo that would bring its own `.git/config`: the hub accepts no such file, and an existing one can still be read and deleted. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { registerClientCommands } from '../../packages/cli/src/client-commands.ts'
import { runCommandLine } from '../support/command-line.ts'
import { type Answer, contractHub, type Json, type Person, places, sha256Of, types } from '../support/hub.ts'

const hub = contractHub()
let ada: Person
let name: string

beforeAll(async () => {
  ada = await hub.person()
  name = await hub.repo(ada)
})

const attack = '[core]\n\tfsmonitor = touch /tmp/owned\n'
const post = (operation: string, body: unknown, repo = name) =>
  hub.call(ada, 'POST', `/v1/repos/${repo}/files/${operation}`, body)
const refusal = (answer: Answer) => [answer.status, types(answer), places(answer)]
const file = (path: string) => ({ path, size: attack.length, sha256: sha256Of(attack) })

/** A repo that holds such a file from a time when it was taken. */
async function repoWith(path: string): Promise<string> {
  const repo = await hub.repo(ada, { visibility: 'public' })
  await hub.upload(ada, repo, { 'a.txt': 'a', plain: attack })
  await hub.sql(
    `update files set path = $2 where path = 'plain'
      and repo_id = (select r.id from repos r join accounts o on o.id = r.owner_id where o.handle || '/' || r.slug = $1)`,
    [repo, path],
  )
  return repo
}

describe('a path that a file system may treat as .git', () => {
  it.each([
    '.git/config',
    'sub/.GIT/hooks/post-checkout',
    '.g\u200cit/config',
    '.git. /x',
    'git~1',
    '.git::$INDEX_ALLOCATION/x',
  ])('%j is refused where it is made', async (path) => {
    expect(refusal(await post('presign-upload', { files: [file('fine'), file(path)] }))).toEqual([
      422,
      ['validation.path'],
      [['body', 'files', 1, 'path']],
    ])
    const uploads = [{ path, upload_id: 'upl_x', parts: [{ part_number: 1, etag: 'x' }] }]
    expect(refusal(await post('complete', { uploads }))).toEqual([
      422,
      ['validation.path'],
      [['body', 'uploads', 0, 'path']],
    ])
  })

  it('is rejected over GraphQL too', async () => {
    const [owner, repo] = name.split('/')
    const input = { owner, repo, files: [{ ...file('.git/config') }] }
    const answer = await hub.graphql(
      ada,
      'mutation ($input: PresignUploadInput!) { presignUpload(input: $input) { uploads { uploadId } } }',
      { input },
    )
    expect(answer.errors[0].extensions).toMatchObject({
      status: 422,
      problem: { errors: [{ type: 'validation.path' }] },
    })
    expect(answer.errors[0].message).toContain('may treat as .git')
  })

  it('can be listed, read and deleted if it already exists', async () => {
    const repo = await repoWith('.git/config')
    const listed = (await hub.call(ada, 'GET', `/v1/repos/${repo}/tree`)).json
    expect(listed.items.map(({ path }: Json) => path)).toEqual(['.git/config', 'a.txt'])
    expect((await hub.send(ada, 'GET', `/v1/repos/${repo}/resolve/.git/config`)).status).toBe(302)
    expect((await post('presign-download', { paths: ['.git/config'] }, repo)).json.files).toHaveLength(1)
    expect((await post('delete', { paths: ['.git/config'] }, repo)).json).toMatchObject({ deleted: ['.git/config'] })
  })

  it('stops a pull: nothing of the repo is written', async () => {
    const repo = await repoWith('.Git/config')
    const dir = await mkdtemp(join(tmpdir(), 'hub-git-'))
    try {
      const env = { HUB_URL: hub.running.url, HOME: dir, XDG_CACHE_HOME: join(dir, 'cache') }
      const pulled = await runCommandLine(registerClientCommands, ['pull', repo, join(dir, 'copy')], env)
      expect(pulled).toMatchObject({ code: 1, err: expect.stringContaining('".Git/config" has the segment') })
      expect(await readdir(join(dir, 'copy')).catch(() => [])).toEqual([])
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  })
})

it('similar names are ordinary names', async () => {
  const repo = await hub.repo(ada)
  const files = { '.gitignore': 'x', '.gitattributes': 'x', '.github/workflows/ci.yml': 'x', 'a.git/config': 'x' }
  await hub.upload(ada, repo, files)
  const listed = (await hub.call(ada, 'GET', `/v1/repos/${repo}/tree`)).json
  expect(listed.items.map(({ path }: Json) => path).sort()).toEqual(Object.keys(files).sort())
})
