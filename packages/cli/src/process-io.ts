import { createInterface } from 'node:readline/promises'
import { callerDirectory } from './caller-directory.ts'
import type { ClientIo } from './client-output.ts'

/** The streams, environment, working directory, exit code and signals of this process. */
export const processIo: ClientIo & { readonly stdin: NodeJS.ReadableStream } = {
  env: process.env,
  cwd: callerDirectory('hub', process.env, process.cwd()),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  ask: process.stdin.isTTY ? ask : undefined,
  exit: (code) => {
    process.exitCode = code
  },
  onInterrupt(stop) {
    process.once('SIGINT', stop).once('SIGTERM', stop)
    return () => void process.off('SIGINT', stop).off('SIGTERM', stop)
  },
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}
