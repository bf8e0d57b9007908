/** Which map of joints `hub rollout` uses between a policy and a robot that calls or counts its joints otherwise. */
import { type HubClient, LocalError } from '@hub/client/internal'
import { fingerprintOf } from '@hub/embodiment/fingerprint'
import type { JointMap } from '@hub/embodiment/joint-map'
import type { ClientIo } from './client-output.ts'
import { repoName, UsageError } from './client-session.ts'
import { fileMap, mapIn } from './map-file.ts'
import type { Source } from './rollout-source.ts'
import { inLine, print } from './terminal.ts'

export interface UsedMap {
  readonly map: JointMap
  readonly fingerprint: string
  /** Of the kept map; null for one of a file. */
  readonly version: number | null
  /** Null where no one has reviewed it. */
  readonly reviewed_at: string | null
}

/** What `--map` takes for "joints by name". */
const NONE = 'none'

/** More versions than the hub keeps of a pair. */
const VERSIONS = 100

/**
 * `given`: `none`, a kept version or a file; without it the newest reviewed version that the hub keeps from the policy
 * to the robot, which is the one that its endpoints use. Null for joints by name.
 */
export async function mapFor(
  io: ClientIo,
  client: HubClient,
  given: string | undefined,
  { policy, robot }: { readonly policy: Source; readonly robot: Source },
): Promise<UsedMap | null> {
  if (given === NONE) return null
  const isVersion = given !== undefined && /^\d+$/.test(given)
  if (given !== undefined && !isVersion) {
    const map = await fileMap(io.cwd, given)
    return { map, fingerprint: fingerprintOf(map), version: null, reviewed_at: null }
  }
  if (policy.repo === null || robot.repo === null) {
    if (isVersion) throw new UsageError(`--map ${given} is a kept version: policy and robot are repos then.`)
    return null
  }
  const { owner, slug } = repoName(policy.repo)
  const query = { robot: robot.repo, limit: VERSIONS }
  const { items } = await client.v1.listJointMaps({ path: { owner, repo: slug }, query })
  const kept = items.find(isVersion ? ({ version }) => version === Number(given) : ({ reviewed_at }) => reviewed_at)
  const pair = `from ${inLine(policy.repo)} to ${inLine(robot.repo)}`
  if (!kept) {
    const [newest] = items
    if (isVersion) throw new LocalError(`The hub keeps no version ${given} of a map ${pair}.`)
    if (newest) {
      const { version } = newest
      print(io.stderr, `hub: no one has reviewed the map ${pair}: it is not used; --map ${version} tries it\n`)
    }
    return null
  }
  const { version, reviewed_at, fingerprint } = kept
  if (!reviewed_at) print(io.stderr, `hub: no one has reviewed version ${version} of the map ${pair}\n`)
  return {
    map: mapIn(kept.map, `Version ${version} of the map`),
    fingerprint,
    version,
    reviewed_at: reviewed_at ?? null,
  }
}

/** A result that stays is of the map that endpoints would use. */
export function assertPublishable(used: UsedMap | null): void {
  if (used && used.reviewed_at === null)
    throw new UsageError('--publish needs a reviewed map: keep it with hub map put, and let a person review it.')
}

/** For people. */
export const mapText = ({ version, reviewed_at, fingerprint }: Omit<UsedMap, 'map'>): string =>
  version === null
    ? `of a file, ${fingerprint.slice(0, 12)}`
    : `version ${version}, ${reviewed_at === null ? 'not reviewed' : `reviewed ${reviewed_at.slice(0, 10)}`}`
