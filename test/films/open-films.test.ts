/** The films of an account that wait or are being made: fifty at most. Contract, "Films of episodes". */
import { describe, expect, it } from 'vitest'
import { type Json, type Person, types } from '../support/hub.ts'
import { filmHub } from './support/film-hub.ts'

const { hub, ask, claim, presign, report } = filmHub()

/** Films that wait, of the data set of one that was asked for. */
const waiting = (repo: string, count: number, letter: string) =>
  hub.sql(
    `insert into episode_films (id, repo_id, owner_id, seq, robot_repo_id, robot_seq, map_version, kind, episode, frame, status)
      select 'film_' || $3 || 'zzzzzzzzzzzzzzzzzzzzz' || lpad(n::text, 4, '0'), f.repo_id, f.owner_id, f.seq, f.robot_repo_id,
        f.robot_seq, 0, 'still', n, 0, 'queued'
      from episode_films f join repos r on r.id = f.repo_id join accounts o on o.id = r.owner_id,
        generate_series(1, $2::int) n where o.handle || '/' || r.slug = $1 and f.episode = 0`,
    [repo, count, letter],
  )
const openOf = async (handle: string) =>
  (
    await hub.sql(
      `select 1 from episode_films f join accounts a on a.id = f.owner_id
        where a.handle = $1 and f.status in ('queued', 'running')`,
      [handle],
    )
  ).length

/** Two films that workers of a person have, whose account has room for one of a thousand bytes. */
async function bothHeld() {
  const bob = await hub.person()
  const key = await hub.key(bob)
  const repo = await hub.repo(bob)
  for (const episode of [1, 2]) await ask(repo, { episode }, bob)
  const films = [await claim('one', key), await claim('two', key)]
  const room = hub.running.deps.config.storageQuotaBytes - 1500
  await hub.sql('update accounts set storage_bytes = $2 where id = $1', [bob.id, room])
  const send = (film: Json) => presign(film, { size: 1000 }, key)
  const lose = (film: Json) =>
    hub.sql(`update episode_films set lease_expires_at = now() - interval '1 second' where id = $1`, [film.id])
  return { key, films, send, lose, clean: () => hub.sql('delete from episode_films where owner_id = $1', [bob.id]) }
}

/** An org of the person with two data sets' films: one has it already, one would come. */
async function moving(bob: Person, there: number, brought: number) {
  const org = await hub.org([{ user: bob.handle, role: 'owner' }])
  const [here, comes] = [await hub.repo(bob, { owner: org }), await hub.repo(bob)]
  await ask(here, {}, bob)
  await waiting(here, there - 1, '3')
  if (brought > 0) await ask(comes, {}, bob)
  await waiting(comes, brought - 1, '4')
  const move = () => hub.call(bob, 'POST', `/v1/repos/${comes}/move`, { owner: org })
  const clean = () => hub.sql(`delete from episode_films where status = 'queued'`)
  return { org, here, comes, move, clean }
}

describe('a film of an episode', () => {
  it('is asked for again without another request, also at the limit of open ones', async () => {
    const bob = await hub.person()
    const repo = await hub.repo(bob)
    const first = await ask(repo, {}, bob)
    await hub.sql(
      `insert into episode_films (id, repo_id, owner_id, seq, robot_repo_id, robot_seq, map_version, kind, episode, frame, status)
        select 'film_6zzzzzzzzzzzzzzzzzzzzz' || lpad(n::text, 4, '0'), repo_id, owner_id, seq, robot_repo_id,
          robot_seq, 0, 'still', n, 0, 'queued'
        from episode_films, generate_series(1, 49) n where id = $1`,
      [first.json.id],
    )
    expect([(await ask(repo, {}, bob)).json.id, types(await ask(repo, { episode: 99 }, bob))]).toEqual([
      first.json.id,
      ['quota.films'],
    ])
    const audited = await hub.sql(
      `select 1 from audit_log where action = 'episode_film.create' and after ->> 'film' = $1`,
      [first.json.id],
    )
    expect(audited).toHaveLength(1)
    await hub.sql(`delete from episode_films where status = 'queued'`)
  })

  it('takes one of the last places of its account once, also where several data sets ask at once', async () => {
    const bob = await hub.person()
    const repos = await Promise.all(Array.from({ length: 8 }, () => hub.repo(bob)))
    await ask(repos[0] ?? '', {}, bob)
    await hub.sql(
      `insert into episode_films (id, repo_id, owner_id, seq, robot_repo_id, robot_seq, map_version, kind, episode, frame, status)
        select 'film_5zzzzzzzzzzzzzzzzzzzzz' || lpad(n::text, 4, '0'), repo_id, owner_id, seq, robot_repo_id,
          robot_seq, 0, 'still', n, 0, 'queued'
        from episode_films, generate_series(1, 47) n where owner_id = $1`,
      [bob.id],
    )
    const answers = await Promise.all(repos.map((repo) => ask(repo, { episode: 99 }, bob)))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 429, 429, 429, 429, 429, 429])
    const open = await hub.sql(`select 1 from episode_films where owner_id = $1 and status = 'queued'`, [bob.id])
    expect(open).toHaveLength(50)
    await hub.sql(`delete from episode_films where owner_id = $1`, [bob.id])
  })

  it('counts from its announcement: of two that are sent at once into room for one, one is refused', async () => {
    const { films, send, clean } = await bothHeld()
    const answers = await Promise.all(films.map(send))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 413])
    const refused = answers.find(({ status }) => status === 413)
    expect(refused && types(refused)).toEqual(['quota.storage'])
    const sent = films[answers.findIndex(({ status }) => status === 200)]
    // In place of what it had announced.
    expect((await send(sent)).status).toBe(200)
    await clean()
  })

  it.each(['is lost and tried again', 'fails', 'is deleted'])('counts no more once it %s', async (how) => {
    const { key, films, send, lose, clean } = await bothHeld()
    const [first, second] = films
    expect([(await send(first)).status, (await send(second)).status]).toEqual([200, 413])
    if (how === 'fails') await report(first, { status: 'failed', error: 'no robot' }, key)
    if (how === 'is deleted') await hub.call(key, 'DELETE', `/v1/repos/${first.repo}/episode-films/${first.id}`)
    if (how === 'is lost and tried again') {
      // It holds its bytes until another worker has it.
      await lose(first)
      expect((await send(second)).status).toBe(413)
      expect(await claim('three', key)).toMatchObject({ id: first.id, attempt: 2 })
    }
    expect((await send(second)).status).toBe(200)
    await clean()
  })

  it('comes with its data set to an account that has a place for it, and with none where it has not', async () => {
    const bob = await hub.person()
    const { org, comes, move, clean } = await moving(bob, 48, 3)
    const refused = await move()
    expect([refused.status, types(refused), refused.json.detail]).toEqual([
      429,
      ['quota.films'],
      'The account has 48 films that wait or are being made, and may have 50; this repo would bring 3 more: wait for some, or delete some.',
    ])
    expect((await hub.call(bob, 'GET', `/v1/repos/${comes}`)).json.full_name).toBe(comes)
    expect([await openOf(org), await openOf(bob.handle)]).toEqual([48, 3])
    await hub.sql(`delete from episode_films where episode = 2 and owner_id = $1`, [bob.id])
    expect((await move()).status).toBe(200)
    expect([await openOf(org), await openOf(bob.handle)]).toEqual([50, 0])
    // A data set without open films passes no limit of films.
    const more = await hub.repo(bob)
    await hub.sql(
      `insert into episode_films (id, repo_id, owner_id, seq, robot_repo_id, robot_seq, map_version, kind, episode, frame, status)
        select 'film_1zzzzzzzzzzzzzzzzzzzzz0001', repo_id, owner_id, seq, robot_repo_id, robot_seq, 0, 'still', 99, 0,
          'queued' from episode_films where owner_id = (select id from accounts where handle = $1) limit 1`,
      [org],
    )
    expect((await hub.call(bob, 'POST', `/v1/repos/${more}/move`, { owner: org })).status).toBe(200)
    await clean()
  })

  it('takes the last place of an account once, asked for while a data set with another one comes', async () => {
    const bob = await hub.person()
    const { org, here, move, clean } = await moving(bob, 49, 1)
    const answers = await Promise.all([move(), ask(here, { episode: 99 }, bob)])
    expect(answers.filter(({ status }) => status === 429).map(types)).toEqual([['quota.films']])
    expect(await openOf(org)).toBe(50)
    await clean()
  })
})
