/** A robot of the hub by its name: those that have in theirs what is typed are proposed, page by page. */
import { useId, useMemo } from 'react'
import { DelayedInput } from '../../ui/delayed-input.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { repoParts } from '../../ui/repo-parts.ts'
import { ErrorNotice } from '../../ui/states.tsx'
import { itself, usePages } from '../../ui/use-pages.ts'
import { robotNamesQuery } from './robot-field.graphql.ts'

interface Props {
  readonly label: string
  readonly value: string
  /** Called once typing rests, with any text. */
  readonly change: (value: string) => void
  /** In a form. */
  readonly name?: string
}

export function RobotField({ label, value, change, ...rest }: Props) {
  const id = useId()
  const variables = useMemo(() => searchOf(value), [value])
  const pages = usePages({ query: robotNamesQuery, variables, field: 'repos', select: itself, pause: value === '' })
  // A list that is open in the browser does not close for each letter.
  const names = (pages.root ? pages.nodes : (pages.kept?.nodes ?? [])).map(({ fullName }) => fullName)
  return (
    <span className="stack-small">
      <DelayedInput
        label={label}
        value={value}
        change={change}
        placeholder="owner/robot"
        size={28}
        list={id}
        {...rest}
      />
      <datalist id={id}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {pages.error && <ErrorNotice error={pages.error} retry={pages.refresh} />}
      {value !== '' && pages.isEmpty && <small className="dim">No robot that you see has {value} in its name.</small>}
      {value !== '' && !names.includes(value) && <LoadMore pages={pages} />}
    </span>
  )
}

/** `lab/so1` is part of a name of the owner `lab`; a text without a slash is part of any name. */
function searchOf(value: string) {
  const text = value.trim()
  const { owner, repo } = repoParts(text)
  return text.includes('/') ? { owner, q: repo || null, after: null } : { owner: null, q: text, after: null }
}
