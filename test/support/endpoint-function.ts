/** A hosted function for endpoints that writes its token down and then waits: a test acts in its place. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFolder } from './open-folder.ts'

/** It ends when it is told to, or with the hub of its test, which leaves nobody behind, and which it may not signal if that is root. A shell: a test starts many. */
const program = `
cd "$(dirname "$0")" || exit 1
[ "$HUB_JOB_KIND" = endpoint ] || exit 1
printf %s "$HUB_TOKEN" > "$HUB_CALL_ID.part" && mv "$HUB_CALL_ID.part" "$HUB_CALL_ID.token"
while [ ! -e "$HUB_CALL_ID.end" ] && { kill -0 "$PPID" || [ -e "/proc/$PPID" ]; }; do sleep 0.5; done
exit 7
`

/** The program in a folder of its own: the command that starts it, the key of a call, and the end of one. */
export function endpointFunction() {
  const dir = openFolder('hub-endpoint-function-')
  writeFileSync(join(dir, 'function.sh'), program)
  return {
    command: `exec sh "${join(dir, 'function.sh')}"`,
    /** Null until the call has started. */
    tokenOf(callId: string | null): string | null {
      const file = join(dir, `${callId}.token`)
      return callId !== null && existsSync(file) ? readFileSync(file, 'utf8') : null
    },
    end: (callId: string) => writeFileSync(join(dir, `${callId}.end`), ''),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}
