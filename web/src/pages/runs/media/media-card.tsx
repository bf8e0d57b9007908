/** A key of a run's media: the entries of one step, and a slider over its steps. Nothing is asked before it is near. */
import { useEffect, useRef, useState } from 'react'
import type { CombinedError } from 'urql'
import { exactRequest } from '../../../app/exact-request.ts'
import { count } from '../../../ui/format.ts'
import { ErrorNotice, Loading } from '../../../ui/states.tsx'
import { useSettled } from '../../../ui/use-settled.ts'
import type { RunShown } from '../run-shown.ts'
import { type RunMediaQuery, runMediaQuery } from './media.graphql.ts'
import { MediaEntry } from './media-entry.tsx'
import { placeOfStep } from './media-value.ts'

/** A slider that is dragged passes many steps; each would be a request. */
const SETTLE_MS = 150

type Key = RunShown['mediaKeys'][number]
type Shown = NonNullable<RunMediaQuery['run']>

interface Props {
  readonly id: string
  /** `owner/slug` of its output repo, if the caller sees it. */
  readonly repo: string | null
  readonly of: Key
}

export function MediaCard({ id, repo, of }: Props) {
  const { key, kind, lastStep } = of
  const card = useRef<HTMLElement>(null)
  const isNear = useNear(card)
  /** Null follows the newest step. */
  const [step, setStep] = useState<number | null>(null)
  const asked = useSettled(step ?? lastStep, SETTLE_MS)
  const { shown, error, again } = useMedia(isNear, JSON.stringify({ id, key, kind, step: asked }))
  const steps = shown?.mediaSteps ?? []
  const place = placeOfStep(steps, step)
  const at = step ?? lastStep
  const moveTo = (next: number) => setStep(next >= steps.length - 1 ? null : (steps[next] ?? null))
  return (
    <section ref={card} className="panel stack media-card" aria-label={key}>
      <div className="row">
        <h2 className="mono">{key}</h2>
        <span className="dim small">step {count(at)}</span>
      </div>
      {steps.length > 1 && (
        <input
          type="range"
          min={0}
          max={steps.length - 1}
          value={place}
          aria-label={`Step of ${key}`}
          aria-valuetext={`step ${at}`}
          onChange={({ target }) => moveTo(target.valueAsNumber)}
        />
      )}
      {error && <ErrorNotice error={error} retry={again} />}
      {shown === null && !error ? (
        <Loading lines={3} />
      ) : (
        <div className="media-entries">
          {shown?.media.nodes.map((entry) => (
            <MediaEntry
              key={`${entry.step} ${entry.index} ${entry.path}`}
              entry={entry}
              label={`${key}, step ${entry.step}${entry.index === 0 ? '' : `, ${entry.index}`}`}
              repo={repo}
            />
          ))}
        </div>
      )}
      {shown?.media.pageInfo.hasNextPage && (
        <p className="dim small">
          The first {shown.media.nodes.length} of this step; <code>hub runs media {id}</code> lists all.
        </p>
      )}
    </section>
  )
}

/** Whether it was ever near what is seen. */
function useNear(target: { readonly current: Element | null }): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    if (isNear || !target.current) return undefined
    const views = new IntersectionObserver((entries) => setNear(entries.some(({ isIntersecting }) => isIntersecting)), {
      rootMargin: '200px',
    })
    views.observe(target.current)
    return () => views.disconnect()
  }, [target, isNear])
  return isNear
}

/** The entries of one step, with numbers as they were written. Those of the step before stay until they are there. */
function useMedia(isAsked: boolean, variables: string) {
  const [shown, setShown] = useState<Shown | null>(null)
  const [error, setError] = useState<CombinedError>()
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (!isAsked) return undefined
    let isLeft = false
    exactRequest(runMediaQuery, JSON.parse(variables)).then((answer) => {
      if (isLeft) return
      setError(answer.error)
      if (answer.data?.run) setShown(answer.data.run)
    })
    return () => {
      isLeft = true
    }
  }, [isAsked, variables, tries])
  return { shown, error, again: () => setTries(tries + 1) }
}
