/** Tabs that are links: each has its own address. */
import type { PageName, PageParams } from '@hub/formats/page-paths'
import { Link, usePage } from '../app/navigate.tsx'
import { useCurrentInView } from './use-current-in-view.ts'

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
  const current = tabs.find(({ to, holds = [] }) => match && [to, ...holds].includes(match.name))?.to
  const row = useCurrentInView(current)
  return (
    <nav className="tabs" aria-label={label} ref={row}>
      {tabs.map(({ to, params, title }) => (
        <Link
          key={to}
          to={to}
          params={params as never}
          className={to === current ? 'tab current' : 'tab'}
          isCurrent={to === current}
        >
          {title}
        </Link>
      ))}
    </nav>
  )
}
