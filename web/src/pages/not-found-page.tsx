/** An address without a page. */
import { Link } from '../app/navigate.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Empty } from '../ui/states.tsx'

export function Page() {
  return (
    <>
      <PageHeader title="Not found" />
      <Empty title="There is nothing at this address">
        <p>It may be private: sign in with an account that can see it. Or go on from here.</p>
        <Link to="repos" params={{}} className="button">
          All repos
        </Link>
      </Empty>
    </>
  )
}
