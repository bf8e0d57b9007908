/**
 * Whether the robot of a device fits the policy of an endpoint, and by which map of joints. Contract, "Which robots an
 * endpoint serves". Where nothing is known of either side nothing is refused.
 */
import { fit } from '@hub/embodiment/fit'
import { fromCard } from '@hub/embodiment/from-card'
import { fromContract } from '@hub/embodiment/from-contract'
import type { JointMap } from '@hub/embodiment/joint-map'
import { withDoubles } from '@hub/formats/exact-json'
import { billedViewer, repoVisibleSql, visibleRuns } from '../../auth/policy.ts'
import { newestReviewedSql } from '../../fits/joint-map-rows.ts'
import type { Viewer } from '../../operation/context.ts'
import { HubError } from '../../platform/errors.ts'
import { column, columns, type RowOf } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { object } from '../../store/read-json.ts'
import { param, statement } from '../../store/statement.ts'
import { unfitRobot } from './unfit-robot.ts'

const bodyColumns = columns({
  policy: column.text('u.model_repo_name'),
  policyBody: column.json.orNull('u.policy_body', object),
  robot: column.text("o.handle || '/' || r.slug"),
  /** Whether the caller may read what the robot's card says. */
  isShown: column.bool(repoVisibleSql('r')),
  face: column.json.orNull("c.card->'interface'", (json) => json),
  limits: column.json.orNull("c.card->'limits'", (json) => json),
  version: column.int4.orNull('m.version'),
  fingerprint: column.text.orNull('m.fingerprint'),
  map: column.json.orNull('m.map', (json) => withDoubles(json) as JointMap),
  /** Of the newest version, reviewed or not; null where no map is kept. */
  newest: column.int4.orNull(
    '(select max(n.version) from joint_maps n where n.from_repo_id = u.model_repo_id and n.to_repo_id = r.id)',
  ),
})

/** Both bodies, as far as both are known. */
export type Bodies = RowOf<typeof bodyColumns>

const bodiesOf = statement({
  name: 'endpoint-device-bodies',
  exact: 'in-transaction',
  columns: bodyColumns,
  params: {
    accountIds: billedViewer.accountIds,
    repoIds: billedViewer.repoIds,
    endpointId: param.text(),
    deviceId: param.text(),
  },
  text: `select ${bodyColumns.sql} from endpoints u
    join devices d on d.id = :deviceId join robot_cards c on c.repo_id = d.robot_repo_id
    join repos r on r.id = c.repo_id join accounts o on o.id = r.owner_id
    left join lateral (${newestReviewedSql('u.model_repo_id', 'r.id')}) m on true
    where u.id = :endpointId and u.policy_body is not null`,
})

/** A device on an endpoint. */
interface Use {
  readonly endpointId: string
  readonly deviceId: string
}

/** A map that a device needs on an endpoint. */
export interface MapInUse {
  readonly fingerprint: string
  readonly map: JointMap
}

/**
 * The reviewed map by which the robot of the device fits the policy; null where it fits as it is, and where nothing is
 * known of either. 409 `conflict.robot_fit`. One statement.
 */
export async function mapInUse(
  querier: Querier,
  viewer: Viewer,
  { endpointId, deviceId }: Use,
): Promise<MapInUse | null> {
  const { accountIds, repoIds } = visibleRuns(viewer)
  const [bodies] = await querier.query(bodiesOf, { accountIds, repoIds, endpointId, deviceId })
  return bodies ? judgeBodies(bodies) : null
}

/** The same of what was read. Pure. */
export function judgeBodies(bodies: Bodies): MapInUse | null {
  const [policy, robot] = [fromContract(bodies.policyBody), fromCard(bodies.face, bodies.limits)]
  if (policy === null || robot === null) return null
  const { map, fingerprint } = bodies
  // A reviewed map says that numbers have to change, also where what both sides declare does not show it: a sign.
  if (map === null || fingerprint === null) {
    const found = fit(policy, robot)
    if (found.verdict !== 'as_is') throw unfitRobot(bodies, found)
    return null
  }
  const found = fit(policy, robot, map)
  if (found.verdict === 'none') throw unfitRobot(bodies, found)
  return { fingerprint, map }
}

/** 409 where the map in use is not the one that was approved, by fingerprints; null is none. */
export function assertApprovedMap(inUse: MapInUse | null, approved: string | null): void {
  const now = inUse?.fingerprint ?? null
  if (now === approved) return
  const named = (fingerprint: string | null) => (fingerprint === null ? 'no map of joints' : `the map ${fingerprint}`)
  throw new HubError(
    'conflict.fit_changed',
    `The approval was given for ${named(approved)}, and the robot needs ${named(now)} now; get a new approval.`,
  )
}
