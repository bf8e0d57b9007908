/**
 * Calls whose hub is gone, while this one was there all along. The hub that started a call records its end within the
 * time of a sweep; one that has ended, and is still noted at the next sweep, has no such hub.
 */

/** Told at each sweep whether a call of another hub has ended: true from the second time on. */
export function orphanWatch(): (callId: string, hasEnded: boolean) => boolean {
  const ended = new Set<string>()
  return (callId, hasEnded) => {
    const isOrphan = hasEnded && ended.has(callId)
    if (hasEnded && !isOrphan) ended.add(callId)
    else ended.delete(callId)
    return isOrphan
  }
}
