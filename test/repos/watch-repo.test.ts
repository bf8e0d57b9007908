import { describe, expect, it } from 'vitest'
import { contractHub, newName, type Person } from '../support/hub.ts'

const hub = contractHub()

const selected = `description files { nodes { path } } owner { members { nodes { user { handle } } } }`

/** Opens the stream of a repo's changes and waits for its first event; `rest` is all that follows until the hub ends it. */
async function openStream(token: string, repoId: string, path: string) {
  const response = await fetch(new URL(path, hub.running.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify({
      query: `subscription ($id: ID!) { repoUpdated(repoId: $id) { ${selected} } }`,
      variables: { id: repoId },
    }),
    signal: AbortSignal.timeout(100_000),
  })
  const chunks = (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!seen.includes('"description":null')) {
    const { done, value } = await chunks.read()
    if (done) throw new Error(`The stream ended: ${response.status} ${seen}`)
    seen += value
  }
  let text = ''
  const readOn = async () => {
    for (;;) {
      const { done, value } = await chunks.read()
      if (done) return text
      text += value
    }
  }
  return { rest: readOn(), soFar: () => text }
}

/** What the events of a stream show of the repo. */
const shown = (text: string) =>
  [...text.matchAll(/^data: (\{.+)$/gm)].map(([, json = '']) => {
    const { description, files, owner } = JSON.parse(json).data.repoUpdated
    return {
      description,
      files: files.nodes.map(({ path }: { path: string }) => path),
      members: owner.members.nodes.map(({ user }: { user: { handle: string } }) => user.handle),
    }
  })

async function privateRepo(owner: Person, change: Record<string, unknown> = {}) {
  const made = await hub.call(owner, 'POST', '/v1/repos', { kind: 'robot', slug: newName('repo'), ...change })
  return { id: made.json.id as string, path: `/v1/repos/${made.json.full_name}` }
}

describe.each(['/graphql/stream', '/graphql'])('a stream of a repo over %s', (path) => {
  it('shows nothing more to a key that was revoked, and ends', async () => {
    const ada = await hub.person()
    const repo = await privateRepo(ada)
    const { rest } = await openStream(await hub.key(ada, { scope: 'read' }), repo.id, path)
    await hub.revoke('update api_keys set revoked_at = now() where account_id = $1', [ada.id])
    await hub.call(ada, 'PATCH', repo.path, { description: 'said later' })
    expect(await rest).not.toContain('said later')
  })

  it('shows nothing more to a person who has left the org, and ends', async () => {
    const [ada, bob] = [await hub.person(), await hub.person()]
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: bob.handle, role: 'member' },
    ])
    const repo = await privateRepo(ada, { owner: org })
    const { rest } = await openStream(bob.token, repo.id, path)
    await hub.revoke('delete from memberships where user_id = $1', [bob.id])
    await hub.call(ada, 'PATCH', repo.path, { description: 'said later' })
    expect(await rest).not.toContain('said later')
  })

  it('shows everything beside the repo as it is at each event', async () => {
    const [ada, bob] = [await hub.person(), await hub.person()]
    const org = await hub.org([{ user: ada.handle, role: 'owner' }])
    const repo = await privateRepo(ada, { owner: org })
    const { rest, soFar } = await openStream(ada.token, repo.id, path)
    await hub.upload(ada, repo.path.slice('/v1/repos/'.length), { 'new.txt': 'x' })
    const add = 'mutation ($input: AddOrgMemberInput!) { addOrgMember(input: $input) { membership { role } } }'
    await hub.graphql(ada, add, { input: { org, user: bob.handle } })
    await hub.call(ada, 'PATCH', repo.path, { description: 'said later' })
    await expect.poll(() => shown(soFar()).at(-1)?.description).toBe('said later')
    await hub.call(ada, 'DELETE', repo.path)
    expect(shown(await rest).at(-1)).toEqual({
      description: 'said later',
      files: ['new.txt'],
      members: [ada.handle, bob.handle],
    })
  })

  it('shows no members of an org any more to a person who has left it, whose repo they still see', async () => {
    const [ada, bob] = [await hub.person(), await hub.person()]
    const org = await hub.org([
      { user: ada.handle, role: 'owner' },
      { user: bob.handle, role: 'member' },
    ])
    const repo = await privateRepo(ada, { owner: org, visibility: 'public' })
    const { rest, soFar } = await openStream(bob.token, repo.id, path)
    await hub.revoke('delete from memberships where user_id = $1', [bob.id])
    await hub.call(ada, 'PATCH', repo.path, { description: 'said later' })
    await expect.poll(() => shown(soFar()).at(-1)?.description).toBe('said later')
    await hub.call(ada, 'DELETE', repo.path)
    expect(shown(await rest).at(-1)).toEqual({ description: 'said later', files: [], members: [] })
  })
})
