/** Looks for secrets in the texts of files, away from the page: the rules take a second for each few megabytes. */
import { findSecrets, HEAD_BYTES, LOOK_MS, type SecretInFile } from '@hub/client/secrets'

/** A file to look into. */
export interface LookedFile {
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly file: File
}

export type SecretsAnswer =
  /** One more file is looked into. */
  | 'looked'
  /** `left`: files that there was no time for. */
  | { readonly found: readonly SecretInFile[]; readonly left: number }

const say = (answer: SecretsAnswer) => postMessage(answer)

addEventListener('message', async ({ data: files }: MessageEvent<readonly LookedFile[]>) => {
  const untilMs = performance.now() + LOOK_MS
  say(
    await findSecrets(files, {
      textOf,
      mayGoOn: () => performance.now() < untilMs,
      looked: () => say('looked'),
    }),
  )
})

/** Null for bytes that are not text, and for a file that the browser cannot read: sending it says so. */
async function textOf({ file }: LookedFile): Promise<string | null> {
  try {
    const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
    return head.includes(0) ? null : await file.text()
  } catch {
    return null
  }
}
