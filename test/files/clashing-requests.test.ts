// @module-tag sampled
/** Contract, "Text": a path is a file or a folder, in both dialects, from presign to publish. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeOnce, itOnce, sampleSize } from '@hub/testing/torture'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerClientCommands } from '../../packages/cli/src/client-commands.ts'
import { cardText, publishing } from '../checks/support/publishing.ts'
import { runCommandLine } from '../support/command-line.ts'
import { type Answer, contractHub, type Json, type Person, places, sha256Of, types } from '../support/hub.ts'

/** Of two requests at once; the torture run plays many. */
const ROUNDS = sampleSize(60, 6, 20)

const hub = contractHub()
const { begin, end, publish, post: postCheck } = publishing(hub)
let ada: Person
let base: string

beforeAll(async () => {
  ada = await hub.person()
  base = await mkdtemp(join(tmpdir(), 'hub-path-clashes-'))
})
afterAll(() => rm(base, { recursive: true, force: true }))

const post = (repo: string, operation: string, body: unknown) =>
  hub.call(ada, 'POST', `/v1/repos/${repo}/${operation}`, body)
const named = (answer: Answer): unknown => answer.json.errors.map(({ names }: Json) => names)
const refusal = (answer: Answer) => [answer.status, types(answer), places(answer), named(answer)]
const file = (path: string) => ({ path, size: path.length, sha256: sha256Of(path) })
const pathsOf = async (repo: string): Promise<string[]> =>
  (await hub.call(ada, 'GET', `/v1/repos/${repo}/tree`)).json.items.map(({ path }: Json) => path)

/** The body of a completion of files that are sent. */
async function sent(repo: string, ...paths: string[]): Promise<Json> {
  const presigned = await post(repo, 'files/presign-upload', { files: paths.map(file) })
  const uploads = []
  for (const { path, upload_id, parts } of presigned.json.uploads) {
    const etag = (await hub.put(parts[0].url, path)).headers.get('etag')
    uploads.push({ path, upload_id, parts: [{ part_number: 1, etag }] })
  }
  return { uploads }
}

describe('a file and a folder at one path', () => {
  itOnce('are 409 in each operation that would make them, which names both at their place', async () => {
    const repo = await hub.repo(ada)
    const early = await sent(repo, 'fine', 'x/y')
    await hub.upload(ada, repo, { x: 'x', 'a/b': 'a/b' })
    const clashes = [
      ['x/y', 'x'],
      ['a', 'a/b'],
    ]
    const files = ['fine', 'x/y', 'a'].map(file)
    for (const operation of ['files/presign-upload', 'files/link'])
      expect(refusal(await post(repo, operation, { files }))).toEqual([
        409,
        ['conflict.path', 'conflict.path'],
        [
          ['body', 'files', 1, 'path'],
          ['body', 'files', 2, 'path'],
        ],
        clashes,
      ])
    expect(refusal(await post(repo, 'files/complete', early))).toEqual([
      409,
      ['conflict.path'],
      [['body', 'uploads', 1, 'path']],
      [['x/y', 'x']],
    ])
    expect(await pathsOf(repo)).toEqual(['a/b', 'x'])
    expect((await post(repo, 'files/delete', { paths: ['x'] })).status).toBe(200)
    expect((await post(repo, 'files/complete', early)).status).toBe(200)
    const restored = await post(repo, 'restore', { at: '1', paths: ['x'] })
    expect([restored.status, types(restored), named(restored)]).toEqual([409, ['conflict.path'], [['x', 'x/y']]])
    expect(restored.json.type).toBe('/problems/conflict.path')
  })

  itOnce('are the same problem in the graph', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { x: 'x' })
    const [owner, slug] = repo.split('/')
    const asked = { files: [file('x/y')] }
    const answer = await hub.graphql(
      ada,
      'mutation ($input: PresignUploadInput!) { presignUpload(input: $input) { uploads { uploadId } } }',
      { input: { owner, repo: slug, ...asked } },
    )
    const { json } = await post(repo, 'files/presign-upload', asked)
    const [error] = answer.errors
    expect(error.extensions).toMatchObject({ code: 'CONFLICT', status: 409 })
    expect(error.extensions.problem).toEqual({
      ...json,
      instance: expect.any(String),
      request_id: expect.any(String),
      errors: [{ ...json.errors[0], loc: ['input', 'files', 0, 'path'] }],
    })
    expect(error.message).toBe(json.detail)
  })

  it('are one of the two when they are completed at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const repo = await hub.repo(ada)
      const bodies = [await sent(repo, 'x', 'one'), await sent(repo, 'x/y', 'two')]
      const answers = await Promise.all(bodies.map((body) => post(repo, 'files/complete', body)))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
      const [, lost] = answers[0]?.status === 200 ? answers : answers.toReversed()
      expect(types(lost as Answer)).toEqual(['conflict.path'])
      expect(await pathsOf(repo)).toEqual(answers[0]?.status === 200 ? ['one', 'x'] : ['two', 'x/y'])
    }
  })
})

describeOnce('artifacts of a check', () => {
  it('that clash with each other are refused when they are presigned', async () => {
    const { worker, check } = await begin('robot', {})
    const ask = (...names: string[]) =>
      postCheck(worker, check, 'artifacts', { files: names.map((name) => ({ name, size: 1 })) })
    expect(refusal(await ask('meshes/a', 'meshes/a/b'))).toEqual([
      409,
      ['conflict.path', 'conflict.path'],
      [
        ['body', 'files', 0, 'name'],
        ['body', 'files', 1, 'name'],
      ],
      [
        ['meshes/a', 'meshes/a/b'],
        ['meshes/a/b', 'meshes/a'],
      ],
    ])
    expect((await ask('meshes/a', 'meshes/a.obj')).status).toBe(200)
    expect(refusal(await ask('meshes/b', 'meshes/a/b'))).toEqual([
      409,
      ['conflict.path'],
      [['body', 'files', 1, 'name']],
      [['meshes/a/b', 'meshes/a']],
    ])
    expect((await ask('meshes/a')).status).toBe(200)
    const both = await Promise.all([ask('meshes/z'), ask('meshes/z/1')])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  it('that clash with a file of the repo are not published, and are once it is deleted', async () => {
    const made = await begin('robot', {})
    await end(made, { 'robot_card.json': cardText(), 'meshes/hand.stl': 'solid' }, {})
    await hub.upload(made.person, made.repo, { 'meshes/hand.stl/part': 'x' })
    const refused = await publish(made.person, made.check)
    expect([refused.status, types(refused), named(refused)]).toEqual([
      409,
      ['conflict.path'],
      [['meshes/hand.stl', 'meshes/hand.stl/part']],
    ])
    const gone = { paths: ['meshes/hand.stl/part'] }
    expect((await hub.call(made.person, 'POST', `/v1/repos/${made.repo}/files/delete`, gone)).status).toBe(200)
    expect((await publish(made.person, made.check)).status).toBe(200)
  })
})

describeOnce('hub push', () => {
  const push = (repo: string, ...options: string[]) =>
    runCommandLine(registerClientCommands, ['push', join(base, 'robot'), repo, ...options], {
      HUB_URL: hub.running.url,
      HUB_TOKEN: ada.token,
      HOME: base,
      XDG_CACHE_HOME: join(base, 'cache'),
    })

  it('says what is in the way and sends nothing; with --delete it makes room', async () => {
    const repo = await hub.repo(ada)
    await hub.upload(ada, repo, { x: 'x', 'y/1': '1', gone: 'gone' })
    await mkdir(join(base, 'robot/x'), { recursive: true })
    for (const path of ['x/a', 'y', 'fine']) await writeFile(join(base, 'robot', path), path)
    const refused = await push(repo)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('nothing was sent. --delete removes')
    expect(refused.err).toContain('"x" is a file in the repo, and a folder here, with "x/a"')
    expect(refused.err).toContain('"y" is a file here, and a folder in the repo, with "y/1"')
    expect(await pathsOf(repo)).toEqual(['gone', 'x', 'y/1'])
    expect(await push(repo, '--delete')).toMatchObject({ code: 0, out: expect.stringContaining('deleted 3') })
    expect(await pathsOf(repo)).toEqual(['fine', 'x/a', 'y'])
  })
})
