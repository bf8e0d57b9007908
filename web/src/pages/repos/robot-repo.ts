/** A robot of the hub as the viewer takes it, through public fields. */
import type { Client } from '@urql/core'
import type { RobotRepo } from '../../episodes/replay/robot-stage.ts'
import { messageOf } from '../../ui/problem.ts'
import { repoParts } from '../../ui/repo-parts.ts'
import { viewerLimits } from '../../viewer/limits.ts'
import { repoFiles } from './repo-files.ts'
import { viewedRobotQuery } from './robot.graphql.ts'
import { viewedCard } from './viewed-card.ts'

/** `name`: `owner/slug`. Rejects with `Error`s in the words of the hub's Problem. */
export async function robotRepo(client: Client, name: string): Promise<RobotRepo> {
  const { owner, repo } = repoParts(name)
  const { data, error } = await client.query(viewedRobotQuery, { owner, repo }).toPromise()
  if (error) throw new Error(messageOf(error))
  const found = data?.repo
  if (!found) throw new Error(`${name} is not there, or you do not see it.`)
  if (found.kind !== 'ROBOT') throw new Error(`${name} is not a robot.`)
  const files = repoFiles(client, owner, repo)
  const listed = await files.list('', viewerLimits.listedFiles)
  if (listed === null) throw new Error(`${name} has more than ${viewerLimits.listedFiles} files.`)
  return { name, card: viewedCard(found.card), files: listed, sign: files.sign }
}
