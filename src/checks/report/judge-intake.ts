/** Compares a worker's claims about a policy with the hub's own data. Contract, `match`. */
import { invalid } from '../../platform/errors.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { statement } from '../../store/statement.ts'
import type { Document } from '../check-shape.ts'

const known = columns({ fingerprint: column.text.orNull('interface_fingerprint') })
const robotFingerprint = statement({
  name: 'robot-check-robot-fingerprint',
  columns: known,
  text: `select ${known.sql} from robot_cards where repo_id = $1`,
})

/** 422 for a `match` whose fingerprints differ from that of the robot's current card, or without a robot that could match. */
export async function assertIntake(querier: Querier, robotRepoId: string | null, intake: Document): Promise<void> {
  if (intake.embodiment !== 'match') return
  const [robot] = robotRepoId === null ? [] : await querier.query(robotFingerprint, [robotRepoId])
  const fingerprint = robot?.fingerprint ?? null
  if (fingerprint === null)
    throw invalid('validation.value', 'There is no robot with an interface that the policy could match.', [
      'intake',
      'embodiment',
    ])
  for (const [member, place] of [
    ['embodiment_fingerprint', 'embodimentFingerprint'],
    ['robot_fingerprint', 'robotFingerprint'],
  ] as const) {
    if (intake[member] === fingerprint || (member === 'robot_fingerprint' && intake[member] == null)) continue
    throw invalid('validation.value', `is not ${fingerprint}, the fingerprint of the robot's interface`, [
      'intake',
      place,
    ])
  }
}
