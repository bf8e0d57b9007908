/** Robots of the hub for a replay, through public fields. */

import type { Client } from '@urql/core'
import type { ReplayRobots } from '../../episodes/replay/robot-replay.ts'
import { messageOf } from '../../ui/problem.ts'
import { viewerLimits } from '../../viewer/limits.ts'
import { keptMaps } from './kept-maps.ts'
import { repoFiles } from './repo-files.ts'
import { reposQuery } from './repos.graphql.ts'
import { viewedRobotQuery } from './robot.graphql.ts'
import { viewedCard } from './viewed-card.ts'

/** Rejects with `Error`s in the words of the hub's Problem. */
export function replayRobots(client: Client, dataset: { readonly owner: string; readonly repo: string }): ReplayRobots {
  return {
    async names() {
      const { data, error } = await client.query(reposQuery, { kind: 'ROBOT' }).toPromise()
      if (error) throw new Error(messageOf(error))
      return data?.repos?.nodes.map(({ fullName }) => fullName) ?? []
    },
    async open(name) {
      const [owner = '', repo = ''] = name.split('/')
      const [{ data, error }, maps] = await Promise.all([
        client.query(viewedRobotQuery, { owner, repo }).toPromise(),
        keptMaps(client, dataset, name),
      ])
      if (error) throw new Error(messageOf(error))
      const found = data?.repo
      if (!found) throw new Error(`${name} is not there, or you do not see it.`)
      if (found.kind !== 'ROBOT') throw new Error(`${name} is no robot.`)
      const files = repoFiles(client, owner, repo)
      const listed = await files.list('', viewerLimits.listedFiles)
      if (listed === null) throw new Error(`${name} has more than ${viewerLimits.listedFiles} files.`)
      return { name, card: viewedCard(found.card), files: listed, sign: files.sign, maps }
    },
  }
}
