/** What will be sent, what is left out, and what to say about it. */
import { type FormEvent, useEffect, useMemo, useState } from 'react'
import { Field } from '../../../ui/field.tsx'
import { bytes, counted } from '../../../ui/format.ts'
import { Loading } from '../../../ui/states.tsx'
import { type Choice, chooseFiles, commonFolder, withoutFolder } from './choose-files.ts'
import type { Picked } from './picked-files.ts'

/** What a person wants to send. */
export interface Reviewed {
  readonly files: readonly Picked[]
  /** Those of them that are sent although their names say that they hold a secret. */
  readonly meant: ReadonlySet<Picked>
  readonly message: string
}

interface Props {
  readonly picked: readonly Picked[]
  /** Name of the place that they go to. */
  readonly into: string
  /** Whether a folder that was chosen is the repo itself. */
  readonly isWhole: boolean
  /** To begin with. */
  readonly message: string
  readonly begin: (reviewed: Reviewed) => void
  readonly cancel: () => void
}

const sizeOf = (files: readonly Picked[]) => files.reduce((sum, { file }) => sum + file.size, 0)

export function ReviewUpload({ picked, into, isWhole, message, begin, cancel }: Props) {
  const folder = useMemo(() => commonFolder(picked), [picked])
  const [keepsFolder, setKeepsFolder] = useState(!isWhole)
  const [choice, setChoice] = useState<Choice | null>(null)
  const [withIgnored, setWithIgnored] = useState(false)
  const [withSecret, setWithSecret] = useState(false)
  useEffect(() => {
    let isCurrent = true
    // Ignore files of a folder are about the paths in it, wherever it goes.
    chooseFiles(folder === null ? picked : withoutFolder(picked, folder)).then((made) => {
      if (isCurrent) setChoice(made)
    })
    return () => {
      isCurrent = false
    }
  }, [picked, folder])
  if (choice === null) return <Loading lines={2} />
  const files = [...choice.sent, ...(withIgnored ? choice.ignored : []), ...(withSecret ? choice.secret : [])]
  const placed = ({ path, file }: Picked): Picked =>
    folder !== null && keepsFolder ? { path: `${folder}/${path}`, file } : { path, file }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const meant = (withSecret ? choice.secret : []).map(placed)
    const others = [...choice.sent, ...(withIgnored ? choice.ignored : [])].map(placed)
    const written = String(new FormData(event.currentTarget).get('message')).trim()
    begin({ files: [...others, ...meant], meant: new Set(meant), message: written })
  }
  return (
    <form className="panel stack upload" onSubmit={submit} aria-label="Upload">
      <h2>
        Upload {counted(files.length, 'file')} ({bytes(sizeOf(files))}) to {into}
      </h2>
      {folder !== null && (
        <label className="row">
          <input type="checkbox" checked={keepsFolder} onChange={({ target }) => setKeepsFolder(target.checked)} />
          <span>
            Keep them in the folder <code>{folder}/</code>
          </span>
        </label>
      )}
      <LeftOut files={choice.secret} why="may hold a password or key" isSent={withSecret} send={setWithSecret} />
      <LeftOut
        files={choice.ignored}
        why="ignored by a .gitignore or .hubignore, or made again by tools"
        isSent={withIgnored}
        send={setWithIgnored}
      />
      <Field label="Message" hint="What this version is about. Optional.">
        <input
          name="message"
          maxLength={500}
          defaultValue={message}
          placeholder={`Upload ${counted(files.length, 'file')}`}
          autoComplete="off"
        />
      </Field>
      <p className="dim small">A file that the repo has at the same path gets a new version; the old one is kept.</p>
      <div className="row">
        <button type="submit" className="button primary" disabled={files.length === 0}>
          Upload
        </button>
        <button type="button" className="button" onClick={cancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}

interface LeftOutProps {
  readonly files: readonly Picked[]
  readonly why: string
  readonly isSent: boolean
  readonly send: (isSent: boolean) => void
}

/** Names shown of what is left out. */
const MOST_NAMED = 20

function LeftOut({ files, why, isSent, send }: LeftOutProps) {
  if (files.length === 0) return null
  return (
    <details>
      <summary>
        {counted(files.length, 'file')} {isSent ? 'sent too' : 'left out'}: {why}
      </summary>
      <ul className="upload-names">
        {files.slice(0, MOST_NAMED).map(({ path }) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
        {files.length > MOST_NAMED && <li>and {files.length - MOST_NAMED} more</li>}
      </ul>
      <label className="row">
        <input type="checkbox" checked={isSent} onChange={({ target }) => send(target.checked)} /> Send them too
      </label>
    </details>
  )
}
