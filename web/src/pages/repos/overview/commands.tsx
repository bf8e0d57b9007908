/** How to get a repo, or a file of it, in a terminal and in a program. */
import { commands, curlLine, pythonLine } from '../../../app/commands.ts'
import { Command } from '../../../ui/command.tsx'
import { repoParts } from '../../../ui/repo-parts.ts'

interface Props {
  readonly fullName: string
  readonly readmePath: string | null
}

export function Commands({ fullName, readmePath }: Props) {
  const { repo: folder } = repoParts(fullName)
  return (
    <section className="panel">
      <h2>Get it</h2>
      <div className="commands">
        <h3>Command line</h3>
        <Command label="command that downloads the repo" text={commands.pull(fullName, folder)} />
        <h3>Python</h3>
        <Command label="Python line that downloads the repo" text={pythonLine(fullName, folder)} />
        <h3>One file, with curl</h3>
        <Command label="curl command for one file" text={curlLine(location.origin, fullName, readmePath ?? 'PATH')} />
      </div>
    </section>
  )
}
