/** Checks the data set where the page is: its tables and frame lists by ranges, and some pictures of its videos. */
import type { DatasetReport } from '@hub/dataset/check-dataset'
import { useEffect, useRef, useState } from 'react'
import { useClient } from 'urql'
import { count, counted } from '../../../ui/format.ts'
import { ErrorNotice } from '../../../ui/states.tsx'
import { repoFiles } from '../repo-files.ts'
import { CheckReport } from './check-report.tsx'
import { checkedFiles } from './checked-files.ts'
import { StandingCheck } from './standing-check.tsx'

type Progress =
  | { readonly is: 'idle' }
  | { readonly is: 'checking'; readonly done: number; readonly all: number }
  | { readonly is: 'done'; readonly report: DatasetReport }
  | { readonly is: 'failed'; readonly error: Error }

/** Between two drawings of how far it is. */
const TOLD_MS = 250

interface Props {
  readonly owner: string
  readonly repo: string
  /** Workers check no other data sets. */
  readonly isLeRobot: boolean
}

export function DatasetCheck({ owner, repo, isLeRobot }: Props) {
  const client = useClient()
  const [progress, setProgress] = useState<Progress>({ is: 'idle' })
  const running = useRef<AbortController>(null)
  const stop = () => {
    running.current?.abort()
    running.current = null
  }
  useEffect(() => stop, [])
  const check = async () => {
    stop()
    const own = new AbortController()
    running.current = own
    const show = (next: Progress) => {
      if (running.current === own) setProgress(next)
    }
    show({ is: 'checking', done: 0, all: 0 })
    let told = performance.now()
    const onEpisode = (done: number, all: number) => {
      if (performance.now() - told < TOLD_MS) return
      told = performance.now()
      show({ is: 'checking', done, all })
    }
    try {
      const { checkDataset } = await import('@hub/dataset/check-dataset')
      const { notChecked } = await import('@hub/dataset/standing-report')
      const { pageDecoder } = await import('./page-decoder.ts')
      const stored = repoFiles(client, owner, repo)
      const files = await checkedFiles(stored, own.signal)
      const decoder = pageDecoder(async (path) => (await stored.sign([path]))[0] ?? '', own.signal)
      const report = await checkDataset(files, { signal: own.signal, onEpisode, decoder })
      show({ is: 'done', report: { ...report, unchecked: notChecked(report) } })
    } catch (error) {
      show({ is: 'failed', error: error instanceof Error ? error : new Error(String(error)) })
    }
  }
  const isChecking = progress.is === 'checking'
  const end = () => {
    stop()
    setProgress({ is: 'idle' })
  }
  return (
    <section className="panel stack">
      <h2>Health of the data set</h2>
      <div className="row">
        <button type="button" className="button" onClick={isChecking ? end : () => void check()}>
          {isChecking ? 'Stop the check' : 'Check the data set here'}
        </button>
        <span role="status" className="dim">
          {isChecking && `${count(progress.done)} of ${counted(progress.all, 'episode')} checked`}
        </span>
      </div>
      {progress.is === 'failed' && <ErrorNotice error={progress.error} />}
      {progress.is === 'done' && (
        <CheckReport
          owner={owner}
          repo={repo}
          report={progress.report}
          command={`hub data check ${owner}/${repo} --json`}
        />
      )}
      <StandingCheck owner={owner} repo={repo} isLeRobot={isLeRobot} />
    </section>
  )
}
