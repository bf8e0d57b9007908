/** What an address names, loaded together, and how many bytes of each have come meanwhile. */
import { type ReactNode, useEffect, useState } from 'react'
import { bytes } from '../../../ui/format.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import type { TellBytes } from '../../../viewer/drive/drive-protocol.ts'

interface Loads<Found> {
  readonly names: readonly string[]
  /** What the bytes are of, such as `Policy`. */
  readonly noun: string
  /** Rejects in words for people. */
  readonly load: (name: string, tell: TellBytes) => Promise<Found>
}

/** What is found, in the order of the names, and until then what to show in its place. `on`: what `load` depends on besides a name. */
export function useLoads<Found>(
  { names, noun, load }: Loads<Found>,
  on: readonly unknown[],
): { readonly found: readonly Found[] | undefined; readonly waiting: ReactNode } {
  const [found, setFound] = useState<readonly Found[]>()
  const [error, setError] = useState<Error>()
  const [tries, setTries] = useState(0)
  const [come, setCome] = useState<Readonly<Record<string, Come>>>({})
  const key = names.join(' ')
  useEffect(() => {
    let closed = false
    setFound(undefined)
    setError(undefined)
    setCome({})
    const loadOne = (name: string) =>
      load(name, (...of) => {
        if (!closed) setCome((before) => ({ ...before, [name]: of }))
      })
    Promise.all(key.split(' ').map(loadOne)).then(
      (all) => closed || setFound(all),
      (reason: unknown) => closed || setError(reason instanceof Error ? reason : new Error(String(reason))),
    )
    return () => {
      closed = true
    }
  }, [...on, key, tries])
  if (error) return { found, waiting: <ErrorNotice error={error} retry={() => setTries((before) => before + 1)} /> }
  if (found) return { found, waiting: null }
  const waiting = (
    <>
      <Loading />
      {Object.entries(come).map(([name, [done, total]]) => (
        <p key={name} className="small dim">
          {noun} of {name}: {bytes(done)} of {bytes(total)}
        </p>
      ))}
    </>
  )
  return { found, waiting }
}

type Come = readonly [doneBytes: number, totalBytes: number]
