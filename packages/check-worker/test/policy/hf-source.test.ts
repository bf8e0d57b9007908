/**
 * A public policy of another hub is fetched over HTTPS from public addresses alone, up to limits of size; its revision
 * and licence are recorded.
 */

import { mkdtemp, rm, stat } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { guardedGetter, isPublicAddress } from '@hub/client/guarded'
import { afterEach, describe, expect, it } from 'vitest'
import { onnx, safetensors } from '../../../formats/test/policy/policy-files.ts'
import { modelLimits } from '../../src/policy/check-model.ts'
import { getFile } from '../../src/policy/hf/get-file.ts'
import { hfMirror, type Mirror, redirect, revision } from './support/hf-mirror.ts'
import { answers, modelChecks } from './support/model-checks.ts'

const { check } = modelChecks()

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function mirrorOf(...given: Parameters<typeof hfMirror>): Promise<Mirror> {
  const mirror = await hfMirror(...given)
  open.push(mirror)
  return mirror
}

const walker = onnx({ inputs: { obs: ['batch', 9] }, outputs: { actions: ['batch', 3] } })
const request = { ...answers, hf_repo: 'lab/walker' }
const place = (path: string) => `/lab/walker/resolve/${revision}/${path}`
const sourceOf = (result: Awaited<ReturnType<typeof check>>) =>
  result.report.checks.find(({ code }) => code === 'source.hf')

it('fetches only the files of a policy, at the listed commit', async () => {
  const mirror = await mirrorOf({
    'walk.onnx': walker,
    'README.md': Buffer.from('hello'),
    'train.mp4': Buffer.alloc(10),
  })
  const result = await check({}, null, { request, mirror: mirror.url })
  expect(mirror.asked).toEqual(['/api/models/lab/walker', place('walk.onnx')])
  expect(sourceOf(result)).toMatchObject({
    status: 'pass',
    data: { revision, license: 'apache-2.0', bytes: walker.length },
  })
  expect(result.intake).toMatchObject({
    policy_path: 'walk.onnx',
    stamped_by_check: true,
    source: {
      hf_repo: 'lab/walker',
      revision,
      license: 'apache-2.0',
      files: ['walk.onnx'],
      bytes: walker.length,
      skipped: [],
    },
  })
  expect(result.artifacts.map(({ name }) => name)).toEqual(['manifest.json', 'walk.onnx'])
})

it('keeps what it fetches from the other users of the machine', async () => {
  const mirror = await mirrorOf({ 'walk.onnx': walker })
  const base = await mkdtemp(join(tmpdir(), 'hub-fetched-'))
  try {
    const file = join(base, 'policy/walk.onnx')
    const url = new URL(place('walk.onnx'), mirror.url)
    const expected = { sizeBytes: walker.length, sha256: null }
    const getter = guardedGetter({ userAgent: 'test', trustedOrigins: [mirror.url] })
    await getFile({ getter, url, file, expected, signal: new AbortController().signal })
    const modes = await Promise.all([dirname(file), file].map(async (path) => (await stat(path)).mode & 0o777))
    expect(modes).toEqual([0o700, 0o600])
  } finally {
    await rm(base, { recursive: true })
  }
})

it('accepts a revision, and a configuration with its weights', async () => {
  const files = {
    'config.json': Buffer.from('{"type":"act"}'),
    'model.safetensors': safetensors({ w: [100, 3] }),
    'policy_preprocessor.json': Buffer.from('{}'),
    'optimizer.bin': Buffer.alloc(9),
  }
  const mirror = await mirrorOf(files)
  const result = await check({}, null, {
    request: { ...request, hf_repo: 'lab/walker@v1.0' },
    mirror: `${mirror.url}/`,
  })
  expect(mirror.asked[0]).toBe('/api/models/lab/walker/revision/v1.0')
  expect(result.intake).toMatchObject({
    policy_path: null,
    policy_format: 'safetensors',
    params: 300,
    source: { revision },
  })
  expect(result.artifacts.map(({ name }) => name)).toEqual([
    'manifest.json',
    'policy/config.json',
    'policy/model.safetensors',
    'policy/policy_preprocessor.json',
  ])
})

it('follows a redirect within the mirror', async () => {
  const answers = { [place('walk.onnx')]: redirect('/cdn/1'), '/cdn/1': redirect(place('again')) }
  const mirror = await mirrorOf({ 'walk.onnx': walker, again: walker }, { answers })
  expect(sourceOf(await check({}, null, { request, mirror: mirror.url }))?.status).toBe('pass')
})

it.each([
  ['one file', { ...modelLimits, artifactBytes: 500 }],
  ['all files', { ...modelLimits, fetchedBytes: 500 }],
])('skips what is over the limit of %s, without asking for it, and blocks a publish', async (_, limits) => {
  const files = { 'config.json': Buffer.from('{"type":"act"}'), 'model.safetensors': safetensors({ w: [100, 3] }) }
  const mirror = await mirrorOf(files)
  const result = await check({}, null, { request, mirror: mirror.url, limits })
  expect(mirror.asked).not.toContain(place('model.safetensors'))
  expect(result.intake.source).toMatchObject({ files: ['config.json'], skipped: ['model.safetensors'] })
  expect(sourceOf(result)).toMatchObject({ status: 'warn', names: ['model.safetensors'] })
  expect(result.needs).toMatchObject([{ field: 'entry', severity: 'blocking', names: ['model.safetensors'] }])
  expect(result.report.ok).toBe(true)
  expect(result.artifacts).toEqual([])
})

it('stops at the listed size of a file, however long the download continues', async () => {
  const endless = {
    [place('walk.onnx')]: (
      _: unknown,
      response: { write(chunk: Buffer): boolean; on(name: 'drain', then: () => void): void },
    ) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', more)
      more()
    },
  }
  const mirror = await mirrorOf({ 'walk.onnx': walker }, { answers: endless })
  const result = await check({}, null, { request, mirror: mirror.url })
  expect(sourceOf(result)).toMatchObject({ status: 'fail', message: expect.stringMatching(/is larger than \d+ bytes/) })
})

it.each([
  ['twice', ['walk.onnx', 'walk.onnx'], /lists "walk.onnx" twice/],
  ['as a file and a folder', ['walk.onnx', 'walk.onnx/data'], /lists "walk.onnx" as a file and a folder/],
])('fetches nothing where one path is listed %s', async (_how, names, message) => {
  const siblings = names.map((rfilename) => ({ rfilename, size: walker.length }))
  const mirror = await mirrorOf({ 'walk.onnx': walker }, { listing: { siblings } })
  const result = await check({}, null, { request, mirror: mirror.url })
  expect(sourceOf(result)).toMatchObject({ status: 'fail', message: expect.stringMatching(message) })
  expect(mirror.asked).toEqual(['/api/models/lab/walker'])
})

it("does not report a fault of the worker's own disk as one of the policy", async () => {
  const mirror = await mirrorOf({ 'walk.onnx': walker })
  const inTheWay = { 'walk.onnx': 'left behind' }
  await expect(check(inTheWay, null, { request, mirror: mirror.url })).rejects.toMatchObject({ code: 'EEXIST' })
})

it('rejects bytes that do not match the listed digest', async () => {
  const other = Buffer.from(walker)
  other[other.length - 1] = 0
  const mirror = await mirrorOf(
    { 'walk.onnx': walker },
    { answers: { [place('walk.onnx')]: (_, response) => response.end(other) } },
  )
  expect(sourceOf(await check({}, null, { request, mirror: mirror.url }))?.message).toMatch(
    /not the file that was listed/,
  )
})

it.each([
  ['warns of a repo without a licence', { cardData: null }, 'warn', /names no licence/],
  ['refuses a listing without a commit', { sha: 'main' }, 'fail', /not that of a model repo/],
  [
    'refuses a repo without a policy',
    { siblings: [{ rfilename: 'README.md', size: 3 }] },
    'fail',
    /has no policy at its root/,
  ],
  [
    'refuses several ONNX files, naming them',
    { siblings: ['a.onnx', 'b.onnx'].map((rfilename) => ({ rfilename, size: 3 })) },
    'fail',
    /several ONNX files: a.onnx, b.onnx/,
  ],
  [
    'takes no path that leads out of its folder',
    {
      siblings: [
        { rfilename: 'manifest.json', size: 2 },
        { rfilename: 'policy/../../../x', size: 2 },
      ],
    },
    'fail',
    /has no policy at its root/,
  ],
])('%s', async (_, listing, status, reason) => {
  const mirror = await mirrorOf({ 'walk.onnx': walker }, { listing })
  const result = await check({}, null, { request, mirror: mirror.url })
  expect(sourceOf(result)).toMatchObject({ status, message: expect.stringMatching(reason) })
})

it('reports that a repo does not exist or is not public', async () => {
  const mirror = await mirrorOf({})
  const result = await check({}, null, { request: { ...request, hf_repo: 'lab/private' }, mirror: mirror.url })
  expect(sourceOf(result)).toMatchObject({
    status: 'fail',
    message: expect.stringMatching(/api\/models\/lab\/private answered 404/),
  })
  expect(result.intake).toMatchObject({ embodiment: 'unstamped', source: null })
})

it.each(['walker', 'lab/walker/x', '../walker', 'lab/..', 'lab/walker@', 'lab/walker@../../x', 'lab/wal ker'])(
  'takes no %j',
  async (hf_repo) => {
    const mirror = await mirrorOf({ 'walk.onnx': walker })
    const result = await check({}, null, { request: { ...request, hf_repo }, mirror: mirror.url })
    expect(sourceOf(result)).toMatchObject({ status: 'fail', message: expect.stringMatching(/not of the form/) })
    expect(mirror.asked).toEqual([])
  },
)

describe('an address that the other hub redirects to', () => {
  /** Counts who connects, whatever they speak. */
  async function inside(): Promise<{ readonly port: number; readonly connections: () => number }> {
    let connections = 0
    const server: Server = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    open.push(server)
    return { port: (server.address() as AddressInfo).port, connections: () => connections }
  }

  it.each([
    ['without TLS', 'http://127.0.0.1', /is not HTTPS/],
    ['of this machine', 'https://127.0.0.1', /not a public address/],
    ['of this machine, written as one number', 'https://2130706433', /not a public address/],
    ['of this machine, in IPv6 dress', 'https://[::ffff:127.0.0.1]', /not a public address/],
    ['whose name leads to this machine', 'https://localhost', /not a public address/],
  ])('is never connected to: one %s', async (_, origin, reason) => {
    const { port, connections } = await inside()
    const answers = { [place('walk.onnx')]: redirect(`${origin}:${port}/secret`) }
    const mirror = await mirrorOf({ 'walk.onnx': walker }, { answers })
    const result = await check({}, null, { request, mirror: mirror.url })
    expect(sourceOf(result)).toMatchObject({ status: 'fail', message: expect.stringMatching(reason) })
    expect(connections()).toBe(0)
  })

  it('is followed through at most five redirects', async () => {
    const mirror = await mirrorOf(
      { 'walk.onnx': walker },
      { answers: { [place('walk.onnx')]: redirect(place('walk.onnx')) } },
    )
    const result = await check({}, null, { request, mirror: mirror.url })
    expect(sourceOf(result)?.message).toMatch(/leads on more than 5 times/)
  })

  it.each(['8.8.8.8', '185.199.108.1', '2606:4700::1111'])('may be %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each([
    ...[
      '0.0.0.0',
      '10.1.2.3',
      '100.64.0.1',
      '127.8.8.8',
      '169.254.169.254',
      '172.16.0.1',
      '192.168.1.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...[
      '::',
      '::1',
      'fe80::1',
      'fe80::1%eth0',
      'fc00::1',
      'fd00:ec2::254',
      'ff02::1',
      '::ffff:10.0.0.1',
      '64:ff9b::a00:1',
      '2002:a00:1::',
      '2001:db8::1',
    ],
    'no address',
  ])('may not be %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})

it('ends with the reason of its signal', async () => {
  const mirror = await mirrorOf({ 'walk.onnx': walker }, { answers: { [place('walk.onnx')]: () => {} } })
  const ended = AbortSignal.timeout(300)
  await expect(check({}, null, { request, mirror: mirror.url, signal: ended })).rejects.toThrow(/timeout/)
})
