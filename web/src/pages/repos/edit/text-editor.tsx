/** A text with its preview, saved with a message; or, where another person saved it first, what to do about that. */
import { pagePath } from '@hub/formats/page-paths'
import { type FormEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { readings } from '../../../app/client.ts'
import { Link } from '../../../app/navigate.tsx'
import { Field } from '../../../ui/field.tsx'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { previewKind } from '../files/preview-kind.ts'
import { type Looked, lookForSecrets } from '../upload/secrets/look-for-secrets.ts'
import { Conflict } from './conflict.tsx'
import type { FileVersion } from './file-version.ts'
import { ChangedMeanwhile } from './on-current.ts'
import { saveText } from './save-text.ts'
import { SecretsInText } from './secrets-in-text.tsx'
import './edit.css'

const RepoMarkdown = lazy(() => import('../markdown.tsx'))

interface Props {
  readonly owner: string
  readonly repo: string
  /** Where a new file goes; null for one whose path is known. */
  readonly folder: string | null
  readonly path: string
  readonly base: FileVersion
  readonly text: string
  /** Begins again with the current version. */
  readonly takeTheirs: () => void
}

export function TextEditor({ owner, repo, folder, path, base, text: first, takeTheirs }: Props) {
  const [name, setName] = useState('')
  const [text, setText] = useState(first)
  const at = folder === null ? path : [folder, name.trim()].filter((part) => part !== '').join('/')
  const { save, saveAnyway, isBusy, fault, theirs, secrets } = useSave({ owner, repo, path: at, text })
  const isChanged = text !== first || (folder !== null && name !== '')
  useUnsaved(isChanged)
  const messageIn = (form: HTMLFormElement) => String(new FormData(form).get('message')).trim()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void save(messageIn(event.currentTarget), base)
  }
  return (
    <form className="panel stack" onSubmit={submit} aria-label="Editor">
      {fault && <ErrorNotice error={fault} />}
      {theirs && (
        <Conflict
          owner={owner}
          repo={repo}
          path={at}
          theirs={theirs}
          isNew={folder !== null}
          takeTheirs={takeTheirs}
          overwrite={(form) => void save(messageIn(form), theirs)}
        />
      )}
      {secrets && (
        <SecretsInText found={secrets.found} saveAnyway={(form) => void saveAnyway(messageIn(form), secrets.on)} />
      )}
      {folder !== null && (
        <Field label="Name" hint={`In ${folder === '' ? repo : folder}. With a / it goes to a folder in it.`}>
          <input
            value={name}
            onChange={({ target }) => setName(target.value)}
            required
            autoComplete="off"
            spellCheck={false}
          />
        </Field>
      )}
      <TextOrPreview owner={owner} repo={repo} path={at} text={text} change={setText} />
      <Field label="Message" hint="What you changed, and why. Optional.">
        <input
          name="message"
          maxLength={500}
          placeholder={base.file === null ? `Add ${at || 'a file'}` : `Edit ${at}`}
          autoComplete="off"
        />
      </Field>
      <div className="row">
        <button type="submit" className="button primary" disabled={isBusy || !isChanged}>
          Save
        </button>
        <Link to="repoFiles" params={{ owner, repo, path: folder ?? path }} className="button">
          Cancel
        </Link>
      </div>
    </form>
  )
}

interface EditedText extends Pick<Props, 'owner' | 'repo' | 'text'> {
  /** Where it is saved; '' while a new file has no name. */
  readonly path: string
}

/** The text as it is typed; of Markdown, as it will be shown too. */
function TextOrPreview({ owner, repo, path, text, change }: EditedText & { readonly change: (text: string) => void }) {
  const [isPreview, setPreview] = useState(false)
  const isMarkdown = previewKind(path) === 'markdown'
  return (
    <>
      {isMarkdown && (
        <fieldset className="row edit-modes">
          <legend className="visually-hidden">Show</legend>
          {[false, true].map((preview) => (
            <button
              key={String(preview)}
              type="button"
              className="button small"
              aria-pressed={isPreview === preview}
              onClick={() => setPreview(preview)}
            >
              {preview ? 'Preview' : 'Text'}
            </button>
          ))}
        </fieldset>
      )}
      {isMarkdown && isPreview ? (
        <Suspense fallback={<Loading />}>
          <RepoMarkdown owner={owner} repo={repo} path={path} text={text} />
        </Suspense>
      ) : (
        <textarea
          className="edit-text"
          aria-label={`Text of ${path || 'the new file'}`}
          value={text}
          onChange={({ target }) => change(target.value)}
          rows={24}
          spellCheck={isMarkdown}
        />
      )}
    </>
  )
}

interface Secrets {
  readonly found: Looked['found']
  /** The version that the text was to be saved on. */
  readonly on: FileVersion
}

/** Saves the text and goes to its page; or says what keeps it from that. */
function useSave({ owner, repo, path, text }: EditedText) {
  const [, go] = useLocation()
  const toast = useToast()
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<Error | null>(null)
  const [theirs, setTheirs] = useState<FileVersion | null>(null)
  const [secrets, setSecrets] = useState<Secrets | null>(null)
  /** The text that has no secret, or that the person saves all the same. */
  const meant = useRef<string | null>(null)
  const save = async (message: string, on: FileVersion) => {
    setBusy(true)
    setFault(null)
    setTheirs(null)
    setSecrets(null)
    try {
      const found = meant.current === text ? [] : await secretsIn(path, text)
      if (found.length > 0) return setSecrets({ found, on })
      meant.current = text
      await saveText(readings, { owner, repo, path, text, message, base: on })
      toast(`${path} is saved.`)
      go(pagePath('repoFiles', { owner, repo, path }))
    } catch (error) {
      if (error instanceof ChangedMeanwhile) setTheirs(error.now)
      else setFault(error instanceof Error ? error : new Error(String(error)))
    } finally {
      setBusy(false)
    }
  }
  /** With its secrets. */
  const saveAnyway = (message: string, on: FileVersion) => {
    meant.current = text
    return save(message, on)
  }
  return { save, saveAnyway, isBusy, fault, theirs, secrets }
}

const secretsIn = async (path: string, text: string) => {
  const { found } = await lookForSecrets(
    [{ path, file: new File([text], path) }],
    () => {},
    new AbortController().signal,
  )
  return found
}

/** A browser asks before it leaves a page with a text that is not saved. */
function useUnsaved(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isChanged])
}
