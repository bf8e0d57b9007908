/** What to do with a repo that has no file yet. */
import { commands } from '../../../app/commands.ts'
import { Link } from '../../../app/navigate.tsx'
import { Command } from '../../../ui/command.tsx'
import { Empty } from '../../../ui/states.tsx'

interface Props {
  readonly owner: string
  readonly repo: string
  readonly canWrite: boolean
}

export function EmptyRepo({ owner, repo, canWrite }: Props) {
  if (!canWrite)
    return (
      <Empty title="This repo is empty">
        <p>Its owner has sent no file yet: ask them, or come back later.</p>
      </Empty>
    )
  return (
    <Empty title="This repo is empty">
      <p>Send its files from this browser, or a folder from a terminal.</p>
      <p>
        <Link to="repoFiles" params={{ owner, repo, path: '' }} className="button primary">
          Upload files
        </Link>
      </p>
      <Command label="command that sends a folder" text={commands.push(`${owner}/${repo}`)} />
    </Empty>
  )
}
