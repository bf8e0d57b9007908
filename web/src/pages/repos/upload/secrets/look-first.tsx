/** Looks into files for secrets before any of them is sent; sends them by itself where there is none. */
import { useEffect, useRef, useState } from 'react'
import { count, counted } from '../../../../ui/format.ts'
import type { Picked } from '../picked-files.ts'
import { type Looked, lookForSecrets } from './look-for-secrets.ts'
import { SecretsNotice } from './secrets-notice.tsx'

interface Props {
  readonly files: readonly Picked[]
  /** Files that are sent although their names say that they hold a secret: they are not looked into. */
  readonly meant: ReadonlySet<Picked>
  readonly send: (files: readonly Picked[]) => void
  readonly back: () => void
}

export function LookFirst({ files, meant, send, back }: Props) {
  const [progress, setProgress] = useState<readonly [done: number, all: number]>([0, 0])
  const [looked, setLooked] = useState<Looked | null>(null)
  const sendAll = useRef(() => send(files))
  sendAll.current = () => send(files)
  useEffect(() => {
    const leaving = new AbortController()
    const asked = files.filter((one) => !meant.has(one))
    lookForSecrets(asked, (...now) => setProgress(now), leaving.signal).then(
      (result) => {
        if (leaving.signal.aborted) return
        if (result.found.length === 0 && result.left === 0) sendAll.current()
        else setLooked(result)
      },
      () => {},
    )
    return () => leaving.abort()
  }, [files, meant])
  if (looked !== null) {
    const held = new Set(looked.found.map(({ path }) => path))
    return (
      <SecretsNotice
        looked={looked}
        files={files.length}
        sendOthers={() => send(files.filter(({ path }) => !held.has(path)))}
        sendAll={() => send(files)}
        back={back}
      />
    )
  }
  const [done, all] = progress
  return (
    <section className="panel stack upload" aria-label="Upload">
      <h2>Looking for secrets in {counted(all, 'file')}</h2>
      <progress value={done} max={Math.max(1, all)} aria-label="Files that are looked into" />
      <p className="dim">
        {count(done)} of {count(all)}. Nothing is sent yet.
      </p>
      <div className="row">
        <button type="button" className="button" onClick={back}>
          Cancel
        </button>
      </div>
    </section>
  )
}
