/** The robot of a result as its picture needs it: the files of that version, and the card, which has no versions. */
import type { Client } from '@urql/core'
import type { RobotRepo } from '../../../episodes/replay/robot-stage.ts'
import { PageError } from '../../../ui/problem.ts'
import { viewerLimits } from '../../../viewer/limits.ts'
import { modelChoices } from '../../../viewer/model-choice.ts'
import type { ViewedCard } from '../../../viewer/open-robot-of-repo.ts'
import { repoFiles } from '../repo-files.ts'
import { viewedRobotQuery } from '../robot.graphql.ts'
import { viewedCard } from '../viewed-card.ts'

export interface RobotName {
  readonly owner: string
  readonly repo: string
}

export interface RobotAt {
  readonly card: ViewedCard | null
  readonly robot: RobotRepo
  /** Its model file. */
  readonly entry: string
}

/** Rejects in words for people. */
export async function robotAt(client: Client, { owner, repo }: RobotName, commit: string): Promise<RobotAt> {
  const name = `${owner}/${repo}`
  const files = repoFiles(client, owner, repo, commit)
  const [listed, { data, error }] = await Promise.all([
    files.list('', viewerLimits.listedFiles),
    client.query(viewedRobotQuery, { owner, repo }).toPromise(),
  ])
  if (error) throw error
  const card = viewedCard(data?.repo?.card ?? null)
  const entry = modelChoices(listed?.map(([path]) => path) ?? [], card?.mjcfPath ?? null)[0]
  if (listed === null || entry === undefined)
    throw new PageError('The robot has no model', `This version of ${name} has no MJCF or URDF file that is shown.`)
  return { card, robot: { name, card, files: listed, sign: files.sign }, entry }
}
