import { defineCases, defineSecrets, type Reader, type Team } from '../support/define-cases.ts'

const pathOf = (repo: string) => `/v1/repos/${repo}/episode-films`
const still = (robot: string, episode = 0) => ({ kind: 'still', episode, robot })

const noFilm = { film_id: 'film_01jz0000000000000000000000' }

/** A data set and a robot of the org, with a queued film. */
const asked = async (team: Team) => {
  const robot = await team.repo('robot')
  const repo = await team.repo()
  return { path: pathOf(repo), robot, film: await team.post(team.boss, pathOf(repo), still(robot)) }
}
const claimed = async (team: Team) => {
  const { path } = await asked(team)
  const film = await team.post(team.key, '/v1/episode-films/claim-next', { worker: 'w' })
  return { path: `${path}/${film.id}`, attempt: film.attempt }
}

export const cases = defineCases({
  listEpisodeFilms: {
    costs: [
      {
        given: async ({ hub, ada }: Reader) => {
          const [repo, robot] = [await hub.repo(ada), await hub.repo(ada, { kind: 'robot' })]
          for (const episode of [0, 1]) await hub.call(ada, 'POST', pathOf(repo), still(robot, episode))
          return [1, 2].map((limit) => `${pathOf(repo)}?limit=${limit}`)
        },
        statements: 3,
      },
    ],
  },
  requestEpisodeFilm: {
    // The repos of the tables name no robot.
    body: { kind: 'still', episode: 0 },
    access: ({ write }) => (write < 300 ? 422 : write),
    replay: {
      given: async (team) => {
        const { path, robot } = await asked(team)
        return { path, body: still(robot, 1) }
      },
      gone: { remove: (team, made, { path }) => team.remove(`${path}/${made.id}`) },
      left: 404,
      limited: 404,
    },
  },
  claimNextEpisodeFilm: {
    body: { worker: 'w' },
    scopes: { read: 403, write: 200 },
    replay: {
      given: async (team) => {
        await asked(team)
        return { path: '/v1/episode-films/claim-next', body: { worker: 'w' } }
      },
      gone: { remove: (team, made) => team.remove(`${pathOf(made.repo)}/${made.id}`) },
      left: 404,
      limited: 404,
    },
  },
  deleteEpisodeFilm: { ids: noFilm, access: ({ write }) => (write < 300 ? 404 : write) },
  presignEpisodeFilm: {
    ids: noFilm,
    body: { attempt: 1, size: 1, sha256: 'a'.repeat(64) },
    access: ({ write }) => (write === 200 ? 404 : write),
    replay: {
      given: async (team) => {
        const { path, attempt } = await claimed(team)
        return { path: `${path}/upload`, body: { attempt, size: 1, sha256: 'a'.repeat(64) } }
      },
      gone: { remove: (team, _made, { path }) => team.remove(path.replace(/\/upload$/, '')) },
      left: 404,
      limited: 404,
    },
  },
  reportEpisodeFilm: {
    ids: noFilm,
    body: { attempt: 1 },
    access: ({ write }) => (write === 200 ? 404 : write),
    replay: {
      given: async (team) => {
        const { path, attempt } = await claimed(team)
        return { path: `${path}/report`, body: { attempt } }
      },
      gone: { remove: (team, _made, { path }) => team.remove(path.replace(/\/report$/, '')) },
      left: 404,
      limited: 404,
    },
  },
})

export const secrets = defineSecrets(async ({ closed, ada, hub, word, post }) => {
  const robot = await hub.repo(ada, { kind: 'robot' })
  await post(pathOf(closed), still(robot))
  const film = await post('/v1/episode-films/claim-next', { worker: word('worker of a film') })
  const error = word('why a film failed')
  await post(`${pathOf(closed)}/${film.id}/report`, { attempt: film.attempt, status: 'failed', error })
  return { beginnings: [] }
})
