import { Link } from '../../../app/navigate.tsx'

/** Leads to the form that submits a run; `query` names a dataset or a robot for it. */
export function NewRunLink({ query = {} }: { readonly query?: Readonly<Record<string, string>> }) {
  return (
    <Link to="newRun" params={{}} query={query} className="button primary">
      New run
    </Link>
  )
}
