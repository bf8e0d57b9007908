import type { ClientIo } from './client-output.ts'

/** The streams, environment, exit code and interrupts of this process. */
export const processIo: ClientIo & { readonly stdin: NodeJS.ReadableStream } = {
  env: process.env,
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
