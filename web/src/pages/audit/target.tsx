/** The thing that an entry is about: its name with a link, or its id. */
import { Link } from '../../app/navigate.tsx'
import { words } from '../../ui/format.ts'
import { repoParts } from '../../ui/repo-parts.ts'
import { endpointTitle } from '../endpoints/endpoint-title.ts'
import type { useTargets } from './use-targets.ts'

type Targets = ReturnType<typeof useTargets>

export function Target({ id, targets }: { readonly id: string; readonly targets: Targets }) {
  const node = targets.get(id)
  switch (node?.__typename) {
    case 'Repo': {
      const { owner, repo } = repoParts(node.fullName)
      return (
        <Link to="repo" params={{ owner, repo }}>
          {node.fullName}
        </Link>
      )
    }
    case 'Run':
      return (
        <Link to="run" params={{ id }}>
          {node.displayName}
        </Link>
      )
    case 'RobotCheck':
      return (
        <Link to="check" params={{ id }} title={id}>
          {words(node.kind)} check{node.robotRepoRef && ` of ${node.robotRepoRef.fullName}`}
        </Link>
      )
    case 'Endpoint':
      return (
        <Link to="endpoint" params={{ id }} title={id}>
          {endpointTitle({ name: node.title, modelRepoRef: node.modelRepoRef })}
        </Link>
      )
    case 'SpendHold':
      return (
        <Link to="hold" params={{ id }}>
          {node.summary}
        </Link>
      )
    case 'Account':
      return (
        <Link to="account" params={{ handle: node.handle }}>
          @{node.handle}
        </Link>
      )
    case 'Device':
      return <span>{node.name}</span>
    default:
      return <code className="audit-id">{id}</code>
  }
}
