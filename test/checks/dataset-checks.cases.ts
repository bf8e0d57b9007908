import { defineCases, defineSecrets, type Reader, type Team } from '../support/define-cases.ts'
import { aReport, datasetInfo } from './support/dataset-reports.ts'

const pathOf = (repo: string) => `/v1/repos/${repo}/dataset-check`

/** The path of the queued check of a data set of the org. */
const queued = async (team: Team) => {
  const repo = await team.repo()
  await team.hub.upload(team.boss, repo, { 'meta/info.json': datasetInfo })
  await team.post(team.boss, pathOf(repo), {})
  return pathOf(repo)
}

/** A data set whose check has ended. */
const checked = async ({ hub, ada }: Reader) => {
  const repo = await hub.repo(ada)
  await hub.upload(ada, repo, { 'meta/info.json': datasetInfo })
  await hub.call(ada, 'POST', pathOf(repo))
  const { attempt } = (await hub.call(ada, 'POST', '/v1/dataset-checks/claim-next', { worker: 'w' })).json
  await hub.call(ada, 'POST', `${pathOf(repo)}/report`, { attempt, status: 'succeeded', report: aReport })
  return pathOf(repo)
}

export const cases = defineCases({
  getDatasetCheck: {
    // The repos of the tables have no check.
    access: ({ read }) => (read === 200 ? 404 : read),
    costs: [{ given: async (reader) => [await checked(reader)], statements: 4 }],
  },
  requestDatasetCheck: {
    access: ({ write }) => (write < 300 ? 409 : write),
    replay: {
      given: async (team) => {
        const repo = await team.repo()
        await team.hub.upload(team.boss, repo, { 'meta/info.json': datasetInfo })
        return { path: pathOf(repo), body: {} }
      },
      gone: 'The check stays with its data set.',
      left: 404,
      limited: 404,
    },
  },
  claimNextDatasetCheck: {
    body: { worker: 'w' },
    scopes: { read: 403, write: 200 },
    replay: {
      given: async (team) => {
        await queued(team)
        return { path: '/v1/dataset-checks/claim-next', body: { worker: 'w' } }
      },
      gone: 'It makes a claim, which has to be the caller’s still.',
      left: 404,
      limited: 404,
    },
  },
  reportDatasetCheck: {
    body: { attempt: 1 },
    access: ({ write }) => (write === 200 ? 404 : write),
    replay: {
      given: async (team) => {
        const path = await queued(team)
        const { attempt } = await team.post(team.key, '/v1/dataset-checks/claim-next', { worker: 'w' })
        return { path: `${path}/report`, body: { attempt, episodes_done: 1 } }
      },
      gone: 'It reports.',
      left: 404,
      limited: 404,
    },
  },
})

export const secrets = defineSecrets(async ({ closed, ada, hub, word, post }) => {
  await hub.upload(ada, closed, { 'meta/info.json': datasetInfo })
  await post(pathOf(closed), {})
  const { attempt } = await post('/v1/dataset-checks/claim-next', { worker: word('worker of a data set') })
  await post(`${pathOf(closed)}/report`, {
    attempt,
    status: 'failed',
    error: word('why the check of a data set failed'),
  })
  return { beginnings: [] }
})
