/** The films of an account that wait or are being made: fifty at most. Contract, "Films of episodes". */
import { describe, expect, it } from 'vitest'
import { types } from '../support/hub.ts'
import { filmHub } from './support/film-hub.ts'

const { hub, ask } = filmHub()

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
})
