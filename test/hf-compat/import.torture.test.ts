/** `hub import` from a second hub, by the same API that Hugging Face has. */

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { runHub } from '../support/command-line.ts'
import { sha256Of } from '../support/hub.ts'
import { hfClient } from './support/hf-client.ts'
import { address, filesOf, gitHash, importing, importLab, slugOf, some, stagesOf } from './support/import-lab.ts'
import { type ProxyOptions, sourceProxy } from './support/source-proxy.ts'

const { from, here, hf, open, lab } = importLab()
const entry = fileURLToPath(new URL('../../src/operator/hub.ts', import.meta.url))

describe('hub import', () => {
  it('brings a private repo with its name, its files and its message, and sends the key to the source alone', async () => {
    const one = await lab(some)
    const slug = slugOf(one)
    const put = await from.call(one.author, 'POST', `/v1/repos/${slug}/files/delete`, {
      paths: ['empty'],
      message: 'nothing in it',
    })
    expect(put.status).toBe(200)
    const ended = await importing(one)
    expect([ended.code, ended.err]).toEqual([0, expect.any(String)])
    expect(ended.out).toContain(`created ${one.target.toLowerCase().replaceAll(/[._]/g, '-')} (dataset)`)
    expect(await filesOf(here, one.person, one.target)).toEqual(await filesOf(from, one.author, one.name))
    const [commit] = (await hfClient(here).get(one.person, `/api/datasets/${one.target}/commits/main`)).json
    expect(commit.title).toBe('nothing in it')
    const info = (await hfClient(here).get(one.person, `/api/datasets/${one.target}`)).json
    expect([info.id, info.private]).toEqual([one.target, true])
    const keyed = one.proxy.asked.filter(({ authorization }) => authorization !== null)
    expect(new Set(keyed.map(({ path }) => path.split('/')[1]))).toEqual(new Set(['api', 'datasets']))
    expect(keyed.length).toBeLessThan(one.proxy.asked.length)
    const again = await importing(one)
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('fetched 0')])
  })

  it('names the repo as it is there, for whoever may make it', async () => {
    const one = await lab({ a: 'a' })
    const refused = await runHub(['import', address(one)], one.env)
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining(`You cannot make repos of ${one.author.handle}`),
    ])
    expect(one.proxy.asked).toEqual([])
  })

  it('of a revision has its files, and with the tags each of them is a snapshot', async () => {
    const one = await lab({ a: 'one', gone: 'g' })
    const api = `/api/datasets/${one.name}`
    const slug = slugOf(one)
    const tag = (name: string) => hf.json(one.author, 'POST', `${api}/tag/main`, { tag: name })
    await tag('v1.0')
    await from.upload(one.author, slug, { a: 'two' })
    await tag('005000')
    await from.call(one.author, 'POST', `/v1/repos/${slug}/files/delete`, { paths: ['gone'] })
    const old = await runHub(['import', address(one, '@v1.0'), `${one.target}-old`], one.env)
    expect(old.code).toBe(0)
    expect(await filesOf(here, one.person, `${one.target}-old`)).toEqual({ a: sha256Of('one'), gone: sha256Of('g') })
    const all = await importing(one, '--tags', '--json')
    expect(JSON.parse(all.out)).toMatchObject({ tags: ['v1.0', '005000'], deleted: ['gone'] })
    for (const revision of ['v1.0', '005000', 'main'])
      expect(await filesOf(here, one.person, one.target, revision)).toEqual(
        await filesOf(from, one.author, one.name, revision),
      )
    const none = await runHub(['import', address(one, '@dev'), one.target], one.env)
    expect([none.code, none.err]).toEqual([1, expect.stringContaining('is not at http://127.0.0.1')])
  })

  it('names what it has pushed, also where someone changes the repo before it is named', async () => {
    const one = await lab({ a: 'one' })
    await hf.json(one.author, 'POST', `/api/datasets/${one.name}/tag/main`, { tag: 'v1' })
    const change = () =>
      here.upload(one.person, one.target.toLowerCase().replaceAll(/[._]/g, '-'), { a: 'of someone else' })
    const between = await sourceProxy(here.running.url, {
      meddle: (incoming, response) => {
        const { method, url = '' } = incoming
        if (method !== 'POST' || !url.endsWith('/snapshots')) return false
        const answered = async () => {
          const body = Buffer.concat(await incoming.toArray())
          await change()
          const headers = { 'content-type': 'application/json' }
          const answer = await here.send(one.person, 'POST', url, { headers, body })
          response.writeHead(answer.status, headers).end(answer.text)
        }
        answered().catch(() => response.destroy())
        return true
      },
    })
    open.push(between)
    const words = ['import', address(one), one.target, '--tags']
    const ended = await runHub(words, { ...one.env, HUB_URL: between.url })
    expect([ended.code, ended.err]).toEqual([0, expect.any(String)])
    expect(await filesOf(here, one.person, one.target, 'v1')).toEqual({ a: sha256Of('one') })
    expect(await filesOf(here, one.person, one.target)).toEqual({ a: sha256Of('of someone else') })
  })

  it('that is killed goes on where it was', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`${index}.bin`, randomBytes(1000).toString('hex')]),
    )
    let stalls = true
    let seen = () => {}
    const stalled = new Promise<void>((resolve) => {
      seen = resolve
    })
    const isLast = (url = '') => url.includes('/resolve/') && url.endsWith('7.bin')
    const one = await lab(files, {
      meddle: ({ url }) => {
        if (!stalls || !isLast(url)) return false
        seen()
        return true
      },
    })
    const child = spawn(process.execPath, [entry, 'import', address(one), one.target, '--jobs', '1'], { env: one.env })
    const ended = once(child, 'exit')
    await stalled
    child.kill('SIGKILL')
    await ended
    expect((await hfClient(here).get(one.person, `/api/datasets/${one.target}`)).status).toBe(404)
    stalls = false
    const resolved = () => one.proxy.asked.filter(({ path }) => path.includes('/resolve/')).length
    const before = resolved()
    const again = await importing(one)
    // The one that was stalled, and perhaps the one before it, which was being hashed.
    expect([again.code, again.out]).toEqual([0, expect.stringMatching(/fetched [12] \(/)])
    expect(resolved() - before).toBeLessThanOrEqual(2)
    expect(await filesOf(here, one.person, one.target)).toEqual(await filesOf(from, one.author, one.name))
  })

  it('forgets what an interrupted one brought after 30 days', async () => {
    const one = await lab(some)
    const stages = stagesOf(one)
    const day = 86_400
    const nowS = Date.now() / 1000
    for (const [name, restedS] of [
      ['old', 30 * day + 60],
      ['recent', 30 * day - 3600],
    ] as const) {
      await mkdir(join(stages, name, 'data'), { recursive: true })
      await writeFile(join(stages, name, 'data', 'a'), 'a')
      await utimes(join(stages, name), nowS, nowS - restedS)
    }
    expect((await importing(one)).code).toBe(0)
    expect(readdirSync(stages)).toEqual(['recent'])
  })

  it('goes on within a file whose connection is cut', async () => {
    const ranges: (string | undefined)[] = []
    const one = await lab(some, {
      meddle: ({ url = '', headers }, response) => {
        if (!url.includes('/resolve/') || !url.endsWith('.bin')) return false
        ranges.push(headers.range)
        if (ranges.length > 1) return false
        response.writeHead(200, { 'content-length': 100_000 })
        response.write('x'.repeat(60_000), () => response.destroy())
        return true
      },
    })
    expect((await importing(one)).code).toBe(0)
    expect(ranges).toEqual([undefined, 'bytes=60000-99999'])
    expect(await filesOf(here, one.person, one.target)).toEqual(await filesOf(from, one.author, one.name))
  })

  it('takes no bytes but those that are listed, and no path that leaves its folder', async () => {
    const wrong = await lab(some, {
      meddle: ({ url = '' }, response) => {
        if (!url.includes('/resolve/') || !url.endsWith('.bin')) return false
        response.end('y'.repeat(100_000))
        return true
      },
    })
    const ended = await importing(wrong)
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('SHA-256 mismatch')])
    const listing = (entries: object[]): ProxyOptions => ({
      meddle: ({ url = '' }, response) => {
        if (!url.includes('/tree/')) return false
        response.setHeader('content-type', 'application/json').end(JSON.stringify(entries))
        return true
      },
    })
    const oid = gitHash('another')
    const size = some['README.md'].length
    const small = await lab(some, listing([{ type: 'file', path: 'README.md', size, oid }]))
    const other = await importing(small)
    expect([other.code, other.err]).toEqual([1, expect.stringContaining(`the source lists the digest ${oid}`)])
    const leaves = await lab(some, listing([{ type: 'file', path: '../x', size: 1, oid }]))
    const out = await importing(leaves)
    expect([out.code, out.err]).toEqual([1, expect.stringContaining('has the segment ..')])
    for (const one of [wrong, small, leaves])
      expect((await hfClient(here).get(one.person, `/api/datasets/${one.target}`)).status).toBe(404)
  })

  it('of a source that stops listing its files deletes none here', async () => {
    let meddle: ProxyOptions['meddle'] = () => false
    const one = await lab(some, { meddle: (request, response) => meddle?.(request, response) ?? false })
    expect((await importing(one)).code).toBe(0)
    const before = await filesOf(here, one.person, one.target)
    const faults: readonly ProxyOptions['meddle'][] = [
      ({ url = '' }, response) => {
        if (!url.includes('/tree/')) return false
        response.writeHead(403, { 'x-error-message': 'gated by now' }).end()
        return true
      },
      ({ url = '' }, response) => {
        if (!url.includes('/tree/')) return false
        if (url.includes('cursor')) response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end()
        else response.writeHead(200, { link: `<${url}&cursor=2>; rel="next"` }).end('[]')
        return true
      },
    ]
    for (const fault of faults) {
      meddle = fault
      const ended = await importing(one, '--delete')
      expect([ended.code, ended.err]).toEqual([1, expect.stringMatching(/tree.* answered 40[34]/)])
      expect(await filesOf(here, one.person, one.target)).toEqual(before)
    }
  })

  it('takes no listing that names a file twice, or does not end', async () => {
    const file = (path: string) => ({ type: 'file', path, size: 1, oid: '' })
    const page = (at: number) => JSON.stringify(Array.from({ length: 260_000 }, (_, index) => file(`${at}/${index}`)))
    let pages = 0
    const one = await lab(some, {
      meddle: ({ url = '' }, response) => {
        if (!url.includes('/tree/')) return false
        pages += 1
        response.writeHead(200, { link: `<${url}>; rel="next"` }).end(page(pages))
        return true
      },
    })
    const endless = await importing(one)
    expect([endless.code, endless.err]).toEqual([1, expect.stringContaining('more than 1000000 files')])
    expect(pages).toBe(4)
    const twice = await lab(some, {
      meddle: ({ url = '' }, response) => {
        if (!url.includes('/tree/')) return false
        response.end(JSON.stringify([file('a'), file('a')]))
        return true
      },
    })
    const ended = await importing(twice)
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('lists "a" twice')])
  })

  it('names what no push sends, and fetches none of it', async () => {
    const one = await lab({ a: 'a', '.DS_Store': 'finder', 'data/.DS_Store': 'finder' })
    const ended = await importing(one)
    expect([ended.code, ended.out]).toEqual([0, expect.stringContaining('left out, no push sends it: data/.DS_Store')])
    expect(await filesOf(here, one.person, one.target)).toEqual({ a: sha256Of('a') })
    const again = await importing(one)
    expect(again.out).toContain('fetched 0')
  })

  it('whose files something has removed changes nothing', async () => {
    let isMeddling = false
    const one = await lab(
      { 'a.bin': 'a', 'b.bin': 'b', 'c.bin': 'c' },
      {
        meddle: ({ url = '' }) => {
          const imports = stagesOf(one)
          if (isMeddling && url.endsWith('c.bin'))
            for (const folder of readdirSync(imports))
              for (const name of ['a.bin', 'b.bin']) rmSync(join(imports, folder, name), { force: true })
          return false
        },
      },
    )
    expect((await importing(one)).code).toBe(0)
    const before = await filesOf(here, one.person, one.target)
    const slug = slugOf(one)
    await from.upload(one.author, slug, { 'a.bin': 'a2', 'b.bin': 'b2', 'c.bin': 'c2' })
    isMeddling = true
    const ended = await importing(one, '--delete', '--jobs', '1')
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('nothing was changed')])
    expect(await filesOf(here, one.person, one.target)).toEqual(before)
    isMeddling = false
    expect((await importing(one, '--delete')).code).toBe(0)
    expect(await filesOf(here, one.person, one.target)).toEqual(await filesOf(from, one.author, one.name))
  })

  it('whose whole folder something has removed says so, and no name of an error', async () => {
    let isMeddling = true
    const one = await lab(
      { 'a.bin': 'a', 'b/b.bin': 'b', 'c.bin': 'c' },
      {
        meddle: ({ url = '' }) => {
          const imports = stagesOf(one)
          if (isMeddling && url.endsWith('c.bin'))
            for (const folder of readdirSync(imports)) rmSync(join(imports, folder), { recursive: true })
          return false
        },
      },
    )
    const ended = await importing(one, '--jobs', '1')
    expect([ended.code, ended.err]).toEqual([
      1,
      expect.stringContaining('Something has removed them: run the import again'),
    ])
    expect(ended.err).not.toContain('ENOENT')
    isMeddling = false
    expect((await importing(one)).code).toBe(0)
  })

  it('by several at the same time has brought all in each of them, and leaves nothing behind', async () => {
    for (let round = 0; round < 3; round += 1) {
      const one = await lab(
        Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at % 3}/${at}`, `${round} ${at}`])),
      )
      await hf.json(one.author, 'POST', `/api/datasets/${one.name}/tag/main`, { tag: 'v1.0' })
      const all = await Promise.all([1, 2, 3].map(() => importing(one, '--tags', '--delete')))
      for (const { code, err } of [...all, await importing(one)]) expect([code, err]).toEqual([0, expect.any(String)])
      expect(all.filter(({ out }) => out.includes('1 snapshot'))).toHaveLength(1)
      expect(readdirSync(stagesOf(one))).toEqual([])
      expect(await filesOf(here, one.person, one.target)).toEqual(await filesOf(from, one.author, one.name))
    }
  })

  it('brings a private repo of this very hub where --from names it', async () => {
    const one = await lab({ a: 'a' })
    const copy = `${one.author.handle}/copy`
    const env = { ...one.env, HUB_URL: from.running.url, HUB_TOKEN: one.author.token, HF_ENDPOINT: '', HF_TOKEN: '' }
    const ended = await runHub(['import', address(one), copy, '--from', from.running.url], env)
    expect([ended.code, ended.err]).toEqual([0, expect.any(String)])
    expect(await filesOf(from, one.author, copy)).toEqual(await filesOf(from, one.author, one.name))
  })

  it('asks no private address that the source redirects to, unless it is named, and sends no key there', async () => {
    const store = await sourceProxy(from.running.url)
    open.push(store)
    const one = await lab(some, { as: store.url })
    const refused = await importing(one)
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/is not HTTPS/)])
    expect(store.asked).toEqual([])
    expect((await importing(one, '--store', store.url)).code).toBe(0)
    expect(store.asked.map(({ authorization }) => authorization)).toEqual([null, null])
  })

  it('from this hub itself is one from Hugging Face, which gets no key of this hub', async () => {
    const one = await lab({ a: 'a' })
    const env = { ...one.env, HF_ENDPOINT: here.running.url, HF_TOKEN: one.person.token }
    const ended = await runHub(['import', address(one), one.target, '--from', one.proxy.url], env)
    // The repo is private there, and no key was sent.
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('or is private')])
    expect(one.proxy.asked.every(({ authorization }) => authorization === null)).toBe(true)
  })

  it('brings what a local cache has', async () => {
    const one = await lab({ unused: 'u' })
    const hub = join(one.env.HOME ?? '', '.cache', 'huggingface', 'hub')
    const root = join(hub, `datasets--${one.name.replace('/', '--')}`)
    const commit = 'c'.repeat(40)
    const large = randomBytes(50_000)
    const blobs = { [sha256Of(large)]: large, [gitHash('small')]: Buffer.from('small') }
    for (const folder of ['refs', 'blobs', `snapshots/${commit}/data`])
      await mkdir(join(root, folder), { recursive: true })
    await writeFile(join(root, 'refs/main'), commit)
    for (const [name, bytes] of Object.entries(blobs)) await writeFile(join(root, 'blobs', name), bytes)
    const [first = '', second = ''] = Object.keys(blobs)
    await symlink(`../../../blobs/${first}`, join(root, `snapshots/${commit}/data/large.bin`))
    await symlink(`../../blobs/${second}`, join(root, `snapshots/${commit}/small.txt`))
    const ended = await importing(one, '--cache')
    expect([ended.code, ended.err]).toEqual([0, expect.any(String)])
    expect(await filesOf(here, one.person, one.target)).toEqual({
      'data/large.bin': sha256Of(large),
      'small.txt': sha256Of('small'),
    })
    expect(one.proxy.asked).toEqual([])
    await writeFile(join(root, 'blobs', first), randomBytes(50_000))
    const damaged = await runHub(['import', address(one), `${one.target}-2`, '--cache', hub], one.env)
    expect([damaged.code, damaged.err]).toEqual([1, expect.stringContaining('the source lists the digest')])
    await rm(join(root, `snapshots/${commit}/small.txt`))
    await symlink('/etc/hostname', join(root, `snapshots/${commit}/small.txt`))
    const leaves = await runHub(['import', address(one), `${one.target}-2`, '--cache', hub], one.env)
    expect([leaves.code, leaves.err]).toEqual([1, expect.stringContaining('leads out of')])
  })

  it.each(['lab/pick', 'hf://spaces/lab/x', 'hf://lab/../x', 'hf://lab/pick@../x', 'hf://a/b/c'])(
    'takes no %j',
    async (source) => {
      const one = await lab({})
      expect((await runHub(['import', source, one.target], one.env)).code).toBe(1)
      expect(one.proxy.asked).toEqual([])
    },
  )
})
