/** The subscription to a repo's files. Contract, "Subscriptions". */
import { beforeAll, describe, expect, it } from 'vitest'
import { contractHub, type Json, type Person } from '../support/hub.ts'
import { readSubscription } from '../support/subscription.ts'

const hub = contractHub()
let ada: Person
let name: string
let id: string
beforeAll(async () => {
  ada = await hub.person()
  name = await hub.repo(ada, { visibility: 'public' })
  id = (await hub.call(ada, 'GET', `/v1/repos/${name}`)).json.id
  await hub.upload(ada, name, { 'a.txt': 'aa', 'b.txt': 'b' })
})

const watch = async (token: string, after?: number) => {
  const field = `repoFilesUpdated(repoId: "${id}"${after === undefined ? '' : `, after: ${after}`}) { repoId seq commitId fileCount totalBytes
    changes { filesAdded filesRemoved filesChanged bytesAdded bytesRemoved } }`
  return readSubscription(hub.running.url, token, field)
}
/** Of the repo as it is. */
const commitId = async (): Promise<string> =>
  (await hub.graphql(ada, 'query ($id: ID!) { node(id: $id) { ... on Repo { commitId } } }', { id })).data.node.commitId
const firstOf = async (token: string, after?: number): Promise<Json> => {
  const reader = await watch(token, after)
  const [event] = await reader.until(1)
  reader.close()
  return event.errors ? event.errors[0].extensions.problem.errors[0] : event.repoFilesUpdated
}

describe('repoFilesUpdated', () => {
  it('begins with the state, then adds up what led to the next one', async () => {
    const reader = await watch(ada.token)
    const [first] = await reader.until(1)
    const before = { repoId: id, seq: 1, commitId: await commitId(), fileCount: 2, totalBytes: 3, changes: null }
    expect(first.repoFilesUpdated).toEqual(before)
    await hub.upload(ada, name, { 'a.txt': 'aaaa', 'c.txt': 'c' })
    await reader.until(2)
    expect(reader.events[1].repoFilesUpdated).toEqual({
      repoId: id,
      seq: 2,
      commitId: await commitId(),
      fileCount: 3,
      totalBytes: 6,
      changes: { filesAdded: 1, filesRemoved: 0, filesChanged: 1, bytesAdded: 5, bytesRemoved: 2 },
    })
    reader.close()
  })

  it('adds up all changes since `after` for callers who can write the repo; others, who see no history, get the state alone', async () => {
    const state = await firstOf(ada.token, 0)
    expect(state.changes).toMatchObject({ filesAdded: 3, filesChanged: 1 })
    expect(await firstOf((await hub.person()).token, 0)).toEqual({ ...state, changes: null })
  })

  it('says nothing of changes that are no longer on record', async () => {
    await hub.sql('delete from repo_changes where repo_id = $1 and seq = 1 returning seq', [id])
    expect((await firstOf(ada.token, 0)).changes).toBeNull()
    expect((await firstOf(ada.token, 1)).changes).toMatchObject({ filesAdded: 1 })
  })

  it('is 422 for a state that the repo has not reached, 404 where it is not visible', async () => {
    expect(await firstOf(ada.token, 99)).toMatchObject({ type: 'validation.value', loc: ['after'] })
    await hub.call(ada, 'PATCH', `/v1/repos/${name}`, { visibility: 'private' })
    expect(await firstOf((await hub.person()).token)).toMatchObject({ type: 'not_found' })
  })

  it('goes on where a browser says that it was, and refuses a place that is none', async () => {
    const query = `subscription { repoFilesUpdated(repoId: "${id}") { seq changes { filesAdded } } }`
    const open = async (place: string) => {
      const leaving = new AbortController()
      const response = await fetch(`${hub.running.url}/graphql/stream?query=${encodeURIComponent(query)}`, {
        headers: { authorization: `Bearer ${ada.token}`, accept: 'text/event-stream', 'last-event-id': place },
        signal: leaving.signal,
      })
      const reader = (response.body as ReadableStream<BufferSource>).pipeThrough(new TextDecoderStream()).getReader()
      let text = ''
      for (let isDone = false; !isDone && !text.includes('\n\n', 3); ) {
        const { done, value } = await reader.read()
        isDone = done
        text += value ?? ''
      }
      leaving.abort()
      return text
    }
    const event = await open('1')
    expect(event).toContain('id: 2\n')
    expect(event).toContain('"changes":{"filesAdded":1}')
    expect(await open('yesterday')).toContain('validation.cursor')
  })
})
