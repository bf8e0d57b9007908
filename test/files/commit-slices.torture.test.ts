/** A commit of very many paths is looked at in slices, between which the hub serves others: counted, never timed. */
import { searchClashes } from '@hub/text/file-path'
import { expect, it, vi } from 'vitest'
import { schema } from '../../schema/index.ts'
import { ruleFaults, ruleFaultsOfRead } from '../../schema/rule-faults.ts'
import { readContents } from '../../src/files/blobs/read-contents.ts'
import { checkOperations, targetsOf } from '../../src/files/commit/commit-input.ts'
import { inTurns, type Sliced } from '../../src/platform/slices.ts'
import { turns } from '../../src/platform/turns.ts'
import { hfClient } from '../hf-compat/support/hf-client.ts'
import { contractHub, type Json } from '../support/hub.ts'

const hub = contractHub({ RATE_LIMIT_PER_MINUTE: '0' })
const hf = hfClient(hub)

const PATHS = 30_000
const LONGEST_LIST = 1000
const LONGEST_SEARCH = 4096
/** Folders of one path, which are counted together. */
const DEEPEST = 512

const paths = Array.from({ length: PATHS }, (_, at) => `folder-${at % 100}/file-${at}`)
const oid = 'a'.repeat(64)

/** Runs the work to its end: how many slices it has, and how often `used` grew in the longest. */
function slicesOf(work: Sliced<unknown>, used: () => number) {
  let [slices, longest, before] = [0, 0, used()]
  for (;;) {
    const step = work.next()
    slices += 1
    longest = Math.max(longest, used() - before)
    before = used()
    if (step.done) return { slices, longest, value: step.value }
  }
}

const argument = schema.getMutationType()?.getFields().commitFiles?.args[0]

it('checks the rules of a long list a thousand items at a time', () => {
  let reads = 0
  const add = paths.map((path) => ({
    get path() {
      reads += 1
      return path
    },
    sha256: oid,
  }))
  if (!argument) throw new Error('commitFiles has an argument.')
  const input = { owner: 'a', repo: 'b', add }
  const found = slicesOf(ruleFaultsOfRead(argument, input, ['input']), () => reads)
  expect(found).toMatchObject({ value: [], slices: PATHS / LONGEST_LIST + 1 })
  expect(reads).toBe(PATHS)
  expect(found.longest).toBeLessThanOrEqual(LONGEST_LIST)
})

it('checks the rule of each of a long list of texts a thousand at a time, twice, with the faults of a short one', () => {
  if (!argument) throw new Error('commitFiles has an argument.')
  const faultsOf = (given: readonly string[]) =>
    slicesOf(ruleFaultsOfRead(argument, { owner: 'a', repo: 'b', delete: given }, ['input']), () => 0)
  expect(faultsOf(paths)).toMatchObject({ value: [], slices: (2 * PATHS) / LONGEST_LIST + 1 })
  const bad = ['../up', 'a//b', 'fine']
  const short = ruleFaults(argument, { owner: 'a', repo: 'b', delete: bad }, ['input'])
  expect(short).toHaveLength(2)
  expect(faultsOf([...bad, ...paths]).value).toEqual(short)
  const tooMany = faultsOf([...bad, ...Array.from({ length: 100_000 }, (_, at) => `${at}`)]).value as Json[]
  expect(tooMany.map(({ loc }) => loc)).toEqual([...short.map(({ loc }) => loc), ['input', 'delete']])
})

it('checks the rules of long texts a megabyte at a time', () => {
  const content = Buffer.alloc(48 * 1024, 'x').toString('base64')
  const contents = Array.from({ length: 400 }, () => content)
  const store = schema.getMutationType()?.getFields().storeBlobs?.args[0]
  if (!argument || !store) throw new Error('Both verbs have an argument.')
  const slicesOfRules = (ruled: typeof store, given: object) =>
    slicesOf(ruleFaultsOfRead(ruled, { owner: 'a', repo: 'b', ...given }, ['input']), () => 0)
  const add = contents.map((one, at) => ({ path: `file-${at}`, content: one }))
  for (const { slices, value } of [slicesOfRules(store, { contents }), slicesOfRules(argument, { add })]) {
    expect(slices).toBeGreaterThan(24)
    expect(value).toEqual([])
  }
})

it('decodes and hashes the contents of a request a megabyte at a time', () => {
  const text = Buffer.alloc(48 * 1024, 'x').toString('base64')
  const { slices, value } = slicesOf(readContents(Array.from({ length: 400 }, () => text)), () => 0)
  expect(slices).toBe((400 * text.length) / (1024 * 1024))
  expect(value).toHaveLength(400)
})

it('looks for clashes a few thousand folders at a time, however deep they are', () => {
  const deep = Array.from({ length: 400 }, (_, at) => `${at}/${'d/'.repeat(400)}x`)
  const found = slicesOf(searchClashes(deep, deep), () => 0)
  expect(found.value).toEqual([])
  // Each of 401 folders of each path is looked at as a place of files, and as a file.
  const steps = deep.length * (2 + 2 * 401)
  expect(found.slices).toBeGreaterThan(steps / (LONGEST_SEARCH + DEEPEST))
  let given = 0
  const counted = {
    *[Symbol.iterator]() {
      for (const path of paths) {
        given += 1
        yield path
      }
    },
  }
  expect(slicesOf(searchClashes(counted, counted), () => given).longest).toBeLessThanOrEqual(LONGEST_SEARCH)
})

it('pauses between the checks of a commit, and says what is wrong as it did', () => {
  const input = { owner: 'a', repo: 'b', add: paths.map((path) => ({ path, sha256: oid })) }
  expect(slicesOf(checkOperations(input, targetsOf(input)), () => 0).slices).toBeGreaterThan(PATHS / LONGEST_SEARCH)
  const clash = { ...input, add: [...input.add, { path: 'folder-7', sha256: oid }] }
  const failing = () => slicesOf(checkOperations(clash, targetsOf(clash)), () => 0)
  expect(failing).toThrow(expect.objectContaining({ type: 'conflict.path' }))
})

it('waits for a turn before each slice', async () => {
  const order: string[] = []
  function* work(): Sliced<string> {
    order.push('first')
    yield
    order.push('second')
    return 'done'
  }
  const next = async () => {
    order.push('turn')
  }
  expect(await inTurns(work(), next)).toBe('done')
  expect(order).toEqual(['turn', 'first', 'turn', 'second'])
})

it('lets the loop of a hub go between the slices of a commit of many lines', async () => {
  const person = await hub.person()
  const name = await hf.dataset(person, { first: 'bytes' })
  const { json } = await hub.call(person, 'GET', `/v1/repos/${name}/tree`)
  const lines = paths.map((path) => ({
    key: 'lfsFile',
    value: { path, algo: 'sha256', oid: json.items[0].sha256, size: 5 },
  }))
  const turn = vi.spyOn(turns, 'next')
  const body = [{ key: 'header', value: { summary: 'many' } }, ...lines].map((line) => JSON.stringify(line)).join('\n')
  const answer = await hf.request(person, 'POST', `/api/datasets/${name}/commit/main`, {
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  })
  expect(answer.status).toBe(200)
  // The rules of its list, the look-out for clashes of files and of folders, and the checks between.
  expect(turn.mock.calls.length).toBeGreaterThanOrEqual(PATHS / LONGEST_LIST + (2 * PATHS) / LONGEST_SEARCH)
  turn.mockRestore()
})
