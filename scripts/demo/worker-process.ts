/** A `hub` command that works for the demo's hub, as on a separate machine: with only the hub's URL and a key. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ThrowawayHub } from './throwaway-hub.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface WorkerProcess {
  readonly ended: Promise<unknown>
  stop(): void
}

/** Starts `hub ARGS`. Its folders are removed with the hub's. */
export function startWorker(
  hub: Pick<ThrowawayHub, 'url' | 'dir'>,
  token: string,
  args: readonly string[],
): WorkerProcess {
  const child = spawn(process.execPath, ['src/operator/hub.ts', ...args], {
    cwd: root,
    // A picture of a robot takes Chromium seconds to draw.
    env: { PATH: process.env.PATH, HOME: hub.dir, HUB_URL: hub.url, HUB_TOKEN: token, HUB_CHROMIUM: 'off' },
    stdio: 'ignore',
  })
  return {
    ended: once(child, 'exit'),
    stop() {
      if (child.exitCode === null) child.kill('SIGTERM')
    },
  }
}
