/** The version of a file that a dialog is about: pages are live, and a person decides about what it began with. */
import { useEffect, useState } from 'react'
import { readings } from '../../../app/client.ts'
import { type FileVersion, fileVersion } from './file-version.ts'

interface Place {
  readonly owner: string
  readonly repo: string
  readonly path: string
}

/** `seen` is null until it is read. `fault` is why it could not be, or what the dialog sets. */
export function useSeenVersion({ owner, repo, path }: Place, isOpen: boolean) {
  const [seen, setSeen] = useState<FileVersion | null>(null)
  const [fault, setFault] = useState<Error | null>(null)
  useEffect(() => {
    setSeen(null)
    setFault(null)
    if (!isOpen) return
    // An answer that comes after the dialog was closed is of no dialog that is opened later.
    let isLeft = false
    fileVersion(readings, owner, repo, path).then(
      (version) => isLeft || setSeen(version),
      (error: Error) => isLeft || setFault(error),
    )
    return () => {
      isLeft = true
    }
  }, [owner, repo, path, isOpen])
  return { seen, fault, setFault }
}
