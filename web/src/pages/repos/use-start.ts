/** The first bytes of a file, for a component. */
import { useEffect, useState } from 'react'
import { readStart } from './read-start.ts'

type Loaded = Awaited<ReturnType<typeof readStart>>

/** Null until they are there. `path` null asks for nothing; another `version` asks again. */
export function useStart(owner: string, repo: string, path: string | null, version = '') {
  const [start, setStart] = useState<Loaded | null>(null)
  const [error, setError] = useState<Error | null>(null)
  useEffect(() => {
    setStart(null)
    setError(null)
    if (path === null) return
    const leaving = new AbortController()
    readStart(owner, repo, path, leaving.signal).then(setStart, (reason: Error) => {
      if (!leaving.signal.aborted) setError(reason)
    })
    return () => leaving.abort()
  }, [owner, repo, path, version])
  return { start, error }
}
