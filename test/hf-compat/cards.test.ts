/** What Hugging Face's clients are told of the header of a README, and find by it. */
import { describe, expect, it } from 'vitest'
import { contractHub, type Json, newName } from '../support/hub.ts'
import { hfClient } from './support/hf-client.ts'

const hub = contractHub()
const hf = hfClient(hub)

const card = (library: string) => `---
license: apache-2.0
library_name: ${library}
pipeline_tag: robotics
tags: [LeRobot, own]
language: en
datasets: lab/Pick
base_model: [lab/act]
version: 1.10
---
# ${newName()}
`

/** A commit as the clients send it. */
const commit = (path: string, text: string) =>
  [
    { key: 'header', value: { summary: 'card', description: '' } },
    { key: 'file', value: { path, content: Buffer.from(text).toString('base64'), encoding: 'base64' } },
  ]
    .map((line) => JSON.stringify(line))
    .join('\n')

const labels = (library: string) => [
  library,
  'robotics',
  'license:apache-2.0',
  'language:en',
  'dataset:lab/pick',
  'base_model:lab/act',
]

describe('a card that a client pushes', () => {
  it('is what model_info has: tags, library, task, and the header as it is written', async () => {
    const person = await hub.person()
    const library = newName('lib')
    const name = await hub.repo(person, { kind: 'model', tags: ['own', 'first'] })
    const pushed = await hf.request(person, 'POST', `/api/models/${name}/commit/main`, {
      headers: { 'content-type': 'application/x-ndjson' },
      body: commit('README.md', card(library)),
    })
    expect([pushed.status, pushed.json.success]).toEqual([200, true])
    const info = await hf.get(person, `/api/models/${name}`)
    expect(info.json).toMatchObject({
      tags: ['own', 'first', 'LeRobot', ...labels(library).map((one) => one.replace('pick', 'Pick'))],
      library_name: library,
      pipeline_tag: 'robotics',
      cardData: { license: 'apache-2.0', tags: ['LeRobot', 'own'], datasets: 'lab/Pick', base_model: ['lab/act'] },
    })
    expect(info.text).toContain('"version":1.10')
    const part = await hf.get(person, `/api/models/${name}?expand=cardData&expand=library_name`)
    expect(Object.keys(part.json).sort()).toEqual(['_id', 'cardData', 'id', 'library_name'])
    expect((await hub.call(person, 'GET', `/v1/repos/${name}`)).json).toMatchObject({
      tags: ['own', 'first'],
      card_tags: ['LeRobot', 'own'],
      card_labels: labels(library).map((one) => one.replace('pick', 'Pick')),
      license: 'apache-2.0',
    })
  })

  it('of a data set names neither library nor task, and one without has no card', async () => {
    const person = await hub.person()
    const name = await hf.dataset(person, { 'README.md': card('lerobot') })
    const { json } = await hf.get(person, `/api/datasets/${name}`)
    expect([json.library_name, json.pipeline_tag, json.cardData.license]).toEqual([undefined, undefined, 'apache-2.0'])
    const bare = await hf.dataset(person, { 'README.md': '# bare' })
    expect((await hf.get(person, `/api/datasets/${bare}`)).json.cardData).toBeUndefined()
    const broken = await hf.dataset(person, { 'README.md': '---\nlicense: [\n---\n' })
    expect((await hf.get(person, `/api/datasets/${broken}`)).json).toMatchObject({ tags: [] })
  })

  it('is found by each of its tags, in any letter case, and by all that are given', async () => {
    const person = await hub.person()
    const library = newName('lib')
    const [one, other] = [await hub.repo(person, { kind: 'model' }), await hub.repo(person, { kind: 'model' })]
    await hub.upload(person, one, { 'README.md': card(library) })
    await hub.upload(person, other, { 'README.md': '---\nlicense: mit\n---\n' })
    const list = async (query: string) => (await hf.get(person, `/api/models?author=${person.handle}&${query}`)).json
    const found = async (query: string) => (await list(query)).map((repo: Json) => repo.id)
    for (const tag of ['LeRobot', 'own', ...labels(library), 'license:Apache-2.0', 'dataset:lab/Pick'])
      expect([tag, await found(`filter=${encodeURIComponent(tag)}`)]).toEqual([tag, [one]])
    expect(await found(`filter=${library}&filter=license:mit`)).toEqual([])
    expect(await found(`filter=${library}&pipeline_tag=robotics`)).toEqual([one])
    expect(await found('filter=license:mit')).toEqual([other])
    const [[plain], [full], [cardData]] = [
      await list('limit=1'),
      await list('limit=1&full=True'),
      await list('limit=1&cardData=true'),
    ]
    expect([plain.cardData, full.cardData, cardData.cardData]).toEqual([
      undefined,
      { license: 'mit' },
      { license: 'mit' },
    ])
  })
})
