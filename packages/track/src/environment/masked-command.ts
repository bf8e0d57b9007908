/** A command line without its secrets. */
import { findSecrets } from '@hub/client/secrets'

/** As the name of an option or a variable: `--api-key`, `HF_TOKEN`, `db.password`. */
const secretName = /(?:^|[-_.])(?:api[-_]?keys?|token|secret|passw(?:or)?d|pwd|passphrase|credentials?|auth)$/i
const HIDDEN = '***'

/**
 * The words with `***` for the value of an option that names a secret, and for a known kind of key. URLs lose who they
 * are opened as.
 */
export async function maskedCommand(words: readonly string[]): Promise<string[]> {
  const masked: string[] = []
  let isNext = false
  for (const word of words) {
    masked.push(isNext && !word.startsWith('-') ? HIDDEN : await maskedWord(word))
    isNext = /^--?[\w.-]+$/.test(word) && secretName.test(word)
  }
  return masked
}

async function maskedWord(word: string): Promise<string> {
  const [, name, value] = /^(-{0,2}[\w.-]+)=(.*)$/s.exec(word) ?? []
  if (name !== undefined && value !== '' && secretName.test(name)) return `${name}=${HIDDEN}`
  const shown = withoutPassword(word)
  return (await holdsSecret(shown)) ? (name === undefined ? HIDDEN : `${name}=${HIDDEN}`) : shown
}

/** URLs in a text, without who they are opened as. */
export const withoutPassword = (text: string): string => text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1')

/** Whether a text has a secret of a kind that a push refuses. */
async function holdsSecret(text: string): Promise<boolean> {
  return (await secretLines(text)).length > 0
}

/** The lines of a text, from 1, that hold a secret of a kind that a push refuses. */
export async function secretLines(text: string): Promise<number[]> {
  const file = { path: 'text', size: Buffer.byteLength(text) }
  const { found } = await findSecrets([file], {
    textOf: async () => text,
    mayGoOn: () => true,
    looked: () => {},
  })
  return found.map(({ line }) => line)
}
