/** Sends files and folders that a person chooses or drops to a folder of a repo. A chunk of its own. */
import { useEffect, useState, useSyncExternalStore } from 'react'
import { readings } from '../../../app/client.ts'
import { bytes, counted } from '../../../ui/format.ts'
import { ErrorNotice } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { type Dropped, droppedItems, fromDrop, fromInput, type Picked } from './picked-files.ts'
import { forget, type Remembered, recall } from './remembered.ts'
import { type Reviewed, ReviewUpload } from './review-upload.tsx'
import { LookFirst } from './secrets/look-first.tsx'
import { UploadProgress } from './upload-progress.tsx'
import { type ActiveUpload, putAway, startUpload, uploadOf } from './uploads.ts'
import './upload.css'

interface Props {
  readonly owner: string
  readonly repo: string
  /** '' for the root, else without a slash at its end. */
  readonly folder: string
  /** Whether the repo has no file yet: a folder that is dropped is then the repo itself. */
  readonly isEmpty: boolean
  readonly saved: () => void
}

export default function UploadPanel({ owner, repo, folder, isEmpty, saved }: Props) {
  const [picked, setPicked] = useState<readonly Picked[] | null>(null)
  const [reviewed, setReviewed] = useState<Reviewed | null>(null)
  const [isLooking, setLooking] = useState(false)
  const [fault, setFault] = useState<Error | null>(null)
  const [upload, setUpload] = useState<ActiveUpload | null>(() => uploadOf(owner, repo))
  const [interrupted, setInterrupted] = useState<Remembered | null>(null)
  const toast = useToast()
  useEffect(() => {
    if (upload === null) recall(owner, repo).then(setInterrupted)
  }, [owner, repo, upload])
  const take = (found: readonly Picked[]) => {
    setFault(found.length === 0 ? new Error('There is no file in what you chose.') : null)
    setPicked(found.length === 0 ? null : found)
    setReviewed(null)
    setLooking(false)
  }
  const isOver = useDrop(upload === null, (dropped) => fromDrop(dropped).then(take, setFault))
  const begin = async (files: readonly Picked[], message: string) => {
    setPicked(null)
    setReviewed(null)
    setLooking(false)
    setInterrupted(null)
    const whole = files.map(({ path, file }) => ({ path: folder === '' ? path : `${folder}/${path}`, file }))
    const started = await startUpload(readings, { owner, repo }, { files: whole, message }, ({ added, changed }) => {
      toast(savedWords(added, changed))
      saved()
    })
    setUpload(started)
  }
  const end = () => {
    putAway(owner, repo)
    setUpload(null)
  }
  if (upload) return <Running upload={upload} end={end} />
  if (reviewed && isLooking)
    return (
      <LookFirst
        files={reviewed.files}
        meant={reviewed.meant}
        send={(files) => void begin(files, reviewed.message)}
        back={() => setLooking(false)}
      />
    )
  if (picked)
    return (
      <ReviewUpload
        picked={picked}
        into={folder === '' ? repo : folder}
        isWhole={isEmpty && folder === ''}
        message={reviewed?.message ?? interrupted?.message ?? ''}
        begin={(next) => {
          setReviewed(next)
          setLooking(true)
        }}
        cancel={() => setPicked(null)}
      />
    )
  return (
    <section className={isOver ? 'panel upload upload-over' : 'panel upload'} aria-label="Upload">
      {fault && <ErrorNotice error={fault} />}
      {interrupted && (
        <Interrupted
          upload={interrupted}
          forget={() => {
            setInterrupted(null)
            void forget(owner, repo)
          }}
        />
      )}
      <div className="row">
        <Chooser label="Upload files" taken={take} />
        <Chooser label="Upload a folder" isFolder taken={take} />
        <span className="dim wide-only">or drop files and folders anywhere on this page</span>
      </div>
    </section>
  )
}

function Interrupted({ upload, forget }: { readonly upload: Remembered; readonly forget: () => void }) {
  const { files, startedAt } = upload
  return (
    <div className="notice upload-interrupted" role="status">
      <p>
        An upload of {counted(files.length, 'file')} ({bytes(files.reduce((sum, { size }) => sum + size, 0))}) was
        interrupted <Time at={startedAt} />. Choose the same files again to go on: what the hub has is not sent again.
      </p>
      <button type="button" className="button small" onClick={forget}>
        Forget it
      </button>
    </div>
  )
}

/** What a version has that the one before had not. */
function savedWords(added: number, changed: number): string {
  const parts = [added > 0 && counted(added, 'new file'), changed > 0 && counted(changed, 'changed file')]
  return `Saved: ${parts.filter((part) => part !== false).join(', ') || 'the repo had these files already'}.`
}

function Running({ upload, end }: { readonly upload: ActiveUpload; readonly end: () => void }) {
  const state = useSyncExternalStore(upload.subscribe, upload.state)
  return (
    <UploadProgress
      state={state}
      stop={upload.stop}
      again={upload.again}
      saveRest={upload.saveRest}
      end={() => {
        upload.stop()
        end()
      }}
    />
  )
}

interface ChooserProps {
  readonly label: string
  readonly isFolder?: boolean
  readonly taken: (picked: readonly Picked[]) => void
}

/** A button over the browser's own way to choose files. */
function Chooser({ label, isFolder = false, taken }: ChooserProps) {
  return (
    <label className="button upload-chooser">
      {label}
      <input
        type="file"
        multiple
        ref={(input) => {
          // React has no property for it.
          if (isFolder) input?.setAttribute('webkitdirectory', '')
        }}
        onChange={({ target }) => {
          taken(fromInput(target.files ?? []))
          // The same files can be chosen again.
          target.value = ''
        }}
      />
    </label>
  )
}

/** Takes what is dropped anywhere on the page, while `isOpen`; tells whether something is held over it. */
function useDrop(isOpen: boolean, taken: (dropped: readonly Dropped[]) => void): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return
      // Without this, the browser would open the file in place of the page.
      event.preventDefault()
      setOver(isOpen)
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent) => {
      if (!hasFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      setOver(false)
      if (isOpen) taken(droppedItems(event.dataTransfer))
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  })
  return isOver
}
