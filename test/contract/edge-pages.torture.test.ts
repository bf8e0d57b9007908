/** Lists at the ends of edges of the graph: pages in their order, with filters, and no longer than an answer may be. */
import { describe, expect, it } from 'vitest'
import { contractHub, type Json } from '../support/hub.ts'
import { named, ok } from './support/edge-words.ts'

const hub = contractHub()

describe('runs of a repo and forks of a run', () => {
  it('come in pages, newest first, with the filters of a listing of runs', async () => {
    const ada = await hub.person()
    const data = await hub.repo(ada)
    const recipe = { template: 'act', dataset: [`svc://${data}`] }
    const made: string[] = []
    for (let at = 0; at < 5; at += 1) {
      const parent_run_id = at > 0 ? made[0] : undefined
      made.push((await ok(hub.call(ada, 'POST', '/v1/runs', { recipe, parent_run_id }), 201)).id)
    }
    await ok(hub.call(ada, 'POST', `/v1/runs/${made[2]}/cancel`), 202)
    const walk = async (ask: (args: string) => string, args: string) => {
      const pages: string[][] = []
      for (let after: string | null = ''; after !== null; ) {
        const { data, errors }: Json = await hub.graphql(ada, ask(`${args} first: 2 after: "${after}"`))
        expect(errors).toBeUndefined()
        const { runs, forks } = data.repo ?? data.run
        const { nodes, pageInfo } = runs ?? forks
        pages.push(nodes.map(({ id }: Json) => made.indexOf(id)))
        after = pageInfo.hasNextPage ? pageInfo.endCursor : null
      }
      return pages
    }
    const page = '{ nodes { id } pageInfo { hasNextPage endCursor } }'
    const ofRepo = (args: string) => `{ repo(${named(data)}) { runs(${args}) ${page} } }`
    const ofRun = (args: string) => `{ run(id: "${made[0]}") { forks(${args}) ${page} } }`
    expect(await walk(ofRepo, '')).toEqual([[4, 3], [2, 1], [0]])
    expect(await walk(ofRepo, 'status: QUEUED executor: WORKER kind: CLOUD gated: false')).toEqual([
      [4, 3],
      [1, 0],
    ])
    expect(await walk(ofRepo, 'gated: true')).toEqual([[]])
    expect(await walk(ofRun, '')).toEqual([
      [4, 3],
      [2, 1],
    ])
    expect(await walk(ofRun, 'status: CANCELED')).toEqual([[2]])
    const cursor = (await hub.graphql(ada, ofRun('first: 1'))).data.run.forks.pageInfo.endCursor
    const { errors } = await hub.graphql(ada, ofRepo(`after: "${cursor}"`))
    expect(errors[0].extensions.problem.errors[0]).toMatchObject({ type: 'validation.cursor' })
  })

  it('end a page early after 4 MiB of client data', async () => {
    const ada = await hub.person()
    const data = await hub.repo(ada)
    const hyperparams = { text: 'x'.repeat(900_000) }
    const recipe = { template: 'act', dataset: [`svc://${data}`], hyperparams }
    for (let at = 0; at < 7; at += 1) await ok(hub.call(ada, 'POST', '/v1/runs', { recipe }), 201)
    const { runs } = (
      await hub.graphql(ada, `{ repo(${named(data)}) { runs { nodes { id } pageInfo { hasNextPage } } } }`)
    ).data.repo
    expect([runs.nodes.length, runs.pageInfo.hasNextPage]).toEqual([5, true])
  })
})

describe('checks of a repo', () => {
  it('come in pages, newest first, by state and kind; a deleted robot leaves the edges null', async () => {
    const ada = await hub.person()
    const robot = await hub.repo(ada, { kind: 'robot' })
    await hub.upload(ada, robot, { 'arm.xml': '<mujoco/>' })
    const asked = { kind: 'robot', robot_repo: robot, entry: 'arm.xml', control_hz: 50, action: 'position' }
    const made: string[] = []
    for (let at = 0; at < 5; at += 1) made.push((await ok(hub.call(ada, 'POST', '/v1/robot-checks', asked), 201)).id)
    await ok(hub.call(ada, 'POST', `/v1/robot-checks/${made[2]}/cancel`), 202)
    const page = async (args: string) =>
      hub.graphql(
        ada,
        `{ repo(${named(robot)}) { checks(${args}) { nodes { id } pageInfo { hasNextPage endCursor } } } }`,
      )
    const walk = async (filter: string) => {
      const pages: number[][] = []
      for (let after: string | null = ''; after !== null; ) {
        const { nodes, pageInfo }: Json = (await page(`${filter} first: 2 after: "${after}"`)).data.repo.checks
        pages.push(nodes.map(({ id }: Json) => made.indexOf(id)))
        after = pageInfo.hasNextPage ? pageInfo.endCursor : null
      }
      return pages
    }
    expect(await walk('kind: ROBOT')).toEqual([[4, 3], [2, 1], [0]])
    expect(await walk('status: QUEUED executor: WORKER')).toEqual([
      [4, 3],
      [1, 0],
    ])
    expect(await walk('kind: MODEL')).toEqual([[]])
    const { endCursor } = (await page('first: 1')).data.repo.checks.pageInfo
    const { errors } = await page(`kind: MODEL after: "${endCursor}"`)
    expect(errors[0].extensions.problem.errors[0]).toMatchObject({ type: 'validation.cursor' })
    for (const id of made) await hub.call(ada, 'POST', `/v1/robot-checks/${id}/cancel`)
    await ok(hub.call(ada, 'DELETE', `/v1/repos/${robot}`), 204)
    const gone = await hub.graphql(
      ada,
      `{ robotCheck(id: "${made[0]}") { robotRepo { id } card { dof } robotRepoRef { fullName } } }`,
    )
    expect(gone.data.robotCheck).toEqual({ robotRepo: null, card: null, robotRepoRef: { fullName: robot } })
  })
})
