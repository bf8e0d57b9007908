/** Tabs that are links: each has its own address. */
import type { PageName, PageParams } from '@hub/formats/page-paths'
import { Link, usePage } from '../app/navigate.tsx'

/** One of them for each page, so that the parameters are those of the page. */
export type Tab = {
  [Name in PageName]: {
    readonly to: Name
    readonly params: PageParams<Name>
    readonly title: string
    /** Pages that are reached from it, and belong to it. */
    readonly holds?: readonly PageName[]
  }
}[PageName]

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const { match } = usePage()
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ to, params, title, holds = [] }) => (
        <Link
          key={to}
          to={to}
          params={params as never}
          className={match && [to, ...holds].includes(match.name) ? 'tab current' : 'tab'}
        >
          {title}
        </Link>
      ))}
    </nav>
  )
}
