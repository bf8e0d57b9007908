/** Two hubs, and a data set of one that a person of the other imports through a host between them. */
import { createHash } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, inject } from 'vitest'
import { runHub } from '../../support/command-line.ts'
import { contractHub, newName, type Person } from '../../support/hub.ts'
import { hfClient } from './hf-client.ts'
import { type ProxyOptions, type SourceProxy, sourceProxy } from './source-proxy.ts'

interface Lab {
  /** A private data set of the source, with a name that only clients of Hugging Face have. */
  readonly name: string
  readonly author: Person
  readonly person: Person
  readonly env: Record<string, string>
  readonly proxy: SourceProxy
  /** Where it is imported to. */
  readonly target: string
}

/** Files of a data set. */
export const some = { 'README.md': '---\nlicense: mit\n---\n# pick\n', 'data/a b.bin': 'x'.repeat(100_000), empty: '' }

export const gitHash = (text: string) => createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex')

export const stagesOf = ({ env }: Lab) => join(env.HOME ?? '', '.cache', 'hub', 'transfers', 'imports')
export const address = ({ name }: Lab, revision = '') => `hf://datasets/${name}${revision}`
export const slugOf = ({ name }: Lab) => name.toLowerCase().replaceAll(/[._]/g, '-')
export const importing = (one: Lab, ...words: string[]) =>
  runHub(['import', address(one), one.target, ...words], one.env)

/** What a repo has for clients of Hugging Face: each path with its digest. */
export async function filesOf(hub: ReturnType<typeof contractHub>, who: Person, name: string, revision = 'main') {
  const { json } = await hfClient(hub).get(who, `/api/datasets/${name}/tree/${revision}?recursive=true`)
  return Object.fromEntries(
    json.flatMap((one: { type: string; path: string; lfs?: { oid: string } }) =>
      one.type === 'file' ? [[one.path, one.lfs?.oid]] : [],
    ),
  )
}

/** Call at the top of a test file. `open` is closed after each test. */
export function importLab() {
  const from = contractHub()
  const here = contractHub({}, { alone: true })
  const hf = hfClient(from)
  const open: { close(): unknown }[] = []
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close()
  })

  /** A data set there, a person here, and a host between them. */
  async function lab(files: Readonly<Record<string, string>>, options?: ProxyOptions): Promise<Lab> {
    const author = await from.person()
    const hfName = `Pick_${newName('x').slice(2)}.v1`
    await hf.json(author, 'POST', '/api/repos/create', { name: hfName, type: 'dataset' })
    const name = `${author.handle}/${hfName}`
    const slug = hfName.toLowerCase().replaceAll(/[._]/g, '-')
    if (Object.keys(files).length > 0) await from.upload(author, `${author.handle}/${slug}`, files)
    const proxy = await sourceProxy(from.running.url, options)
    open.push(proxy)
    const person = await here.person()
    const home = await mkdtemp(join(inject('runDir'), 'import-'))
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: home,
      HUB_URL: here.running.url,
      HUB_TOKEN: person.token,
      HF_ENDPOINT: proxy.url,
      HF_TOKEN: await from.key(author, { scope: 'read' }),
    }
    return { name, author, person, env, proxy, target: `${person.handle}/${hfName}` }
  }
  return { from, here, hf, open, lab }
}
