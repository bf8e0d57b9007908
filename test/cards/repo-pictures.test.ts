/** The picture of a repo: which file it is, and what a list of them costs. */
import { describe, expect, it } from 'vitest'
import { contractHub, type Person } from '../support/hub.ts'
import { statementsOf } from '../support/request-statements.ts'

const hub = contractHub()
const card = { dof: 1, actuators: [], mjcf_path: 'arm.xml' }

const listed = /* GraphQL */ `
  query listedPictures($owner: String!, $first: Int!) {
    repos(owner: $owner, first: $first) { nodes { slug picture { light { path sha256 url } dark { path url } } } }
  }
`

async function withFiles(ada: Person, kind: string, files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const repo = await hub.repo(ada, { kind })
  await hub.upload(ada, repo, files)
  return repo
}

async function picturesOf(ada: Person): Promise<Record<string, unknown>> {
  const answer = await hub.graphql(ada, listed, { owner: ada.handle, first: 20 })
  expect(answer.errors).toBeUndefined()
  return Object.fromEntries(
    answer.data.repos.nodes.map(({ slug, picture }) => [
      `${ada.handle}/${slug}`,
      picture && [picture.light.path, picture.dark?.path ?? null],
    ]),
  )
}

describe('the picture of a repo', () => {
  it('is the still of its card, or a file whose name says so, and no file of another kind', async () => {
    const ada = await hub.person()
    const robot = await withFiles(ada, 'robot', {
      'arm.xml': '<mujoco/>',
      'thumbnail.png': 'named',
      'pictures/day.png': 'day',
      'pictures/night.png': 'night',
    })
    const stills = { light: 'pictures/day.png', dark: 'pictures/night.png' }
    await hub.call(ada, 'PUT', `/v1/robots/${robot}/card`, { ...card, thumbnail_paths: stills })
    const checked = await withFiles(ada, 'robot', { 'thumbnail.png': 'light', 'thumbnail-dark.png': 'dark' })
    const dataset = await withFiles(ada, 'dataset', { 'preview.jpg': 'scene', 'thumbnail-dark.png': 'dark' })
    const plain = await withFiles(ada, 'model', { 'thumbnail-dark.png': 'dark', 'a/preview.png': 'deep' })
    const large = await withFiles(ada, 'model', { 'preview.png': Buffer.alloc(4 * 1_048_576 + 1) })
    expect(await picturesOf(ada)).toEqual({
      [robot]: ['pictures/day.png', 'pictures/night.png'],
      [checked]: ['thumbnail.png', 'thumbnail-dark.png'],
      [dataset]: ['preview.jpg', null],
      [plain]: null,
      [large]: null,
    })
  })

  it('is looked for in cards of 4 MiB together: past them only a name makes one', async () => {
    const ada = await hub.person()
    const [near, far] = [await hub.repo(ada, { kind: 'robot' }), await hub.repo(ada, { kind: 'robot' })]
    for (const repo of [near, far]) {
      await hub.upload(ada, repo, { 'arm.xml': '<mujoco/>', 'day.png': 'day', 'preview.png': 'named' })
      await hub.call(ada, 'PUT', `/v1/robots/${repo}/card`, {
        ...card,
        thumbnail_paths: { light: 'day.png', dark: 'day.png' },
      })
    }
    const weigh = (bytes: number) =>
      hub.sql(
        `update robot_cards set card_bytes = $2 where repo_id in (
          select r.id from repos r join accounts o on o.id = r.owner_id where o.handle = $1)`,
        [ada.handle, bytes],
      )
    const still = ['day.png', 'day.png']
    await weigh(2 * 1_048_576)
    expect(await picturesOf(ada)).toEqual({ [near]: still, [far]: still })
    await weigh(2 * 1_048_576 + 1)
    const values = Object.values(await picturesOf(ada))
    expect(values).toHaveLength(2)
    expect(values).toContainEqual(still)
    expect(values).toContainEqual(['preview.png', null])
  })

  it('is read by its URL, by whoever sees the repo, and is gone with the file', async () => {
    const ada = await hub.person()
    const bob = await hub.person()
    const repo = await withFiles(ada, 'dataset', { 'preview.png': 'scene' })
    const [owner, slug] = repo.split('/')
    const pictured = (who: Person) =>
      hub.graphql(
        who,
        'query onePicture($owner: String!, $slug: String!) { repo(owner: $owner, slug: $slug) { picture { light { url } } } }',
        { owner, slug },
      )
    const { data } = await pictured(ada)
    expect(await (await fetch(data.repo.picture.light.url)).text()).toBe('scene')
    expect((await pictured(bob)).data.repo).toBeNull()
    await hub.call(ada, 'POST', `/v1/repos/${repo}/files/delete`, { paths: ['preview.png'] })
    const { json } = await hub.call(ada, 'GET', `/v1/repos/${repo}/tree`)
    expect([json.items.length, (await pictured(ada)).data.repo.picture]).toEqual([0, null])
  })

  it('costs one statement, for one repo or many', async () => {
    const ada = await hub.person()
    for (let at = 0; at < 4; at += 1) await withFiles(ada, 'robot', { 'thumbnail.png': `picture ${at}` })
    const cost = (first: number) =>
      statementsOf(hub.running.deps.db, () => hub.graphql(ada, listed, { owner: ada.handle, first }))
    const [one, four] = [await cost(1), await cost(4)]
    expect(four).toBe(one)
    const without = await statementsOf(hub.running.deps.db, () =>
      hub.graphql(ada, 'query unpictured($owner: String!) { repos(owner: $owner, first: 4) { nodes { slug } } }', {
        owner: ada.handle,
      }),
    )
    expect(one).toBe(without + 1)
  })
})
