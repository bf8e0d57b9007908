/** `hub runs media`: what is listed, and the files that are downloaded. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { registerRunCommands } from '../../packages/cli/src/run-commands.ts'
import { runCommandLine } from '../support/command-line.ts'
import { contractHub } from '../support/hub.ts'

const hub = contractHub()
let run: string
let key: string

beforeAll(async () => {
  const ada = await hub.person()
  key = await hub.key(ada, { scope: 'train' })
  run = (await hub.call(key, 'POST', '/v1/runs/start', { recipe: { template: 'act' }, worker: 'w' })).json.id
  const output = await hub.repo(ada, { kind: 'model' })
  const path = (name: string) => `runs/${run}/media/${name}`
  await hub.upload(ada, output, { [path('a.png')]: 'first', [path('b.png')]: 'second', [path('c.png')]: 'not logged' })
  await hub.call(key, 'POST', `/v1/runs/${run}/report`, { output_model_repo: output })
  const media = [
    { key: 'camera', step: 10, kind: 'image', path: path('a.png'), caption: 'from\nabove' },
    { key: 'camera', step: 10, index: 1, kind: 'image', path: path('b.png') },
    { key: 'note', step: 2, kind: 'text', value: 'x'.repeat(100) },
  ]
  await hub.call(key, 'POST', `/v1/runs/${run}/media`, { media })
})

const listed = (...args: string[]) =>
  runCommandLine(registerRunCommands, ['runs', 'media', run, ...args], { HUB_URL: hub.running.url, HUB_TOKEN: key })

it('lists entries by key and step, of one key or kind', async () => {
  expect(await listed()).toMatchObject({
    code: 0,
    out: [
      `camera  10  image  runs/${run}/media/a.png (5 B)  from\\nabove`,
      `camera  10#1  image  runs/${run}/media/b.png (6 B)`,
      `note  2  text  "${'x'.repeat(58)}…`,
      '3 items\n',
    ].join('\n'),
  })
  expect((await listed('--kind', 'text')).out).toMatch(/^note .*\n1 item\n$/)
  const { media } = JSON.parse((await listed('--key', 'note', '--json')).out)
  expect(media).toMatchObject([{ key: 'note', step: 2, index: 0, value: 'x'.repeat(100) }])
})

it('downloads the files that were logged, and says where there is none', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'hub-media-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  expect(await listed('--download', dir)).toMatchObject({ code: 0, out: expect.stringContaining('fetched 2 files') })
  const folder = join(dir, 'runs', run, 'media')
  expect((await readdir(folder)).sort()).toEqual(['a.png', 'b.png'])
  expect(await readFile(join(folder, 'b.png'), 'utf8')).toBe('second')
  expect(await listed('--key', 'note', '--download', dir)).toMatchObject({
    code: 1,
    err: expect.stringContaining('no such media with a file'),
  })
})
