/** The button below a list that has a next page. */
import type { Pages } from './use-pages.ts'

export function LoadMore({
  pages,
}: {
  readonly pages: Pick<Pages<unknown, unknown>, 'hasMore' | 'isLoading' | 'more'>
}) {
  if (!pages.hasMore) return null
  return (
    <div className="more">
      <button type="button" className="button" disabled={pages.isLoading} onClick={pages.more}>
        {pages.isLoading ? 'Loading…' : 'Load more'}
      </button>
    </div>
  )
}
