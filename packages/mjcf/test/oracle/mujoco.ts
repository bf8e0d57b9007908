/** MuJoCo as a judge: a child process that survives models which crash or hang it. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { processorMsOf } from '../../src/processes/processor-time.ts'
import type { Judgement, OracleCase } from './judgement.ts'

export interface Oracle {
  /**
   * One model at a time; calls wait for each other. `afresh`: by a process that has judged nothing yet. The stack of
   * this build of MuJoCo has no guard: from 128 levels on a model writes over what lies below it, and a process that
   * survives may refuse what it should not.
   */
  judge(asked: OracleCase, options?: { readonly afresh?: boolean }): Promise<Judgement>
  close(): Promise<void>
}

// Memory that models leave allocated is never freed; 2,000 small ones stay far below its 2 GB.
const CASES_A_CHILD = 2_000

const LOOK_MS = 100
/** What works this little in that long hangs. */
const HANGS_MS = 100_000

/** Whether a process has worked for so long; on systems that do not tell its processor time, time as such. */
function spentBy(pid: number | undefined, limitMs: number): () => boolean {
  const worked = () => (pid === undefined ? null : processorMsOf(pid))
  const began = { wallMs: performance.now(), workedMs: worked() }
  return () => {
    const [wallMs, now] = [performance.now() - began.wallMs, worked()]
    const spentMs = now === null || began.workedMs === null ? wallMs : now - began.workedMs
    return spentMs >= limitMs || wallMs >= HANGS_MS
  }
}

/** Opens a judge; `limitMs` is the time of a processor that one model may take: a busy machine changes no verdict. */
export function openOracle({ limitMs = 20_000 }: { limitMs?: number } = {}): Oracle {
  let child: ChildProcess | null = null
  let judged = 0
  let firstOfChild = 0
  let last: Promise<unknown> = Promise.resolve()

  async function childProcess(): Promise<ChildProcess> {
    if (child && child.exitCode === null && child.signalCode === null && judged % CASES_A_CHILD !== 0) return child
    await close()
    firstOfChild = judged
    child = fork(join(import.meta.dirname, 'mujoco-child.ts'), {
      // Few models are worth the second compiler: making the code of MuJoCo's largest functions faster takes four times
      // as long as these models themselves.
      execArgv: ['--stack-size=3900', '--liftoff-only'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(([code]) => {
        throw new Error(`MuJoCo did not start (exit code ${code})`)
      }),
    ])
    return child
  }

  async function ask(asked: OracleCase): Promise<Judgement> {
    const running = await childProcess()
    judged++
    return await new Promise((resolve) => {
      const finish = (judgement: Judgement) => {
        clearInterval(timer)
        running.off('message', answered).off('exit', died)
        resolve(judgement)
      }
      const answered = (judgement: Judgement) => {
        // A crashed instance exits on its own; waiting for that keeps the next model away from it.
        if (judgement.verdict === 'none') running.off('exit', died).once('exit', () => finish(judgement))
        else finish(judgement)
      }
      const died = (code: number | null, signal: string | null) =>
        finish({ verdict: 'none', reason: `died of ${signal ?? `exit code ${code}`}` })
      const isSpent = spentBy(running.pid, limitMs)
      const timer = setInterval(() => {
        if (!isSpent()) return
        clearInterval(timer)
        running.off('exit', died)
        running.once('exit', () => finish({ verdict: 'none', reason: `no answer within ${limitMs} ms`, late: true }))
        running.kill('SIGKILL')
      }, LOOK_MS)
      running.on('message', answered).on('exit', died)
      running.send(asked)
    })
  }

  /** What brought the child down may have been the models before. */
  async function askTwice(asked: OracleCase): Promise<Judgement> {
    const others = child ? judged - firstOfChild : 0
    const judgement = await ask(asked)
    return judgement.verdict === 'none' && others > 0 && !judgement.late ? ask(asked) : judgement
  }

  async function close(): Promise<void> {
    const running = child
    child = null
    if (!running || running.exitCode !== null || running.signalCode !== null) return
    running.kill('SIGKILL')
    await once(running, 'exit')
  }

  return {
    judge(asked, { afresh = false } = {}) {
      const answer = last.then(async () => {
        if (afresh) await close()
        return askTwice(asked)
      })
      last = answer.catch(() => undefined)
      return answer
    },
    close: () => last.then(close),
  }
}
