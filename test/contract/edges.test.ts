import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, newName, type Person, sha256Of, types } from '../support/hub.ts'

const hub = contractHub()
const json = { 'content-type': 'application/json' }
let ada: Person
let bob: Person

beforeAll(async () => {
  ada = await hub.person()
  bob = await hub.person()
})

const statusesOf = (answers: readonly { status: number }[]) => answers.map((answer) => answer.status).sort()

describe('two requests at once', () => {
  it('that create the same repo: one 201, one 409', async () => {
    const body = { kind: 'model', slug: newName() }
    const both = await Promise.all([1, 2].map(() => hub.call(ada, 'POST', '/v1/repos', body)))
    expect(statusesOf(both)).toEqual([201, 409])
  })

  it('that presign the same file get the same upload', async () => {
    const name = await hub.repo(ada)
    const body = { files: [{ path: 'a', size: 1, sha256: sha256Of('a') }] }
    const all = await Promise.all(
      [1, 2, 3].map(() => hub.call(ada, 'POST', `/v1/repos/${name}/files/presign-upload`, body)),
    )
    expect(statusesOf(all)).toEqual([200, 200, 200])
    expect(new Set(all.map((answer) => answer.json.uploads[0].upload_id)).size).toBe(1)
  })

  it('that complete the same upload: one 200, one 409', async () => {
    const name = await hub.repo(ada)
    const sent = await hub.sendFile(ada, name, 'a', 'bytes')
    expect(statusesOf(await Promise.all([1, 2].map(() => hub.complete(ada, name, [sent]))))).toEqual([200, 409])
    expect((await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.file_summary).toEqual({
      count: 1,
      total_bytes: 5,
      verified_count: 1,
    })
  })

  it('that write the same free path with if_none_match: one 200, one 412', async () => {
    const name = await hub.repo(ada)
    const sent = [await hub.sendFile(ada, name, 'a', 'one'), await hub.sendFile(ada, name, 'a', 'two')]
    const both = await Promise.all(sent.map((one) => hub.complete(ada, name, [{ ...one, if_none_match: '*' }])))
    expect(statusesOf(both)).toEqual([200, 412])
  })

  it('that delete the same repo: one 204, one 404', async () => {
    const name = await hub.repo(ada)
    const both = await Promise.all([1, 2].map(() => hub.call(ada, 'DELETE', `/v1/repos/${name}`)))
    expect(statusesOf(both)).toEqual([204, 404])
  })
})

describe('a session', () => {
  it('is a row: once revoked or ended its token is 401', async () => {
    const eve = await hub.person()
    expect((await hub.call(eve, 'GET', '/v1/me')).status).toBe(200)
    await hub.sql('update sessions set revoked_at = now() where account_id = $1', [eve.id])
    expect((await hub.call(eve, 'GET', '/v1/me')).status).toBe(401)
    const finn = await hub.person()
    await hub.sql('update sessions set expires_at = now() where account_id = $1', [finn.id])
    expect((await hub.call(finn, 'GET', '/v1/me')).status).toBe(401)
  })

  it('is a JWT of EdDSA with typ hub-session+jwt, signed by the hub’s own key', async () => {
    const [header = ''] = ada.token.split('.')
    const { kid, ...rest } = JSON.parse(Buffer.from(header, 'base64url').toString())
    expect(rest).toEqual({ alg: 'EdDSA', typ: 'hub-session+jwt' })
    const keys = (await hub.send(null, 'GET', '/.well-known/jwks.json')).json.keys
    expect(keys.map((key: Json) => key.kid)).toContain(kid)
    expect(JSON.stringify(keys)).not.toMatch(/"d":/)
    const none = `${Buffer.from(JSON.stringify({ alg: 'none', typ: 'hub-session+jwt', kid })).toString('base64url')}.${ada.token.split('.')[1]}.`
    expect((await hub.call(none, 'GET', '/v1/me')).status).toBe(401)
  })

  it('in the cookie hub_session allows changes only from the same origin, else 403', async () => {
    const { url } = hub.running
    const cookie = `hub_session=${ada.token}`
    const create = (headers: Record<string, string>) =>
      hub.send(null, 'POST', '/v1/repos', {
        headers: { ...json, cookie, ...headers },
        body: JSON.stringify({ kind: 'model', slug: newName() }),
      })
    expect((await create({ origin: url })).status).toBe(201)
    const foreign = await create({ origin: 'https://evil.example' })
    expect([foreign.status, types(foreign)]).toEqual([403, ['forbidden.origin']])
    expect((await create({ origin: 'null' })).status).toBe(403)
    expect((await create({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    const mutation = JSON.stringify({
      query: `mutation { createRepo(input: { kind: MODEL, slug: "${newName()}" }) { repo { id } } }`,
    })
    const graph = await hub.send(null, 'POST', '/graphql', {
      headers: { ...json, cookie, origin: 'https://evil.example' },
      body: mutation,
    })
    expect(graph.status).toBe(403)
    const read = await hub.send(null, 'GET', '/v1/me', { headers: { cookie } })
    expect([read.status, read.json.account.handle]).toEqual([200, ada.handle])
  })
})

describe('a key of an org', () => {
  it('reaches the org’s repos and not those of its creator', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const made = await hub.graphql(
      ada,
      `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token key { owner { handle } } } }`,
      {
        input: { name: 'ci', scope: 'WRITE', owner: org },
      },
    )
    const { token, key } = made.data.createApiKey
    expect(key.owner.handle).toBe(org)
    const mine = await hub.repo(ada)
    const ours = await hub.repo(ada, { owner: org })
    expect((await hub.call(token, 'GET', `/v1/repos/${ours}`)).status).toBe(200)
    expect((await hub.call(token, 'GET', `/v1/repos/${mine}`)).status).toBe(404)
    const born = await hub.call(token, 'POST', '/v1/repos', { kind: 'model', slug: newName() })
    expect([born.status, born.json.owner.handle]).toEqual([201, org])
    expect(
      (await hub.call(token, 'POST', '/v1/repos', { kind: 'model', slug: newName(), owner: ada.handle })).status,
    ).toBe(403)
    const foreign = await hub.graphql(
      bob,
      `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token } }`,
      {
        input: { name: 'x', scope: 'READ', owner: org },
      },
    )
    expect(foreign.errors[0].extensions.status).toBe(403)
  })
})

describe('a public repo of an org', () => {
  it('says who made a snapshot to its members alone, as who they are', async () => {
    const org = await hub.org([{ user: ada.handle, role: 'member' }])
    const name = await hub.repo(ada, { owner: org, visibility: 'public' })
    const path = `/v1/repos/${name}/snapshots`
    expect((await hub.call(ada, 'POST', path, { name: 'v1' })).json.creator.handle).toBe(ada.handle)
    const shown = async (who: Person | null) => [
      (await hub.call(who, 'GET', path)).json.items[0].creator?.handle,
      (await hub.call(who, 'GET', `${path}/v1`)).json.creator?.handle,
    ]
    expect(await shown(ada)).toEqual([ada.handle, ada.handle])
    for (const who of [bob, null]) expect(await shown(who)).toEqual([undefined, undefined])
  })
})

describe('GraphQL errors', () => {
  it.each([
    ['syntax', '{ repos(', 400],
    ['an unknown field', '{ repos { nodes { colour } } }', 400],
    ['an unknown argument', '{ repos(colour: "red") { nodes { id } } }', 400],
    ['a variable of the wrong type', 'query ($n: Int!) { repos(first: $n) { nodes { id } } }', 400],
  ])('of %s carry code, status and problem', async (_what, query, status) => {
    const { errors } = await hub.graphql(ada, query, { n: 'x' })
    expect(errors[0].extensions).toMatchObject({
      code: expect.any(String),
      status,
      problem: { status, request_id: expect.any(String) },
    })
  })

  it('of a body that is not JSON, too large or of another type have the status of /v1', async () => {
    const post = (body: string, type = 'application/json') =>
      hub.send(ada, 'POST', '/graphql', { headers: { 'content-type': type }, body })
    expect((await post('{')).status).toBe(400)
    expect((await post('query=x', 'application/x-www-form-urlencoded')).status).toBe(415)
    expect((await post(JSON.stringify({ query: '{ __typename }' }).padEnd(1024 * 1024 + 1))).status).toBe(413)
  })

  it('equal the Problem of /v1 except for places', async () => {
    const name = await hub.repo(ada)
    const [owner, repo] = name.split('/')
    const body = { files: [{ path: '../x', size: 1, sha256: 'a'.repeat(64) }] }
    const rest = (await hub.call(ada, 'POST', `/v1/repos/${name}/files/presign-upload`, body)).json
    const graph = await hub.graphql(
      ada,
      `mutation ($input: PresignUploadInput!) { presignUpload(input: $input) { expiresAt } }`,
      { input: { owner, repo, ...body } },
    )
    const { problem } = graph.errors[0].extensions
    expect([problem.type, problem.title, problem.errors[0].type, problem.errors[0].detail]).toEqual([
      rest.type,
      rest.title,
      rest.errors[0].type,
      rest.errors[0].detail,
    ])
    expect([rest.errors[0].loc, problem.errors[0].loc]).toEqual([
      ['body', 'files', 0, 'path'],
      ['input', 'files', 0, 'path'],
    ])
  })
})

describe('the file operations in GraphQL', () => {
  it('upload and download a file as /v1 does', async () => {
    const name = await hub.repo(ada)
    const [owner, repo] = name.split('/')
    const ask = async (text: string, input: Record<string, unknown>) => {
      const answer = await hub.graphql(ada, text, { input: { owner, repo, ...input } })
      expect(answer.errors).toBeUndefined()
      return answer.data
    }
    const { presignUpload } = await ask(
      `mutation ($input: PresignUploadInput!) { presignUpload(input: $input) { expiresAt uploads { path uploadId partSize uploaded parts { partNumber url } } } }`,
      { files: [{ path: 'a', size: 5, sha256: sha256Of('bytes') }] },
    )
    const [upload] = presignUpload.uploads
    const put = await hub.put(upload.parts[0].url, 'bytes')
    const parts = [{ partNumber: 1, etag: put.headers.get('etag') }]
    const done = await ask(
      `mutation ($input: CompleteUploadInput!) { completeUpload(input: $input) { files { path sha256 size } } }`,
      {
        uploads: [{ path: 'a', uploadId: upload.uploadId, parts }],
      },
    )
    expect(done.completeUpload.files).toEqual([{ path: 'a', sha256: sha256Of('bytes'), size: 5 }])
    const down = await ask(
      `mutation ($input: PresignDownloadInput!) { presignDownload(input: $input) { files { path url expiresAt } } }`,
      { paths: ['a'] },
    )
    expect(await (await fetch(down.presignDownload.files[0].url)).text()).toBe('bytes')
    const gone = await ask(`mutation ($input: DeleteFilesInput!) { deleteFiles(input: $input) { deleted missing } }`, {
      paths: ['a', 'b'],
    })
    expect(gone.deleteFiles).toEqual({ deleted: ['a'], missing: ['b'] })
    const changed = await ask(
      `mutation ($input: UpdateRepoInput!) { updateRepo(input: $input) { repo { description tags visibility } } }`,
      { description: 'd', tags: ['t'] },
    )
    expect(changed.updateRepo.repo).toEqual({ description: 'd', tags: ['t'], visibility: 'PRIVATE' })
    const cleared = await ask(
      `mutation ($input: UpdateRepoInput!) { updateRepo(input: $input) { repo { description tags } } }`,
      { description: null },
    )
    expect(cleared.updateRepo.repo).toEqual({ description: null, tags: ['t'] })
    expect(
      (await ask(`mutation ($input: DeleteRepoInput!) { deleteRepo(input: $input) { id } }`, {})).deleteRepo.id,
    ).toMatch(/^repo_/)
  })
})

describe('the audit log', () => {
  it('shows who did what, only to members of the account, in pages', async () => {
    const eve = await hub.person()
    const name = await hub.repo(eve)
    await hub.call(eve, 'PATCH', `/v1/repos/${name}`, { description: 'x' })
    await hub.call(eve, 'DELETE', `/v1/repos/${name}`)
    const query = `query ($after: String) { auditLog(account: "${eve.handle}", first: 2, after: $after) { nodes { id action targetId actor { handle } at } pageInfo { endCursor hasNextPage } } }`
    const first = (await hub.graphql(eve, query)).data.auditLog
    expect(first.nodes.map((node: Json) => [node.action, node.actor?.handle])).toEqual([
      ['repo.delete', eve.handle],
      ['repo.update', eve.handle],
    ])
    const rest = (await hub.graphql(eve, query, { after: first.pageInfo.endCursor })).data.auditLog
    expect(rest.nodes[0].action).toBe('repo.create')
    expect((await hub.graphql(bob, query)).errors[0].extensions.status).toBe(403)
  })
})

describe('a signed URL of the disk store', () => {
  it('serves data, and no script, style or frame of a page of the hub', async () => {
    const name = await hub.repo(ada)
    await hub.upload(ada, name, { 'a.js': 'alert(1)' })
    const { headers } = await hub.send(ada, 'GET', `/v1/repos/${name}/resolve/a.js`)
    const use = async (dest: string) =>
      (await hub.send(null, 'GET', headers.get('location') ?? '', { headers: { 'sec-fetch-dest': dest } })).status
    for (const dest of ['script', 'worker', 'serviceworker', 'style', 'iframe', 'object'])
      expect([dest, await use(dest)]).toEqual([dest, 403])
    for (const dest of ['empty', 'document', 'image', 'video']) expect([dest, await use(dest)]).toEqual([dest, 200])
  })
})

describe('every response', () => {
  it('carries X-Request-Id: redirects, 304, object URLs, URLs that cannot be read', async () => {
    const name = await hub.repo(ada)
    await hub.upload(ada, name, { a: 'a' })
    const redirect = await hub.send(ada, 'GET', `/v1/repos/${name}/resolve/a`)
    const answers = [
      redirect,
      await hub.send(null, 'GET', redirect.headers.get('location') ?? ''),
      await hub.send(null, 'GET', '/objects/nothing'),
      await hub.send(ada, 'GET', '/v1/repos/%zz/a'),
      await hub.send(ada, 'GET', '/v1/me', { headers: { 'if-none-match': '*' } }),
      await hub.send(ada, 'OPTIONS', '/v1/me'),
      await hub.send(ada, 'POST', '/graphql', { headers: json, body: '{' }),
    ]
    for (const [at, answer] of answers.entries())
      expect([at, answer.status, answer.headers.get('x-request-id')]).toEqual([
        at,
        answer.status,
        expect.stringMatching(/^req_/),
      ])
  })

  it('has CORS off by default', async () => {
    const answer = await hub.send(null, 'GET', '/v1/repos', { headers: { origin: 'https://elsewhere.example' } })
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('OpenAPI', () => {
  it('states the constraints of the contract', async () => {
    const api = (await hub.send(null, 'GET', '/v1/openapi.json')).json
    const text = JSON.stringify(api)
    const parameters = (path: string, name: string) =>
      api.paths[path].get.parameters.find((one: Json) => one.name === name)?.schema
    expect(parameters('/v1/repos', 'limit')).toMatchObject({ minimum: 1, maximum: 100 })
    expect(parameters('/v1/repos', 'cursor')).toMatchObject({ maxLength: 512 })
    expect(api.components.schemas.RepoKind.enum).toEqual(['dataset', 'model', 'robot'])
    expect(parameters('/v1/repos/{owner}/{repo}/tree', 'limit')).toMatchObject({ minimum: 1, maximum: 1000 })
    expect(parameters('/v1/repos/{owner}/{repo}/tree', 'prefix')).toMatchObject({ maxLength: 1024 })
    const presign =
      api.paths['/v1/repos/{owner}/{repo}/files/presign-upload'].post.requestBody.content['application/json'].schema
    expect(presign.properties.files).toMatchObject({
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: { $ref: '#/components/schemas/PresignUploadFile' },
    })
    expect(api.components.schemas.PresignUploadFile).toMatchObject({
      additionalProperties: false,
      required: ['path', 'sha256', 'size'],
      properties: {
        size: { type: 'integer', minimum: 0 },
        content_type: { anyOf: [{ type: 'string', maxLength: 255 }, { type: 'null' }] },
      },
    })
    expect(text).toContain('"^[a-f0-9]{64}$"')
    expect(text).toContain('"maxItems":100')
    expect(text).toContain('"maxLength":4000')
    expect(text).toContain('53687091200')
    for (const path of Object.values<Json>(api.paths))
      for (const operation of Object.values<Json>(path))
        if (operation.responses) expect(Object.keys(operation.responses).length).toBeGreaterThan(3)
  })
})
