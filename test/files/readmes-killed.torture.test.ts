// @module-tag full
/** A hub that is killed while its job reads the READMEs that an older hub left: the next hub reads the rest, and no card is lost or wrong. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { kill, killableHub } from '../support/killable-hub.ts'

const REPOS = 1000
const READMES = 50
const { database, made, start } = killableHub()
const sql = <T>(text: string, values: unknown[] = []) => database.db.query<T>({ name: '', text }, values)

async function post(path: string, body: object) {
  const headers = { authorization: `Bearer ${made.token}`, 'content-type': 'application/json' }
  const response = await fetch(`${made.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.ok).toBe(true)
  return response.json()
}

/** A repo with the READMEs as files of other names, whose cards no change reads. */
async function storeReadmes(): Promise<void> {
  await post('/v1/repos', { kind: 'dataset', slug: 'texts' })
  const texts = Array.from({ length: READMES }, (_, at) => `---\nlicense: l${at}\ntags: [t${at}]\n---\n# ${at}\n`)
  const files = texts.map((text, at) => ({
    path: `${at}.md`,
    size: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  }))
  const { uploads } = await post('/v1/repos/ada/texts/files/presign-upload', { files })
  const sent = await Promise.all(
    uploads.map(async ({ path, upload_id, parts }: { path: string; upload_id: string; parts: { url: string }[] }) => {
      const answer = await fetch(parts[0]?.url ?? '', { method: 'PUT', body: texts[Number.parseInt(path, 10)] ?? '' })
      return { path, upload_id, parts: [{ part_number: 1, etag: answer.headers.get('etag') }] }
    }),
  )
  await post('/v1/repos/ada/texts/files/complete', { uploads: sent })
}

/** What a hub before cards left: repos whose README.md nothing has read. */
async function leaveUnread(): Promise<void> {
  await sql(
    `insert into repos (id, owner_id, slug, kind, visibility, seq, file_count, card_pending)
      select 'repo_' || lpad(n::text, 26, '0'), a.id, 'old-' || n, 'dataset', 'private', 1, 1, true
        from generate_series(0, $1::int - 1) n, accounts a where a.handle = 'ada'`,
    [REPOS],
  )
  await sql(
    `insert into files (repo_id, path, from_seq, blob_id)
      select 'repo_' || lpad(n::text, 26, '0'), 'README.md', 1, f.blob_id from generate_series(0, $1::int - 1) n
        join files f on f.path = (n % $2::int) || '.md'`,
    [REPOS, READMES],
  )
}

const unread = async () => {
  const [row] = await sql<{ count: number }>('select count(*)::int as count from repos where card_pending')
  return row?.count ?? 0
}

it('loses no README and mixes up no card', { timeout: 400_000 }, async () => {
  let hub = await start()
  await storeReadmes()
  await leaveUnread()
  let before = REPOS
  for (let round = 0; round < 2; round += 1) {
    await expect.poll(unread, { timeout: 100_000, interval: 5 }).toBeLessThan(before)
    await kill(hub)
    const left = await unread()
    // It was killed in the middle: there is more to read, and something was read.
    expect([left < before, left > 0]).toEqual([true, true])
    before = left
    hub = await start()
  }
  await expect.poll(unread, { timeout: 150_000, interval: 200 }).toBe(0)
  const [read] = await sql<{ right: number; cards: number; states: number }>(
    `select (select count(*)::int from repos r where r.slug like 'old-%'
        and r.card_facts->>'license' = 'l' || (substr(r.slug, 5)::int % $1::int)
        and r.card_tags = array['t' || (substr(r.slug, 5)::int % $1::int)]) as right,
      (select count(*)::int from readme_cards) as cards,
      (select count(*)::int from repos where slug like 'old-%' and seq = 1 and file_count = 1) as states`,
    [READMES],
  )
  expect(read).toEqual({ right: REPOS, cards: READMES, states: REPOS })
  await kill(hub)
})
