/** `hub rollout --publish`: keeps a result with the model of the hub that drove the robot. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { HubClient } from '@hub/client/internal'
import type { Outcome } from '@hub/rollout/loop/episode'
import type { ChosenCameras } from '@hub/rollout/loop/eyes'
import type { RolloutJob } from '@hub/rollout/processes/protocol'
import type { ClientIo } from './client-output.ts'
import { pathOf, UsageError } from './client-session.ts'
import type { SentEpisode } from './rollout-episodes.ts'
import type { Source } from './rollout-source.ts'

/** Episodes of one result, as the hub keeps them. */
export const MAX_KEPT = 20

/** Seeds of one result, as the hub keeps them. */
export const MAX_PUBLISHED = 1000

/**
 * `text` at the version that it has now, so that what is run is what is published: `OWNER/REPO@COMMIT[:FILE]`. Throws a
 * `UsageError` for a folder, whose bytes the hub does not have.
 */
export async function pinned(io: ClientIo, client: HubClient, text: string): Promise<string> {
  const [whole, repo = '', at, file = ''] = /^([\w.-]+\/[\w.-]+)(?:@([^:]+))?(:.+)?$/.exec(text) ?? []
  const isLocal = (await stat(resolve(io.cwd, text)).catch(() => null)) !== null
  if (isLocal || whole === undefined)
    throw new UsageError(`--publish is for repos of the hub: push ${JSON.stringify(text)} first, and name its repo.`)
  if (at !== undefined) return text
  const { items } = await client.v1.listCommits({ path: pathOf(repo), query: { limit: 1 } })
  const commit = items[0]?.commit_id
  if (!commit) throw new UsageError(`${repo} has no version yet: push its files first.`)
  return `${repo}@${commit}${file}`
}

interface Ran {
  readonly policy: Source
  readonly robot: Source
  /** Path of the ONNX file in its repo. */
  readonly policyPath: string
  readonly job: Pick<RolloutJob, 'task' | 'disturbance'>
  readonly software: Readonly<Record<string, string>>
  /** Of the map of joints that was used. */
  readonly mapFingerprint: string | null
  /** What drew the pictures that the policy saw; null for one that sees none. */
  readonly drawnBy: string | null
  /** Cameras that drew them, where others were chosen than those of their names. */
  readonly cameras: ChosenCameras
  readonly outcomes: readonly Outcome[]
  /** That the result keeps; their bytes are sent. */
  readonly episodes: readonly SentEpisode[]
}

/** The kept result; sent again, it is the same one. */
export async function publishResult(client: HubClient, { policy, robot, policyPath, job, ...ran }: Ran) {
  if (policy.repo === null || robot.repo === null) throw new Error('Only repos are published.')
  return client.v1.publishRollouts({
    path: pathOf(policy.repo),
    body: {
      version: policy.at ?? '',
      policy: policyPath,
      robot: robot.repo,
      robot_version: robot.at ?? '',
      task: { ...job.task },
      disturbance: { ...job.disturbance },
      software: { ...ran.software },
      ...(ran.mapFingerprint !== null && { map_fingerprint: ran.mapFingerprint }),
      ...(ran.drawnBy !== null && { drawn_by: ran.drawnBy }),
      ...(Object.keys(ran.cameras).length > 0 && { cameras: { ...ran.cameras } }),
      outcomes: ran.outcomes.map(({ reason: _, ...one }) => one),
      ...(ran.episodes.length > 0 && { episodes: ran.episodes.map((one) => ({ ...one })) }),
    },
  })
}
