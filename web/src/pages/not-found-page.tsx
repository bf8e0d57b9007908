/** An address without a page. */
import { Link } from '../app/navigate.tsx'
import { useSession } from '../app/session.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Empty } from '../ui/states.tsx'

export function Page() {
  const { viewer } = useSession()
  return (
    <>
      <PageHeader title="Not found" />
      <Empty title="There is nothing at this address">
        <p>
          {viewer
            ? 'It may be private, renamed or deleted. Look for it by its name (Ctrl K), or go on from here.'
            : 'It may be private: sign in with an account that can see it. Or go on from here.'}
        </p>
        <Link to="repos" params={{}} className="button">
          All repos
        </Link>
      </Empty>
    </>
  )
}
