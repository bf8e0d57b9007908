import { defineCases, defineSecrets, type Gone, type Team } from '../support/define-cases.ts'
import { putRun } from '../support/runs.ts'

const recipe = { template: 'act' }
const artifacts = { config_yaml: 'a: 1', metrics_summary: '' }
const results = [{ step: 1, cells: [], seeds_run: 1, seeds_alive: 1 }]
const media = [{ key: 'note', step: 1, kind: 'text', value: 'one' }]

/** A queued run of the org. */
const queued = async ({ boss, org, post }: Team): Promise<string> =>
  (await post(boss, '/v1/runs', { recipe, owner: org })).id
/** A run of the org that the team's key has claimed. */
const claimed = async (team: Team): Promise<string> => {
  const run = await queued(team)
  await team.post(team.key, `/v1/runs/${run}/claim`, { worker: 'w' })
  return run
}

/** Where a run of the org with a checkpoint is promoted. */
async function promotable(team: Team): Promise<string> {
  const run = await claimed(team)
  const output = await team.hub.repo(team.boss, { kind: 'model', owner: team.org })
  await team.hub.upload(team.boss, output, { 'checkpoints/step_1/a.onnx': 'a' })
  await team.post(team.key, `/v1/runs/${run}/report`, { output_model_repo: output })
  return `/v1/runs/${run}/promote`
}

const removeRun: Gone = {
  async remove({ hub, remove }, { id }) {
    await hub.sql(`update runs set status = 'failed', finished_at = now() where id = $1 and status <> 'succeeded'`, [
      id,
    ])
    await remove(`/v1/runs/${id}`)
  },
}
const claims = 'It makes a claim, which has to be the caller’s still.'

/** Whatever sees a run asks first: the key of a check sees none. */
const jobKey = 404

export const cases = defineCases({
  listRuns: {
    scopes: { read: 200, write: 200 },
    costs: [
      {
        given: async ({ hub, ada }) => {
          for (let at = 0; at < 12; at += 1) await putRun(hub.running.deps.db, { ownerId: ada.id })
          return [2, 12].map((limit) => `/v1/runs?limit=${limit}`)
        },
        statements: 2,
      },
    ],
  },
  createRun: {
    body: { recipe },
    scopes: { read: 403, write: 403 },
    replay: {
      given: async ({ org }) => ({ path: '/v1/runs', body: { recipe, owner: org } }),
      gone: removeRun,
      left: 403,
      limited: 200,
    },
  },
  startRun: {
    body: { recipe, worker: 'w' },
    scopes: { read: 403, write: 403 },
    replay: {
      given: async ({ org }) => ({ path: '/v1/runs/start', body: { recipe, owner: org, worker: 'w' } }),
      gone: removeRun,
      left: 403,
      // It filed the run itself.
      limited: 200,
    },
  },
  importRun: {
    body: { artifacts },
    scopes: { read: 403, write: 201 },
    replay: {
      given: async ({ org }) => ({ path: '/v1/runs/import', body: { artifacts, owner: org } }),
      gone: removeRun,
      left: 403,
      limited: 201,
    },
  },
  claimNextRun: {
    body: { worker: 'w' },
    scopes: { read: 403, write: 403 },
    replay: {
      given: async (team) => {
        await queued(team)
        return { path: '/v1/runs/claim-next', body: { worker: 'w' } }
      },
      gone: claims,
      left: 404,
      limited: 404,
    },
  },
  claimRun: {
    body: { worker: 'w' },
    scopes: { read: 403, write: 403, train: 200 },
    jobKey,
    replay: {
      given: async (team) => ({ path: `/v1/runs/${await queued(team)}/claim`, body: { worker: 'w' } }),
      gone: claims,
      left: 404,
      limited: 404,
    },
  },
  reportRun: {
    body: { log_chunk: 'one\n' },
    scopes: { read: 403, write: 403, train: 409 },
    jobKey,
    replay: {
      given: async (team) => ({ path: `/v1/runs/${await claimed(team)}/report`, body: { log_chunk: 'one\n' } }),
      gone: 'It reports.',
      left: 404,
      limited: 404,
    },
  },
  recordGateResults: {
    body: { results },
    scopes: { read: 403, write: 403, train: 409 },
    jobKey,
    replay: {
      given: async (team) => ({ path: `/v1/runs/${await claimed(team)}/gate-results`, body: { results } }),
      gone: 'It reports.',
      left: 404,
      limited: 404,
    },
  },
  recordRunMedia: {
    body: { media },
    scopes: { read: 403, write: 403, train: 409 },
    jobKey,
    replay: {
      given: async (team) => ({ path: `/v1/runs/${await claimed(team)}/media`, body: { media } }),
      gone: 'It reports.',
      left: 404,
      limited: 404,
    },
  },
  cancelRun: {
    scopes: { read: 403, write: 202, train: 202 },
    jobKey,
    replay: {
      given: async (team) => ({ path: `/v1/runs/${await queued(team)}/cancel`, body: {} }),
      gone: 'It ends what its path names.',
      left: 404,
      limited: 404,
    },
  },
  updateRun: {
    body: { name: 'a night run' },
    scopes: { read: 403, write: 200, train: 200 },
    jobKey,
  },
  promoteCheckpoint: {
    body: { step: 1, repo: 'nobody/model' },
    scopes: { read: 403, write: 404, train: 404 },
    jobKey,
    replay: {
      given: async (team) => ({ path: await promotable(team), body: { step: 1, repo: `${team.org}/promoted` } }),
      gone: {
        async remove({ org, remove }) {
          await remove(`/v1/repos/${org}/promoted`)
        },
      },
      left: 404,
      limited: 404,
    },
  },
  deleteRun: { scopes: { read: 403, write: 409, train: 409 }, jobKey },
})

export const secrets = defineSecrets(async ({ hub, org, closed, openData, openRobot, openModel, word, post }) => {
  const asked = {
    template: 'act',
    dataset: [`svc://${openData}`, `svc://${closed}`],
    robot: openRobot,
    hyperparams: { [word('hyperparam')]: word('value') },
  }
  const { id: run } = await post('/v1/runs', { recipe: asked, owner: org })
  const { id: child } = await post('/v1/runs', { recipe: asked, owner: org, parent_run_id: run })
  const runner = await hub.key(org, { scope: 'train', name: word('key name') })
  await post(`/v1/runs/${run}/claim`, { worker: word('worker') }, runner)
  const report = {
    output_model_repo: openModel,
    log_chunk: `${word('log')}\n`,
    metrics: [{ step: 1, [word('metric')]: 1 }],
  }
  await post(`/v1/runs/${run}/report`, report, runner)
  return { ids: { run, child }, beginnings: ['runs(owner: "ORG", first: 4)', `runLog(runId: "${run}", first: 4)`] }
})
