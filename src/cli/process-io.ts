import type { ClientIo } from './client-output.ts'
import { standingIn } from './standing-in.ts'

/** The streams, environment, folder, exit code and interrupts of this process. */
export const processIo: ClientIo & { readonly stdin: NodeJS.ReadableStream } = {
  env: process.env,
  cwd: standingIn('hub', process.env, process.cwd()),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  exit: (code) => {
    process.exitCode = code
  },
  onInterrupt(stop) {
    process.once('SIGINT', stop).once('SIGTERM', stop)
    return () => void process.off('SIGINT', stop).off('SIGTERM', stop)
  },
}
