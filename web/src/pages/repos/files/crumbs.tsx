/** Where one is in a repo, with a way back to each folder. */

import { withHiddenShown } from '@hub/text/hidden-characters'
import { Fragment } from 'react'
import { Link } from '../../../app/navigate.tsx'
import { crumbsOf } from './folder-entries.ts'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly path: string
}

export function Crumbs({ owner, repo, path }: Props) {
  const crumbs = crumbsOf(path)
  return (
    <nav className="crumbs" aria-label="Folder">
      <Link to="repoFiles" params={{ owner, repo, path: '' }}>
        {repo}
      </Link>
      {crumbs.map((crumb, index) => (
        <Fragment key={crumb.path}>
          <span className="dim">/</span>
          {index === crumbs.length - 1 ? (
            <span aria-current="page">{withHiddenShown(crumb.name)}</span>
          ) : (
            <Link to="repoFiles" params={{ owner, repo, path: crumb.path }}>
              {withHiddenShown(crumb.name)}
            </Link>
          )}
        </Fragment>
      ))}
    </nav>
  )
}
