/** A command line without its secrets. */
import { findSecrets } from '@hub/client/secrets'

/** How the name of an option or a variable ends: `--api-key`, `HF_TOKEN`, `AWS_SECRET_ACCESS_KEY`, `db.password`. */
const secretEnd =
  '(?:(?:api|access|secret|private|account|signing|encryption)[-_]?keys?|token|secret|passw(?:or)?d|pwd|passphrase|' +
  'credentials?|auth|signature|sig)'
const secretName = new RegExp(`(?:^|[-_.])${secretEnd}$`, 'i')
/** In the query of a URL. */
const secretQuery = new RegExp(`([?&](?:[\\w.-]*[-_.])?${secretEnd})=[^&#\\s"']+`, 'gi')
const someName = `(?:\\w[\\w.-]*[-_.])?${secretEnd}`
/** In a word that is a script, as after `bash -c`: `NAME=VALUE`, and the word after an option. */
const secretInScript = new RegExp(
  `(?<![\\w.-])(-{0,2}${someName}=|--?${someName}\\s+(?!-))("[^"]*"|'[^']*'|[^\\s;&|)]+)`,
  'gi',
)
const HIDDEN = '***'

/**
 * The words with `***` for the value of an option that names a secret, also within a script that is one word, and for a
 * known kind of key. URLs lose who they are opened as.
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
  const shown = withoutPassword(/\s/.test(word) ? word.replace(secretInScript, `$1${HIDDEN}`) : word)
  return (await holdsSecret(shown)) ? (name === undefined ? HIDDEN : `${name}=${HIDDEN}`) : shown
}

/** URLs in a text, without who they are opened as, and with `***` for a key in their query. */
export const withoutPassword = (text: string): string =>
  text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi, '$1').replace(secretQuery, `$1=${HIDDEN}`)

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
