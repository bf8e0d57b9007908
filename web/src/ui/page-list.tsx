/** A list by pages, around its table: the error, loading, what is said of an empty one, and the button for more. */
import type { ReactNode } from 'react'
import { LoadMore } from './load-more.tsx'
import { ErrorNotice, Loading } from './states.tsx'
import type { Pages } from './use-pages.ts'

interface Props {
  readonly pages: Pages<unknown, unknown>
  /** In place of the table where there is nothing. */
  readonly empty: ReactNode
  readonly children: ReactNode
}

export function PageList({ pages, empty, children }: Props) {
  // The head of the table stays while other rows are asked for, and with it the place of the keyboard.
  const isChanging = pages.root === undefined && pages.kept !== undefined
  return (
    <>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {(pages.nodes.length > 0 || isChanging) && children}
      {pages.root === undefined && !pages.error && <Loading />}
      {pages.isEmpty && empty}
      <LoadMore pages={pages} />
    </>
  )
}
