/** What a run logged beside numbers: a card for each key. */
import { useState } from 'react'
import { usePoll } from '../../../ui/use-poll.ts'
import type { RunShown } from '../run-shown.ts'
import { MediaCard } from './media-card.tsx'
import './media.css'

/** Cards at a time; a run may have 500 keys. */
const PAGE = 24
/** How often the keys of a run in progress are read again. */
const EVERY_MS = 15_000

export function RunMedia({ run, reload }: { readonly run: RunShown; readonly reload: () => void }) {
  const [most, setMost] = useState(PAGE)
  const [search, setSearch] = useState('')
  usePoll(() => run.finishedAt === null && reload(), EVERY_MS)
  const found = run.mediaKeys.filter(({ key }) => key.toLowerCase().includes(search.toLowerCase()))
  return (
    <div className="stack">
      {run.mediaKeys.length > PAGE && (
        <input
          type="search"
          value={search}
          placeholder="Find a key"
          aria-label="Find a key"
          onChange={({ target }) => setSearch(target.value)}
        />
      )}
      <div className="media-cards">
        {found.slice(0, most).map((one) => (
          <MediaCard key={`${one.key} ${one.kind}`} id={run.id} repo={run.outputModelRepo?.fullName ?? null} of={one} />
        ))}
      </div>
      {found.length === 0 && <p className="dim">No key has this in its name.</p>}
      {found.length > most && (
        <button type="button" className="button" onClick={() => setMost(most + PAGE)}>
          Show more of {found.length} keys
        </button>
      )}
    </div>
  )
}
