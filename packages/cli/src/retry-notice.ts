/** Tells a person why a command takes so long: the hub does not answer, or is busy, and the command tries again. */
import { defaultRetry, type RetriedFailure, type RetryPolicy } from '@hub/client/retry'
import { durationText } from './duration-text.ts'
import { print, printAt } from './terminal.ts'

/** With this attempt the waits come to about a second; most failures are over before. */
const TOLD_FROM_ATTEMPT = 3
const TOLD_WAIT_MS = 1000
/** A transfer has several requests at once, and an outage fails them all. */
const AGAIN_AFTER_MS = 10_000

/** The retries of a client, with a line on standard error once they take a second, and at most one in ten seconds. */
export function toldRetry(stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }): RetryPolicy {
  return { ...defaultRetry, onRetry: noticeOn(stderr) }
}

function noticeOn(stderr: NodeJS.WritableStream & { readonly isTTY?: boolean }) {
  let toldAt = Number.NEGATIVE_INFINITY
  return ({ error, attempt, waitMs }: RetriedFailure): void => {
    if (attempt < TOLD_FROM_ATTEMPT && waitMs < TOLD_WAIT_MS) return
    if (performance.now() - toldAt < AGAIN_AFTER_MS) return
    toldAt = performance.now()
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
    const line = `hub: ${reason}. Trying again${waitMs < TOLD_WAIT_MS ? '' : ` in ${durationText(waitMs / 1000)}`}.`
    // On a terminal a progress bar may stand in the line.
    if (stderr.isTTY) printAt(stderr, '\r\x1b[K', [line])
    else print(stderr, `${line}\n`)
  }
}
