/** The motion of a seed that a result keeps, with the robot that it is of. */
import { type Motion, readMotion } from '@hub/rollout/loop/motion'
import type { Client } from '@urql/core'
import { fetchFile } from '../../../files/fetch-file.ts'
import { bytes } from '../../../ui/format.ts'
import { PageError } from '../../../ui/problem.ts'
import type { TellBytes } from '../../../viewer/drive/drive-protocol.ts'
import { countedBytes } from '../../../viewer/engine/counted-bytes.ts'
import { noResult, otherRobot } from './missing-result.ts'
import { labelOf, namedResult } from './result-name.ts'
import { type RobotAt, type RobotName, robotAt } from './robot-at.ts'
import { type KeptEpisodesQuery, keptEpisodesQuery } from './rollouts.graphql.ts'

type Episode = NonNullable<NonNullable<KeptEpisodesQuery['repo']>['rollout']>['episodes'][number]

export interface KeptMotion extends RobotAt {
  readonly name: string
  readonly label: string
  readonly task: string
  readonly outcome: Episode['outcome']
  readonly motion: Motion
}

/** As much as the hub keeps of one. */
const MAX_BYTES = 16 * 1024 * 1024

interface OfSeed {
  /** Of `resultName`. */
  readonly name: string
  readonly seed: number
}

/** Rejects in words for people. `tell`: bytes of the recording. */
export async function keptMotion(
  client: Client,
  on: RobotName,
  { name, seed }: OfSeed,
  tell: TellBytes,
): Promise<KeptMotion> {
  const { data, error } = await client.query(keptEpisodesQuery, namedResult(name)).toPromise()
  if (error) throw error
  const result = data?.repo?.rollout
  if (!result) throw noResult(name)
  if (result.robot !== `${on.owner}/${on.repo}`) throw otherRobot(name, result.robot)
  const kept = result.episodes.find(({ outcome }) => outcome.seed === seed)
  if (!kept)
    throw new PageError(
      `No motion of seed ${seed} is kept`,
      `${labelOf(result)} keeps no motion of seed ${seed}: run it in 3D instead.`,
    )
  const [motion, robot] = await Promise.all([download(kept, tell), robotAt(client, on, result.robotCommit)])
  if (motion.seed !== seed)
    throw new PageError('The recording is of another seed', `The recording of seed ${seed} is of seed ${motion.seed}.`)
  return { ...robot, name, label: labelOf(result), task: result.task, outcome: kept.outcome, motion }
}

async function download({ url, size, outcome: { seed } }: Episode, tell: TellBytes): Promise<Motion> {
  if (size > MAX_BYTES)
    throw new PageError(
      'The recording is too large',
      `That of seed ${seed} has ${bytes(size)}; a page shows ${bytes(MAX_BYTES)}.`,
    )
  const answer = await fetchFile(url)
  if (!answer.ok) throw notDownloaded(`For that of seed ${seed} the answer was ${answer.status}.`)
  const copy = answer.clone().body
  const text = Promise.all([answer.text(), copy && countedBytes(copy, (done) => tell(done, size))])
  const [json] = await text.catch((error: unknown) => {
    throw notDownloaded(`That of seed ${seed} broke off: ${error instanceof Error ? error.message : error}.`)
  })
  return readMotion(JSON.parse(json))
}

const notDownloaded = (why: string) => new PageError('The recording is not downloaded', why)
