/** What checks of an account keep stays within its storage quota, beside its files and runs. Contract, "Storage quota". */
import { refuseRoom } from '../../files/reservation.ts'
import type { Config } from '../../platform/config.ts'
import { column, columns } from '../../store/columns.ts'
import type { Querier } from '../../store/db.ts'
import { param, statement } from '../../store/statement.ts'

const withRoom = columns({ id: column<string>('a.id') })

/** Locks the account, so that of two requests for the last free bytes one is refused. */
const hasRoom = statement({
  name: 'robot-check-artifact-room',
  columns: withRoom,
  params: { ownerId: param<string>(), bytes: param<number>(), quotaBytes: param<number>() },
  text: `select ${withRoom.sql} from accounts a where a.id = :ownerId
      and a.storage_bytes + a.reserved_bytes + :bytes::bigint + (select coalesce(sum(f.size), 0) from robot_check_artifacts f
        join robot_checks c on c.id = f.check_id where c.owner_id = :ownerId) <= :quotaBytes::bigint
    for no key update of a`,
})

/** 413 `quota.storage` where `bytes` more than all artifacts that were announced do not fit. */
export async function assertArtifactRoom(
  querier: Querier,
  config: Config,
  ownerId: string,
  bytes: number,
): Promise<void> {
  const [room] = await querier.query(hasRoom, { ownerId, bytes, quotaBytes: config.storageQuotaBytes })
  if (!room) await refuseRoom(querier, config, ownerId, bytes)
}
