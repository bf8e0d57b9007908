import { defineRows } from '../support/define-cases.ts'

/** A queued film, but for these columns. */
function aFilm(changes: Readonly<Record<string, string>>): string {
  const x = `'x'`
  const named = { id: x, repo_id: x, owner_id: x, robot_repo_id: x }
  const numbers = { seq: '1', robot_seq: '1', map_version: '0', episode: '0', frame: '0' }
  const row = { ...named, ...numbers, kind: `'still'`, status: `'queued'`, ...changes }
  return `insert into episode_films (${Object.keys(row).join(', ')}) values (${Object.values(row).join(', ')})`
}

export const rows = defineRows({
  kept: ({ dataset, robot, ada }) => ({
    episode_films: aFilm({
      ...{ id: `'film_01m812yvrpextatj8nx4n20001'`, repo_id: `'${dataset}'`, robot_repo_id: `'${robot}'` },
      ...{ owner_id: `(select owner_id from repos where id = '${dataset}')`, requested_by: `'${ada}'` },
      ...{ status: `'failed'`, attempt: '1', finished_at: 'now()', error: `'no robot'` },
    }),
  }),
  refused: {
    repos_films_counted: `insert into repos (id, owner_id, slug, kind, film_bytes) values ('x', 'x', 'a', 'robot', -1)`,
    episode_films_counted: aFilm({ attempt: '-1' }),
    episode_films_of_one: aFilm({ kept_id: '1' }),
    episode_films_claimed_whole: aFilm({ status: `'running'` }),
    episode_films_ended: aFilm({ status: `'failed'` }),
    episode_films_sent_whole: aFilm({ status: `'succeeded'` }),
  },
})
