/**
 * The bell at the top: how much waits for this person's decision. It asks every half minute and opens no stream: a
 * browser has six connections for all tabs of a site, and a stream in each tab would take them all.
 */
import { Link } from '../../app/navigate.tsx'
import { usePoll } from '../../ui/use-poll.ts'
import { useReading } from '../../ui/use-reading.ts'
import { bellQuery } from './bell.graphql.ts'
import { waitingOf } from './waiting.ts'

const EVERY_MS = 30_000

export function Bell({ accountIds }: { readonly accountIds: readonly string[] }) {
  const [{ data }, ask] = useReading({ query: bellQuery })
  usePoll(ask, EVERY_MS)
  const waiting = data?.spendHolds && waitingOf(data.spendHolds, accountIds)
  // Until the first answer, and for a hub that is away: a way to the list.
  const label = waiting?.label ?? 'Approvals'
  return (
    <Link to="holds" params={{}} query={{ status: 'PENDING' }} className="button plain bell" title={label}>
      <svg viewBox="0 0 24 24" width={20} height={20} aria-hidden="true">
        <path d="M12 3a6 6 0 0 0-6 6v4l-2 4h16l-2-4V9a6 6 0 0 0-6-6Zm-2 16a2 2 0 0 0 4 0" />
      </svg>
      <span className="visually-hidden">{label}</span>
      {waiting && waiting.count > 0 && (
        <span className="bell-count" aria-hidden="true">
          {waiting.badge}
        </span>
      )}
    </Link>
  )
}
