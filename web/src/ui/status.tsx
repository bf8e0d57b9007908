/** The state of a run, check, endpoint, session or hold, in one set of colors. */
import { words } from './format.ts'

const tones: Readonly<Record<string, string>> = {
  SUCCEEDED: 'good',
  PASSED: 'good',
  PASS: 'good',
  OPEN: 'good',
  FAIL: 'bad',
  WARN: 'warn',
  PUBLISHED: 'good',
  LIVE: 'good',
  APPROVED: 'good',
  ACTIVE: 'good',
  FAILED: 'bad',
  DENIED: 'bad',
  EXPIRED: 'bad',
  CANCELED: '',
  RUNNING: 'busy',
  STARTING: 'busy',
  CLAIMED: 'busy',
  PENDING: 'warn',
  QUEUED: 'warn',
  NEEDS_INPUT: 'warn',
  AWAITING_APPROVAL: 'warn',
}

/** `text`: what is said of it, unless the word itself does. */
export function Status({ of, text = words(of) }: { readonly of: string; readonly text?: string }) {
  return <span className={`badge ${tones[of] ?? ''}`}>{text}</span>
}
