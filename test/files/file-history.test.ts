import { describe, expect, it } from 'vitest'
import { contractHub, type Json, sha256Of, type Who } from '../support/hub.ts'

const hub = contractHub()

/** A public repo in which `a` was added, changed, removed and brought back, beside changes of other files. */
async function withVersions() {
  const person = await hub.person()
  const name = await hub.repo(person, { visibility: 'public' })
  const commit = async (change: object) =>
    expect((await hub.call(person, 'POST', `/v1/repos/${name}/commits`, change)).status).toBe(200)
  const add = (path: string, text: string) => ({ path, content: Buffer.from(text).toString('base64') })
  await commit({ message: 'the first', add: [add('a', '1'), add('b', '1')] })
  await commit({ message: 'another file', add: [add('b', '2')] })
  await commit({ message: 'the second', add: [add('a', '22')] })
  await commit({ message: 'gone', delete: ['a'] })
  await commit({ message: 'still gone', add: [add('b', '3')] })
  await commit({ message: 'back', copy: [{ from: 'a', at: '1', path: 'a' }] })
  const read = async (who: Who, path = 'a', query = '') =>
    hub.call(who, 'GET', `/v1/repos/${name}/file-history?path=${path}${query}`)
  const tag = async (tagged: string, at: number) =>
    expect((await hub.call(person, 'POST', `/v1/repos/${name}/snapshots`, { name: tagged, at: `${at}` })).status).toBe(
      201,
    )
  return { person, name, commit, read, tag }
}

const lines = ({ json }: { readonly json: Json }) =>
  json.items.map(
    ({ seq, change, before, after }: Json) => `${seq} ${change} ${before?.size ?? '-'} ${after?.size ?? '-'}`,
  )

describe('the history of a file', () => {
  it('has the versions that added, changed or removed it, with message, author and digests', async () => {
    const { person, read } = await withVersions()
    const answer = await read(person)
    expect(lines(answer)).toEqual(['6 added - 1', '4 removed 2 -', '3 changed 1 2', '1 added - 1'])
    const [back, gone, second, first] = answer.json.items
    expect([back, gone, second, first].map(({ message }) => message)).toEqual([
      'back',
      'gone',
      'the second',
      'the first',
    ])
    expect(first.author.handle).toBe(person.handle)
    expect([first.after.sha256, second.before.sha256]).toEqual([sha256Of('1'), sha256Of('1')])
    expect([back, gone, second, first].map((one) => one.previous_commit_id)).toEqual([
      gone.commit_id,
      second.commit_id,
      first.commit_id,
      null,
    ])
  })

  it('is read in pages that lose and repeat nothing', async () => {
    const { person, read } = await withVersions()
    const whole = await read(person)
    for (const limit of [1, 2, 3]) {
      const found: Json[] = []
      let query = `&limit=${limit}`
      for (;;) {
        const { json } = await read(person, 'a', query)
        found.push(...json.items)
        if (json.next_cursor === null) break
        query = `&limit=${limit}&cursor=${json.next_cursor}`
      }
      expect(found).toEqual(whole.json.items)
    }
    const { json } = await read(person, 'a', '&limit=1')
    expect((await read(person, 'b', `&cursor=${json.next_cursor}`)).status).toBe(422)
  })

  it('tells a reader of no version that a list of commits does not, nor of what only such versions had', async () => {
    const { person, commit, read, tag } = await withVersions()
    const reader = await hub.person()
    expect(lines(await read(reader))).toEqual(['6 added - 1'])
    await tag('v2', 2)
    expect(lines(await read(reader))).toEqual(['2 added - 1'])
    await tag('v4', 4)
    expect(lines(await read(reader))).toEqual(['6 added - 1', '4 removed 1 -', '2 added - 1'])
    await tag('v3', 3)
    expect(lines(await read(null))).toEqual(['6 added - 1', '4 removed 2 -', '3 changed 1 2', '2 added - 1'])
    expect((await read(reader)).json.items[0].author).toBeNull()
    await commit({ add: [{ path: 'hidden', content: '' }] })
    await commit({ delete: ['hidden'] })
    expect(lines(await read(reader, 'hidden'))).toEqual([])
    expect(lines(await read(person, 'hidden'))).toEqual(['8 removed 0 -', '7 added - 0'])
  })

  it('is empty for a path that is nowhere, and no history of a folder, a purged file or a hidden repo', async () => {
    const { person, name, read } = await withVersions()
    expect(lines(await read(person, 'nowhere'))).toEqual([])
    expect((await read(person, '')).status).toBe(422)
    expect((await read(person, '../a')).status).toBe(422)
    await hub.call(person, 'POST', `/v1/repos/${name}/files/purge`, { paths: ['a'] })
    expect(lines(await read(person))).toEqual([])
    const closed = await hub.repo(person)
    const asked = await hub.call(await hub.person(), 'GET', `/v1/repos/${closed}/file-history?path=a`)
    expect([asked.status, asked.json.type]).toEqual([404, '/problems/not_found'])
  })
})
