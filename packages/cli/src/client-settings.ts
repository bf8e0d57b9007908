/** Finds the hub URL and the credential of the client commands. */
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { LocalError } from '@hub/client/internal'
import { z } from 'zod'

type Env = Readonly<Record<string, string | undefined>>

export const DEFAULT_URL = 'http://127.0.0.1:4000'

const stored = z.object({
  url: z.string().optional(),
  token: z.string().optional(),
  /** Set if `hub login` made the key, which `hub logout` then revokes. */
  key_id: z.string().optional(),
})
export type StoredLogin = z.output<typeof stored>

export interface ClientSettings {
  readonly url: string
  readonly urlFrom: '--url' | 'HUB_URL' | 'hub login' | 'default'
  readonly token: string | null
  readonly tokenFrom: '--token-file' | 'HUB_TOKEN' | 'hub login' | null
  /** Folder of the transfer cache. */
  readonly cacheDir: string
}

/**
 * Options override the environment, which overrides what `hub login` stored. A stored token is sent only to the hub it
 * was stored for.
 */
export async function clientSettings(
  { env, cwd }: { readonly env: Env; readonly cwd: string },
  options: { readonly url?: string; readonly tokenFile?: string },
): Promise<ClientSettings> {
  const saved = await readStored(env)
  const [text, urlFrom] = first<ClientSettings['urlFrom']>(
    [options.url, '--url'],
    [env.HUB_URL, 'HUB_URL'],
    [saved.url, 'hub login'],
  ) ?? [DEFAULT_URL, 'default']
  const file = settingsFile(env)
  const url = checkedUrl(text, urlFrom === 'hub login' ? file : urlFrom)
  const fromFile = options.tokenFile === undefined ? undefined : await tokenFrom(resolve(cwd, options.tokenFile))
  const storedToken =
    saved.token !== undefined && checkedUrl(saved.url ?? DEFAULT_URL, file) === url ? saved.token : undefined
  const [token, tokenFromWhere] = first<ClientSettings['tokenFrom']>(
    [fromFile, '--token-file'],
    [tokenOf(env), 'HUB_TOKEN'],
    [storedToken, 'hub login'],
  ) ?? [null, null]
  const cacheHome = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache')
  return { url, urlFrom, token, tokenFrom: tokenFromWhere, cacheDir: join(cacheHome, 'hub', 'transfers') }
}

/** The first value that is set; an empty environment variable is not. */
function first<From>(...given: readonly (readonly [string | undefined, From])[]): readonly [string, From] | undefined {
  for (const [value, from] of given) if (value) return [value, from]
  return undefined
}

/** Stores URL and token for later commands, readable only by the user, whole or not at all. Returns the file. */
export async function storeSettings(env: Env, settings: StoredLogin): Promise<string> {
  const file = settingsFile(env)
  const fresh = `${file}.${process.pid}`
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 })
  await writeFile(fresh, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 })
  // The mode above only applies to a new file, and less what umask takes.
  await chmod(fresh, 0o600)
  await rename(fresh, file)
  return file
}

/** Deletes what `storeSettings` stored. */
export async function forgetSettings(env: Env): Promise<void> {
  await rm(settingsFile(env), { force: true })
}

/** The file of `hub login`. */
export function settingsFile(env: Env): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'hub', 'client.json')
}

/** What `hub login` stored; empty if it has not. */
export async function readStored(env: Env): Promise<StoredLogin> {
  const file = settingsFile(env)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw new LocalError(
      `${file}, the login file, cannot be read (${error.code}); let this user read it, or delete it.`,
    )
  })
  if (text === null) return {}
  try {
    return stored.parse(JSON.parse(text))
  } catch {
    throw new LocalError(`${file} is not a valid login file; run \`hub login\` again or delete it.`)
  }
}

async function tokenFrom(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new LocalError(`--token-file: ${file} cannot be read (${error.code}); name a file that contains one token.`)
  })
  return oneToken(text, `--token-file: ${file}`)
}

/** That of HUB_TOKEN; undefined if it is not set, or empty. */
const tokenOf = ({ HUB_TOKEN: text }: Env) => (text ? oneToken(text, 'HUB_TOKEN: it') : undefined)

/** A token that a header can carry. What was given instead is not said: it may be another secret. */
function oneToken(text: string, what: string): string {
  const token = text.trim()
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new LocalError(`${what} must contain exactly one token, of printable ASCII without spaces.`)
  return token
}

/**
 * The URL of a hub without a trailing slash. `from`: the setting or the file that it is of. Its text is not said: it
 * may hold a password.
 */
export function checkedUrl(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new LocalError(`${from}: not an http(s) URL; it must be as https://hub.example.com.`)
  if (url.username !== '' || url.password !== '')
    throw new LocalError(`${from}: a hub URL must not contain a credential; use HUB_TOKEN.`)
  return url.href.replace(/\/+$/, '')
}
