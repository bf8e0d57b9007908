/** The code of a run as Git knows it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { secretLines, withoutPassword } from './masked-command.ts'

const run = promisify(execFile)
const TIMEOUT_MS = 10_000
/** Of a diff that is kept; the rest of a longer one is left out. */
const MAX_DIFF_BYTES = 96 * 1024
/** What is read of one: a change of a data file can be as large as it likes. */
const MAX_READ_BYTES = 4 * 1024 * 1024

export interface GitState {
  readonly commit: string
  readonly branch: string | null
  /** Without user and password. */
  readonly remote: string | null
  /** Tracked files differ from the commit. */
  readonly is_changed: boolean
  /** Files that Git does not know. */
  readonly untracked_files: number
  /** What differs, as a patch; null where nothing does, or a secret is in it. */
  readonly diff: string | null
  /** Why the diff is not whole. */
  readonly diff_note: string | null
}

/** Of the folder's repository; null outside one, or without Git. */
export async function gitState(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<GitState | null> {
  const git = async (...args: string[]): Promise<string | null> => {
    try {
      const options = { timeout: TIMEOUT_MS, maxBuffer: MAX_READ_BYTES, env: { ...env, GIT_OPTIONAL_LOCKS: '0' } }
      // A monitor is a program that the repository names.
      return (await run('git', ['-C', cwd, '-c', 'core.fsmonitor=false', ...args], options)).stdout
    } catch (error) {
      // What it printed before it was too much.
      const { code, stdout } = error as { code?: unknown; stdout?: string }
      return code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' ? (stdout ?? null) : null
    }
  }
  const commit = (await git('rev-parse', '--verify', 'HEAD'))?.trim()
  if (!commit) return null
  const [branch, remote, diff, untracked] = await Promise.all([
    git('symbolic-ref', '--short', '-q', 'HEAD'),
    git('remote', 'get-url', 'origin'),
    git('diff', '--no-color', '--no-ext-diff', '--no-textconv', 'HEAD'),
    git('ls-files', '--others', '--exclude-standard', '--directory'),
  ])
  return {
    commit,
    branch: branch?.trim() || null,
    remote: remote === null ? null : withoutPassword(remote.trim()),
    is_changed: Boolean(diff),
    untracked_files: (untracked ?? '').split('\n').filter(Boolean).length,
    ...(await keptDiff(diff ?? '')),
  }
}

/** As much of a diff as is kept: whole lines, and nothing of one with a secret. */
export async function keptDiff(diff: string): Promise<Pick<GitState, 'diff' | 'diff_note'>> {
  if (diff === '') return { diff: null, diff_note: null }
  const secrets = await secretLines(diff)
  if (secrets.length > 0)
    return { diff: null, diff_note: `left out: a secret is in line ${secrets[0]} of \`git diff HEAD\`` }
  const bytes = Buffer.from(diff)
  if (bytes.length <= MAX_DIFF_BYTES) return { diff, diff_note: null }
  const end = bytes.lastIndexOf(10, MAX_DIFF_BYTES - 1) + 1
  const note = `only the first ${end} of ${bytes.length} bytes are kept`
  return { diff: bytes.toString('utf8', 0, end || MAX_DIFF_BYTES), diff_note: note }
}
