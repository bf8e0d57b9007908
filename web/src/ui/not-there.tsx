/** In place of a page about one thing that is not there: what failed, loading, or that there is none. */
import { PageHeader } from './page-header.tsx'
import type { RootField } from './root-field.ts'
import { Empty, ErrorNotice, Loading } from './states.tsx'

interface Props {
  /** What the page is about: "run". */
  readonly what: string
  /** Without a value. */
  readonly field: RootField<unknown>
  readonly retry: () => void
}

export function NotThere({ what, field: { value, error }, retry }: Props) {
  if (value === undefined && !error) return <Loading />
  return (
    <>
      <PageHeader title={`${what.charAt(0).toUpperCase()}${what.slice(1)}`} />
      {error ? (
        <ErrorNotice error={error} retry={retry} />
      ) : (
        <Empty title={`There is no such ${what}, or you cannot see it`} />
      )}
    </>
  )
}
