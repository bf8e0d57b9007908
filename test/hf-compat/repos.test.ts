import { describe, expect, it } from 'vitest'
import { contractHub, newName } from '../support/hub.ts'
import { hfClient, refusal } from './support/hf-client.ts'

const hub = contractHub()
const hf = hfClient(hub)

/** A name as labs have them, and its slug. */
function labName() {
  const id = newName('x').slice(2)
  return { name: `Pick_Place.${id}`, slug: `pick-place-${id}` }
}

describe('api/repos/create', () => {
  it('says what is wrong with a name in words that its client has', async () => {
    const refused = await hf.json(await hub.person(), 'POST', '/api/repos/create', { name: 'a'.repeat(65) })
    expect([refused.status, refused.json.error]).toEqual([400, expect.stringMatching(/^name: /)])
  })

  it('keeps the name as it is given, and finds the repo by it or by its slug alone', async () => {
    const person = await hub.person()
    const { name, slug } = labName()
    const url = `${hub.running.url}/datasets/${person.handle}/${name}`
    const made = await hf.json(person, 'POST', '/api/repos/create', { name, organization: null, type: 'dataset' })
    expect([made.status, made.json]).toEqual([
      200,
      { url, name: `${person.handle}/${name}`, id: `${person.handle}/${name}` },
    ])
    for (const spelling of [name, slug]) {
      const found = await hf.get(person, `/api/datasets/${person.handle}/${spelling}`)
      expect(found.json).toMatchObject({ id: `${person.handle}/${name}`, private: true })
    }
    for (const spelling of [name.toLowerCase(), name.replace('.', '-')])
      expect(refusal(await hf.get(person, `/api/datasets/${person.handle}/${spelling}`))).toEqual([404, 'RepoNotFound'])
    for (const part of ['', name, 'pick_place.', slug])
      expect([part, (await hf.get(person, `/api/datasets?author=${person.handle}&search=${part}`)).json]).toMatchObject(
        [part, [{ id: `${person.handle}/${name}` }]],
      )
  })

  it('answers 409 with the address for the very same repo, and 400 for another one of its slug', async () => {
    const person = await hub.person()
    const { name, slug } = labName()
    const wanted = { name, type: 'dataset', private: true }
    expect((await hf.json(person, 'POST', '/api/repos/create', wanted)).status).toBe(200)
    const again = await hf.json(person, 'POST', '/api/repos/create', wanted)
    expect(refusal(again)).toEqual([409, 'ConflictTaken'])
    expect(again.json.url).toBe(`${hub.running.url}/datasets/${person.handle}/${name}`)
    for (const other of [
      { ...wanted, name: slug },
      { ...wanted, name: name.toUpperCase() },
      { ...wanted, type: 'model' },
    ]) {
      const refused = await hf.json(person, 'POST', '/api/repos/create', other)
      expect(refusal(refused)).toEqual([400, 'ConflictTaken'])
      expect(refused.headers.get('x-error-message')).toContain(slug)
    }
  })

  it('makes one for an org, public where it is asked, and refuses what is not here', async () => {
    const person = await hub.person()
    const org = await hub.org([{ user: person.handle, role: 'owner' }])
    const made = await hf.json(person, 'POST', '/api/repos/create', {
      name: 'act',
      organization: org,
      visibility: 'public',
    })
    expect(made.json.url).toBe(`${hub.running.url}/${org}/act`)
    expect((await hf.get(null, `/api/models/${org}/act`)).json.private).toBe(false)
    const create = (change: object) => hf.json(person, 'POST', '/api/repos/create', { name: 'other', ...change })
    expect(refusal(await create({ type: 'space' }))).toEqual([404, 'RepoNotFound'])
    expect(refusal(await create({ visibility: 'protected' }))).toEqual([400, 'NotSupported'])
    expect(refusal(await create({ name: 'a b' }))).toEqual([400, 'ValidationFailed'])
    expect(refusal(await create({ organization: (await hub.person()).handle }))).toEqual([403, 'ForbiddenScope'])
    expect(refusal(await hf.json(null, 'POST', '/api/repos/create', { name: 'x' }))).toEqual([401, 'AuthMissing'])
    const reader = await hub.key(person, { scope: 'read' })
    expect(refusal(await hf.json(reader, 'POST', '/api/repos/create', { name: 'x' }))).toEqual([403, 'ForbiddenScope'])
  })
})

describe('a repo', () => {
  it('is made public and deleted by its own people alone', async () => {
    const person = await hub.person()
    const { name } = labName()
    const full = `${person.handle}/${name}`
    await hf.json(person, 'POST', '/api/repos/create', { name, type: 'dataset' })
    const settings = `/api/datasets/${full}/settings`
    expect((await hf.json(person, 'PUT', settings, { visibility: 'public' })).status).toBe(200)
    expect((await hf.get(null, `/api/datasets/${full}`)).json.private).toBe(false)
    expect(refusal(await hf.json(person, 'PUT', settings, { gated: 'auto' }))).toEqual([400, 'NotSupported'])
    const stranger = await hub.person()
    expect(refusal(await hf.json(stranger, 'PUT', settings, { private: true }))).toEqual([403, 'ForbiddenScope'])
    const wanted = { name, organization: person.handle, type: 'dataset' }
    expect(refusal(await hf.json(stranger, 'DELETE', '/api/repos/delete', wanted))).toEqual([403, 'ForbiddenScope'])
    const agent = await hub.key(person, { agent: true })
    expect(refusal(await hf.json(agent, 'DELETE', '/api/repos/delete', wanted))).toEqual([403, 'ForbiddenAgent'])
    expect((await hf.json(person, 'DELETE', '/api/repos/delete', wanted)).status).toBe(200)
    expect(refusal(await hf.json(person, 'DELETE', '/api/repos/delete', wanted))).toEqual([404, 'RepoNotFound'])
  })
})

describe('api/repos/move', () => {
  it('renames a repo, and sends who knows the old name to the new one', async () => {
    const person = await hub.person()
    const org = await hub.org([{ user: person.handle, role: 'owner' }])
    const [before, after] = [labName(), labName()]
    await hf.json(person, 'POST', '/api/repos/create', { name: before.name, type: 'dataset' })
    const [fromRepo, toRepo] = [`${person.handle}/${before.name}`, `${org}/${after.name}`]
    const moved = await hf.json(person, 'POST', '/api/repos/move', { fromRepo, toRepo, type: 'dataset' })
    expect(moved.status).toBe(200)
    expect((await hf.get(person, `/api/datasets/${toRepo}`)).json.id).toBe(toRepo)
    for (const [path, there] of [
      [`/api/datasets/${fromRepo}?expand=sha`, `/api/datasets/${toRepo}?expand=sha`],
      [`/datasets/${fromRepo}/resolve/main/${before.name}/x`, `/datasets/${toRepo}/resolve/main/${before.name}/x`],
    ] as const) {
      const answer = await hf.get(person, path)
      expect([answer.status, answer.headers.get('location')]).toEqual([308, there])
    }
    const stranger = await hub.person()
    expect(refusal(await hf.get(stranger, `/api/datasets/${fromRepo}`))).toEqual([404, 'RepoNotFound'])
    const wanted = { fromRepo, toRepo, type: 'dataset' }
    expect(refusal(await hf.json(stranger, 'POST', '/api/repos/move', wanted))).toEqual([404, 'RepoNotFound'])
  })
})

describe('api/validate-yaml', () => {
  it('says what is wrong with the header of a README', async () => {
    const validate = (content: string) => hf.json(null, 'POST', '/api/validate-yaml', { content, repoType: 'dataset' })
    for (const good of ['# none', '---\nlicense: mit\ntags:\n- a\n---\n# x', '---\n---\n'])
      expect((await validate(good)).json).toEqual({ errors: [], warnings: [] })
    for (const bad of ['---\nlicense: [\n---\n', '---\n- a\n---\n']) {
      const answer = await validate(bad)
      expect(refusal(answer)).toEqual([400, 'InvalidYaml'])
      expect(answer.json.errors).toEqual([{ message: answer.json.error }])
    }
  })

  it('reads no header that could take long, and says so', async () => {
    const header = (length: number) => `---\na: ${'x'.repeat(length)}\nb: [\n---\n`
    const validate = (content: string) => hf.json(null, 'POST', '/api/validate-yaml', { content })
    expect((await validate(header(1000))).status).toBe(400)
    const { status, json } = await validate(header(200_000))
    expect([status, json.errors]).toEqual([200, []])
    expect(json.warnings).toEqual([{ message: expect.stringContaining('is not checked') }])
  })
})
