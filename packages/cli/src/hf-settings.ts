/**
 * Where an import comes from, by the settings that Hugging Face's own clients have. Those of this hub
 * (`hub env --hf`) are not the source's: it is Hugging Face then, and this hub's key is not sent there.
 */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { HUGGING_FACE } from '@hub/client/internal'
import { isKeyToken } from '@hub/formats/key-token'

type Env = Readonly<Record<string, string | undefined>>

export interface SourceSettings {
  /** Null for Hugging Face itself. */
  readonly from: string | null
  readonly token: string | null
}

/**
 * `--from` is before HF_ENDPOINT; the key is HF_TOKEN, and for Hugging Face itself also what `hf auth login` stored. Who
 * logged in at a hub has a key of that there, which Hugging Face is not sent.
 */
export async function sourceSettings(
  env: Env,
  { url, from, ownToken }: { readonly url: string; readonly from?: string; readonly ownToken: string | null },
): Promise<SourceSettings> {
  const isOwn = originOf(env.HF_ENDPOINT) === originOf(url)
  const named = from ?? (isOwn ? undefined : env.HF_ENDPOINT)
  const place = named && originOf(named) !== HUGGING_FACE ? named : null
  // This hub by its own name: its key goes nowhere else.
  if (place !== null && originOf(place) === originOf(url)) return { from: place, token: ownToken }
  const set = isOwn || env.HF_TOKEN === ownToken ? undefined : env.HF_TOKEN
  const token = set || (place === null ? await storedToken(env) : null)
  return { from: place, token: place === null && isKeyOfHub(token) ? null : token }
}

/** A key of a hub, as it is or with the prefix that some clients ask for: none that Hugging Face gave. */
const isKeyOfHub = (token: string | null) => token !== null && isKeyToken(token.replace(/^hf_/, ''))

const originOf = (text: string | undefined) => (text && URL.canParse(text) ? new URL(text).origin : null)

/** The cache of repos of the Python client. */
export const hubCache = (env: Env): string => env.HF_HUB_CACHE || join(homeOf(env), 'hub')

function homeOf(env: Env): string {
  if (env.HF_HOME) return resolve(env.HF_HOME)
  return join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'huggingface')
}

async function storedToken(env: Env): Promise<string | null> {
  const file = env.HF_TOKEN_PATH || join(homeOf(env), 'token')
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.trim() || null
}
