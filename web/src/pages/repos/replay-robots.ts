/** Robots of the hub for a replay, through public fields. */
import { pagePath } from '@hub/formats/page-paths'
import type { Client } from '@urql/core'
import type { ReplayRobots } from '../../episodes/replay/robot-replay.ts'
import { messageOf } from '../../ui/problem.ts'
import { repoParts } from '../../ui/repo-parts.ts'
import { keptMaps } from './kept-maps.ts'
import { reposQuery } from './repos.graphql.ts'
import { robotRepo } from './robot-repo.ts'

/** Rejects with `Error`s in the words of the hub's Problem. */
export function replayRobots(client: Client, dataset: { readonly owner: string; readonly repo: string }): ReplayRobots {
  return {
    async names() {
      const { data, error } = await client.query(reposQuery, { kind: 'ROBOT' }).toPromise()
      if (error) throw new Error(messageOf(error))
      return data?.repos?.nodes.map(({ fullName }) => fullName) ?? []
    },
    async open(name) {
      const [robot, maps] = await Promise.all([robotRepo(client, name), keptMaps(client, dataset, name)])
      const { owner: robotOwner, repo: slug } = repoParts(name)
      return { ...robot, maps, mapPage: pagePath('repoMap', { ...dataset, robotOwner, robot: slug }) }
    },
  }
}
