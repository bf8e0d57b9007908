/** The button on a robot's pages that starts a check of it. */
import { lazy, Suspense, useState } from 'react'

const StartCheck = lazy(async () => ({ default: (await import('./start-check.tsx')).StartCheck }))

export function CheckRobot({ owner, repo }: { readonly owner: string; readonly repo: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Check this robot
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <StartCheck owner={owner} repo={repo} isOpen close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
