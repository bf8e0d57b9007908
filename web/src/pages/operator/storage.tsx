/** Room: of the disk, the database and each account. */
import { Link } from '../../app/navigate.tsx'
import { bytes, counted } from '../../ui/format.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { rootField } from '../../ui/root-field.ts'
import { ErrorNotice, Loading } from '../../ui/states.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { useReading } from '../../ui/use-reading.ts'
import {
  type AccountStorageQueryVariables,
  accountStorageQuery,
  type HubStorageQuery,
  hubStorageQuery,
} from './operator.graphql.ts'

const firstPage: AccountStorageQueryVariables = {}

export function Storage() {
  const [answer, again] = useReading({ query: hubStorageQuery })
  const { value: room, error } = rootField(answer, 'hubStorage')
  const pages = usePages({ query: accountStorageQuery, variables: firstPage, field: 'accountStorage', select: itself })
  return (
    <section className="panel stack" aria-label="Storage">
      <h2>Storage</h2>
      {error && <ErrorNotice error={error} retry={again} />}
      {!room && !error && <Loading lines={2} />}
      {room && <Room room={room} />}
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {pages.isEmpty && <p className="dim">No account stores anything yet.</p>}
      {room && pages.nodes.length > 0 && (
        <div className="table-wrap">
          <table>
            <thead>
              <tr>
                <th>Account</th>
                <th>Stored</th>
                <th>Being uploaded</th>
              </tr>
            </thead>
            <tbody>
              {pages.nodes.map(({ account: { id, handle }, usedBytes, reservedBytes }) => (
                <tr key={id}>
                  <td>
                    <Link to="account" params={{ handle }}>
                      {handle}
                    </Link>
                  </td>
                  <td className="nowrap">
                    <meter max={room.quotaBytes} value={usedBytes} aria-label={`Storage of ${handle}`} />{' '}
                    {bytes(usedBytes)} of {bytes(room.quotaBytes)}
                  </td>
                  <td className="nowrap">{reservedBytes > 0 ? bytes(reservedBytes) : '–'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <LoadMore pages={pages} />
      <p className="dim">
        Each account may store as much as <code>STORAGE_QUOTA_BYTES</code> says. Change the setting, and restart the
        hub.
      </p>
    </section>
  )
}

function Room({ room }: { readonly room: NonNullable<HubStorageQuery['hubStorage']> }) {
  const { freeBytes, diskBytes, databaseBytes, doomedObjects, doomedBytes } = room
  return (
    <dl className="facts">
      <dt>Files</dt>
      <dd>{freeBytes === null || diskBytes === null ? places[room.store] : roomOf(freeBytes, diskBytes)}</dd>
      <dt>Database</dt>
      <dd>{bytes(databaseBytes)}</dd>
      <dt>To be deleted</dt>
      <dd>{doomedObjects === 0 ? 'nothing' : `${counted(doomedObjects, 'file')}, ${bytes(doomedBytes)}`}</dd>
    </dl>
  )
}

const roomOf = (free: number, whole: number) => `${bytes(free)} free of ${bytes(whole)} on the disk of the hub`

const places = {
  NONE: 'no object store',
  DISK: 'on the disk of the hub, which does not say its size',
  S3: 'in a bucket; its provider says how large it is',
} as const
