/** The way to a new repo, for people who can make one. */
import { Link } from '../../../app/navigate.tsx'
import { useSession } from '../../../app/session.tsx'

/** `owner` is chosen in advance, where it is given. */
export function NewRepoLink({ owner }: { readonly owner?: string }) {
  const { viewer } = useSession()
  if (viewer === null || viewer.scope === 'READ') return null
  return (
    <Link to="newRepo" params={{}} query={owner === undefined ? {} : { owner }} className="button primary">
      New repo
    </Link>
  )
}
