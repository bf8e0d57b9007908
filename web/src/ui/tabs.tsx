/** Tabs that are links: each has its own address. */
import type { PageName, PageParams } from '@hub/formats/page-paths'
import { Link, usePage } from '../app/navigate.tsx'

/** One of them for each page, so that the parameters are those of the page. */
export type Tab = {
  [Name in PageName]: { readonly to: Name; readonly params: PageParams<Name>; readonly title: string }
}[PageName]

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const { match } = usePage()
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ to, params, title }) => (
        <Link key={to} to={to} params={params as never} className={match?.name === to ? 'tab current' : 'tab'}>
          {title}
        </Link>
      ))}
    </nav>
  )
}
