/** Acts when what a page shows comes to another stage: what the hub sends of a change is not all that a page reads. */
import { useEffect, useRef } from 'react'

/** `stage` undefined: not known yet. The first that is known is not a change. */
export function useWhenChanged(stage: string | undefined, act: () => void): void {
  const before = useRef(stage)
  const callback = useRef(act)
  callback.current = act
  useEffect(() => {
    if (stage === undefined || stage === before.current) return
    const isFirst = before.current === undefined
    before.current = stage
    if (!isFirst) callback.current()
  }, [stage])
}
